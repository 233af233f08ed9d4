"""Reading a claim without a model: by what its names mean here, and what relates them.

A claim is cut where its words join statements; each statement has one relation, and things of
which it is said. The kinds of the things choose the predicate. Where a name or a word of content
is left over, nothing is read: half of a claim is another claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from reviewers.propositions import InvalidReading, parse
from reviewers.readers.canonical import meant
from reviewers.readers.lexicon import Lexicon, Relation, lexicon
from reviewers.readers.linking import WELL_KNOWN, Entity, SymbolTable, entity
from reviewers.readers.reading import Reading
from reviewers.readers.words import Token, stem, tokens

READER = "offline"
_MOST_WORDS = 90  # of a claim
Json = dict[str, Any]


class _Refused(Exception):
    """The claim is not understood; the text says at what."""


@dataclass(slots=True)
class _Item:
    """A word or a thing of a clause, in its place."""

    token: Token
    thing: Entity | None = None
    noun: tuple[str, str] | None = None
    used: bool = False


@dataclass(slots=True)
class _Clause:
    items: list[_Item]
    joined: str = ""  # how it hangs on the one before: "", "and", "effect", "cause"
    limited: bool = False
    possible: bool = False


@dataclass(slots=True)
class _Context:
    """What a clause may leave unsaid: the file that the one before spoke of."""

    table: SymbolTable
    words: Lexicon
    scope: str = ""
    relation: Relation | None = None
    left: list[str] = field(default_factory=list)


def read(claim: str, table: SymbolTable, *, scope: str = "", before: str = "") -> Reading:
    """The proposition that a claim states; none where a part of it is not understood.

    Args:
        scope: the file or `file::name` that the reviewer gave as its place.
        before: the scope of the claim before it, which "it" and "this" speak of.
    """
    return _read_claim(claim, table, scope, before)[0]


def read_all(
    claims: Sequence[str], table: SymbolTable, scopes: Sequence[str] = ()
) -> list[Reading]:
    """The readings of a review's claims, which stand in one order: what one leaves unsaid, the one
    before has said.

    Args:
        scopes: the place of each claim, as its reviewer gave it; empty for none.
    """
    readings, before = [], ""
    for at, claim in enumerate(claims):
        given = scopes[at] if at < len(scopes) else ""
        reading, before = _read_claim(claim, table, given, before)
        readings.append(reading)
    return readings


def _read_claim(claim: str, table: SymbolTable, scope: str, before: str) -> tuple[Reading, str]:
    if (told := meant(claim)) is not None:
        return Reading(reader=READER, proposition=told), scope or before
    found = tokens(claim)
    whole = _attempt(found, table, scope, before)
    if whole[0].proposition is None and (shorter := _without_asides(found)) != found:
        again = _attempt(shorter, table, scope, before)
        if again[0].proposition is not None:
            return again
    return whole


def _without_asides(found: Sequence[Token]) -> list[Token]:
    """The words without what stands in round brackets."""
    kept, depth = [], 0
    for token in found:
        if token.text in "()" and token.kind == "stop":
            depth += 1 if token.text == "(" else -1 if depth else 0
        elif not depth:
            kept.append(token)
    return kept


def _attempt(
    found: Sequence[Token], table: SymbolTable, scope: str, before: str
) -> tuple[Reading, str]:
    leans = bool(found) and found[0].stem in _LEANING
    context = _Context(table, lexicon(), scope or (before if leans else ""))
    try:
        items = _items(found, context)
        clauses = [one for one in _clauses(items, context) if _says(one, context)]
        if not clauses:
            raise _Refused("nothing in it is known")
        if len(clauses) > 1 and any(clause.limited for clause in clauses):
            raise _Refused("what is limited is not the whole of it")
        said = [(clause.joined, _read(clause, context)) for clause in clauses]
        proposition = parse(_joined(said))
    except _Refused as refused:
        reading = Reading(reader=READER, why_not=str(refused), leftover=tuple(context.left))
    except InvalidReading as problem:
        reading = Reading(reader=READER, why_not=str(problem))
    else:
        reading = Reading(reader=READER, proposition=proposition)
    return reading, context.scope or before


_LEANING = frozenset(
    map(
        stem,
        (
            "it",
            "this",
            "these",
            "they",
            "which",
            "so",
            "therefore",
            "does",
            "do",
            "never",
            "not",
            "no",
            "but",
            "and",
            "although",
            "only",
        ),
    )
)


def _items(found: Sequence[Token], context: _Context) -> list[_Item]:
    """The claim's words, with nouns of several words as one and names as what they mean."""
    words = context.words
    if len(found) > _MOST_WORDS:
        raise _Refused("it is too long to be one statement")
    items: list[_Item] = []
    at = 0
    while at < len(found):
        token = found[at]
        for count in range(min(words.longest, len(found) - at), 0, -1):
            stems = tuple(one.stem for one in found[at : at + count])
            if stems in words.nouns and all(one.kind == "word" for one in found[at : at + count]):
                text = " ".join(one.text for one in found[at : at + count])
                items.append(_Item(Token(text, "word", " ".join(stems)), noun=words.nouns[stems]))
                at += count
                break
        else:
            known = (
                token.kind == "word"
                and token.text.lower() not in WELL_KNOWN
                and _is_plain(token.stem, words)
            )
            items.append(_Item(token, None if known else entity(token, context.table)))
            at += 1
    _by_company(items, words)
    return items


def _by_company(items: list[_Item], words: Lexicon) -> None:
    """A word that nothing is known of, in a list with names or behind "the metric", is a name."""
    for at, item in enumerate(items):
        if (
            item.token.kind != "word"
            or item.thing
            or item.noun
            or _is_plain(item.token.stem, words)
        ):
            continue
        beside = [
            items[other] for other in (at - 2, at - 1, at + 1, at + 2) if 0 <= other < len(items)
        ]
        listed = [
            one.thing
            for one in beside
            if one.thing is not None and one.thing.meanings.keys() & {"metric", "name", "key"}
        ]
        joins = {one.token.text for one in beside} & {",", "and", "or", "nor", "/"}
        if listed and joins:
            kinds = [kind for kind in ("metric", "name", "key") if kind in listed[0].meanings]
            item.thing = Entity(item.token.text, dict.fromkeys(kinds, item.token.text))
        elif at and items[at - 1].token.stem in _NAMED:
            kinds = ["metric", "name", "argument"]
            item.thing = Entity(item.token.text, dict.fromkeys(kinds, item.token.text))


_NAMED = frozenset(("metric", "argument", "parameter", "function", "class", "method", "column"))


def _is_plain(stem: str, words: Lexicon) -> bool:
    """Whether a word of the lexicon; such a word is no name, though the submission has one like
    it.
    """
    return (
        stem in words.filler
        or stem in words.relations
        or any(stem in group for group in words.groups.values())
    )


def _clauses(items: Sequence[_Item], context: _Context) -> list[_Clause]:
    """Cut where words join statements, and where a new relation begins behind a comma or "and"."""
    found = [_Clause([])]
    for at, item in enumerate(items):
        here = found[-1]
        if item.noun is not None and item.noun[0] == "join":
            found.append(_Clause([], item.noun[1]))
        elif item.token.stem == "as" and not here.items:
            found.append(_Clause([], "cause"))
        elif item.token.text in _BETWEEN:
            if item.token.text in ";." or _starts_anew(here, items[at + 1 :], context):
                found.append(_Clause([], "and"))
            else:
                here.items.append(item)
        else:
            here.items.append(item)
    for clause in found:
        clause.items = _without_circumstance(clause.items, context)
    return [clause for clause in found if clause.items]


def _without_circumstance(items: list[_Item], context: _Context) -> list[_Item]:
    """A clause without what only says when, in spite of what, or what for."""
    for at, item in enumerate(items):
        if at == 0 or item.thing is not None:
            continue
        has_said = any(_relation_words(one, context) for one in items[:at])
        is_purpose = (
            item.token.stem == "to"
            and at + 1 < len(items)
            and bool(_relation_words(items[at + 1], context))
            and any(one.thing is not None for one in items[:at])
        )
        if has_said and (item.token.stem in context.words.groups["circumstance"] or is_purpose):
            return items[:at]
    return items


_BETWEEN = frozenset({";", ".", ":", ",", "and", "but", "while", "although", "whereas"})


def _starts_anew(clause: _Clause, rest: Sequence[_Item], context: _Context) -> bool:
    """Whether behind a comma or an "and" a statement of its own follows: both sides have a
    relation.
    """
    before, after = clause.items[-1:], rest[:1]
    if before and after and _kinds(before[0]) & _kinds(after[0]):
        return False  # a list
    ahead: list[_Item] = []
    for item in rest:
        if item.token.stem in (",", ";", ".", "and", "but", "so", ":") and ahead:
            break
        ahead.append(item)
    return any(_relation_words(item, context) for item in clause.items) and any(
        _relation_words(item, context) for item in ahead
    )


def _kinds(item: _Item) -> frozenset[str]:
    if item.noun is not None:
        return frozenset(item.noun[:1])
    return frozenset(item.thing.meanings) if item.thing is not None else frozenset()


def _relation_words(item: _Item, context: _Context) -> tuple[Relation, ...]:
    if item.token.kind != "word" or item.thing is not None:
        return ()
    if item.noun is not None and item.noun[0] != "word":
        return ()
    return context.words.relations.get(item.token.stem, ())


def _says(clause: _Clause, context: _Context) -> bool:
    """Whether a clause states something; what the specification demands is no statement."""
    groups = context.words.groups
    stems = [item.token.stem for item in clause.items if item.token.kind == "word"]
    if any(item.token.text.lower() in context.words.demands for item in clause.items):
        return False
    nouns = [item.noun[0] for item in clause.items if item.noun is not None]
    clause.limited = "limit" in nouns or any(stem in groups["only"] for stem in stems)
    for before, after in zip(clause.items, clause.items[1:], strict=False):
        if before.token.stem == "not" and after.token.stem in groups["every"]:
            raise _Refused("it denies that all are so")
    clause.possible = any(stem in groups["possible"] for stem in stems)
    return True


def _read(clause: _Clause, context: _Context) -> Json:
    """One statement."""
    relations = [
        (at, one) for at, item in enumerate(clause.items) for one in _relation_words(item, context)
    ]
    if not relations and any(one.thing and "error" in one.thing.meanings for one in clause.items):
        relations = [(-1, context.words.relations["fail"][0])]
    readings: list[tuple[int, Json]] = []
    problems: list[str] = []
    for at, relation in relations:
        try:
            readings.append(_Statement(clause, at, relation, context).read())
        except _Refused as refused:
            problems.append(str(refused))
    if not readings:
        problems.sort(key=lambda one: not one.startswith("not understood"))
        raise _Refused(problems[0] if problems else "no relation in it is known")
    best = min(rank for rank, _ in readings)
    found: list[Json] = []
    for rank, one in readings:
        if rank == best and one not in found:
            found.append(one)
    if len(found) > 1:
        raise _Refused("it may mean two things")
    return found[0]


_FAILING = frozenset({"fail", "raise"})
_LIGHT = {"be": 4, "have": 2, "lack": 2, "make": 1, "use": 1}


class _Statement:
    """A clause read by one of its relations."""

    def __init__(
        self,
        clause: _Clause,
        at: int,
        relation: Relation,
        context: _Context,
    ) -> None:
        self.clause, self.at, self.relation = clause, at, relation
        self.context, self.table, self.words = context, context.table, context.words
        self.used: set[int] = {at}
        self.predicate = "fails"

    def read(self) -> tuple[int, Json]:
        """How sure the relation is, the least being best, and what it says.

        Raises:
            _Refused: a part of the clause finds no place in it.
        """
        relation = self.relation
        if relation.name == "fail" or (relation.name == "raise" and self._failing()):
            said = self._failure()
            denies = self._denied(limited=False)
        else:
            said, denies = self._of_objects()
        self._nothing_left()
        self.context.relation = relation
        if self.clause.possible:
            said = {"possible": said}
        return _LIGHT.get(relation.name, 0), _denied(said) if denies else said

    def _denied(self, *, limited: bool) -> bool:
        """Whether the clause denies its relation; what is denied twice is not."""
        negations = self.words.groups["negations"]
        stems = [
            item.token.stem
            for at, item in enumerate(self.clause.items)
            if at != self.at and item.token.kind == "word" and item.noun is None
        ]
        count = sum(stem in negations for stem in stems if stem != "nor")
        count += sum(item.noun is not None and item.noun[0] == "deny" for item in self.clause.items)
        if "neither" not in stems and "nor" in stems:
            count += 1
        is_exclusion = any(item.noun == ("limit", "") for item in self.clause.items)
        if limited and is_exclusion:  # "no metric other than", "apart from … nothing"
            count = 0
        return (count + self.relation.denies) % 2 == 1

    # What things are

    def _things(self, *kinds: str) -> list[tuple[int, str]]:
        """The places and values of what may be one of these kinds, and is not yet used."""
        found = []
        for at, item in enumerate(self.clause.items):
            if at in self.used:
                continue
            for kind in kinds:
                if item.noun is not None and item.noun[0] == kind:
                    found.append((at, item.noun[1]))
                elif item.thing is not None and kind in item.thing.meanings:
                    typed = self._typed(at)
                    if typed is not None and typed != kind and typed in item.thing.meanings:
                        continue
                    found.append((at, item.thing.meanings[kind]))
                else:
                    continue
                break
        return found

    def _take(self, *kinds: str) -> str | None:
        """The one thing of a kind; None where there is none.

        Raises:
            _Refused: there are several.
        """
        found = self._things(*kinds)
        if len({value for _, value in found}) > 1:
            raise _Refused(f"several things may be its {kinds[0]}")
        self.used.update(at for at, _ in found)
        return found[0][1] if found else None

    def _scope(self, by: str) -> str:
        """The part of the code of which it is said, as the claim names it, else as the one before
        did, else the file of the command.
        """
        role = self._take("role")
        if role is not None and role in self.table.roles:
            return self._said_of(self.table.roles[role])
        files = [
            (at, value)
            for at, value in self._things("file")
            if value.endswith((".py", ".yaml", ".yml", ".toml", "*"))
        ]
        names = self._things("definition")
        if len(files) == 1 and len(names) == 1 and names[0][1].startswith(f"{files[0][1]}::"):
            self.used.update((files[0][0], names[0][0]))
            return self._said_of(names[0][1])
        if len(files) == 1:
            self.used.add(files[0][0])
            return self._said_of(files[0][1])
        if not files and len(names) == 1 and names[0][0] < self.at:
            self.used.add(names[0][0])
            return self._said_of(names[0][1])
        if files:
            raise _Refused("several files are named")
        if self.context.scope:
            return self.context.scope
        command = self._take("command")
        return self.table.roles.get(command or by, "") or "code"

    def _said_of(self, scope: str) -> str:
        self.context.scope = scope
        return scope

    def _nothing_left(self) -> None:
        """Refuse where a thing or a word of content has no part in what is read."""
        left = [
            item.token.text
            for at, item in enumerate(self.clause.items)
            if at not in self.used and item.token.kind != "stop" and not self._adds_nothing(at)
        ]
        if left:
            self.context.left = left
            raise _Refused(f"not understood: {', '.join(left)[:120]}")

    def _adds_nothing(self, at: int) -> bool:
        """Whether a word is one that a reading need not keep, or says again what is read."""
        item, stem = self.clause.items[at], self.clause.items[at].token.stem
        if item.noun is not None:
            about = {"per": "draws", "cli": "command_line", "activity": "command_line"}
            return item.noun[0] in ("limit", "deny", "word") or (
                about.get(item.noun[0]) == self.predicate
                and item.noun[1] in ("", "cli", "comparison")
            )
        if item.thing is not None:
            return False
        others = self.words.relations.get(stem, ())
        return (
            stem in self.words.filler
            or any(stem in group for group in self.words.groups.values())
            or any(one is self.relation or self.predicate in one.of.values() for one in others)
            or any(one.name in ("be", "make", "use") for one in others)
        )

    # What is said

    def _of_objects(self) -> tuple[Json, bool]:
        # A file is what is spoken of only where nothing else is; else it is where.
        kinds = sorted(self.relation.of, key=lambda one: one == "file")
        kind = next((one for one in kinds if self._fits(one)), None)
        if kind is None:
            raise _Refused(f"nothing that `{self.relation.name}` may be said of")
        predicate = self.predicate = self.relation.of[kind]
        if predicate == "raises":
            self._must_raise()
        slots = self.words.slots[predicate]
        objects = self._joined(self._objects(kind))
        self.used.update(at for at, _ in objects)
        values = list(dict.fromkeys(value for _, value in objects))
        fixed: Json = {}
        if predicate == "has_key":
            fixed["where"] = self._where()
            if kind == "entry" and len(values) == 1:
                key, _, value = values[0].partition(": ")
                fixed["value"] = value
                section = self._take("section")
                values = [f"{section}.{key}" if section else key]
        elif predicate == "accepts":
            fixed["callee"] = self._callee()
        elif slots.scope:
            fixed[slots.scope] = self._scope(slots.by)
            if predicate == "defines" and str(fixed["scope"]).endswith((".toml", ".yaml", ".yml")):
                raise _Refused("a configuration defines no code")
            if predicate == "contains" and fixed["scope"] == "code":
                raise _Refused("it quotes something, and no file")
        if predicate == "draws" and (per := self._take("per")):
            fixed["per"] = per
        if predicate == "calls":
            fixed |= self._given()
        if predicate == "sets":
            return self._setting(fixed, objects), self._denied(limited=False)
        if mode := self._take("mode"):
            fixed["mode"] = mode
        if len(values) > 8:
            raise _Refused("it speaks of too many things")
        given = [value.partition("::")[2] if kind == "definition" else value for value in values]
        denies = self._denied(limited=self.clause.limited)
        if self.clause.limited:
            if denies:
                raise _Refused("what is limited is denied as well")
            if predicate == "command_line":
                return {"p": predicate, **fixed, slots.object: given[0]}, False
            return {
                "only": {"p": predicate, **fixed, slots.object: "?"},
                "hole": slots.object,
                "are": given,
            }, False
        parts: list[Json] = [{"p": predicate, **fixed, slots.object: one} for one in given]
        if len(parts) == 1:
            return parts[0], denies
        if not denies and self._has_or():
            return {"any": parts}, False
        return {"all": [{"not": part} for part in parts] if denies else parts}, False

    def _joined(self, objects: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """The first object with those that "and", "or" or a comma joins to it.

        Raises:
            _Refused: some are denied, others not.
        """
        found = objects[:1]
        for (before, _), one in pairwise(objects):
            between = [item.token.text.lower() for item in self.clause.items[before + 1 : one[0]]]
            if {"not", "but", "no"} & set(between):
                raise _Refused("only a part of it is denied")
            if not {",", "and", "or", "nor", "/"} & set(between) and not self._slashed(one[0]):
                break
            found.append(one)
        return found if self.relation.name != "set" else objects

    def _slashed(self, at: int) -> bool:
        return self.clause.items[at].token.kind == "name" and self._typed(at) is None

    def _typed(self, at: int) -> str | None:
        """The kind that the word beside a name gives it: "the metric x", "the `x` argument"."""
        items = self.clause.items
        for other in (at - 1, at + 1):
            is_word = 0 <= other < len(items) and items[other].token.kind == "word"
            if is_word and (kind := self.words.kinds.get(items[other].token.stem)):
                return kind
        return None

    def _fits(self, kind: str) -> bool:
        """Whether something of a kind is there of which the relation may be said."""
        if self.relation.of[kind] == "reads_metric":
            script = self.table.roles.get("evaluate", "")
            named = [value for _, value in self._things("file")] or [self.context.scope]
            if named != [script]:
                return False
            texts = self.table.texts.get(script, frozenset())
            return all(value in texts for _, value in self._objects(kind))
        return bool(self._objects(kind))

    def _objects(self, kind: str) -> list[tuple[int, str]]:
        found = self._things(kind)
        if kind == "file":
            # A script before the relation is who does it.
            subjects = [at for at, value in found if value.endswith(".py") and at < self.at]
            if len(found) > len(subjects) and self.relation.name not in ("have", "lack", "empty"):
                found = [one for one in found if one[0] not in subjects]
            elif self.relation.name not in ("have", "lack", "empty"):
                found = []
        if kind == "callee" and self.relation.name == "pass":
            found = [one for one in found if one[0] > self.at]
        if kind == "definition":
            found = [one for one in found if one[0] > self.at or self._is_passive()] or (
                found if self.relation.name in ("undefined", "ignore", "lack", "have") else []
            )
        return found

    def _is_passive(self) -> bool:
        before = self.clause.items[: self.at]
        return any(item.token.stem in ("be",) for item in before)

    def _has_or(self) -> bool:
        return any(item.token.stem == "or" for item in self.clause.items)

    def _where(self) -> str:
        if where := self._take("where"):
            return "composed" if where == "composed" else "run:*"
        run = self._take("run")
        if run is not None:
            return f"run:{run}"
        files = [one for one in self._things("file") if one[1].endswith((".yaml", ".yml", ".toml"))]
        if len(files) == 1:
            self.used.add(files[0][0])
            return self._said_of(files[0][1])
        if self._things("file"):
            raise _Refused("several files are named")
        return "composed"

    def _callee(self) -> str:
        found = self._take("callee", "library")
        if found is None:
            raise _Refused("no function is named")
        return found

    def _given(self) -> Json:
        """The arguments of a call that are written out."""
        given: Json = {}
        for at, item in enumerate(self.clause.items):
            if at in self.used and item.thing is not None:
                if item.thing.args:
                    given["args"] = list(item.thing.args)
                if item.thing.named:
                    given["with"] = dict(item.thing.named)
        said = [
            at
            for at, _ in self._things("argument")
            if self.relation.name == "pass"
            or (at and self._before(at) in ("with", "using", "argument"))
        ]
        argument = self._take("argument") if said else None
        return given | ({"with": {argument: "*"}} if argument else {})

    def _setting(self, fixed: Json, objects: list[tuple[int, str]]) -> Json:
        """What is set, and to what: the preposition between them tells which is which."""
        if len(objects) == 1:
            value = self._take("text", "number")
            said = {"value": value} if value else {}
            return {"p": "sets", **fixed, "target": objects[0][1], **said}
        if len(objects) != 2:
            raise _Refused("it speaks of too many things")
        (first, one), (second, other) = objects
        between = {item.token.stem for item in self.clause.items[first:second]}
        is_assigned = self.clause.items[self.at].token.stem in ("assign", "writ", "stor")
        to = bool(between & {"to", "into", "in"})
        if not to and not between & {"from", "with", "by", "as"}:
            raise _Refused("what is set, and to what, is not told apart")
        target, value = (other, one) if is_assigned and to else (one, other)
        return {"p": "sets", **fixed, "target": target, "value": value}

    def _before(self, at: int) -> str:
        """The word before a thing, articles aside."""
        items = self.clause.items[:at]
        while items and items[-1].token.stem in ("a", "an", "the", "th"):
            items = items[:-1]
        return items[-1].token.text.lower() if items else ""

    def _says_message(self, at: int) -> bool:
        """Whether what is quoted is what the error says: "with …", "saying …", ": …"."""
        before = self.clause.items[at - 1].token
        return before.stem in _MESSAGE or before.text in ":("

    def _failing(self) -> bool:
        """Whether an error is said to come up, rather than that a statement raises it."""
        errors = {value for _, value in self._things("error")}
        paths = [value for _, value in self._things("file")]
        return not any(self.table.raised.get(path, frozenset()) & errors for path in paths)

    def _must_raise(self) -> None:
        if self._failing():
            raise _Refused("no such statement is there")

    def _failure(self) -> Json:
        """`fails`, with all that is said of it."""
        said: Json = {"p": "fails", "command": ""}
        error = self._take("error")
        files = [value for at, value in self._things("file") if value.endswith(".py")]
        command = self._take("command")
        if command is None and len(set(files)) == 1:
            self._take("file")
            command = self.table.command_of(files[0])
        role = self._take("role")
        said["command"] = (
            command
            or role
            or (
                self.table.command_of(self.context.scope.partition("::")[0])
                if self.context.scope
                else "train"
            )
        )
        if error:
            said["error"] = error
        run = self._take("run")
        if run:
            said["run"] = run
        if mode := self._take("mode"):
            said["mode"] = mode
        at = [
            one
            for one in self._things("definition", "callee", "library", "key", "name")
            if one[0] < self.at or self._before(one[0]) in ("at", "in", "on", "when", "accessing")
        ]
        if len(at) == 1:
            item = self.clause.items[at[0][0]]
            self.used.add(at[0][0])
            said["at"] = item.token.text.removesuffix("()")
        elif len(at) > 1:
            raise _Refused("several things may be where it fails")
        told = self._things("text")
        if len(told) == 1 and told[0][0] and self._says_message(told[0][0]):
            said["message"] = self._take("text")
        if any(item.token.stem in self.words.groups["every"] for item in self.clause.items) and any(
            item.token.stem == "run" for item in self.clause.items
        ):
            said["run"] = "$run"
            return {"every": "run", "holds": said}
        return said


_MESSAGE = frozenset(map(stem, ("saying", "says", "message", "with", "reporting")))


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
        else:
            parts.append(one)
    return parts[0] if len(parts) == 1 else {"all": parts}
