"""The offline reader's lexicon: what English words stand for."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from reviewers.propositions.evaluators import tables
from reviewers.readers.words import stem


@dataclass(frozen=True, slots=True)
class Relation:
    """A class of words that relate things.

    Attributes:
        of: the predicate by the kind of thing that it is said of, in the order of preference.
        denies: the words themselves say that it is not so.
    """

    name: str
    of: Mapping[str, str]
    denies: bool


@dataclass(frozen=True, slots=True)
class Slots:
    """Where a predicate takes what a claim speaks of.

    Attributes:
        scope, object: names of its arguments; empty where it has none.
        by: the command whose file is meant where the claim names none.
    """

    scope: str
    object: str
    by: str


@dataclass(frozen=True, slots=True)
class Lexicon:
    """See `lexicon.toml`; every word by its stem, several words by theirs in order.

    Attributes:
        demands: words, not stems, of what a specification asks.
        kinds: what a word beside a name says of its kind.
    """

    filler: frozenset[str]
    groups: Mapping[str, frozenset[str]]
    relations: Mapping[str, tuple[Relation, ...]]
    nouns: Mapping[tuple[str, ...], tuple[str, str]]
    slots: Mapping[str, Slots]
    demands: frozenset[str]
    kinds: Mapping[str, str]

    @property
    def aliases(self) -> Mapping[str, str]:
        """All names of a metric, by each of them."""
        several = (value for kind, value in self.nouns.values() if kind == "metric")
        return {one: value for value in several for one in value.split("|")}

    def knows(self, stem: str) -> bool:
        """Whether a word is one of the lexicon: it is no name, though the submission has one like
        it.
        """
        return (
            stem in self.filler
            or stem in self.relations
            or stem in self.kinds
            or any(stem in group for group in self.groups.values())
        )

    @property
    def longest(self) -> int:
        """Words of the longest noun."""
        return max(map(len, self.nouns))


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The shipped one."""
    data = tomllib.loads(files("reviewers.readers").joinpath("lexicon.toml").read_text("utf-8"))
    relations: dict[str, tuple[Relation, ...]] = {}
    for name, entry in data["classes"].items():
        one = Relation(name, entry["of"], entry.get("denies", False))
        for word in _stems(entry["words"]):
            relations[word] = (*relations.get(word, ()), one)
    nouns = {
        tuple(map(stem, phrase.split())): _pair(meaning)
        for phrase, meaning in (data["nouns"] | data["phrases"]).items()
    }
    for activity in tables.table("activities"):
        if "_" in activity:  # one word may be a library's name, or a file's
            nouns.setdefault(tuple(map(stem, activity.split("_"))), ("activity", activity))
    return Lexicon(
        frozenset(_stems(data["filler"])),
        {group: frozenset(_stems(said)) for group, said in data["groups"].items()},
        relations,
        nouns,
        {
            name: Slots(entry.get("scope", ""), entry["object"], entry.get("by", ""))
            for name, entry in data["predicates"].items()
        },
        frozenset(data["demands"].split()),
        {stem(word): kind for word, kind in data["kinds"].items()},
    )


def _stems(words: str) -> Sequence[str]:
    return [stem(word) for word in words.split()]


def _pair(meaning: str) -> tuple[str, str]:
    kind, _, value = meaning.partition(":")
    return kind, value
