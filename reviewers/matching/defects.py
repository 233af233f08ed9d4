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

A claim and a rule's finding share a row only where the one `may_mean` the other. That is so where

| they agree on | and lie |
|---|---|
| the proposition; or the very message and the error or a kindred category | anywhere |
| the predicate | near, in one whole file, or one of them nowhere |
| the error, a name, the category or the wording | near, unless they name other errors |
| the category, or a name where the category is kindred or unknown | in one whole file |
| the category and a name that hardly anything else has | anywhere |

Between a finding and what happened in a run also where

| they agree on | and lie |
|---|---|
| a name, and the error or a kindred category | in one file |
| a name that hardly anything else has, or a name and the error; and a kindred category | anywhere |
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from reviewers.matching.place import Located, nearness, places_of
from reviewers.matching.statements import (
    errors_of,
    failing_at,
    grounds_of,
    name_apart,
    named_by,
    only_fails,
    predicate_of,
    say_the_same,
    text_of,
)
from reviewers.matching.thresholds import (
    ENOUGH_WORDS,
    FITTING_WORDS,
    KIN_CATEGORIES,
    KIN_ERRORS,
    MOST_COUNTED,
    NEVER,
    QUOTED_WORDS,
    TELLING_WORDS,
    Agreement,
    Nearness,
)
from reviewers.matching.words import Words, words_of
from reviewers.records import Check, Finding, Statement
from reviewers.rubric import UNCATEGORISED

_RUNS = ("config/runs/", "config/run/")


@dataclass(frozen=True)
class RunEvent:
    """What came about in a run, or was mended, as a finding could have told it.

    Attributes:
        places: where; empty where no place is known.
        categories: those that a finding may have; empty where none is known.
        words: its message with the names of what it is about.
    """

    places: tuple[Located, ...]
    categories: frozenset[str]
    words: Words

    @property
    def errors(self) -> frozenset[str]:
        """The errors that it names."""
        return self.words.errors

    @property
    def tells_nothing(self) -> bool:
        """Whether only its place is known."""
        return not self.categories and not self.errors


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
        """What it says, part by part, without what is refuted; itself where it has no parts."""
        if not self.finding.parts:
            return (self,)
        told = tuple(
            _as_told(part, said) if only_fails(said) else said
            for part, said in zip(self.finding.parts, self.finding.statements, strict=True)
        )
        held = [part for part in told if part.check.result is not Check.REFUTED] or told
        return tuple(ComparedFinding(part, self) for part in held)

    @property
    def words_said(self) -> tuple[str, str]:
        """The same for findings that are worded alike about one place; parts share an id."""
        return self.finding.id, self.finding.message

    @cached_property
    def says(self) -> tuple[str, bool] | None:
        """The predicate of what it says, and whether it is denied."""
        return predicate_of(self.finding)

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
    def all_places(self) -> tuple[Located, ...]:
        """The same with the further places, and those where it says that a command fails."""
        spans = (*(place.span for place in self.finding.places), *failing_at(self.finding))
        return tuple((dict.fromkeys(spans, True) | dict(self.places)).items())

    @property
    def categories(self) -> frozenset[str]:
        """Its category; empty where it has none."""
        return frozenset({self.finding.category} - {UNCATEGORISED})

    @cached_property
    def errors(self) -> frozenset[str]:
        """The errors that it names, in its words or as a proposition."""
        return self.words.errors | errors_of(self.finding)

    @property
    def is_unread(self) -> bool:
        """Whether it is a claim, or a part of one, of which nobody knows what it says."""
        told = self.whole or self
        return told.finding.rule is None and told.finding.kind is None and told.says is None

    @cached_property
    def grounds(self) -> tuple[object, ...]:
        """What a finding of the same defect may share with it, what says most first; two that share
        none are never compared.
        """
        return tuple(dict.fromkeys(each for part in self.parts for each in part._grounds()))

    def _grounds(self) -> Iterator[object]:
        yield "id", self.finding.id
        yield from grounds_of(self.finding)
        for span, _ in self.places:
            if span.line is not None:
                first, last = span.line // 10, (span.end_line or span.line) // 10
                yield from (
                    ("lines", span.file, tens)
                    for tens in range(first - 1, min(last, first + 5) + 2)
                )
        yield from (("file", span.file, self.says) for span, _ in self.places)
        if self.says:
            yield "says", self.says
        yield "category", self.finding.category


def _as_told(part: Statement, said: Finding) -> Finding:
    """A part that says only that a command fails, at the place that it tells: what proves it may be
    any failure of that command.
    """
    return replace(said, span=part.span, check=replace(said.check, span=None))


def same_defect(one: ComparedFinding, other: ComparedFinding) -> float:
    """How surely two findings speak of one defect: 0 for not at all, at most 100."""
    if one.words_said == other.words_said:
        return 100.0
    rules = sum(each.finding.rule is not None for each in (one, other))
    if rules == 2:
        return 95.0 if _is_one_omission(one.finding, other.finding) else 0.0
    if say_the_same(one.finding, other.finding):
        return 99.0
    if one.finding.rule is not None:
        one, other = other, one
    return max(
        _alike(mine, its) if not rules or _may_mean(mine, its) else 0.0
        for mine in one.parts
        for its in other.parts
    )


def may_mean(one: ComparedFinding, other: "ComparedFinding | RunEvent") -> bool:
    """Whether a finding may speak of what another one tells or what happened; who asks has to leave
    out what is refuted.
    """
    if isinstance(other, ComparedFinding):
        if say_the_same(one.finding, other.finding):
            return True
        parts = one.parts if one.finding.rule is None else (one,)
        return any(
            _may_mean(mine, its)
            for mine in parts
            for its in other.parts
            if mine.finding.check.result is not Check.REFUTED or mine is one
        )
    return _may_mean(one, other)


def spells_out(one: ComparedFinding, other: RunEvent) -> bool:
    """Whether a finding names the error and what it is about, in the same file."""
    return (
        nearness(one.all_places, other.places) >= Nearness.SAME_FILE
        and bool(_families(one) & _families(other))
        and bool(one.words.share_names(other.words))
    )


def contradict(one: ComparedFinding, other: ComparedFinding) -> bool:
    """Whether a confirmed and a refuted finding say the same of the same place."""
    if one.words_said == other.words_said:
        return True
    return (
        nearness(one.places, other.places) >= Nearness.NEAR
        and _share_a_predicate(one, other)
        and _name_the_same(one, other) is not False
        and _likeness(one, other) >= FITTING_WORDS
    )


def _share_a_predicate(one: ComparedFinding, other: ComparedFinding) -> bool:
    return one.says == other.says is not None and not name_apart(one.finding, other.finding)


def _name_the_same(one: ComparedFinding, other: ComparedFinding) -> bool | None:
    """Whether both name the same of the code; None where one of them names nothing."""
    return not name_apart(one.finding, other.finding) and one.words.share_names(other.words)


def _likeness(one: ComparedFinding, other: "ComparedFinding | RunEvent") -> float:
    """How alike the words are, 0 to 100; of a rule's finding, which has none, what share of what it
    names the claim names as well, in whichever part.
    """
    if isinstance(other, ComparedFinding) and other.finding.rule is not None:
        one, other = other, one
    if one.finding.rule is None or not isinstance(other, ComparedFinding):
        return one.words.likeness(other.words)
    return one.words.named_in((other.whole or other).words)


def _alike(one: ComparedFinding, other: ComparedFinding) -> float:
    near = nearness(one.places, other.places)
    shared = _name_the_same(one, other)
    if shared is False:
        return 0.0
    agreed = _agreement(one, other)
    enough = ENOUGH_WORDS[agreed].get(near, (NEVER, NEVER))[0 if shared else 1]
    likeness = _likeness(one, other)
    named = min(len(one.words.names & other.words.names), MOST_COUNTED)
    return 20 * agreed + 5 * near + likeness / 10 + named if likeness >= enough else 0.0


def _agreement(one: ComparedFinding, other: ComparedFinding) -> Agreement:
    if _share_a_predicate(one, other):
        return Agreement.PREDICATE
    tells_little = one.says is None or other.says is None
    if one.finding.rule or other.finding.rule:
        if _families(one) & _families(other):
            return Agreement.PREDICATE
        if tells_little:
            return Agreement.OPEN
    is_open = tells_little or not (one.categories and other.categories)
    return (
        Agreement.CATEGORY if is_open or one.categories == other.categories else Agreement.NOTHING
    )


@dataclass(frozen=True, slots=True)
class _Shared:
    """What a finding has in common with another one, or with what happened.

    Attributes:
        near: how the nearest of their places lie.
        cause: the same of the place where the other lies itself, not of those where it shows.
        names: what the one names the other at least mentions; `named`: both name it.
        kin: their categories are one, or often taken for each other.
        clash: both name errors, and none of them is the same.
    """

    near: Nearness
    cause: Nearness
    names: bool
    named: bool
    errors: bool
    clash: bool
    category: bool
    kin: bool

    @classmethod
    def of(cls, one: ComparedFinding, other: ComparedFinding | RunEvent) -> "_Shared":
        is_finding = isinstance(other, ComparedFinding)
        own = one.places if is_finding else one.all_places
        errors = bool(_families(one) & _families(other))
        category = bool(one.categories & other.categories)
        return cls(
            near=nearness(own, other.places),
            cause=nearness(own, other.places[:1] if is_finding else other.places),
            names=bool(one.words.share_names(other.words)),
            named=bool(one.words.names & other.words.names),
            errors=errors,
            clash=bool(one.errors and other.errors and not errors),
            category=category,
            kin=category
            or any(
                one.categories & family and other.categories & family for family in KIN_CATEGORIES
            ),
        )


def _may_mean(one: ComparedFinding, other: ComparedFinding | RunEvent) -> bool:
    shared = _Shared.of(one, other)
    if (shared.errors or shared.kin) and one.words.holds(other.words) >= QUOTED_WORDS:
        return True
    if isinstance(other, ComparedFinding):
        return _may_mean_finding(one, other, shared)
    return _may_tell(one, other, shared)


def _may_mean_finding(one: ComparedFinding, other: ComparedFinding, shared: _Shared) -> bool:
    says_it = _share_a_predicate(one, other)
    if shared.near >= Nearness.WHOLE_FILE and (
        says_it or (shared.named and (shared.kin or one.is_unread))
    ):
        return True
    if shared.near is Nearness.UNKNOWN:
        return says_it or (one.is_unread and (shared.named or shared.category))
    return (
        _touch(one, other, shared)
        or (shared.category and shared.cause is Nearness.WHOLE_FILE)
        or (shared.category and bool(one.words.telling & other.words.telling))
    )


def _may_tell(one: ComparedFinding, other: RunEvent, shared: _Shared) -> bool:
    if shared.near is Nearness.SAME_LINES and other.tells_nothing:
        return True
    if shared.near >= Nearness.NEAR:
        return _touch(one, other, shared)
    if shared.near is Nearness.WHOLE_FILE and (
        (shared.category and not other.errors) or (shared.named and shared.kin)
    ):
        return True
    if shared.near >= Nearness.SAME_FILE and shared.names and (shared.errors or shared.kin):
        return True
    return shared.names and shared.kin and (shared.errors or one.words.share_telling(other.words))


def _touch(one: ComparedFinding, other: ComparedFinding | RunEvent, shared: _Shared) -> bool:
    """Whether a finding at the same place may speak of the same."""
    if shared.near < Nearness.NEAR:
        return False
    return (
        shared.errors
        or (shared.names and (not shared.clash or shared.kin))
        or (shared.category and shared.cause >= Nearness.NEAR and not shared.clash)
        or _likeness(one, other) >= TELLING_WORDS
    )


def _families(one: ComparedFinding | RunEvent) -> frozenset[str]:
    """Errors with a name for each family that they belong to."""
    families = (f"family {at}" for at, family in enumerate(KIN_ERRORS) if one.errors & family)
    return frozenset((*one.errors, *families))


def _is_one_omission(one: Finding, other: Finding) -> bool:
    """A rule that names the very same in several run configs found one omission, not several."""
    places = [finding.span.file for finding in (one, other) if finding.span is not None]
    in_runs = len(places) == 2 and all(place.startswith(_RUNS) for place in places)
    return in_runs and one.rule == other.rule and named_by(one) == named_by(other)
