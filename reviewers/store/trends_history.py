"""How long a category survives in a lineage, how reviewers do over time, and the outcomes of
real runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reviewers.outcomes.linking import Fate
from reviewers.records import Check
from reviewers.store.human_input import PEOPLE
from reviewers.store.trends_facts import UNKNOWN, Flags, Numbers
from reviewers.store.trends_query import Looked, Over, Period, distinct, periods
from reviewers.store.triage import RULES

_MOST_STEPS = 20


@dataclass(frozen=True, slots=True)
class SurvivalCount:
    """Submissions that were looked at `attempts` attempts after a category came into their lineage.

    Attributes:
        submissions: those that have had it in every attempt since.
        of: those that had it up to the attempt before; where it came, those with it.
        followed: all of them, whether it had gone before or not.
        share: the part that a category survives so long (Kaplan & Meier 1958), so that a lineage
            that ends early counts as long as it lasts, and no line ever rises; None if nobody
            was left to tell.
    """

    category: str
    attempts: int
    submissions: int
    of: int
    followed: int
    share: float | None


@dataclass(frozen=True, slots=True)
class PeriodClaims:
    """The claims of one LLM reviewer in one period.

    Attributes:
        confirmed, refuted, unverified: claims, rulings counted in.
        confirmed_in, refuted_in: submissions with such a claim.
        missed_in: submissions with a proven blocker that it does not name, out of `measured` in
            which that is known. None under a category or criterion, of which that is not known.
    """

    reviewer: str
    period: Period
    confirmed: int
    refuted: int
    unverified: int
    confirmed_in: int
    refuted_in: int
    missed_in: int | None
    measured: int | None

    @property
    def claims(self) -> int:
        """All three."""
        return self.confirmed + self.refuted + self.unverified


@dataclass(frozen=True, slots=True)
class FateCount:
    """Failures of real runs and needed fixes of one category and one fate, in so many
    submissions.
    """

    category: str
    fate: Fate
    outcomes: int
    submissions: int


def survival(looked: Looked) -> Sequence[SurvivalCount]:
    """Return categories by attempts since they came, in how many submissions they are still there;
    most spells first.

    A category comes where the attempt before that was looked at has it not. The attempt after that
    is looked at is one attempt later; a lineage that ends, ends without a word on what would have
    been. Filters choose the later submissions, not those in which a category came.
    """
    counts: list[SurvivalCount] = []
    rows = _in_order(looked)
    for code, name in enumerate(looked.facts.names["category"]):
        share: float | None = 1.0
        for number, step in enumerate(_steps(looked, rows, code)):
            kept, of, followed = (int(np.count_nonzero(flags & looked.of[rows])) for flags in step)
            share = 0.0 if share == 0 else share * kept / of if share is not None and of else None
            if followed:
                counts.append(SurvivalCount(name, number, kept, of, followed, share))
    begun = {count.category: count.of for count in counts if count.attempts == 0}
    return sorted(
        counts, key=lambda count: (-begun.get(count.category, 0), count.category, count.attempts)
    )


def survivors(looked: Looked, category: str, attempts: int) -> Flags:
    """Flag the submissions that a `SurvivalCount` counts."""
    rows = _in_order(looked)
    steps = _steps(looked, rows, looked.facts.code("category", category))
    kept = steps[attempts][0] if attempts < len(steps) else np.zeros(len(rows), dtype=bool)
    return looked.held_by(rows[kept]) & looked.of


def _in_order(looked: Looked) -> Numbers:
    """Rows of submissions that were looked at, lineages one after another, each by attempt; of one
    attempt the first kept.
    """
    held = looked.facts.submissions
    rows = np.flatnonzero(looked.looked & (held["lineage"] != UNKNOWN) & (held["attempt"] > 0))
    rows = rows[np.lexsort((rows, held["attempt"][rows], held["lineage"][rows]))]
    if len(rows) < 2:
        return rows
    place = np.stack((held["lineage"][rows], held["attempt"][rows]))
    return rows[np.concatenate(([True], (place[:, 1:] != place[:, :-1]).any(axis=0)))]


def _steps(looked: Looked, rows: Numbers, category: int) -> Sequence[tuple[Flags, Flags, Flags]]:
    """For each number of attempts since a category came: which rows still have it, had it before,
    are so many later.
    """
    lineage = looked.facts.submissions["lineage"][rows]
    categories, submissions = looked.pairs("category")
    has = looked.held_by(submissions[categories == category])[rows]
    follows = (
        np.concatenate(([False], lineage[1:] == lineage[:-1]))
        if len(rows)
        else np.zeros(0, dtype=bool)
    )
    came = has & ~(follows & _later(has))
    steps = [(came, came, came)]
    while steps[-1][2].any() and len(steps) <= _MOST_STEPS:
        kept, _, followed = steps[-1]
        before = follows & _later(kept)
        steps.append((has & before, before, follows & _later(followed)))
    return steps


def _later(flags: Flags) -> Flags:
    return np.concatenate(([False], flags[:-1])) if len(flags) else flags


def by_claims(looked: Looked, over: Over) -> Sequence[PeriodClaims]:
    """Return the claims of LLM reviewers by name and period; the rules are left out, which find
    only what they prove.
    """
    place, seen = periods(looked, over)
    tallies, looks, names = looked.facts.tallies, looked.facts.looks, looked.facts.names["reviewer"]
    narrowed = looked.query.category is not None or looked.query.criterion is not None
    width, cells = len(seen), len(seen) * len(names)

    def cell(table: Mapping[str, Numbers], chosen: Flags) -> tuple[Numbers, Numbers]:
        """The reviewer and period of each chosen row, as one number, beside its submission."""
        rows = table["submission"][chosen]
        return table["reviewer"][chosen] * width + place[rows], rows

    def several(table: Mapping[str, Numbers], chosen: Flags) -> Numbers:
        return np.bincount(distinct(*cell(table, chosen))[0], minlength=cells)

    here = looked.of & (place != UNKNOWN)
    told, read = looked.told & here[tallies["submission"]], here[looks["submission"]]
    if looked.query.reviewer is not None:
        read &= looks["reviewer"] == looked.facts.code("reviewer", looked.query.reviewer)
    sums = {
        check: np.bincount(cell(tallies, told)[0], tallies[check][told], minlength=cells)
        for check in Check
    }
    held = {check: several(tallies, told & (tallies[check] > 0)) for check in Check}
    seen_in, measured = several(looks, read), several(looks, read & (looks["missed"] != UNKNOWN))
    missed = several(looks, read & (looks["missed"] > 0))
    return [
        PeriodClaims(
            reviewer=name,
            period=seen[at % width],
            **{str(check): int(count[at]) for check, count in sums.items()},
            confirmed_in=int(held[Check.CONFIRMED][at]),
            refuted_in=int(held[Check.REFUTED][at]),
            missed_in=None if narrowed else int(missed[at]),
            measured=None if narrowed else int(measured[at]),
        )
        for code, name in sorted(enumerate(names), key=lambda each: each[1])
        if name not in (RULES, PEOPLE)
        for at in range(code * width, (code + 1) * width)
        if seen_in[at]
    ]


def _several(rows: Numbers) -> int:
    return len(np.unique(rows))


def by_fate(looked: Looked) -> Sequence[FateCount]:
    """Return what really happened by category, most first, and whether the query's reviewer, or
    any, had predicted it.

    The query's category is that of what happened; its criterion does not count. A submission
    that nobody had reviewed is left out.
    """
    fates, names = looked.facts.fates, looked.facts.names
    counts: list[FateCount] = []
    for code, category in enumerate(names["category"]):
        for fate in Fate:
            rows = _fated(looked, code, fate)
            if len(rows):
                counts.append(
                    FateCount(category, fate, len(rows), _several(fates["submission"][rows]))
                )
    totals: dict[str, int] = {}
    for count in counts:
        totals[count.category] = totals.get(count.category, 0) + count.outcomes
    return sorted(
        counts,
        key=lambda each: (-totals[each.category], each.category, list(Fate).index(each.fate)),
    )


def fated(looked: Looked, category: str, fate: Fate) -> Flags:
    """Flag the submissions that a `FateCount` counts."""
    rows = _fated(looked, looked.facts.code("category", category), fate)
    return looked.held_by(looked.facts.fates["submission"][rows])


def _fated(looked: Looked, category: int, fate: Fate) -> Numbers:
    """The rows of fates of this kind, one for each outcome: what one reviewer predicted was
    predicted.
    """
    fates, query = looked.facts.fates, looked.query
    chosen = looked.chosen[fates["submission"]] & (fates["category"] == category)
    if query.category is not None and looked.facts.code("category", query.category) != category:
        chosen &= False
    if query.reviewer is not None:
        chosen &= fates["reviewer"] == looked.facts.code("reviewer", query.reviewer)
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return rows
    outcome = np.stack((fates["submission"][rows], fates["position"][rows]))
    best = {looked.facts.code("fate", each): place for place, each in enumerate(Fate)}
    rank = np.array([best[each] for each in fates["fate"][rows].tolist()])
    order = np.lexsort((rank, outcome[1], outcome[0]))
    first = np.concatenate(
        ([True], (outcome[:, order][:, 1:] != outcome[:, order][:, :-1]).any(axis=0))
    )
    chosen_rows: Numbers = rows[order][first]
    came_to: Numbers = chosen_rows[rank[order][first] == list(Fate).index(fate)]
    return came_to
