"""Whether a reading may be of a claim at all: what it names is there or said to be absent, and it
keeps the claim's polarity, its quantifier and its error.

This judges readers that may invent; whether the reading is true is nothing to it.
"""

import re
from collections.abc import Collection, Iterator
from fnmatch import fnmatchcase

from reviewers.propositions import Proposition
from reviewers.propositions.terms import (
    AllOf,
    AnyOf,
    Atom,
    Because,
    Not,
    Only,
    Scope,
    Spot,
    Value,
    atoms,
    parts,
)
from reviewers.records import Submission

_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|'[^'\n]*'")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|nothing|nowhere|nobody|without|cannot|absent|absence|"
    r"lack\w*|miss(?:es|ing)|omit\w*|fail\w*|ignor\w*|instead|rather|only|but|however|except|"
    r"un\w+|non\w*|in(?:correct|valid|complete|compatible|consistent)\w*|im(?:possible|proper)\w*|"
    r"wrong\w*|drop\w*|skip\w*|remov\w*|unless|until|late|hard-?coded|forg[eo]t\w*|avoid\w*|"
    r"prevent\w*|violat\w*|contradict\w*|must|should|require\w*|dis\w+|refus\w*|reject\w*|zero|"
    r"mismatch\w*|otherwise|differ\w*|empty|placeholder|stub\w*)\b|n't\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:no|not|never|neither|nor|nothing|nowhere|without|absent|lacks?|lacking|missing)\b|n't\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(
    r"\b(?:only|just|sole(?:ly)?|exclusively|single|nothing (?:but|else)|no other|alone|one|"
    r"except)\b",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"\$\w+")
_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception|Warning)\b")
_SELF_DENYING = frozenset({"fails", "empty", "judgement", "sound", "contains", "guarded", "raises"})
"""Predicates that say by themselves that something is not as it should be."""
_NAMED = frozenset({"scope", "file", "name", "target", "expr", "where", "run", "parameter"})
"""Arguments that name something of the code; what is called or declared may be a library's."""


class Validation:
    """What readings of claims about one submission may name.

    Args:
        said: the whole text of the review.
    """

    def __init__(self, submission: Submission, said: str) -> None:
        files = submission.by_path
        self._paths = tuple(files)
        self._words = frozenset(
            word
            for path, file in files.items()
            for text in (path, file.reading)
            for word in _WORD.findall(text.casefold())
        ) | frozenset(
            word for run in submission.runs for word in _WORD.findall(run.run_id.casefold())
        )
        self._said = frozenset(_WORD.findall(said.casefold()))

    def problem(self, proposition: Proposition, claim: str, absent: Collection[str]) -> str:
        """Why this is no reading of the claim, in one line; empty where it may be one.

        Args:
            absent: what the reader says is named by the claim and not there.
        """
        return (
            self._unknown(proposition, frozenset(absent))
            or _other_polarity(proposition, claim)
            or _other_quantifier(proposition, claim)
            or _other_error(proposition, claim)
        )

    def _unknown(self, proposition: Proposition, absent: frozenset[str]) -> str:
        for atom in atoms(proposition):
            for name, value in atom.arguments:
                for told in _names(value) if name in _NAMED else ():
                    if problem := self._not_there(name, told, absent):
                        return f"`{atom.predicate}`, `{name}`: {problem}"
        return ""

    def _not_there(self, name: str, told: str, absent: frozenset[str]) -> str:
        is_path = name in ("scope", "file", "where") and "." in told and "$" not in told
        if is_path and not any(fnmatchcase(path, told) for path in self._paths):
            is_known = False
        else:
            is_known = self._all_in(told, self._words)
        if is_known:
            return ""
        if told not in absent:
            return f"{told[:80]!r} is not in the table, and not marked absent"
        if not self._all_in(told, self._said | self._words):
            return f"{told[:80]!r} is marked absent, but the review does not name it"
        return ""

    @staticmethod
    def _all_in(told: str, known: Collection[str]) -> bool:
        plain = _VARIABLE.sub("", told.removeprefix("run:"))
        return plain in ("code", "composed") or all(
            word in known for word in _WORD.findall(plain.casefold())
        )


def _names(value: Value) -> Iterator[str]:
    match value:
        case Scope(file, name, _, run):
            yield from (each for each in (file, name, run) if each)
        case Spot(file):
            yield from (file,) if file else ()
        case str():
            yield from (each for each in value.split("|") if each)


def _other_polarity(proposition: Proposition, claim: str) -> str:
    words = _QUOTED.sub(" ", claim)
    denials = [each.part for each in _all_parts(proposition) if isinstance(each, Not)]
    if any(isinstance(part, AllOf | AnyOf | Because | Not) for part in denials):
        return "it denies several things at once; deny each part by itself"
    denies = bool(denials)
    if denies and not _NEGATION.search(words):
        return "it denies something, and the claim denies nothing"
    is_bare = isinstance(proposition, Atom) and proposition.predicate not in _SELF_DENYING
    if is_bare and _DENIAL.search(words):
        return "it denies nothing, and the claim does"
    return ""


def _other_error(proposition: Proposition, claim: str) -> str:
    given = {
        error
        for atom in atoms(proposition)
        if isinstance(said := atom.get("error"), str)
        for error in said.split("|")
    }
    named = set(_ERROR.findall(claim))
    return f"the claim says {min(named)[:80]}" if given and named and not named & given else ""


def _other_quantifier(proposition: Proposition, claim: str) -> str:
    limits = any(isinstance(each, Only) for each in _all_parts(proposition))
    return (
        "it says `only`, and the claim does not"
        if limits and not _LIMIT.search(_QUOTED.sub(" ", claim))
        else ""
    )


def _all_parts(proposition: Proposition) -> Iterator[Proposition]:
    yield proposition
    for part in parts(proposition):
        yield from _all_parts(part)
