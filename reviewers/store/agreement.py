"""Queries of the reviewers page: how reliable each reviewer is, measured by people, by the code and
by real runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from sqlalchemy import Row, Select, case, distinct, func, select

from reviewers.agreement import Alpha, Confusion, Interval, alpha, wilson
from reviewers.records import Ruling, Verdict
from reviewers.store.inbox_query import blind_verdicts, by_rules, came_to
from reviewers.store.readers import ReaderTally, readers_in
from reviewers.store.reviewer_names import called, named
from reviewers.store.store import Store
from reviewers.store.tables import (
    COUNTED,
    RESULT,
    changed_submissions,
    chips,
    decisions,
    findings,
    outcomes,
    own_findings,
    readings,
    remarks,
    reviews,
    rulings,
    standings,
    submissions,
    tallies,
)
from reviewers.store.triage import RECORDED, RULES


class GroundTruth(StrEnum):
    """What verdicts are measured by."""

    DECISIONS = "decisions"  # what people decided
    RULINGS = "rulings"  # what people said of single findings
    BLOCKERS = "blockers"  # whether the rules prove a blocker
    OUTCOMES = "outcomes"  # whether it failed by its own fault when it was really run
    REVIEWER = "reviewer"  # what another reviewer says


@dataclass(frozen=True, slots=True)
class Against:
    """What is taken for true.

    Attributes:
        reviewer: empty for everything but `Truth.REVIEWER`.
        blind: of people's decisions only those that were made blind (`blind_verdicts`).
    """

    truth: GroundTruth = GroundTruth.DECISIONS
    reviewer: str = ""
    blind: bool = False


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """One reviewer's current reviews, counted.

    Attributes:
        name: as `reviewer_names.called` gives it; `reviewer` and `model` are its parts.
        reviews, failed: those with a verdict, and those without.
        confirmed, refuted, unverified: its findings by fact check, a person's rulings counted in.
        missed: proven blockers that it does not name, over `measured` reviews; in the others nobody
            knows.
        beside: its verdicts beside what is taken for true, in submissions; None if it is
            measured by itself, or findings are.
        silent: what it gave no verdict on, truly not ready and truly ready.
    """

    name: str
    reviewer: str
    model: str | None
    reviews: int
    failed: int
    confirmed: int
    refuted: int
    unverified: int
    missed: int
    measured: int
    beside: Confusion | None
    silent: tuple[int, int]

    @property
    def refuted_share(self) -> Interval | None:
        """Which share of its findings is refuted."""
        return wilson(self.refuted, self.confirmed + self.refuted + self.unverified)

    @property
    def missed_mean(self) -> float | None:
        """Blockers missed a review; None if nothing is known."""
        return self.missed / self.measured if self.measured else None


@dataclass(frozen=True, slots=True)
class Ruled:
    """What people said of one reviewer's findings, by what the fact check had said.

    Attributes:
        upheld, dismissed: findings by fact check.
    """

    upheld: Mapping[str, int] = field(default_factory=dict)
    dismissed: Mapping[str, int] = field(default_factory=dict)

    @property
    def cases(self) -> int:
        """All findings that people ruled on."""
        return sum(self.upheld.values()) + sum(self.dismissed.values())

    @property
    def share(self) -> Interval | None:
        """Which share of them people upheld."""
        return wilson(sum(self.upheld.values()), self.cases)


@dataclass(frozen=True, slots=True)
class CategoryClaims:
    """One reviewer's findings in one category, rulings counted in.

    Attributes:
        submissions: those in which at least one is refuted.
    """

    category: str
    refuted: int
    findings: int
    submissions: int

    @property
    def share(self) -> Interval:
        """Which share of them is refuted."""
        return wilson(self.refuted, self.findings) or Interval(0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Together:
    """How far all reviewers agree, and how far they do with people's decisions as one more; None
    if it cannot be said.
    """

    reviewers: Alpha | None
    with_people: Alpha | None


def track_records(store: Store, against: Against) -> Sequence[TrackRecord]:
    """Return a record for each reviewer, by name."""
    sides = _sides(against)
    counts: dict[tuple[str, str | None], _Count] = defaultdict(_Count)
    with store.reading() as connection:
        for recorded in (True, False):
            for row in connection.execute(_beside(sides, recorded=recorded)):
                counts[row.reviewer, (row.model or None) if recorded else None].add(row)
    return sorted(
        (count.record(*key, against) for key, count in counts.items()),
        key=lambda record: record.name,
    )


def together(store: Store, *, blind: bool = False) -> Together:
    """Return Krippendorff's alpha over all current verdicts; each review is a judgement, and so is
    a decision in force.

    Args:
        blind: of people's decisions only those that were made blind (`blind_verdicts`).
    """
    ready, not_ready = (func.count().filter(chips.c.verdict == verdict) for verdict in Verdict)
    decided = [
        func.max(case((chips.c.submission.in_(side), 1), else_=0))
        for side in _sides(Against(blind=blind))
    ]
    columns = (
        ready.label("ready"),
        not_ready.label("not_ready"),
        decided[0].label("yes"),
        decided[1].label("no"),
    )
    each = (
        select(*columns).where(chips.c.verdict.is_not(None)).group_by(chips.c.submission).subquery()
    )
    with store.reading() as connection:
        patterns = connection.execute(
            select(*each.c, func.count().label("units")).group_by(*each.c)
        ).all()
    return Together(
        alpha(((row.ready, row.not_ready), row.units) for row in patterns),
        alpha(((row.ready + row.yes, row.not_ready + row.no), row.units) for row in patterns),
    )


def ruled(store: Store) -> Mapping[str, Ruled]:
    """Return what people said of each reviewer's current findings, by the reviewer's name;
    dismissed or upheld, not withdrawn.
    """
    newest = select(func.max(rulings.c.number)).group_by(
        rulings.c.submission_id, rulings.c.finding_id
    )
    names = (reviews.c.reviewer, reviews.c.model, rulings.c.ruling)
    # Not a condition: an index of all current reviews would be walked then, instead of one from the
    # few rulings.
    current = func.count().filter(reviews.c.current)
    wanted = (
        select(*names, RESULT.label("result"), current.label("findings"))
        .select_from(rulings)
        .join(submissions, submissions.c.id == rulings.c.submission_id)
        .join(reviews, reviews.c.submission == submissions.c.number)
        .join(
            findings,
            (findings.c.review == reviews.c.number) & (findings.c.id == rulings.c.finding_id),
        )
        .where(rulings.c.number.in_(newest), rulings.c.ruling != Ruling.WITHDRAWN, COUNTED)
        .group_by(*names, RESULT)
        .having(current > 0)
    )
    found: dict[str, tuple[Counter[str], Counter[str]]] = defaultdict(
        lambda: (Counter(), Counter())
    )
    with store.reading() as connection:
        for row in connection.execute(wanted):
            found[called(row.reviewer, row.model)][row.ruling == Ruling.DISMISS][row.result] += (
                row.findings
            )
    return {name: Ruled(*counts) for name, counts in found.items()}


def refuted_categories(store: Store, reviewer: str) -> Sequence[CategoryClaims]:
    """Return the categories of a reviewer's findings, surely refuted ones first.

    They are ordered by the lower end of the interval, so that one refuted claim of one does not
    stand above 40 of 50.

    Args:
        reviewer: as the store calls it, so that recorded answers of all models are counted
            together.
    """
    every = tallies.c.confirmed + tallies.c.refuted + tallies.c.unverified
    refuted = func.count(distinct(case((tallies.c.refuted > 0, tallies.c.submission))))
    wanted = select(tallies.c.category, func.sum(tallies.c.refuted), func.sum(every), refuted)
    with store.reading() as connection:
        rows = connection.execute(
            wanted.where(tallies.c.reviewer == reviewer).group_by(tallies.c.category)
        ).all()
    # PostgreSQL sums to decimals.
    counts = [
        CategoryClaims(category, int(refuted), int(found), number)
        for category, refuted, found, number in rows
    ]
    return sorted(counts, key=lambda count: (-count.share.low, -count.findings, count.category))


def readers(store: Store) -> Sequence[ReaderTally]:
    """Return the results of claims by reader, the one with most judged readings first."""
    with store.reading() as connection:
        return readers_in(connection)


def stamp(store: Store) -> tuple[int | None, ...]:
    """Return numbers that differ after whatever may change an answer of this module or of
    `spending`; asking takes no time.
    """
    newest = [
        func.max(table.c.number)
        for table in (
            reviews,
            decisions,
            rulings,
            own_findings,
            remarks,
            outcomes,
            submissions,
            readings,
        )
    ]
    # Claims are judged again without a record of anybody's.
    newest.append(func.max(changed_submissions.c.change))
    with store.reading() as connection:
        # Which of two answers is the current one may change without a new one.
        current = connection.execute(
            select(func.sum(reviews.c.number)).where(reviews.c.current)
        ).scalar_one()
        return (
            current and int(current),
            *(connection.execute(select(each)).scalar_one() for each in newest),
        )


def _sides(against: Against) -> tuple[Select[int], Select[int]]:
    """The submissions that are truly ready, and those that truly are not; all others say
    nothing.
    """
    match against.truth:
        case GroundTruth.BLOCKERS:
            return by_rules(proven=False), by_rules(proven=True)
        case GroundTruth.OUTCOMES:
            return came_to("ran"), came_to("failed")
        case GroundTruth.REVIEWER:
            given = select(chips.c.submission).where(named(chips, against.reviewer))
            return given.where(chips.c.verdict == Verdict.READY), given.where(
                chips.c.verdict == Verdict.NOT_READY
            )
        case _ if against.blind:
            return blind_verdicts(Verdict.READY), blind_verdicts(Verdict.NOT_READY)
        case _:
            decided = select(standings.c.submission)
            return decided.where(standings.c.decision == Verdict.READY), decided.where(
                standings.c.decision == Verdict.NOT_READY
            )


def _beside(sides: tuple[Select[int], Select[int]], *, recorded: bool) -> Select[Any]:
    """Count reviews by reviewer and verdict, and the submissions on either side.

    Recorded answers are asked for apart: only they have to be distinguished by model, which the
    index of chips does not hold, and only of them a submission may have several by one reviewer,
    which are one case.
    """
    key = [chips.c.reviewer, chips.c.verdict] + [chips.c.model] * recorded
    ready, not_ready = (case((chips.c.submission.in_(side), chips.c.submission)) for side in sides)
    wanted = select(
        *key,
        func.count().label("reviews"),
        func.count(chips.c.missed).label("measured"),
        *(func.sum(chips.c[name]).label(name) for name in _SUMS),
        *(
            func.count(distinct(one) if recorded else one).label(name)
            for name, one in (("yes", ready), ("no", not_ready))
        ),
    )
    return wanted.where(
        (chips.c.reviewer == RECORDED) if recorded else (chips.c.reviewer != RECORDED)
    ).group_by(*key)


_SUMS = ("confirmed", "refuted", "unverified", "missed")
# By the verdict given, what a submission that is truly ready counts for, and one that truly is not.
_CELLS = {
    Verdict.READY: ("passed", "missed"),
    Verdict.NOT_READY: ("alarms", "caught"),
    None: ("silent_ready", "silent_not_ready"),
}


@dataclass(slots=True)
class _Count:
    reviews: int = 0
    failed: int = 0
    sums: Counter[str] = field(default_factory=Counter)
    cells: Counter[str] = field(default_factory=Counter)

    def add(self, row: Row[Any]) -> None:
        verdict = None if row.verdict is None else Verdict(row.verdict)
        if verdict is None:
            self.failed += row.reviews
        else:
            self.reviews += row.reviews
            # PostgreSQL sums to decimals, and nothing to null.
            self.sums.update(
                {name: int(getattr(row, name) or 0) for name in _SUMS} | {"measured": row.measured}
            )
        self.cells.update(dict(zip(_CELLS[verdict], (row.yes, row.no), strict=True)))

    def record(self, reviewer: str, model: str | None, against: Against) -> TrackRecord:
        name, cells = called(reviewer, model), self.cells
        is_itself = against.reviewer in (name, reviewer) or (
            against.truth is GroundTruth.BLOCKERS and reviewer == RULES
        )
        told = Confusion(**{name: cells[name] for name in ("caught", "missed", "alarms", "passed")})
        return TrackRecord(
            name=name,
            reviewer=reviewer,
            model=model,
            reviews=self.reviews,
            failed=self.failed,
            **{name: self.sums[name] for name in (*_SUMS, "measured")},
            beside=None if is_itself or against.truth is GroundTruth.RULINGS else told,
            silent=(cells["silent_not_ready"], cells["silent_ready"]),
        )
