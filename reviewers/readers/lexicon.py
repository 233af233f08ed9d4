"""The offline reader's lexicon: what English words stand for."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from reviewers.facts import activities
from reviewers.readers.words import stem

_OPEN = frozenset(
    {"asking", "saying", "unspecific", "reached"}
)  # groups of words that name something, too


@dataclass(frozen=True, slots=True)
class Relation:
    """A class of words that relate things.

    Attributes:
        of: the predicate by the kind of thing that it is said of, in the order of preference.
        denies: the words themselves say that it is not so.
        at: the preposition behind which its object stands, if it stands behind one.
        weak: how little it says; of two words the other is meant.
    """

    name: str
    of: Mapping[str, str]
    denies: bool
    weak: float
    at: str = ""


@dataclass(frozen=True, slots=True)
class Slots:
    """Where a predicate takes what a claim speaks of.

    Attributes:
        scope, object: names of its arguments; empty where it has none.
        by: the command whose file is meant where the claim names none.
        at: the prepositions behind which the object may stand.
        also: further arguments: the kinds of things that may fill each, where these stand, and
            whether a statement must name one.
    """

    scope: str
    object: str
    by: str
    at: str = ""
    also: tuple[tuple[str, str, str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Lexicon:
    """See `lexicon.toml`; every word by its stem, several words by theirs in order.

    Attributes:
        kinds: what a word beside a name says of its kind.
        idioms: the word that says what a phrase says.
        deeds: by a relation, the activity that it is when it is done to something.
        done_to: the words to which a deed is done.
        homes: the command whose file alone does an activity.
        longest: words of the longest noun or idiom.
    """

    filler: frozenset[str]
    groups: Mapping[str, frozenset[str]]
    relations: Mapping[str, tuple[Relation, ...]]
    nouns: Mapping[tuple[str, ...], Mapping[str, str]]
    slots: Mapping[str, Slots]
    kinds: Mapping[str, frozenset[str]]
    idioms: Mapping[tuple[str, ...], str]
    deeds: Mapping[str, Mapping[tuple[str, ...], str]]
    done_to: frozenset[str]
    homes: Mapping[str, str]
    longest: int

    def knows(self, stem: str) -> bool:
        """Whether a word is one of the lexicon: it is no name, though the submission has one like
        it.
        """
        return (
            stem in self.filler
            or stem in self.relations
            or stem in self.kinds
            or any(stem in group for name, group in self.groups.items() if name not in _OPEN)
        )


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The shipped one."""
    data = tomllib.loads(files("reviewers.readers").joinpath("lexicon.toml").read_text("utf-8"))
    relations: dict[str, tuple[Relation, ...]] = {}
    for name, entry in data["classes"].items():
        one = Relation(
            name,
            entry["of"],
            entry.get("denies", False),
            entry.get("weak", 0.0),
            entry.get("at", ""),
        )
        for word in _stems(entry["words"]):
            relations[word] = (*relations.get(word, ()), one)
    nouns: dict[tuple[str, ...], dict[str, str]] = {}
    for name, (kind, value) in _nouns(data):
        nouns.setdefault(name, {})[kind] = value
    kinds: dict[str, frozenset[str]] = {}
    for kind, words in data["kinds"].items():
        for word in _stems(words):
            kinds[word] = kinds.get(word, frozenset()) | {kind}
    idioms = {one: word for word, phrases in data["idioms"].items() for one in _names(phrases)}
    groups = data["groups"] | {name: data[name] for name in ("demands", "askers", "asking")}
    return Lexicon(
        frozenset(_stems(data["filler"])),
        {group: frozenset(_stems(said)) for group, said in groups.items()},
        relations,
        nouns,
        {
            name: Slots(
                entry.get("scope", ""),
                entry["object"],
                entry.get("by", ""),
                entry.get("at", ""),
                tuple(
                    (slot, one["kinds"], one["at"], one.get("must", False))
                    for slot, one in entry.get("also", {}).items()
                ),
            )
            for name, entry in data["predicates"].items()
        },
        kinds,
        idioms,
        {
            name: {one: value for value, names in own.items() for one in _names(names)}
            for name, own in data["deeds"].items()
        },
        frozenset(
            word
            for own in data["deeds"].values()
            for names in own.values()
            for one in _names(names)
            for word in one
        ),
        {one: command for command, own in data["homes"].items() for one in own.split()},
        max(map(len, [*nouns, *idioms])),
    )


def _nouns(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], tuple[str, str]]]:
    for activity in activities.table("activities"):
        if "_" in activity:  # one word may be a library's name, or a file's
            yield tuple(map(stem, activity.split("_"))), ("activity", activity)
        else:
            for noun in ("implementation", "integration", "support", "usage"):
                yield (stem(activity), stem(noun)), ("activity", activity)
    for kind, values in data["nouns"].items():
        for value, names in values.items():
            yield from ((one, (kind, value)) for one in _names(names))
    measured = data["measured"]
    for parts in measured["of"].values():
        for what, quantities in measured["what"].items():
            keys = "|".join(f"{one}_{other}" for one in parts.split() for other in what.split("|"))
            for one in parts.split():
                for other in quantities.split():
                    yield (stem(one), stem(other)), ("metric", keys)
    for meaning, names in data["phrases"].items():
        kind, _, value = meaning.partition(":")
        yield from ((one, (kind, value)) for one in _names(names))


def _names(names: str) -> Iterator[tuple[str, ...]]:
    return (tuple(map(stem, name.split())) for name in names.split("|") if name.strip())


def _stems(words: str) -> Sequence[str]:
    return [stem(word) for word in words.split()]
