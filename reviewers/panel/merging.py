"""One row for one defect, however many speak of it: findings of several reviewers put together by
place, predicate and wording.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice

from reviewers.matching.defects import ComparedFinding, contradict, may_mean, same_defect
from reviewers.records import Check, Finding, Severity, Span
from reviewers.rubric import UNCATEGORISED

_MOST_COMPARED = 30
"""Rows that a finding is compared with, those at its own lines first, so that 10,000 findings take
seconds.
"""
_FEWEST_WORDS = 4
"""Of a message that can stand for a row."""
_STATES = (Check.CONFIRMED, Check.UNVERIFIED, Check.REFUTED)
_OPPOSITE = {Check.CONFIRMED: Check.REFUTED, Check.REFUTED: Check.CONFIRMED}


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedFinding:
    """One defect.

    Attributes:
        title: a rule's words, else those of the best claim: confirmed before unverified before
            refuted, the worst first.
        span: where the finding stands that gave the title, else the first place that any gives;
            None where none does.
        category, criterion: of the finding that gave the title.
        severity: the worst that is not refuted; where all are, the worst.
        found: by reviewer, sorted by name, what each says of it, in the order of its review.
        state: confirmed where anything of it is; refuted where all of it is.
        contradictory: whether one finding of it is confirmed and another refuted although they say
            the same of one place.
        proof: the confirmed finding of it that decides the verdict, the worst and then a rule's
            first, with its reviewer; None where there is none.
        spoken_of_by: reviewers with a claim in another row that may mean this proof too; they
            have not missed it.
    """

    title: str
    span: Span | None
    category: str
    criterion: int | None
    severity: Severity
    found: Mapping[str, tuple[Finding, ...]]
    state: Check
    contradictory: bool
    proof: tuple[str, Finding] | None = None
    spoken_of_by: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them, reviewers by name."""
        return tuple(finding for findings in self.found.values() for finding in findings)


@dataclass(frozen=True)
class _Told:
    """A finding of one reviewer; `at` is its number in that review, from 0."""

    candidate: ComparedFinding
    reviewer: str
    at: int

    @property
    def finding(self) -> Finding:
        """The finding itself."""
        return self.candidate.finding

    @cached_property
    def order(self) -> tuple[object, ...]:
        """Puts what is best fit to stand for a row first; never equal for two."""
        finding, span = self.finding, self.finding.span
        return (
            finding.rule is None,
            _STATES.index(finding.check.result),
            len(finding.message.split()) < _FEWEST_WORDS,
            finding.severity.rank,
            finding.category == UNCATEGORISED,
            *((span.file, span.line or 0, span.end_line or 0) if span else ("", 0, 0)),
            finding.id,
            finding.message,
            self.reviewer,
            self.at,
        )


class _Row:
    """A row while it grows: what it is about is what was first put into it, so no chain of
    neighbours can stretch it.
    """

    def __init__(self, first: _Told) -> None:
        self.centre = first.candidate
        self.members = [first]
        self._checked: dict[tuple[Check, str], ComparedFinding] = {}
        self._remember(first)

    def add(self, told: _Told) -> None:
        self.members.append(told)
        self._remember(told)

    def _remember(self, told: _Told) -> None:
        self._checked[told.finding.check.result, told.finding.id] = told.candidate

    def fits(self, candidate: ComparedFinding) -> float:
        """How surely a finding is about what the row is about; 0 where it contradicts a member
        that speaks of something else.
        """
        opposite = _OPPOSITE.get(candidate.finding.check.result)
        best = same_defect(candidate, self.centre)
        return (
            best
            if best
            and all(
                contradict(candidate, other)
                for (result, _), other in self._checked.items()
                if result is opposite
            )
            else 0.0
        )


def merged(
    findings: Mapping[str, Sequence[Finding]], mildest: Severity = Severity.BLOCKER
) -> tuple[MergedFinding, ...]:
    """Return one row for each defect: what is proven first, then what is open, then what is
    refuted; the worst first in each.

    Every finding is in exactly one row. A rule's finding has a claim in its row only if
    `missed_blockers` sees that claim cover it too. The order of the reviewers changes nothing.

    Args:
        findings: by reviewer; each in the order of its review.
        mildest: the mildest severity with which the contract calls a submission not ready.
    """
    told = [
        _Told(ComparedFinding(finding), name, at)
        for name, given in findings.items()
        for at, finding in enumerate(given)
    ]
    rows: list[_Row] = []
    near: dict[object, list[int]] = defaultdict(list)
    for each in sorted(told, key=lambda each: each.order):
        grounds = each.candidate.grounds
        numbers = dict.fromkeys(
            chain.from_iterable(near[ground][:_MOST_COMPARED] for ground in grounds)
        )
        fitting = [
            (rows[number].fits(each.candidate), -number)
            for number in islice(numbers, _MOST_COMPARED)
        ]
        best, number = max(fitting, default=(0.0, 0))
        if best:
            rows[-number].add(each)
            continue
        for ground in grounds:
            near[ground].append(len(rows))
        rows.append(_Row(each))
    shown = [_shown(row, mildest) for row in rows]
    return tuple(sorted(_with_speakers(shown, findings, mildest), key=_order))


def _decides(finding: Finding, mildest: Severity) -> bool:
    """Whether the submission is not ready for it alone."""
    return finding.severity.rank <= mildest.rank and finding.check.result is Check.CONFIRMED


def _shown(row: _Row, mildest: Severity) -> MergedFinding:
    members = sorted(row.members, key=lambda told: told.order)
    held = [told for told in members if told.finding.check.result is not Check.REFUTED] or members
    title = members[0].finding
    results = {told.finding.check.result for told in members}
    found: dict[str, list[_Told]] = defaultdict(list)
    for told in members:
        found[told.reviewer].append(told)
    proofs = [told for told in members if _decides(told.finding, mildest)]
    proof = min(
        proofs,
        key=lambda told: (
            told.finding.severity.rank,
            told.finding.rule is None,
            told.reviewer,
            told.at,
        ),
        default=None,
    )
    return MergedFinding(
        title=title.message,
        span=title.span or next((told.finding.span for told in members if told.finding.span), None),
        category=title.category,
        criterion=title.criterion,
        severity=min((told.finding.severity for told in held), key=lambda severity: severity.rank),
        found={
            name: tuple(told.finding for told in sorted(found[name], key=lambda told: told.at))
            for name in sorted(found)
        },
        state=next(state for state in _STATES if state in results),
        contradictory=results >= {Check.CONFIRMED, Check.REFUTED},
        proof=(proof.reviewer, proof.finding) if proof else None,
    )


def _with_speakers(
    rows: Iterable[MergedFinding], findings: Mapping[str, Sequence[Finding]], mildest: Severity
) -> Iterator[MergedFinding]:
    """Add to each row with a rule's proof who else may mean it; one claim may mean several proofs,
    but stands in one row.
    """
    claims = {
        name: [
            ComparedFinding(each)
            for each in findings[name]
            if each.rule is None and each.check.result is not Check.REFUTED
        ]
        for name in sorted(findings)
    }
    for row in rows:
        proofs = [
            ComparedFinding(each)
            for each in row.findings
            if each.rule is not None and _decides(each, mildest)
        ]
        yield replace(
            row,
            spoken_of_by=tuple(
                name
                for name, said in claims.items()
                if not any(each.rule is None for each in row.found.get(name, ()))
                and any(may_mean(claim, proof) for proof in proofs for claim in said)
            ),
        )


def _order(row: MergedFinding) -> tuple[object, ...]:
    place = (row.span.file, row.span.line or 0, row.span.end_line or 0) if row.span else ("", 0, 0)
    return (
        _STATES.index(row.state),
        row.severity.rank,
        row.span is None,
        *place,
        row.title,
        [f.id for f in row.findings],
    )
