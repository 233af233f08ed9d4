"""What two say as propositions: predicate, polarity and arguments; the first and surest signal."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from reviewers.matching.thresholds import CLOSE
from reviewers.records import Finding, Span
from reviewers.statements import statements_of

_STARTS = ("run", "mode", "command")  # with which a failure is met first says nothing of its cause
_UNTOLD = ("judgement", "sound", "fails")
_ASIDE = ("contains",)  # how the code is, as often as what is wrong with it
_PLACES = ("scope", "file", "where", "at")
# That a name is not there is one defect, whether an import or a definition should have bound it.
_NAMING = {"bound": "there", "imports": "there", "defines": "there"}
_EVERYWHERE = ("", "code", "repository")
_CLASSED = ("activity", "figure", "kind", "style", "what")  # words of the vocabulary, no names

_MOST_KEPT = 10_000
"""Propositions that are read once; a large submission has as many, and compares each thirty times.
"""


@dataclass(frozen=True)
class _Said:
    """One statement that tells a defect.

    Attributes:
        key: its predicate, and whether that is denied.
        subject: its arguments by name, places aside.
        place: file, scope or configuration that it is about; empty where it names none.
    """

    key: tuple[str, bool]
    subject: tuple[tuple[str, str], ...]
    place: str

    def is_same(self, other: "_Said") -> bool:
        """Whether both say one thing, as far as both say it."""
        if self.key != other.key or not _fit(self.place, other.place):
            return False
        mine, its = self._arguments, other._arguments
        if not mine or not its:
            return not mine and not its and self.place == other.place
        shared = mine.keys() & its.keys()
        return bool(shared) and all(mine[name] == its[name] for name in shared)

    def is_apart(self, other: "_Said") -> bool:
        """Whether both say one thing of different subjects."""
        if self.key[0] == "there":
            return self.subject != other.subject
        return bool(self.words and other.words) and not self.words & other.words

    @cached_property
    def _arguments(self) -> Mapping[str, str]:
        return dict(self.subject)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its arguments; one style of a command line may be a kind of another one."""
        text = " ".join(value for name, value in self.subject if name != "style").casefold()
        return frozenset("".join(each if each.isalnum() else " " for each in text).split())


def say_the_same(one: Finding, other: Finding) -> bool:
    """Whether two findings that were read, or that say what they mean themselves, mean one defect:
    what the one says first is among what the other says, or a command fails at the same place.
    """
    mine, its = _said(one.proposition), _said(other.proposition)
    is_said = mine and its and (any(map(mine[0].is_same, its)) or any(map(its[0].is_same, mine)))
    return bool(is_said) or _fail_at_one_place(one, other)


def name_apart(one: Finding, other: Finding) -> bool:
    """Whether both first say the same of different things: what they name has no word in common,
    or of names that should be there they mean two.
    """
    mine, its = _said(one.proposition), _said(other.proposition)
    return bool(mine and its) and mine[0].key == its[0].key and mine[0].is_apart(its[0])


def predicate_of(finding: Finding) -> tuple[str, bool] | None:
    """The predicate of the first statement that tells a defect, and whether it is denied; None
    where none does.
    """
    told = (said.key for said in _said(finding.proposition))
    return next((key for key in told if key[0] not in _ASIDE), None)


def keys_of(finding: Finding) -> frozenset[tuple[str, bool]]:
    """The predicates of all statements that tell a defect, each with whether it is denied."""
    return frozenset(said.key for said in _said(finding.proposition))


def names_failures(finding: Finding) -> bool:
    """Whether a finding says that a command fails."""
    return bool(_named_failures(finding.proposition))


def only_fails(finding: Finding) -> bool:
    """Whether a finding says no more than that a command fails, and not where."""
    said = list(statements_of(finding.proposition))
    return bool(said) and all(each.get("p") == "fails" and not each.get("at") for each in said)


def errors_of(finding: Finding) -> frozenset[str]:
    """The errors in which a command ends by what a finding says."""
    return frozenset(error for error, _ in _named_failures(finding.proposition) if error)


def failing_at(finding: Finding) -> Iterator[Span]:
    """Where a command fails by what a finding says."""
    return (span for _, span in _named_failures(finding.proposition) if span is not None)


def named_by(finding: Finding) -> tuple[str, ...]:
    """What a rule's finding names of the code, and the text of its error."""
    told = (each.get("not", each) for each in statements_of(finding.says))
    arguments = (
        value
        for atom in told
        if isinstance(atom, dict) and atom.get("p") != "fails"
        for name, value in atom.items()
        if name not in ("p", *_PLACES, *_STARTS, *_CLASSED) and isinstance(value, str)
    )
    return (*finding.names, *arguments)


def text_of(finding: Finding) -> str:
    """What is compared of a finding by its words: a claim as it is written, and of a rule's finding
    the names alone, so that no wording of ours decides.
    """
    if finding.rule is None:
        return finding.message
    return " ".join(name if " " in name else f"`{name}`" for name in named_by(finding))


def grounds_of(finding: Finding) -> Iterator[object]:
    """What two findings share, at least one of it, where they `say_the_same`."""
    for said in _said(finding.proposition):
        yield from ((said.key, each) for each in said.subject or [said.place])
    for _, span, _ in _failures(finding):
        tens = (span.line or 0) // 10
        yield from (("fails", span.file, each) for each in (tens - 1, tens, tens + 1))


@lru_cache(maxsize=_MOST_KEPT)
def _said(proposition: str) -> tuple[_Said, ...]:
    found = (either for each in statements_of(proposition) for either in _alternatives(each))
    told = (
        _made(atom, denied="not" in each)
        for each in found
        if isinstance(each, dict)
        and isinstance(atom := each.get("not", each), dict)
        and "p" in atom
    )
    return tuple(dict.fromkeys(each for each in told if each.key[0] not in _UNTOLD))


def _alternatives(said: Mapping[str, Any]) -> Iterable[Any]:
    """What is said, one of which must be so."""
    either = said.get("any")
    return either if isinstance(either, list) else (said,)


def _made(atom: Mapping[str, Any], *, denied: bool) -> _Said:
    predicate = str(atom["p"])
    at = next((name for name in _PLACES if atom.get(name)), "at")  # a file in a scope is no place
    place = _place(atom.get(at, ""))
    named = predicate in _NAMING
    subject = {
        name: _plain(value, is_name=named)
        for name, value in atom.items()
        if name not in ("p", at, *_STARTS) and value not in (None, {}, [])
    }
    return _Said((_NAMING.get(predicate, predicate), denied), tuple(sorted(subject.items())), place)


def _plain(value: object, *, is_name: bool) -> str:
    if isinstance(value, str):
        return value.rpartition(".")[2] if is_name else value
    return json.dumps(value, sort_keys=True)


def _place(value: object) -> str:
    return str(value.get("file") or "") if isinstance(value, dict) else str(value)


def _fit(one: str, other: str) -> bool:
    """Whether one place may lie in the other."""
    if one in _EVERYWHERE or other in _EVERYWHERE:
        return True
    (file, _, inner), (its_file, _, its_inner) = one.partition("::"), other.partition("::")
    of_runs = file.startswith("run:") and its_file.startswith("run:")
    if file != its_file:
        return of_runs and "run:*" in (file, its_file)
    return not inner or not its_inner or inner == its_inner


def _fail_at_one_place(one: Finding, other: Finding) -> bool:
    """Whether both name a failure there; the one may leave its place to where it stands itself."""
    return any(
        here.is_near(there, CLOSE)
        and (is_told or is_its_told)
        and (not error or not its_error or error == its_error)
        for error, here, is_told in _failures(one)
        for its_error, there, is_its_told in _failures(other)
    )


def _failures(finding: Finding) -> Iterator[tuple[str, Span, bool]]:
    """The failures that a finding names, each with where and whether it says so: where the finding
    itself stands, if it names the error and no place.
    """
    for error, span in _named_failures(finding.proposition):
        if span is not None:
            yield error, span, True
        elif error and finding.span is not None and finding.span.line is not None:
            yield error, finding.span, False


@lru_cache(maxsize=_MOST_KEPT)
def _named_failures(proposition: str) -> tuple[tuple[str, Span | None], ...]:
    found = []
    for each in statements_of(proposition):
        if each.get("p") == "fails":
            at = each.get("at")
            found.append(
                (str(each.get("error") or ""), _span(at) if isinstance(at, dict) else None)
            )
    return tuple(found)


def _span(at: Mapping[str, Any]) -> Span | None:
    file, line = at.get("file"), at.get("line")
    return Span(file, line) if isinstance(file, str) and file and isinstance(line, int) else None
