"""The decision whether two that speak of the code mean one defect, by all signals.

`same_defect` compares what may share a row. The first line that fits decides:

| what both are | one defect |
|---|---|
| findings with one id | yes |
| findings of rules | only the same omission in several run configs |
| they say the same as propositions | yes |
| they name different things, or say the same of different ones | no |
| anything else | as `ENOUGH_WORDS` says for what they agree on and how near they lie |

In place of the words of a rule's finding, the share of its names that a claim has counts.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from reviewers.matching.place import Located, is_wide, nearness, places_of, tens_of
from reviewers.matching.statements import (
    errors_of,
    failing_at,
    grounds_of,
    keys_of,
    name_apart,
    named_by,
    names_failures,
    only_fails,
    predicate_of,
    say_the_same,
    text_of,
)
from reviewers.matching.thresholds import (
    CLOSE,
    ENOUGH_WORDS,
    FITTING_WORDS,
    KIN_ERRORS,
    MOST_COUNTED,
    NEVER,
    Agreement,
    Nearness,
)
from reviewers.matching.words import Words, words_of
from reviewers.records import Check, Finding, Statement
from reviewers.rubric import UNCATEGORISED

_RUNS = ("config/runs/", "config/run/")


@dataclass(frozen=True)
class ComparedFinding:
    """A finding, as it is compared.

    Attributes:
        whole: that of which it is a part; None for what is no part.
    """

    finding: Finding
    whole: "ComparedFinding | None" = None

    @cached_property
    def parts(self) -> tuple["ComparedFinding", ...]:
        """What it says, part by part, without what is refuted; of what is refuted as a whole every
        part is. Itself where it has no parts.
        """
        if not self.finding.parts:
            return (self,)
        told = tuple(
            _as_told(part, said) if only_fails(said) else said
            for part, said in zip(self.finding.parts, self.finding.statements, strict=True)
        )
        if self.finding.check.result is Check.REFUTED:
            told = tuple(
                replace(part, check=replace(part.check, result=Check.REFUTED)) for part in told
            )
        held = [part for part in told if part.check.result is not Check.REFUTED] or told
        return tuple(ComparedFinding(part, self) for part in held)

    @cached_property
    def words_said(self) -> tuple[str, str]:
        """The same for findings that are worded alike about one place; parts share an id."""
        return self.finding.id, self.finding.message

    @cached_property
    def says(self) -> tuple[str, bool] | None:
        """The predicate of what it says, and whether it is denied."""
        return predicate_of(self.finding)

    @cached_property
    def said(self) -> frozenset[tuple[str, bool]]:
        """The predicates of all that it says, each with whether it is denied."""
        return keys_of(self.finding)

    @cached_property
    def fails(self) -> bool:
        """Whether it says that a command fails."""
        return names_failures(self.finding)

    @cached_property
    def words(self) -> Words:
        """What it names and how it is worded."""
        file = self.finding.span.file if self.finding.span else ""
        return words_of(text_of(self.finding), file)

    @cached_property
    def places(self) -> tuple[Located, ...]:
        """Where it may stand."""
        return places_of(self.finding)

    @cached_property
    def files(self) -> frozenset[str]:
        """The files of its places; empty where it has none."""
        return frozenset(span.file for span, _ in self.places)

    @cached_property
    def all_places(self) -> tuple[Located, ...]:
        """The same with the further places, and those where it says that a command fails."""
        spans = (*(place.span for place in self.finding.places), *failing_at(self.finding))
        return tuple((dict.fromkeys(spans, True) | dict(self.places)).items())

    @cached_property
    def categories(self) -> frozenset[str]:
        """Its category; empty where it has none."""
        return frozenset({self.finding.category} - {UNCATEGORISED})

    @cached_property
    def errors(self) -> frozenset[str]:
        """The errors that it names, in its words or as a proposition."""
        return self.words.errors | errors_of(self.finding)

    @cached_property
    def families(self) -> frozenset[str]:
        """Its errors with a name for each family that they belong to."""
        return families_of(self.errors)

    @cached_property
    def whole_files(self) -> frozenset[str]:
        """The files that it is about as a whole, or in more lines than say where a defect is."""
        return frozenset(span.file for span, _ in self.places if is_wide(span))

    @cached_property
    def grounds(self) -> tuple[object, ...]:
        """Under what it is found by those that may be one defect with it (`sought`)."""
        return tuple(dict.fromkeys(each for part in self.parts for each in part._grounds()))

    def _grounds(self) -> Iterator[object]:
        yield from self._shared(0, self._reaching)
        if self.finding.rule is not None:
            yield self._omission
            yield from self._told_in_file(sorted(self.words.subject)[:1])

    def _reaching(self, kind: object) -> Iterator[object]:
        yield kind
        yield from ((kind, file) for file in self.files or [""])
        yield from ((kind, file, "whole") for file in self.whole_files)

    @cached_property
    def sought(self) -> tuple[object, ...]:
        """Where to look for findings that may be the same defect, what says most first; a finding
        that shares none of it is never compared. Two rules are compared for one omission only; a
        shared kind never joins findings that stand lines apart or in different files.
        """
        return tuple(dict.fromkeys(each for part in self.parts for each in part._sought()))

    def _sought(self) -> Iterator[object]:
        if self.finding.rule is not None:
            yield from (("id", self.finding.id), self._omission)
        else:
            yield from self._shared(CLOSE, self._reached)
            yield from self._told_in_file(sorted(self.words.names | self.words.content))

    def _reached(self, kind: object) -> Iterator[object]:
        if not self.files:
            yield kind
            return
        yield from (
            (kind, file) if file in self.whole_files else (kind, file, "whole")
            for file in sorted(self.files)
        )
        yield kind, ""

    def _shared(
        self, around: int, by_kind: Callable[[object], Iterator[object]]
    ) -> Iterator[object]:
        yield "id", self.finding.id
        yield from grounds_of(self.finding)
        yield from (("lines", *at) for span, _ in self.places for at in tens_of(span, around))
        if self.says:
            yield from (("file", file, self.says) for file in sorted(self.files))
            yield "says", self.says
        elif self.files:
            yield from by_kind("untold")
        yield from (("names", name) for name in sorted(self.words.names))
        yield from by_kind(("category", self.finding.category))

    def _told_in_file(self, words: Iterable[str]) -> Iterator[object]:
        """By its error, or by all that it names, a rule's finding is known from other lines of the
        same file.
        """
        for file in sorted(self.files):
            yield from (("error", file, each) for each in sorted(self.families))
            yield from (("word", file, each) for each in words)

    @property
    def _omission(self) -> tuple[object, ...]:
        return "omission", self.finding.rule, named_by(self.finding)


class Comparisons:
    """Keeps findings as they are compared, so that several looks at the same ones read and compare
    them once; as large as all their texts together.
    """

    def __init__(self) -> None:
        self._kept: dict[int, ComparedFinding] = {}
        self._same: dict[tuple[int, int], float] = {}

    def of(self, finding: Finding) -> ComparedFinding:
        """Return a finding as it is compared."""
        # What is kept holds its finding, so that no other gets the same number.
        if id(finding) not in self._kept:
            self._kept[id(finding)] = ComparedFinding(finding)
        return self._kept[id(finding)]

    def same_defect(self, one: ComparedFinding, other: ComparedFinding) -> float:
        """As the function of this name, for two that are kept here, or parts of these."""
        pair = id(one), id(other)
        if (known := self._same.get(pair)) is None:
            known = self._same[pair] = same_defect(one, other)
        return known


def _as_told(part: Statement, said: Finding) -> Finding:
    """A part that says only that a command fails, at the place that it tells: what proves it may be
    any failure of that command.
    """
    return replace(said, span=part.span, check=replace(said.check, span=None))


def same_defect(one: ComparedFinding, other: ComparedFinding) -> float:
    """How surely two findings speak of one defect: 0 for not at all, at most 100."""
    if one.words_said == other.words_said:
        return 100.0
    if one.finding.rule is not None and other.finding.rule is not None:
        return 95.0 if _is_one_omission(one.finding, other.finding) else 0.0
    # Told by what is kept of each first: nearly all that are compared share nothing.
    may_say_the_same = not one.said.isdisjoint(other.said) or (one.fails and other.fails)
    if may_say_the_same and say_the_same(one.finding, other.finding):
        return 99.0
    if one.finding.parts or other.finding.parts:
        return max(_alike(mine, its) for mine in one.parts for its in other.parts)
    return _alike(one, other)


def contradict(one: ComparedFinding, other: ComparedFinding) -> bool:
    """Whether a confirmed and a refuted finding say the same of the same place."""
    if one.words_said == other.words_said:
        return True
    return (
        nearness(one.places, other.places) >= Nearness.NEAR
        and one.says == other.says is not None
        and not name_apart(one.finding, other.finding)
        and one.words.share_names(other.words) is not False
        and _likeness(one, other) >= FITTING_WORDS
    )


def _likeness(one: ComparedFinding, other: ComparedFinding, least: float = 0.0) -> float:
    """How alike the words are, 0 to 100; of a rule's finding, which has none, what share of what it
    names the claim names as well, in whichever part. Where it is less than `least`, 0 may stand.
    """
    if other.finding.rule is not None:
        one, other = other, one
    if one.finding.rule is None:
        return one.words.likeness(other.words, least)
    return one.words.named_in((other.whole or other).words)


def _alike(one: ComparedFinding, other: ComparedFinding) -> float:
    """What two agree on and where they stand is told before their words, which take the longest."""
    elsewhere = one.files and other.files and one.files.isdisjoint(other.files)
    near = Nearness.ELSEWHERE if elsewhere else nearness(one.places, other.places)
    agreed = _agreement(one, other)
    enough = ENOUGH_WORDS[agreed].get(near)
    if enough is None or name_apart(one.finding, other.finding):
        return 0.0
    shared = one.words.share_names(other.words)
    if shared is False or enough[not shared] == NEVER:
        return 0.0
    likeness = _likeness(one, other, enough[not shared])
    named = min(len(one.words.names & other.words.names), MOST_COUNTED)
    return 20 * agreed + 5 * near + likeness / 10 + named if likeness >= enough[not shared] else 0.0


def _agreement(one: ComparedFinding, other: ComparedFinding) -> Agreement:
    """What two agree on that do not name different things."""
    tells_little = one.says is None or other.says is None
    if one.says == other.says is not None:
        return Agreement.PREDICATE
    if one.finding.rule or other.finding.rule:
        if one.families & other.families:
            return Agreement.PREDICATE
        if one.says is other.says is None and one.categories & other.categories:
            return Agreement.KIND
        if tells_little:
            return Agreement.OPEN
    is_open = tells_little or not (one.categories and other.categories)
    return (
        Agreement.CATEGORY if is_open or one.categories == other.categories else Agreement.NOTHING
    )


def families_of(errors: frozenset[str]) -> frozenset[str]:
    """Errors with a name for each family that they belong to."""
    families = (f"family {at}" for at, family in enumerate(KIN_ERRORS) if errors & family)
    return errors | frozenset(families)


def _is_one_omission(one: Finding, other: Finding) -> bool:
    """A rule that names the very same in several run configs found one omission, not several."""
    places = [finding.span.file for finding in (one, other) if finding.span is not None]
    in_runs = len(places) == 2 and all(place.startswith(_RUNS) for place in places)
    return in_runs and one.rule == other.rule and named_by(one) == named_by(other)
