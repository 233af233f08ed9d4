"""One row for one defect, however many speak of it: findings of several reviewers put together by
what they say, place and wording. A claim that says several things stands in the row of each.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewers.matching.defects import ComparedFinding, Comparisons, contradict
from reviewers.records import Check, Finding, Severity, Span
from reviewers.rubric import UNCATEGORISED

_MOST_COMPARED = 30
"""Rows that a finding is compared with, those at its own lines first, so that 10,000 findings take
seconds.
"""
_SIBLING = 5.0
"""What speaks for a row that has another part of the same finding."""
_FEWEST_WORDS = 4
"""Of a message that can stand for a row."""
_STATES = (Check.CONFIRMED, Check.UNVERIFIED, Check.REFUTED)
_OPPOSITE = {Check.CONFIRMED: Check.REFUTED, Check.REFUTED: Check.CONFIRMED}


@dataclass(frozen=True, slots=True)
class Mention:
    """What a finding says of one defect.

    Attributes:
        parts: those of its parts that speak of this defect, as findings; empty where all of it
            does.
    """

    finding: Finding
    parts: tuple[Finding, ...] = ()

    @property
    def words(self) -> str:
        """What is said of it."""
        return "; ".join(part.message for part in self.parts) or self.finding.message

    @property
    def head(self) -> Finding:
        """What stands for it: the first of the parts."""
        return next(iter(self.parts), self.finding)

    @property
    def check(self) -> Check:
        """What the code says to these parts; to the whole finding where it leaves them open."""
        results = {part.check.result for part in self.parts} - {Check.UNVERIFIED}
        return min(results, key=_STATES.index, default=self.finding.check.result)

    def decides(self, mildest: Severity) -> bool:
        """Whether the submission is not ready for it alone."""
        finding = self.finding
        is_confirmed = finding.check.result is self.check is Check.CONFIRMED
        return is_confirmed and finding.severity.rank <= mildest.rank


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
        mentions: by reviewer, sorted by name, what each says of it, in the order of its review.
        state: confirmed where anything of it is; refuted where all of it is.
        contradictory: whether one finding of it is confirmed and another refuted although they say
            the same of one place.
        proof: the confirmed finding of it that decides the verdict, the worst and then a rule's
            first, with its reviewer; None where there is none.
    """

    title: str
    span: Span | None
    category: str
    criterion: int | None
    severity: Severity
    mentions: Mapping[str, tuple[Mention, ...]]
    state: Check
    contradictory: bool
    proof: tuple[str, Finding] | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that speak of it, reviewers by name; who speaks of it in a part only is whole."""
        return tuple(each.finding for told in self.mentions.values() for each in told)


@dataclass(frozen=True)
class _Told:
    """One thing that a reviewer says; `at` is the number of its finding in that review, and `part`
    that of the part in the finding, both from 0.
    """

    candidate: ComparedFinding
    reviewer: str
    at: int
    part: int

    @property
    def finding(self) -> Finding:
        """What is said, as a finding by itself."""
        return self.candidate.finding

    @property
    def whole(self) -> ComparedFinding:
        """The finding that says it."""
        return self.candidate.whole or self.candidate

    @property
    def source(self) -> tuple[str, int]:
        """The same for all that one finding says."""
        return self.reviewer, self.at

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
            self.candidate.says is None,
            not self.candidate.words.names,
            *((span.file, span.line or 0, span.end_line or 0) if span else ("", 0, 0)),
            finding.id,
            finding.message,
            self.reviewer,
            self.at,
            self.part,
        )


class _Row:
    """A row while it grows: what it is about is what was first put into it, so no chain of
    neighbours can stretch it.
    """

    def __init__(self, first: _Told) -> None:
        self.centres = [first.candidate]
        self.members = [first]
        self.sources = {first.source}
        self._checked: dict[tuple[Check, *tuple[str, ...]], ComparedFinding] = {}
        self._remember(first)

    @property
    def rule(self) -> tuple[object, Check]:
        """The rule whose findings it is about, or the claim; and what counts of that."""
        first = self.centres[0].finding
        return first.rule or self, first.check.result

    def add(self, told: _Told) -> None:
        self.members.append(told)
        self.sources.add(told.source)
        self._remember(told)

    def absorb(self, other: "_Row") -> None:
        """Empty a row into this one: a claim does not tell apart what the two are about."""
        self.centres += other.centres
        for told in other.members:
            self.add(told)
        other.members = []

    def _remember(self, told: _Told) -> None:
        self._checked[told.finding.check.result, *told.candidate.words_said] = told.candidate

    def fits(self, told: _Told, known: Comparisons) -> float:
        """How surely something is about what the row is about, surer where the row has more of its
        finding; 0 where it contradicts a member that speaks of something else.
        """
        candidate, opposite = told.candidate, _OPPOSITE.get(told.finding.check.result)
        best = max(known.same_defect(candidate, centre) for centre in self.centres)
        return (
            best + _SIBLING * (told.source in self.sources)
            if best
            and all(
                contradict(candidate, other)
                for (result, *_), other in self._checked.items()
                if result is opposite
            )
            else 0.0
        )


Grouping = Sequence[Sequence[tuple[str, int, int]]]
"""Which findings are one defect: of each row its members, what stands for it first, as reviewer,
number of its finding in the review and number of the part in the finding.
"""


def merged(
    findings: Mapping[str, Sequence[Finding]],
    mildest: Severity = Severity.BLOCKER,
    known: Comparisons | None = None,
    grouping: Grouping | None = None,
) -> tuple[MergedFinding, ...]:
    """Return one row for each defect: what is proven first, then what is open, then what is
    refuted; the worst first in each.

    A rule's finding is in exactly one row. A claim is in each row of which a part of it speaks, or
    in one of its own; what it says besides stands on its card alone. The order of the reviewers
    changes nothing.

    Args:
        findings: by reviewer; each in the order of its review.
        mildest: the mildest severity with which the contract calls a submission not ready.
        known: what an earlier look at the same findings has read.
        grouping: what `grouped` gave for these findings; nothing is compared then.
    """
    known = known or Comparisons()
    rows = grouped(findings, known) if grouping is None else grouping
    told = ([_told(findings, known, *each) for each in row] for row in rows)
    return tuple(sorted((_shown(row, mildest) for row in told), key=_order))


def _told(
    findings: Mapping[str, Sequence[Finding]], known: Comparisons, name: str, at: int, part: int
) -> _Told:
    return _Told(known.of(findings[name][at]).parts[part], name, at, part)


def grouped(
    findings: Mapping[str, Sequence[Finding]], known: Comparisons | None = None
) -> Grouping:
    """Return which findings are one defect; the arguments are those of `merged`."""
    known = known or Comparisons()
    told = [
        _Told(each, name, at, part)
        for name, given in findings.items()
        for at, finding in enumerate(given)
        for part, each in enumerate(known.of(finding).parts)
    ]
    rows = _of_the_same(_grown(sorted(told, key=lambda each: each.order), known))
    return tuple(
        tuple((t.reviewer, t.at, t.part) for t in sorted(row, key=lambda each: each.order))
        for row in rows
    )


def _grown(told: Iterable[_Told], known: Comparisons) -> list[_Row]:
    """Put each thing said into the row that it fits best, or begin a row with it. Rows of one rule
    that it fits become one: the rule tells apart what the claim does not.
    """
    rows: list[_Row] = []
    near: dict[object, list[_Row]] = defaultdict(list)
    for each in told:
        candidate = each.candidate
        rows_near = _found(candidate, near)
        fitting = {row: score for row in rows_near if (score := row.fits(each, known))}
        best = max(fitting, key=lambda row: fitting[row], default=None)
        if best is None:
            rows.append(_Row(each))
            _enter(rows[-1], candidate, near)
            continue
        for row in fitting:
            is_told_apart = each.source in row.sources | best.sources
            is_long = len(best.centres) + len(row.centres) > _MOST_COMPARED
            if row is not best and row.rule == best.rule and not (is_told_apart or is_long):
                for centre in row.centres:
                    _enter(best, centre, near)
                best.absorb(row)
        best.add(each)
    return [row for row in rows if row.members]


def _found(candidate: ComparedFinding, near: Mapping[object, list[_Row]]) -> Iterable[_Row]:
    """The rows to compare it with, those first that share what says most."""
    found: dict[_Row, None] = {}
    for ground in candidate.sought:
        for row in near.get(ground, ()):
            if row.members:
                found[row] = None
                if len(found) == _MOST_COMPARED:
                    return found
    return found


def _enter(row: _Row, centre: ComparedFinding, near: Mapping[object, list[_Row]]) -> None:
    for ground in centre.grounds:
        if len(there := near[ground]) < _MOST_COMPARED:
            there.append(row)


def _of_the_same(rows: Sequence[_Row]) -> Iterator[list[_Told]]:
    """Yield the members of each row; rows of the very same findings become one. What a finding says
    alone is no row where anything that it says is in another's.
    """
    together: dict[frozenset[object], list[_Told]] = defaultdict(list)
    for row in rows:
        together[frozenset(row.sources)] += row.members
    in_company = {source for sources in together if len(sources) > 1 for source in sources}
    yield from (
        members
        for sources, members in together.items()
        if len(sources) > 1 or not sources <= in_company
    )


def _shown(members: Sequence[_Told], mildest: Severity) -> MergedFinding:
    said: dict[tuple[str, int], list[_Told]] = defaultdict(list)
    for told in members:
        said[told.source].append(told)
    mentions = {source: _mention(said[source]) for source in said}
    first = mentions[members[0].source]
    spans = (each.head.span for each in (first, *mentions.values()))
    held = [each for each in mentions.values() if each.check is not Check.REFUTED]
    results = {each.check for each in mentions.values()}
    proof = min(
        (source for source, each in mentions.items() if each.decides(mildest)),
        key=lambda source: (
            mentions[source].finding.severity.rank,
            mentions[source].finding.rule is None,
            *source,
        ),
        default=None,
    )
    found: dict[str, list[Mention]] = defaultdict(list)
    for reviewer, at in sorted(mentions):
        found[reviewer].append(mentions[reviewer, at])
    return MergedFinding(
        title=first.words,
        span=next(filter(None, spans), None),
        category=first.head.category,
        criterion=first.finding.criterion,
        severity=min(
            (each.finding.severity for each in held or mentions.values()),
            key=lambda severity: severity.rank,
        ),
        mentions={reviewer: tuple(told) for reviewer, told in found.items()},
        state=min(results, key=_STATES.index),
        contradictory=results >= {Check.CONFIRMED, Check.REFUTED},
        proof=(proof[0], mentions[proof].finding) if proof else None,
    )


def _mention(told: Sequence[_Told]) -> Mention:
    """What one finding says in a row, in the order of its words."""
    whole = told[0].whole
    parts = sorted(told, key=lambda each: each.part)
    return Mention(
        whole.finding, () if len(parts) == len(whole.parts) else tuple(p.finding for p in parts)
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
