"""Queries of the reviewers page: how reliable each reviewer is, measured by people, by the code and
by real runs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from reviewers.agreement import Alpha, Confusion, Interval, alpha, wilson
from reviewers.records import Verdict
from reviewers.store.readers import ReaderTally, readers_in
from reviewers.store.reviewer_names import called
from reviewers.store.rollup_counts import TRACK
from reviewers.store.rollups import changes, sums
from reviewers.store.store import Store
from reviewers.store.triage import RULES


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
    counts: dict[tuple[str, str | None], _Count] = defaultdict(_Count)
    with store.reading() as connection:
        for reviewer, model, verdict, numbers in sums(connection, "track"):
            counts[reviewer, model].add(verdict, numbers)
        for other, reviewer, model, verdict, numbers in sums(connection, _truth(against)):
            if other == against.reviewer:
                counts[reviewer, model].measure(verdict, *numbers[:2])
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
    alone: list[tuple[tuple[int, int], int]] = []
    beside: list[tuple[tuple[int, int], int]] = []
    with store.reading() as connection:
        for ready, not_ready, decision, of_blind, (units, *_) in sums(connection, "together"):
            verdict = of_blind if blind else decision
            yes, no = verdict == Verdict.READY, verdict == Verdict.NOT_READY
            alone.append(((ready, not_ready), units))
            beside.append(((ready + yes, not_ready + no), units))
    return Together(alpha(alone), alpha(beside))


def ruled(store: Store) -> Mapping[str, Ruled]:
    """Return what people said of each reviewer's current findings, by the reviewer's name;
    dismissed or upheld, not withdrawn.
    """
    found: dict[str, tuple[Counter[str], Counter[str]]] = defaultdict(
        lambda: (Counter(), Counter())
    )
    with store.reading() as connection:
        for name, dismissed, result, (count, *_) in sums(connection, "ruled"):
            found[name][dismissed][result] += count
    return {name: Ruled(*counts) for name, counts in found.items()}


def refuted_categories(store: Store, reviewer: str) -> Sequence[CategoryClaims]:
    """Return the categories of a reviewer's findings, surely refuted ones first.

    They are ordered by the lower end of the interval, so that one refuted claim of one does not
    stand above 40 of 50.

    Args:
        reviewer: as the store calls it, so that recorded answers of all models are counted
            together.
    """
    with store.reading() as connection:
        counts = [
            CategoryClaims(category, *numbers[:3])
            for name, category, numbers in sums(connection, "category")
            if name == reviewer
        ]
    return sorted(counts, key=lambda count: (-count.share.low, -count.findings, count.category))


def readers(store: Store) -> Sequence[ReaderTally]:
    """Return the results of claims by reader, the one with most judged readings first."""
    with store.reading() as connection:
        return readers_in(connection)


def stamp(store: Store) -> int:
    """Return a number that differs after whatever may change an answer of this module or of
    `spending`; asking takes no time.
    """
    with store.reading() as connection:
        return changes(connection)


def _truth(against: Against) -> str:
    """What is taken for true, as keys of `rollup_counts` begin."""
    if against.truth in (GroundTruth.DECISIONS, GroundTruth.RULINGS):
        return "beside blind" if against.blind else "beside decisions"
    return f"beside {against.truth}"


_SUMS = TRACK[2:]
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

    def add(self, verdict: str | None, numbers: Sequence[int]) -> None:
        """Add reviews with this verdict; `numbers` as `TRACK` has them."""
        reviews, *rest = numbers
        if verdict is None:
            self.failed += reviews
        else:
            self.reviews += reviews
            self.sums.update(dict(zip(TRACK[1:], rest, strict=False)))

    def measure(self, verdict: str | None, ready: int, not_ready: int) -> None:
        """Add submissions that are truly ready and truly not, of those with this verdict."""
        cells = _CELLS[None if verdict is None else Verdict(verdict)]
        self.cells.update(dict(zip(cells, (ready, not_ready), strict=True)))

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
