"""Reading a claim without a model: by what its names mean here, and what relates them.

A claim is cut where its words join statements. Each statement is tried with each of its relation
words (`grammar.shape`); the kinds of the things beside it choose the predicate. What explains the
most words counts. Words that only narrow what is said may be left over: what is read then proves
the claim no more, or does not disprove it. Where a name is left over, nothing is read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any

from reviewers.propositions import InvalidReading, parse
from reviewers.readers.canonical import meant
from reviewers.readers.grammar import Item, NotThis, Phrase, Shape, relations, shape, verbs
from reviewers.readers.lexicon import Lexicon, lexicon
from reviewers.readers.linking import WELL_KNOWN, SymbolTable, entity
from reviewers.readers.reading import Reading
from reviewers.readers.words import Token, tokens

READER = "offline"
_MOST_WORDS = 90  # of a claim
_MOST_OBJECTS = 8
_MOST_MEANINGS = 4
_STRAY = 3  # words that a relation word counts for that is left over
_LIGHT = {"be": 4, "have": 2, "lack": 1, "make": 1, "use": 1}
Json = dict[str, Any]


class _Refused(Exception):
    """The statement is not understood; the text says at what."""


@dataclass(slots=True)
class _Clause:
    """A statement's words.

    Attributes:
        joined: how it hangs on the one before: `and`, `effect`, `cause`.
        when: the words of a condition under which it holds.
        topic: what stands before it with a colon.
    """

    items: list[Item]
    joined: str = ""
    when: list[Item] = field(default_factory=list)
    topic: list[Item] = field(default_factory=list)


@dataclass(slots=True)
class _Said:
    """A statement as it is read.

    Attributes:
        rank: how much was left over; the least is best.
        left: words that it does not say.
        denies: whether it denies.
        is_sure: whether what is left over only narrows it.
    """

    rank: tuple[int, int]
    json: Json
    left: tuple[str, ...]
    denies: bool
    is_sure: bool


@dataclass(slots=True)
class _Context:
    """What a statement may leave unsaid: of what the ones before spoke."""

    table: SymbolTable
    words: Lexicon
    scope: str = ""
    objects: list[Item] = field(default_factory=list)


def read(claim: str, table: SymbolTable, *, scope: str = "") -> Reading:
    """The proposition that a claim states; none where no statement of it is understood.

    Args:
        scope: the file or `file::name` that the reviewer gave as its place.
    """
    return _read_claim(claim, _Context(table, lexicon()), scope)


def read_all(
    claims: Sequence[str], table: SymbolTable, scopes: Sequence[str] = ()
) -> list[Reading]:
    """The readings of a review's claims, which stand in one order: what one leaves unsaid, the one
    before has said.

    Args:
        scopes: the place of each claim, as its reviewer gave it; empty for none.
    """
    context = _Context(table, lexicon())
    given = [*scopes, *[""] * len(claims)]
    return [_read_claim(claim, context, place) for claim, place in zip(claims, given, strict=False)]


def _read_claim(claim: str, context: _Context, scope: str) -> Reading:
    if (told := meant(claim)) is not None:
        return Reading(reader=READER, proposition=told)
    found = tokens(claim)
    if len(found) > _MOST_WORDS:
        return Reading(reader=READER, why_not="it is too long to be one statement")
    first = _attempt(_without_asides(found), context, scope)
    if first.proposition is not None or not any(token.text == "(" for token in found):
        return first
    # What stands in brackets may be what it is about: "the file (x.yaml) is missing".
    again = _attempt([token for token in found if token.text not in "()"], context, scope)
    return first if again.proposition is None else again


def _attempt(found: Sequence[Token], context: _Context, scope: str) -> Reading:
    words = context.words
    items = _items(found, context)
    leans = bool(items) and items[0].is_in(words.groups["leaning"])
    before = context.scope
    context.scope = scope or (before if leans else "")
    context.objects = context.objects if leans else []
    clauses = [one for one in _clauses(items, words) if _states(one, words)]
    said: list[tuple[_Clause, Sequence[_Said]]] = []
    problems = []
    for clause in clauses:
        try:
            said.append((clause, _read(clause, context)))
        except _Refused as refused:
            problems.append(str(refused))
            said.append((clause, ()))
    if not any(found for _, found in said):
        context.scope = context.scope or before
        return Reading(reader=READER, why_not=problems[0] if problems else "it states nothing")
    return _whole(said)


def _whole(said: Sequence[tuple[_Clause, Sequence[_Said]]]) -> Reading:
    """The statements of a claim together, in each way in which they may be meant."""
    ways = [found or [None] for _, found in said]
    wholes = []
    for way in islice(product(*ways), _MOST_MEANINGS):
        parts = [
            (clause.joined, one.json if one else _unread(clause))
            for (clause, _), one in zip(said, way, strict=True)
        ]
        try:
            wholes.append(parse(_joined(parts)))
        except InvalidReading as problem:
            return Reading(reader=READER, why_not=str(problem))
    first = [found[0] for found in (found for _, found in said) if found]
    narrowed = [one for one in first if one.left]
    return Reading(
        reader=READER,
        proposition=wholes[0],
        otherwise=tuple(dict.fromkeys(wholes[1:])),
        leftover=tuple(word for one in first for word in one.left),
        proves=not any(not one.denies or not one.is_sure for one in narrowed),
        disproves=not any(one.denies or not one.is_sure for one in narrowed),
    )


def _unread(clause: _Clause) -> Json:
    return {"p": "judgement", "text": " ".join(item.text for item in clause.items)[:400]}


def _without_asides(found: Sequence[Token]) -> list[Token]:
    """The words without what stands in round brackets."""
    kept, depth = [], 0
    for token in found:
        if token.kind == "stop" and token.text in "()":
            depth = max(0, depth + (1 if token.text == "(" else -1))
        elif not depth:
            kept.append(token)
    return kept or list(found)


def _items(found: Sequence[Token], context: _Context) -> list[Item]:
    """The claim's words, nouns of several words as one, names with what they mean here."""
    words = context.words
    items: list[Item] = []
    at = 0
    while at < len(found):
        token = found[at]
        for count in range(min(words.longest, len(found) - at), 0, -1):
            some = found[at : at + count]
            stems = tuple(one.stem for one in some)
            if stems in words.nouns and all(one.kind == "word" for one in some):
                kind, value = words.nouns[stems]
                items.append(
                    Item(" ".join(one.text for one in some), " ".join(stems), "word", {kind: value})
                )
                at += count
                break
        else:
            items.append(_item(token, context))
            at += 1
    _by_company(items, words, context.table)
    return items


def _item(token: Token, context: _Context) -> Item:
    is_word = token.kind == "word" and token.text.lower() not in WELL_KNOWN
    if is_word and context.words.knows(token.stem):
        return Item(token.text, token.stem, token.kind)
    thing = entity(token, context.table)
    meanings = thing.meanings if thing else {}
    return Item(token.text, token.stem, token.kind, dict(meanings), thing)


def _by_company(items: list[Item], words: Lexicon, table: SymbolTable) -> None:
    """What a word is by those beside it: a name in a list with names or behind "the sections", the
    runs of which it is a part before "runs".
    """
    for at, item in enumerate(items):
        after = items[at + 1] if at + 1 < len(items) else None
        if item.kind != "word" or "run" in item.meanings:
            continue
        part = item.text.lower()
        if after is not None and after.stem in _RUNS and len(part) >= _SHORTEST_PART:
            if not words.knows(item.stem) and any(part in run.lower() for run in table.runs):
                item.meanings = {"run": f"*{item.text}*"}
                continue
        listed = _list_before(items, at)
        typed = words.kinds.get(listed[0].stem) if listed else None
        if typed in _NAMES and len(listed) > 1:
            item.meanings = {typed: item.text, "name": item.text}
        elif item.is_thing or words.knows(item.stem):
            continue
        elif typed in _NAMES or (after is not None and _looks_named(item.text, after, words)):
            item.meanings = dict.fromkeys((typed or "name", "name", "argument"), item.text)
        else:
            names = [one for one in listed if one.meanings.keys() & _NAMES and one.kind != "word"]
            if names:
                kinds = [kind for kind in names[0].meanings if kind in _NAMES]
                item.meanings = dict.fromkeys(kinds, item.text)
            elif _is_odd(item.text):
                item.meanings = {"component": item.text}


def _looks_named(text: str, after: Item, words: Lexicon) -> bool:
    """Whether a word is written like a name, and the next one says that it is one."""
    return _is_odd(text) and words.kinds.get(after.stem) in _NAMES


def _is_odd(text: str) -> bool:
    """Whether a word is written as no English word is."""
    return any(sign.isupper() or sign.isdigit() for sign in text[1:])


def _list_before(items: Sequence[Item], at: int) -> list[Item]:
    """The members of the list that ends at a place, with the word before it, in order; without the
    last one.
    """
    found: list[Item] = []
    if at + 2 < len(items) and items[at + 1].text in _JOINING and items[at + 2].kind == "name":
        found.append(items[at + 2])
    while at >= 2 and items[at - 1].text in _JOINING:
        at -= 3 if items[at - 2].text in _JOINING and at >= 3 else 2
        found.insert(0, items[at])
    if at >= 1 and items[at - 1].text not in _JOINING:
        found.insert(0, items[at - 1])
    return found


_JOINING = frozenset({",", "and", "or", "nor", "/"})
_RUNS = frozenset({"run", "config", "configuration", "yaml", "experiment"})
_SHORTEST_PART = 3
_NAMES = frozenset({"metric", "name", "key", "argument"})


# Statements


def _clauses(items: Sequence[Item], words: Lexicon) -> list[_Clause]:
    """Cut where words join statements, and where behind a comma or an "and" a new one begins."""
    found = [_Clause([])]
    for at, item in enumerate(items):
        here = found[-1]
        if "join" in item.meanings:
            found.append(_Clause([], item.meanings["join"]))
        elif item.stem == "as" and not here.items:
            found.append(_Clause([], "cause"))
        elif (
            item.text in _ENDS
            or item.is_in(words.groups["contrasts"])
            or (item.text in _BETWEEN and _starts_anew(here.items, items[at + 1 :], words))
        ):
            found.append(_Clause([], "and"))
        else:
            here.items.append(item)
    kept: list[_Clause] = []
    for clause in found:
        _without_circumstance(clause, words)
        if clause.joined == "drop":
            continue
        if kept and clause.items and _is_topic(kept[-1], words):
            clause.topic, clause.joined = kept.pop().items, ""
        if clause.items:
            kept.append(clause)
    return kept


def _is_topic(clause: _Clause, words: Lexicon) -> bool:
    """Whether it only names a place, of which the next statement is said."""
    quantified = any(item.is_in(words.groups["every"]) for item in clause.items)
    return all(
        item.kind == "stop"
        or item.meanings.keys() & _TOPICS
        or (quantified and words.knows(item.stem) and not relations(item, words))
        for item in clause.items
    )


_TOPICS = frozenset({"file", "definition", "role", "run", "library", "callee", "key"})
_ENDS = frozenset({";", ".", ":", "–", "—"})
_BETWEEN = frozenset({",", "and"})


def _starts_anew(before: Sequence[Item], rest: Sequence[Item], words: Lexicon) -> bool:
    """Whether statements stand on both sides, and no list."""
    if before and rest and before[-1].meanings.keys() & rest[0].meanings.keys():
        return False
    ahead: list[Item] = []
    for item in rest:
        if ahead and (item.text in _ENDS | _BETWEEN or "join" in item.meanings):
            break
        ahead.append(item)
    return bool(verbs(before, words)) and bool(verbs(ahead, words))


def _without_circumstance(clause: _Clause, words: Lexicon) -> None:
    """Take from a statement what only says in spite of what, or what for; a condition is kept
    apart.
    """
    items = clause.items
    for at, item in enumerate(items):
        if not at or not verbs(items[:at], words):
            continue
        is_purpose = (
            item.stem == "to"
            and bool(relations(items[at + 1], words) if at + 1 < len(items) else ())
            and any(one.is_thing for one in items[:at])
        )
        is_relative = item.stem == "that" and not _stands_before_noun(items, at, words)
        is_condition = item.is_in(words.groups["conditions"]) or is_relative
        if is_condition or is_purpose or item.is_in(words.groups["circumstance"]):
            clause.items = items[:at]
            clause.when = items[at:] if is_condition else []
            return


def _stands_before_noun(items: Sequence[Item], at: int, words: Lexicon) -> bool:
    after = items[at + 1] if at + 1 < len(items) else None
    return after is not None and not (
        after.is_in(words.groups["auxiliaries"]) or relations(after, words)
    )


def _states(clause: _Clause, words: Lexicon) -> bool:
    """Whether it states something: what a specification demands is no statement."""
    return not any(item.text.lower() in words.demands for item in clause.items)


def _read(clause: _Clause, context: _Context) -> list[_Said]:
    """The best readings of one statement.

    Raises:
        _Refused: it is not understood.
    """
    words, items = context.words, clause.items
    if any(item.is_in(words.groups["spoiling"]) for item in items):
        raise _Refused("it judges more than it states")
    if clause.when and items[-1].is_in(words.groups["only"]):
        raise _Refused("it holds under a condition only")
    fails = words.relations["fail"][0]
    found = verbs(items, words)
    if not found and any(item.is_in(words.groups["denials"]) for item in items):
        found = [(-1, words.relations["hav"][0])]
    if any("error" in item.meanings for item in items):
        told = [one for one in found if one[1].name in ("fail", "raise")]
        found = told or [*found, (-1, fails)]
        if clause.joined == "effect":
            found = [(at, fails) for at, _ in told] or [(-1, fails)]
    readings: list[_Said] = []
    problems: list[str] = []
    for at, relation in found:
        try:
            readings.append(_Frame(shape(items, at, relation, words), clause, context).read())
        except (_Refused, NotThis) as refused:
            problems.append(str(refused))
    if not readings:
        problems.sort(key=lambda one: not one.startswith("not understood"))
        raise _Refused(problems[0] if problems else "no relation in it is known")
    best = min(one.rank for one in readings)
    kept: list[_Said] = []
    for one in readings:
        if one.rank == best and all(one.json != other.json for other in kept):
            kept.append(one)
    return kept


class _Frame:
    """A statement by one of its relation words: which things fill which arguments."""

    def __init__(self, said: Shape, clause: _Clause, context: _Context) -> None:
        self.shape, self.context = said, context
        self.topic, self.when = clause.topic, clause.when
        self.items = [*clause.topic, *clause.items, *clause.when]
        self.relation = said.relation
        self.table, self.words = context.table, context.words
        self.used: set[int] = set()
        self.predicate = "fails"
        self.is_guess = False  # who does it, or what "it" is

    def read(self) -> _Said:
        """What is said, and what is left over.

        Raises:
            _Refused: a part of the statement finds no place in it.
        """
        denies = self.shape.denials % 2 == 1
        if self.relation.name == "fail" or (self.relation.name == "raise" and self._fails()):
            said = self._failure()
        else:
            said, denies = self._of_objects(denies)
        left = [*self._left(), *self._condition()]
        if self._has("possible"):
            said = {"possible": said}
        strays = [one for one in self.shape.others if not self._is_light(one)]
        if any(one.denies for stray in strays for one in relations(stray, self.words)):
            raise _Refused("something else is denied as well")
        rank = (_STRAY * len(strays) + _LIGHT.get(self.relation.name, 0) + len(left), 0)
        left += [one.text for one in strays]
        is_sure = not self.is_guess and "only" not in said
        return _Said(rank, _denied(said) if denies else said, tuple(left), denies, is_sure)

    def _has(self, group: str) -> bool:
        return any(item.is_in(self.words.groups[group]) for item in self.items)

    def _is_light(self, item: Item) -> bool:
        found = relations(item, self.words)
        return item.is_in(self.words.filler) or any(
            one is self.relation
            or self.predicate in one.of.values()
            or one.name in ("be", "make", "use", "have")
            for one in found
        )

    # Things

    def _thing(self, phrase: Phrase, *kinds: str) -> tuple[Item, str] | None:
        """What a phrase is about, where it is one of these kinds: its last thing, behind which
        only words stand that tell its kind or nothing.
        """
        for item in reversed(phrase.items):
            if item.is_thing:
                typed = self._typed(phrase, item)
                for kind in kinds:
                    if kind in item.meanings and typed in (None, kind):
                        return item, item.meanings[kind]
                if not item.meanings.keys() & {"word", "library"}:
                    return None
            elif not self._says_nothing(item):
                return None
        return None

    def _typed(self, phrase: Phrase, item: Item) -> str | None:
        """The kind that the word beside a name gives it: "the metric x", "the `x` argument"."""
        at = phrase.items.index(item)
        for other in phrase.items[max(0, at - 1) : at + 2]:
            kind = None if other.is_thing else self.words.kinds.get(other.stem)
            if kind and kind in item.meanings:
                return kind
        return None

    def _says_nothing(self, item: Item) -> bool:
        return (
            item.stem in self.words.filler
            or item.stem in self.words.kinds
            or item.text.lower().endswith("ly")
            or any(item.stem in self.words.groups[name] for name in ("auxiliaries", "every"))
            or bool(relations(item, self.words))
        )

    def _take(self, *kinds: str) -> str | None:
        """The one thing of a kind that is not used yet, wherever it stands.

        Raises:
            _Refused: there are several.
        """
        found = [
            (item, item.meanings[kind])
            for item in self.items
            for kind in kinds[:1]
            if kind in item.meanings and id(item) not in self.used
        ]
        if len({value for _, value in found}) > 1:
            raise _Refused(f"several things may be its {kinds[0]}")
        self.used.update(id(item) for item, _ in found)
        return found[0][1] if found else None

    def _in(self, phrase: Phrase, *kinds: str) -> list[tuple[Item, str]]:
        """Every thing of a phrase that may be one of these kinds."""
        return [
            (item, item.meanings[kind])
            for item in phrase.items
            for kind in kinds
            if kind in item.meanings and id(item) not in self.used
        ]

    # Scope

    def _scopes(self, by: str) -> list[str]:
        """The parts of the code of which it is said: who does it, else in what, else what the
        statement before spoke of, else the script of a command.
        """
        actors = [one for one in self.shape.phrases if self._is_actor(one)]
        places = [
            one for one in self.shape.phrases if one.preposition in self.words.groups["places"]
        ]
        for phrases in (actors, places):
            found = [place for one in phrases for place in self._places(one)]
            if found:
                whole = list(dict.fromkeys(found))
                self.context.scope = whole[0]
                return whole
        if found := list(self._places(Phrase(self.topic))):
            self.context.scope = found[0]
            return found
        if self.context.scope:
            return [self.context.scope]
        command = self._take("command")
        return [self.table.roles.get(command or by, "") or "code"]

    def _is_actor(self, phrase: Phrase) -> bool:
        if self.shape.is_passive:
            return phrase.preposition == "by"
        return phrase.is_before and not phrase.preposition

    def _places(self, phrase: Phrase) -> Iterator[str]:
        files = [one for one in self._in(phrase, "file") if one[1].endswith(_PROGRAMS)]
        names = self._in(phrase, "definition")
        roles = self._in(phrase, "role")
        within = [one for one in names if any(one[1].startswith(f"{file}::") for _, file in files)]
        chosen = within or files or names[:1]
        self.used.update(id(item) for item, _ in (*chosen, *files, *roles))
        yield from (value for _, value in chosen)
        if not chosen:
            yield from (self.table.roles[role] for _, role in roles if role in self.table.roles)

    # Objects

    def _sides(self) -> list[list[Phrase]]:
        """Where what it is said of may stand, the likeliest first."""
        bare = [one for one in self.shape.phrases if not one.preposition]
        before = [one for one in bare if one.is_before]
        if not any(one.things() for one in before):
            before.append(Phrase(self.topic))
        after = [one for one in bare if not one.is_before]
        behind = [one for one in self.shape.phrases if not one.is_before]
        governed = [one for one in behind if one.preposition in self.words.groups["governed"]]
        verb = self.shape.verb
        is_state = verb is not None and verb.is_in(self.words.groups["states"])
        if self.shape.is_passive or is_state:
            return [before, after]
        return [after, governed]

    def _objects(self, kind: str) -> list[tuple[Item, str]]:
        """What the relation is said of, of one kind: phrases that stand together.

        Raises:
            _Refused: only some of them are of the kind.
        """
        for side in self._sides():
            found: list[tuple[Item, str]] = []
            for phrase in side:
                thing = self._thing(phrase, kind)
                is_listed = bool(found) and phrase.is_joined
                if thing is None and is_listed and not all(map(self._says_nothing, phrase.items)):
                    raise _Refused("not all that is listed is known")
                if thing is None or (found and not is_listed):
                    continue
                if phrase.is_denied and found:
                    raise _Refused("only a part of it is denied")
                found += [thing]
                # "a and b" of one phrase, as in `x` / `y`.
                found += [
                    one
                    for one in self._in(phrase, kind)
                    if one[0] is not thing[0] and one[0].kind == "name"
                ]
            if found:
                return found
        return self._meant_before(kind)

    def _meant_before(self, kind: str) -> list[tuple[Item, str]]:
        """What "them" or "these attributes" were in the statement before."""
        for side in self._sides():
            for phrase in side:
                stands = any(item.is_in(self.words.groups["pronouns"]) for item in phrase.items)
                names = any(item.stem in self.words.kinds for item in phrase.items)
                if (stands or names) and all(map(self._says_nothing, phrase.items)):
                    found = self.context.objects
                    self.is_guess = True
                    return [(one, one.meanings[kind]) for one in found if kind in one.meanings]
        return []

    def _of_objects(self, denies: bool) -> tuple[Json, bool]:
        found: list[tuple[Item, str]] = []
        kind = ""
        # A file is what is spoken of only where nothing else is; else it is where.
        for kind in sorted(self.relation.of, key=lambda one: one == "file"):
            if found := self._fitting(kind):
                break
        if not found:
            raise _Refused(f"nothing that `{self.relation.name}` may be said of")
        predicate = self.predicate = self.relation.of[kind]
        slots = self.words.slots[predicate]
        self.used.update(id(item) for item, _ in found)
        self.context.objects = [item for item, _ in found]
        values = list(dict.fromkeys(value for _, value in found))
        if len(values) > _MOST_OBJECTS:
            raise _Refused("it speaks of too many things")
        if kind == "definition":
            values = [value.partition("::")[2] for value in values]
        fixed: Json = {}
        scopes = [""]
        if predicate == "has_key":
            fixed["where"] = self._where()
            if kind == "entry" and len(values) == 1:
                key, _, fixed["value"] = values[0].partition(": ")
                values = [f"{section}.{key}" if (section := self._take("section")) else key]
        elif predicate == "accepts":
            fixed["callee"] = self._callee()
        elif slots.scope:
            scopes = self._scopes(slots.by)
            if predicate == "contains" and scopes == ["code"] and kind != "note":
                raise _Refused("it quotes something, and no file")
        if predicate in ("sets", "defines") and scopes[0].endswith(_CONFIGS):
            predicate, fixed["where"], scopes = "has_key", scopes[0], [""]
            slots = self.words.slots[predicate]
            if name := self._take("name"):
                fixed["value"] = name
        if predicate in ("logs", "reads_metric") and not self._has("only"):
            values = [self.words.aliases.get(value, value) for value in values]
        if predicate == "draws" and (per := self._take("per")):
            fixed["per"] = per
        if predicate == "calls":
            fixed |= self._given(found)
        if predicate == "imports" and (module := self._module()):
            values = [f"{module}.{value}" for value in values]
        if predicate == "sets" and (value := self._take("text") or self._take("number")):
            fixed["value"] = value
        if mode := self._take("mode"):
            fixed["mode"] = mode
        where = [{slots.scope: scope} if scope else {} for scope in scopes]
        if self.is_guess and self._has("only"):
            raise _Refused("what is limited is not named")
        if self._has("only") or any("limit" in item.meanings for item in self.items):
            if denies and not any("limit" in item.meanings for item in self.items):
                raise _Refused("what is limited is denied as well")
            if predicate == "command_line":
                return {"p": predicate, **where[0], **fixed, slots.object: values[0]}, False
            only = {"p": predicate, **where[0], **fixed, slots.object: "?"}
            return {"only": only, "hole": slots.object, "are": values}, False
        parts: list[Json] = [
            {"p": predicate, **place, **fixed, slots.object: one}
            for place in where
            for one in values
        ]
        if len(parts) == 1:
            return parts[0], denies
        if any(item.stem == "or" for item in self.items) and not denies:
            return {"any": parts}, False
        return {"all": [_denied(part) for part in parts] if denies else parts}, False

    def _fitting(self, kind: str) -> list[tuple[Item, str]]:
        """The things of a kind of which the relation may be said here."""
        predicate, found = self.relation.of[kind], self._objects(kind)
        if predicate == "reads_metric":
            texts = self.table.texts.get(self.table.roles.get("evaluate", ""), frozenset())
            return found if all(value in texts for _, value in found) else []
        return found

    def _where(self) -> str:
        if (where := self._take("where")) is not None:
            return "composed" if where == "composed" else "run:*"
        if (run := self._take("run")) is not None:
            return f"run:{run}"
        files = {
            value: item
            for item in self.items
            if id(item) not in self.used
            and (value := item.meanings.get("file", "")).endswith(_CONFIGS)
        }
        if len(files) > 1:
            raise _Refused("several files are named")
        for value, item in files.items():
            self.used.add(id(item))
            self.context.scope = value
            return value
        return self.context.scope if self.context.scope.endswith(_CONFIGS) else "composed"

    def _callee(self) -> str:
        found = self._take("callee") or self._take("library") or self._take("definition")
        if found is None:
            raise _Refused("no function is named")
        return found.partition("::")[2] or found

    def _given(self, found: Sequence[tuple[Item, str]]) -> Json:
        """The arguments of a call that are written out, or named behind "with"."""
        given: Json = {}
        for item, _ in found:
            if item.entity and item.entity.args:
                given["args"] = list(item.entity.args)
            if item.entity and item.entity.named:
                given["with"] = dict(item.entity.named)
        for phrase in self.shape.phrases:
            if phrase.preposition in ("with", "us") or self.relation.name == "pass":
                for item, value in self._in(phrase, "argument"):
                    self.used.add(id(item))
                    given["with"] = {value: "*"}
        return given

    def _module(self) -> str:
        """From where something is imported, as an import statement names it."""
        for phrase in self.shape.phrases:
            if phrase.preposition == "from":
                for item in phrase.things():
                    if id(item) in self.used:
                        return ""
                    self.used.add(id(item))
                    path = item.meanings.get("file", "")
                    return path.removesuffix(".py").replace("/", ".") or item.text
        return ""

    # Failures

    def _fails(self) -> bool:
        """Whether an error is said to come up, rather than that a statement raises it."""
        errors = {item.meanings["error"] for item in self.items if "error" in item.meanings}
        files = [item.meanings["file"] for item in self.items if "file" in item.meanings]
        return not any(self.table.raised.get(path, frozenset()) & errors for path in files)

    def _failure(self) -> Json:
        said: Json = {"p": "fails", "command": ""}
        error = self._take("error")
        scripts = {
            item.meanings["file"]: item
            for item in self.items
            if item.meanings.get("file", "").endswith(".py")
        }
        command = self._take("command")
        role = self._take("role")
        if command is None and len(scripts) == 1:
            ((path, item),) = scripts.items()
            self.used.add(id(item))
            command = self.table.command_of(path)
        said["command"] = command or role or self._command_before()
        if error:
            said["error"] = error
        if run := self._take("run"):
            said["run"] = run
        if mode := self._take("mode"):
            said["mode"] = mode
        spots = [
            item
            for phrase in self.shape.phrases
            for item in phrase.items
            if id(item) not in self.used
            and item.meanings.keys() & _SPOTS
            and (phrase.is_before or phrase.preposition in self.words.groups["places"])
        ]
        if len(spots) > 1:
            raise _Refused("several things may be where it fails")
        for item in spots:
            self.used.add(id(item))
            said["at"] = item.text.removesuffix("()")
        if self._is_of_every("run"):
            said["run"] = "$run"
            return {"every": "run", "holds": said}
        return said

    def _command_before(self) -> str:
        path = self.context.scope.partition("::")[0]
        return self.table.command_of(path) if path.endswith(".py") else "train"

    def _is_of_every(self, noun: str) -> bool:
        return any(
            item.is_in(self.words.groups["every"])
            and any(one.stem == noun for one in self.items[at + 1 : at + 4])
            for at, item in enumerate(self.items)
        )

    # What is left

    def _left(self) -> list[str]:
        """The words that narrow what is said, and are not read.

        Raises:
            _Refused: a name is left over, or what is spoken of is not known.
        """
        left: list[str] = []
        for phrase in self.shape.phrases:
            unused = [item for item in phrase.items if id(item) not in self.used]
            things = [item for item in unused if item.is_thing and not self._adds_nothing(item)]
            names = [item for item in things if "component" not in item.meanings]
            odd = [
                item for item in unused if item.kind not in ("word", "stop") and not item.is_thing
            ]
            words = [
                item
                for item in unused
                if not item.is_thing and item.kind == "word" and not self._says_nothing(item)
            ] + [item for item in things if "component" in item.meanings]
            is_aside = bool(phrase.preposition)
            has_used = len(unused) < len(phrase.items)
            if (names or odd) and not is_aside and not (has_used and not phrase.is_joined):
                raise _Refused(
                    f"not understood: {', '.join(one.text for one in names + odd)[:120]}"
                )
            if words and not (is_aside or has_used or self._is_actor(phrase)):
                raise _Refused(f"not understood: {', '.join(one.text for one in words)[:120]}")
            left += [one.text for one in (*names, *odd, *words)]
            self.is_guess |= bool(words) and self._is_actor(phrase) and not has_used
        return left

    def _condition(self) -> list[str]:
        """The words of a condition that are not read."""
        unused = [item for item in self.when[1:] if id(item) not in self.used]
        return [item.text for item in unused if item.is_thing or not self._says_nothing(item)]

    def _adds_nothing(self, item: Item) -> bool:
        about = {"per": "draws", "cli": "command_line", "activity": "command_line"}
        return bool(
            item.meanings.keys() & {"limit", "deny", "word"}
            or any(about.get(kind) == self.predicate for kind in item.meanings)
            or item.text.lower() in WELL_KNOWN
        )


_SPOTS = frozenset({"definition", "callee", "library", "key", "name"})
_PROGRAMS = (".py", ".yaml", ".yml", ".toml", "*")
_CONFIGS = (".yaml", ".yml", ".toml")


def _denied(said: Json) -> Json:
    if "possible" in said:
        return {"possible": _denied(said["possible"])}
    return {"not": said}


def _joined(said: Sequence[tuple[str, Json]]) -> Json:
    """The statements of a claim as one: causes lead to effects, all else holds together."""
    parts: list[Json] = []
    if len(said) > 1 and said[0][0] == "cause":
        said = [("", said[0][1]), ("effect", said[1][1]), *said[2:]]
    for joined, one in said:
        if joined == "effect" and parts:
            cause = parts if len(parts) == 1 else [{"all": parts}]
            parts = [{"because": cause[0], "then": one}]
        elif joined == "cause" and parts:
            parts = [*parts[:-1], {"because": one, "then": parts[-1]}]
        elif parts and (both := _limited_together(parts[-1], one)):
            parts[-1] = both
        else:
            parts.append(one)
    return parts[0] if len(parts) == 1 else {"all": parts}


def _limited_together(first: Json, second: Json) -> Json | None:
    """What "only draws a and draws b" says; None where it is not of this form."""
    if "only" not in first or first["hole"] not in second:
        return None
    hole = first["hole"]
    if {**second, hole: "?"} != first["only"]:
        return None
    return {**first, "are": [*first["are"], second[hole]]}
