"""The shape of a statement: its relation word, the phrases beside it, and what denies it.

No part of speech is known for sure. Prepositions, auxiliaries and articles are few and known;
a word of the lexicon's relations is a verb unless an article or a preposition makes it a noun;
all else stands in a phrase, whose last word is its head.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reviewers.readers.lexicon import Lexicon, Relation
from reviewers.readers.linking import Entity


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

    @property
    def is_thing(self) -> bool:
        return bool(self.meanings)

    def is_in(self, group: frozenset[str]) -> bool:
        """Whether it is a word of a group of the lexicon."""
        return self.kind == "word" and not self.meanings and self.stem in group


@dataclass(slots=True)
class Phrase:
    """Words that stand together, articles aside.

    Attributes:
        preposition: the stem of what stands before it; empty for a subject or an object.
        is_joined: whether "and", "or" or a comma joins it to the phrase before.
        is_before: whether it stands before the relation.
        is_denied: whether "no" or "not" stands before it.
    """

    items: list[Item]
    preposition: str = ""
    is_joined: bool = False
    is_before: bool = False
    is_denied: bool = False

    def things(self) -> list[Item]:
        return [item for item in self.items if item.is_thing]


@dataclass(slots=True)
class Shape:
    """A statement as one of its relation words shapes it.

    Attributes:
        verb: the relation word.
        relation: what it relates.
        phrases: the rest, in order.
        others: relation words that are not this one.
        is_passive: whether the relation is done to what stands before it.
        denials: how many words deny.
    """

    verb: Item | None
    relation: Relation
    phrases: list[Phrase]
    others: list[Item]
    is_passive: bool
    denials: int


def verbs(items: Sequence[Item], words: Lexicon) -> list[tuple[int, Relation]]:
    """The relation words of a statement, each with all that it may relate; those that stand as
    nouns only where nothing but "is" or "has" relates ("has no call of f").
    """
    every = [(at, relation) for at, item in enumerate(items) for relation in relations(item, words)]
    proper = [one for one in every if not _is_noun(items, one[0], words)]
    return proper if any(one.name not in LIGHT for _, one in proper) else every


LIGHT = frozenset({"be", "have", "lack", "make", "use"})


def relations(item: Item, words: Lexicon) -> Sequence[Relation]:
    return words.relations.get(item.stem, ()) if item.kind == "word" and not item.is_thing else ()


def _is_noun(items: Sequence[Item], at: int, words: Lexicon) -> bool:
    """Whether a relation word stands as a noun or an adjective: behind an article, a preposition
    or a thing's name, before one.
    """
    groups = words.groups
    before = items[at - 1] if at else None
    after = items[at + 1] if at + 1 < len(items) else None
    if before is None:
        return False
    governs = after is not None and after.stem in ("of", "to", "for")
    follows = before.is_in(groups["articles"]) or (
        before.is_in(groups["prepositions"]) and before.stem != "to"
    )
    return follows and not governs


def shape(items: Sequence[Item], at: int, relation: Relation, words: Lexicon) -> Shape:
    """The statement as the relation word at a place shapes it; -1 for one that is not said."""
    groups = words.groups
    phrases: list[Phrase] = []
    others: list[Item] = []
    denials = int(relation.denies)
    current = Phrase([], is_before=at >= 0)
    is_denied = False

    def flush(preposition: str = "", *, is_joined: bool = False, is_before: bool = True) -> None:
        nonlocal current
        if current.items:
            phrases.append(current)
        elif not is_joined and current.preposition and not preposition:
            preposition = current.preposition
        current = Phrase([], preposition, is_joined, is_before)

    for place, item in enumerate(items):
        is_before = place < at
        if place == at:
            flush(is_before=False)
            current.preposition = ""
        elif "deny" in item.meanings or _denies(item, words):
            if _is_of_another(items, place, at, words):
                raise NotThis("what is denied is something else")
            denials += item.stem != "nor" or not any(one.stem == "neith" for one in items)
            is_denied = True
            flush(is_before=is_before)
        elif item.is_in(groups["prepositions"]):
            flush(item.stem, is_before=is_before)
        elif item.text in _JOINS or item.is_in(groups["joins"]):
            last = current if current.items or not phrases else phrases[-1]
            flush(
                last.preposition,
                is_joined=True,
                is_before=is_before,
            )
        elif item.kind == "stop":
            flush(is_before=is_before)
        elif item.is_in(groups["auxiliaries"]):
            flush(is_before=is_before)
        elif _stands_alone(items, place, words):
            current.items.append(item)
        elif any(item.is_in(groups[name]) for name in ("articles", "only", "every", "possible")):
            continue
        elif relations(item, words) and not _is_noun(items, place, words):
            others.append(item)
            flush(is_before=is_before)
        else:
            if is_denied and not current.items:
                current.is_denied = True
                is_denied = False
            current.items.append(item)
    flush()
    return Shape(
        items[at] if at >= 0 else None,
        relation,
        phrases,
        others,
        at >= 0 and _is_passive(items, at, words, phrases),
        denials,
    )


def _denies(item: Item, words: Lexicon) -> bool:
    """Whether a word denies what another one says."""
    found = relations(item, words)
    return (
        item.is_in(words.groups["negations"])
        and not any(one.denies for one in found)
        or (item.is_in(words.groups["denials"]))
    )


def _is_of_another(items: Sequence[Item], place: int, at: int, words: Lexicon) -> bool:
    """Whether what is denied at a place is another relation than the one that is asked for."""
    for other in range(place + 1, len(items)):
        found = relations(items[other], words)
        if found and not _is_noun(items, other, words):
            return other != at and at < other and all(one.name not in LIGHT for one in found)
    return False


class NotThis(Exception):
    """The statement is none of this relation; the text says why."""


def _stands_alone(items: Sequence[Item], at: int, words: Lexicon) -> bool:
    """Whether a pronoun stands for a thing, and before none: "uses it", "these are missing"."""
    groups = words.groups
    if not items[at].is_in(groups["pronouns"]):
        return False
    after = items[at + 1] if at + 1 < len(items) else None
    return (
        after is None
        or after.kind == "stop"
        or any(after.is_in(groups[name]) for name in ("auxiliaries", "prepositions", "negations"))
        or bool(relations(after, words))
    )


_JOINS = frozenset({",", "and", "or", "nor", "/", "&", "plus"})


def _is_passive(items: Sequence[Item], at: int, words: Lexicon, phrases: Sequence[Phrase]) -> bool:
    text = items[at].text.lower()
    if not (text.endswith(("ed", "en", "wn", "nt", "ade", "un")) or text in _PARTICIPLES):
        return False
    for item in reversed(items[:at]):
        if item.is_in(words.groups["auxiliaries"]):
            return item.stem == "be"
        if item.is_thing or not (item.is_in(words.groups["negations"]) or item.text.endswith("ly")):
            break
    has_object = any(not one.is_before and not one.preposition and one.things() for one in phrases)
    return not has_object


_PARTICIPLES = frozenset({"set", "read", "built", "held", "met", "kept", "found", "put", "cut"})
Test = Callable[[Item], bool]
