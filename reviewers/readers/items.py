"""A claim's words with what they may stand for in a submission, and the statements they make."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from reviewers.readers.lexicon import Lexicon, Relation
from reviewers.readers.linking import WELL_KNOWN, Entity, SymbolTable, entity
from reviewers.readers.words import Token, stem, unfolded

LISTING = frozenset({",", "and", "or", "nor", "/", "&", "plus"})
_PLAIN = frozenset({"word", "stop", "name", "pair"})
_NAMED = frozenset({"name", "pair"})
_RUN = frozenset({"run"})
_OPENING = frozenset({":", "–", "—"})  # what comes says more of what was said
_ENDS = _OPENING | {";", "."}
_NAMES = ("metric", "key", "argument", "name", "text", "column")
_ALSO_VERBS = frozenset({"activity", "command", "type", "figure", "what", "metric"})
_MANIFEST = "pyproject.toml"
_PLACES = frozenset({"file", "definition", "role", "run"})


@dataclass(slots=True, eq=False)
class Item:
    """A word, a name or a sign of a claim.

    Attributes:
        text: as it stands there.
        stem: of a word; else its text.
        kind: of the token (`words.Token`).
        meanings: what it may stand for, by kind of thing; empty for a word.
        entity: the name, with a call's arguments.
    """

    text: str
    stem: str
    kind: str
    meanings: Mapping[str, str] = field(default_factory=dict)
    entity: Entity | None = None

    def is_in(self, group: frozenset[str]) -> bool:
        """Whether it is a word of a group of the lexicon."""
        return self.kind == "word" and not self.meanings and self.stem in group

    def relations(self, words: Lexicon) -> Sequence[Relation]:
        """What it may relate."""
        if self.kind != "word" or self.meanings.keys() - _ALSO_VERBS:
            return ()
        return words.relations.get(self.stem, ())

    def is_unknown(self, words: Lexicon) -> bool:
        """Whether it is a word of which nothing is known."""
        return (
            self.kind == "word"
            and not self.meanings
            and not words.knows(self.stem)
            and not (self.text.lower().endswith("ly") and self.stem not in words.groups["changing"])
        )


@dataclass(slots=True)
class Clause:
    """A statement's words.

    Attributes:
        joined: how it hangs on the one before: `and`, `but`, `detail`, `effect`, `cause`.
        when: the words of a condition under which it holds, or what else only narrows it.
    """

    items: list[Item]
    joined: str = ""
    when: list[Item] = field(default_factory=list)

    @property
    def adds(self) -> bool:
        """Whether it stands beside the one before, as one more statement."""
        return self.joined in ("and", "but", "detail")


def items_of(found: Sequence[Token], table: SymbolTable, words: Lexicon) -> list[Item]:
    """A claim's words, nouns of several words as one, names with what they mean here."""
    folders = frozenset(path.partition("/")[0] for path in table.files if "/" in path)
    found = list(unfolded(found, folders))
    names = table.aliases.keys() - {name.lower() for name in table.aliases}
    items: list[Item] = []
    at = 0
    while at < len(found):
        token = found[at]
        for count in range(min(words.longest, len(found) - at), 0, -1):
            some = found[at : at + count]
            stems = tuple(stem(one.text) if one.kind in _NAMED else one.stem for one in some)
            text = " ".join(one.text for one in some)
            if stems in words.idioms:
                items.append(Item(text, stem(words.idioms[stems]), "word"))
            elif stems in words.nouns and all(
                one.kind in _PLAIN and one.text not in names for one in some
            ):
                kind, value = words.nouns[stems]
                items.append(Item(text, " ".join(stems), "word", {kind: value}))
            else:
                continue
            at += count
            break
        else:
            items.append(_item(token, table, words))
            at += 1
    _by_company(items, table, words)
    return items


def _item(token: Token, table: SymbolTable, words: Lexicon) -> Item:
    is_word = token.kind == "word" and token.text.lower() not in WELL_KNOWN
    if is_word and words.knows(token.stem):
        return Item(token.text, token.stem, token.kind)
    thing = entity(token, table) if token.kind != "stop" else None
    meanings = thing.meanings if thing else {}
    return Item(token.text, token.stem, token.kind, dict(meanings), thing)


def _by_company(items: list[Item], table: SymbolTable, words: Lexicon) -> None:
    """What a word is by those beside it: a name in a list with names, or behind "the metric"; the
    runs of which it is a part, before "runs"; a part of the method where it is written as no
    English word is.
    """
    has_section = any("section" in item.meanings for item in items)
    has_packages = any(
        item.meanings.get("file") == _MANIFEST or "package" in words.kinds.get(item.stem, ())
        for item in items
    )
    for at, item in enumerate(items):
        after = items[at + 1] if at + 1 < len(items) else None
        if item.kind != "word":
            continue
        if after is not None and after.is_in(words.groups["sections"]):
            is_name = item.text.lower() in table.all_keys or not words.knows(item.stem)
            if is_name and "file" not in item.meanings:
                item.meanings = {**item.meanings, "key": item.text}
        is_key = item.text in _RUN or item.text in table.all_keys
        if has_section and is_key and "section" not in item.meanings:
            item.meanings, item.kind = {"key": item.text}, "name"
        if after is not None and "figure" in item.meanings and "file" in after.meanings:
            after.meanings = {}  # "a bar chart PDF"
        is_named = after is not None and after.stem in ("function", "method")
        if item.text in table.definitions and is_named and not item.meanings:
            item.meanings = {"name": item.text}
        if item.meanings or words.knows(item.stem):
            continue
        part = item.text.lower()
        is_run = after is not None and (
            after.stem in ("run", "experiment") or bool(after.meanings.keys() & {"where", "runs"})
        )
        if is_run and len(part) > 2 and any(part in run.lower() for run in table.runs):
            item.meanings = {"run": f"*{item.text}*"}
            continue
        if has_packages:
            item.meanings = {"package": part}
            continue
        before = items[at - 1] if at else None
        typed = words.kinds.get(before.stem, frozenset()) if before is not None else frozenset()
        listed = before is not None and before.text in LISTING and at > 1
        names = items[at - 2].meanings if listed else {}
        odd = _is_odd(item.text)
        if kinds := [kind for kind in _NAMES if kind in names and items[at - 2].kind != "word"]:
            item.meanings = dict.fromkeys(kinds, item.text)
        elif typed & {"metric", "key", "argument", "column"} and odd:
            if "-" not in part and before is not None and before.stem != "parameter":
                item.meanings = dict.fromkeys((*sorted(typed & set(_NAMES)), "name"), item.text)
        elif (
            odd
            and "-" not in part
            and after is not None
            and "name" in words.kinds.get(after.stem, ())
        ):
            item.meanings = {"name": item.text, "component": item.text}
        elif odd:
            item.meanings = {"component": item.text, "name": item.text}
        if place := table.class_called(item.text):
            item.meanings = {**item.meanings, "owner": place}


def _is_odd(text: str) -> bool:
    """Whether a word is written as no English word is."""
    return any(sign.isupper() or sign.isdigit() for sign in text[1:]) and text != text.upper()


def clauses_of(items: Sequence[Item], words: Lexicon) -> list[Clause]:
    """Cut where words join statements, and where behind a comma or an "and" a new one begins."""
    found = [Clause([])]
    for at, item in enumerate(items):
        here = found[-1]
        is_effect = item.meanings.get("join") == "effect"
        if (
            is_effect
            and here.items
            and not (
                (
                    not here.items[-1].is_in(
                        words.groups["auxiliaries"] | words.groups["negations"]
                    )
                    and states(here.items, words)
                )
                or any(one.name == "lack" for each in here.items for one in each.relations(words))
                or any("error" in one.meanings for one in here.items)
                or any(one.is_in(words.groups["negations"]) for one in here.items[:-1])
            )
        ):
            if words.relations.get(item.stem):
                here.items.append(Item(item.text, item.stem, "word"))
            continue
        if "join" in item.meanings:
            found.append(Clause([], item.meanings["join"]))
        elif item.stem == "as" and not here.items and item.kind == "word":
            found.append(Clause([], "cause"))
        elif (
            item.stem == "that"
            and here.items
            and here.items[-1].stem not in ("mean", "say", "show", "ensur", "so")
            and states(here.items, words)
            and at + 1 < len(items)
            and (items[at + 1].is_in(words.groups["auxiliaries"] | words.groups["negations"]))
        ):
            found.append(Clause([], "effect"))
        elif item.is_in(words.groups["contrasts"]):
            found.append(Clause([], "but"))
        elif item.text in _ENDS and not (at + 1 < len(items) and _is_number(items[at + 1])):
            found.append(Clause([], "detail" if item.text in _OPENING else "and"))
        elif item.text in (",", "and", "or") and _starts_anew(here.items, items[at + 1 :], words):
            found.append(Clause([], "and"))
        else:
            here.items.append(item)
    kept: list[Clause] = []
    for clause in found:
        is_error = any("error" in one.meanings for one in clause.items)
        if clause.joined == "cause" and kept and is_error and not states(clause.items, words):
            kept[-1].items += clause.items  # "crashes due to an x"
            continue
        if clause.joined == "instead" and kept:
            kept[-1].when += clause.items
            continue
        if clause.joined in ("drop", "instead") or not any(
            one.kind != "stop" for one in clause.items
        ):
            continue
        kept += _parted(clause, words)
    return kept


def _is_number(item: Item) -> bool:
    return "number" in item.meanings


def _parted(clause: Clause, words: Lexicon) -> list[Clause]:
    """A clause without the condition under which it holds; what it is said to lack first is the
    cause of the rest: "without x.py training fails".
    """
    items = clause.items
    if items[0].is_in(words.groups["conditions"]):
        end = next((at for at, item in enumerate(items) if item.text == ","), len(items))
        clause.items, clause.when = items[end + 1 :], items[:end]
        return [clause] if clause.items else []
    if items[0].stem == "without":
        end = next((at for at, item in enumerate(items) if item.meanings), len(items)) + 1
        if states(items[end:], words):
            effect = Clause(items[end:], "effect")
            _set_apart(effect, words)
            return [Clause(items[:end], clause.joined), effect]
    _set_apart(clause, words)
    return [clause]


def _starts_anew(before: Sequence[Item], rest: Sequence[Item], words: Lexicon) -> bool:
    """Whether statements stand on both sides, and no list."""
    if rest and rest[0].is_in(words.groups["negations"]) and any(one.meanings for one in before):
        ahead = _up_to_end(rest)
        return any(one.relations(words) for one in before) and any(one.meanings for one in ahead)
    if before and rest and before[-1].meanings.keys() & rest[0].meanings.keys():
        is_subject = len(rest) > 1 and (
            rest[1].is_in(words.groups["auxiliaries"]) or rest[1].is_in(words.groups["negations"])
        )
        if not is_subject or not _has_verb(before, words):
            return False
    ahead = _up_to_end(rest)
    if states(before, words) and states(ahead, words):
        return True
    return all(states(one, words) or _tells(one, words) for one in (before, ahead))


def _has_verb(items: Sequence[Item], words: Lexicon) -> bool:
    """Whether a relation stands in them that is no noun with "of" or "for" behind it."""
    return any(
        item.relations(words) and after.stem not in ("of", "for") and not is_noun(items, at, words)
        for at, (item, after) in enumerate(pairwise(items))
    )


def _tells(items: Sequence[Item], words: Lexicon) -> bool:
    """Whether words are a statement of which the verb is not known: "the loader never shuffles"."""
    helping = (words.groups["auxiliaries"] | words.groups["negations"]) - {"no", "without"}
    return any(
        item.is_in(helping)
        and any(one.is_unknown(words) or one.meanings for one in items[:at])
        and any(one.is_unknown(words) for one in items[at + 1 :])
        for at, item in enumerate(items)
    )


def _up_to_end(rest: Sequence[Item]) -> list[Item]:
    ahead: list[Item] = []
    for item in rest:
        if ahead and (item.text in _ENDS or item.text in (",", "and") or "join" in item.meanings):
            break
        ahead.append(item)
    return ahead


def states(items: Sequence[Item], words: Lexicon) -> bool:
    """Whether words make a statement: a relation stands in them that is no noun, and does not only
    say what is done: "running x.py".
    """
    return any(
        item.relations(words)
        and not is_noun(items, at, words)
        and not (at == 0 and item.text.lower().endswith("ing"))
        for at, item in enumerate(items)
    )


def is_noun(items: Sequence[Item], at: int, words: Lexicon) -> bool:
    """Whether a relation word stands as a noun or an adjective: behind an article or a
    preposition.
    """
    groups = words.groups
    before = items[at - 1] if at else None
    after = items[at + 1] if at + 1 < len(items) else None
    if before is None or (after is not None and after.stem in ("of", "for")):
        return False
    if not items[at].text.lower().endswith(("s", "ed", "ing")):
        back = at - 1
        while back > 0 and items[back].is_unknown(words):
            back -= 1
        before = items[back]
    if before.is_in(groups["pronouns"]) and items[at].text.lower().endswith("s"):
        return False
    return (
        before.is_in(groups["articles"])
        or before.is_in(groups["every"])
        or (
            before.is_in(groups["prepositions"])
            and before.stem not in ("to", "by", "without")
            and not items[at].text.endswith("ing")
        )
    )


def _set_apart(clause: Clause, words: Lexicon) -> None:
    """Take from a statement what only says when, in spite of what or what for."""
    items = clause.items
    for at, item in enumerate(items):
        if not at or not states(items[:at], words):
            continue
        is_purpose = (
            item.stem == "to"
            and item.kind == "word"
            and at + 1 < len(items)
            and bool(items[at + 1].relations(words))
            and not items[at + 1].text.endswith("ed")
            and any(one.meanings for one in items[:at])
        )
        if item.is_in(words.groups["conditions"]) or is_purpose:
            clause.items, clause.when = items[:at], items[at:]
            return


def is_demand(items: Iterable[Item], words: Lexicon) -> bool:
    """Whether a clause says what is asked for, and not what is so."""
    groups = words.groups
    is_asker = False
    for item in items:
        if item.is_in(groups["demands"]):
            return True
        if item.is_in(groups["asking"]) and is_asker and not item.text.endswith("ed"):
            return True
        if item.is_in(groups["prepositions"]):
            return False
        is_asker |= item.is_in(groups["askers"])
    return False


def is_place(clause: Clause, words: Lexicon) -> bool:
    """Whether a clause only names where: what follows is said of it."""
    if any(
        item.is_in(words.groups["negations"])
        or any(one.name != "be" for one in item.relations(words))
        for item in clause.items
    ):
        return False
    return all(
        item.kind == "stop" or item.meanings.keys() & _PLACES or item.stem in words.filler
        for item in clause.items
    ) and any(item.meanings for item in clause.items)
