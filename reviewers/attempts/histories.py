"""The history of each defect over a lineage: when it appeared, when it disappeared, and how many
attempts it survived.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from reviewers.matching.attempts import FindingState, match
from reviewers.matching.traces import Side
from reviewers.records import Finding

_LOOKED_BACK = 20
"""Attempts back in which a defect that is there again is looked for."""


@dataclass(frozen=True, slots=True)
class FindingLife:
    """One defect over a lineage.

    Attributes:
        seen: attempt and finding wherever it was found, in order; attempts count from 1.
        states: attempt and what happened to it there: new or returned, unchanged or moved, and
            fixed in the first attempt without it. Attempts without a review are left out.
        open: whether it is there in the last attempt that has a review.
    """

    seen: tuple[tuple[int, Finding], ...]
    states: tuple[tuple[int, FindingState], ...]
    open: bool

    @property
    def first(self) -> int:
        """The attempt in which it came."""
        return self.seen[0][0]

    @property
    def last(self) -> int:
        """The last attempt that has it."""
        return self.seen[-1][0]

    @property
    def attempts(self) -> int:
        """In how many attempts it was found."""
        return len(self.seen)

    @property
    def latest(self) -> Finding:
        """The finding in the last attempt that has it."""
        return self.seen[-1][1]


@dataclass(frozen=True, slots=True)
class Survival:
    """How long the defects of one category last.

    Attributes:
        defects: lives counted.
        median, mean: attempts in which a defect was found; those still open have not ended, so both
            are lower bounds.
        open: defects that the last attempt still has.
    """

    category: str
    defects: int
    median: float
    mean: float
    open: int


@dataclass(slots=True)
class _Life:
    seen: list[tuple[int, Finding]] = field(default_factory=list)
    states: list[tuple[int, FindingState]] = field(default_factory=list)

    def add(self, attempt: int, finding: Finding, state: FindingState) -> None:
        self.seen.append((attempt, finding))
        self.states.append((attempt, state))


def history(sides: Sequence[Side | None]) -> tuple[FindingLife, ...]:
    """Return every defect's life, by first attempt, then in the order of that attempt's findings.

    What is gone and comes back is one defect only where its code or its message is the same:
    similar words prove too little over several attempts.

    Args:
        sides: one reviewer's findings by attempt; None if there is no review, so that nothing is
            called fixed for want of one.
    """
    reviewed = [(attempt, side) for attempt, side in enumerate(sides, 1) if side is not None]
    lives: list[_Life] = []
    here: dict[int, _Life] = {}  # by identity of the finding in the attempt before
    gone: list[tuple[Side, dict[int, _Life]]] = []
    before: Side | None = None
    for attempt, side in reviewed:
        now: dict[int, _Life] = {}
        new: Sequence[Finding] = tuple(trace.finding for trace in side.traces)
        if before is not None:
            matching = match(before, side)
            for pair in matching.pairs:
                life = now[id(pair.after)] = here[id(pair.before)]
                life.add(attempt, pair.after, pair.state)
            for finding in matching.fixed:
                here[id(finding)].states.append((attempt, FindingState.FIXED))
            new = _returned(attempt, side.only(matching.new), gone, now)
            gone.append(
                (before.only(matching.fixed), {id(each): here[id(each)] for each in matching.fixed})
            )
        for finding in new:
            life = now[id(finding)] = _Life()
            life.add(attempt, finding, FindingState.NEW)
            lives.append(life)
        here, before = now, side
    still = set(map(id, here.values()))
    return tuple(
        FindingLife(tuple(life.seen), tuple(life.states), id(life) in still) for life in lives
    )


def survival(lives: Iterable[FindingLife]) -> tuple[Survival, ...]:
    """Return how long defects last, by the category of their latest finding; most defects first."""
    # Of each defect two numbers stay in memory.
    found: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for life in lives:
        found[life.latest.category].append((life.attempts, life.open))
    counted = (
        Survival(
            category,
            len(group),
            float(median(attempts for attempts, _ in group)),
            fmean(attempts for attempts, _ in group),
            sum(is_open for _, is_open in group),
        )
        for category, group in found.items()
    )
    return tuple(sorted(counted, key=lambda each: (-each.defects, each.category)))


def _returned(
    attempt: int, side: Side, gone: list[tuple[Side, dict[int, _Life]]], now: dict[int, _Life]
) -> Sequence[Finding]:
    """Take up lives that ended earlier, the latest ended first; return the findings that begin one
    of their own.
    """
    for place in range(len(gone) - 1, max(len(gone) - 1 - _LOOKED_BACK, -1), -1):
        lost, held = gone[place]
        if not side.findings or not lost.findings:
            continue
        matching = match(lost, side, surest=True)
        for pair in matching.pairs:
            life = now[id(pair.after)] = held[id(pair.before)]
            life.add(attempt, pair.after, FindingState.RETURNED)
        gone[place] = lost.only(matching.fixed), held
        side = side.only(matching.new)
    return side.findings
