"""Queries of the trends page: which failures recur, when, found by whom, and in which submissions.

Every number is a number of submissions out of those in the query (`of`), unless its name says
otherwise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from sqlalchemy import select

from reviewers.records import Check
from reviewers.store.human_input import PEOPLE
from reviewers.store.store import Store
from reviewers.store.tables import attempts
from reviewers.store.trends_change import Halves, ShareChange, between, fisher, halves, struck
from reviewers.store.trends_facts import UNKNOWN, Flags, Numbers
from reviewers.store.trends_query import (
    Looked,
    Over,
    Period,
    TrendsQuery,
    distinct,
    fitting,
    looked_at,
    periods,
)

__all__ = [
    "CategoryCount", "Dimension", "GroupCount", "Looked", "Over", "Period", "PeriodCount",
    "ReviewerCount", "ShareChange", "TrendsQuery", "between", "by_category", "by_dimension",
    "by_period", "by_reviewer", "failing_in", "fitting", "grouped_sides", "halves", "lineages",
    "looked_at", "names_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class CategoryCount:
    """One category, and how it is in the later submissions beside the earlier ones.

    Attributes:
        findings: how many findings there are in all.
        earlier, later: submissions that have it on either side, out of `earlier_of` and `later_of`;
            None if nothing is compared.
        p: how likely chance makes a difference like this; None if nothing is compared.
        change: only where it is too large for chance.
    """

    category: str
    submissions: int
    of: int
    findings: int
    earlier: int | None = None
    earlier_of: int | None = None
    later: int | None = None
    later_of: int | None = None
    p: float | None = None
    change: ShareChange | None = None


@dataclass(frozen=True, slots=True)
class PeriodCount:
    """One category in one period, zeros included; `findings` counts findings."""

    category: str
    period: Period
    submissions: int
    of: int
    findings: int


@dataclass(frozen=True, slots=True)
class ReviewerCount:
    """One category by one reviewer with one fact check, rulings counted in.

    Attributes:
        of: the submissions on which it gave a verdict; None for people, who do not say what they
            have read.
    """

    reviewer: str
    category: str
    check: Check
    findings: int
    submissions: int
    of: int | None


class Dimension(StrEnum):
    """What submissions can be grouped by."""

    GENERATOR = "generator"
    CONTRACT = "contract"
    MODEL = "model"
    DATASET = "dataset"
    LINEAGE = "lineage"


@dataclass(frozen=True, slots=True)
class GroupCount:
    """Submissions of one generator, contract, model, data set or lineage; None for those of which
    nobody said it.
    """

    group: str | None
    submissions: int
    of: int


def by_category(looked: Looked, compared: Halves | None = None) -> Sequence[CategoryCount]:
    """Return categories that count, most submissions first.

    Args:
        compared: what to compare, as `halves` gives it; then categories are there, too, that only
            the earlier side has.
    """
    names = looked.facts.names["category"]
    categories, rows = looked.pairs("category")
    within = np.bincount(categories[looked.of[rows]], minlength=len(names))
    tallied = looked.facts.tallies["category"][looked.found]
    findings = np.bincount(tallied, looked.counts[looked.found], minlength=len(names))
    sides = [] if compared is None else [compared.earlier, compared.later]
    hits = [np.bincount(categories[side[rows]], minlength=len(names)) for side in sides]
    counts = [
        CategoryCount(name, int(within[place]), looked.size, int(findings[place]))
        for place, name in enumerate(names)
        if within[place] or any(side[place] for side in hits)
    ]
    if compared is not None:
        places = {name: place for place, name in enumerate(names)}
        counts = _compared(
            counts,
            [[int(side[places[count.category]]) for count in counts] for side in hits],
            compared.sizes,
        )
    return sorted(counts, key=lambda count: (-count.submissions, -count.findings, count.category))


def _compared(
    counts: Sequence[CategoryCount], hits: Sequence[Sequence[int]], sizes: tuple[int, int]
) -> list[CategoryCount]:
    """Args: hits: of each count on the earlier and on the later side, whose sizes are given."""
    chances = [
        fisher(later, sizes[1], earlier, sizes[0]) for earlier, later in zip(*hits, strict=True)
    ]
    made: list[CategoryCount] = []
    for count, earlier, later, chance, is_struck in zip(
        counts, *hits, chances, struck(chances), strict=True
    ):
        direction = (
            ShareChange.RISING if later * sizes[0] > earlier * sizes[1] else ShareChange.FALLING
        )
        change = (direction if earlier else ShareChange.NEW) if is_struck else None
        beside = {"earlier": earlier, "earlier_of": sizes[0], "later": later, "later_of": sizes[1]}
        made.append(replace(count, **beside, p=chance, change=change))
    return made


def by_period(looked: Looked, over: Over) -> Sequence[PeriodCount]:
    """Return the categories that count, by name, by periods in which something was looked at, in
    their order.

    Submissions in no lineage have no attempt, and do not count over attempts.
    """
    place, seen = periods(looked, over)
    sizes = np.bincount(place[looked.of & (place != UNKNOWN)], minlength=len(seen))
    names = looked.facts.names["category"]
    categories, rows = looked.pairs("category")
    having = looked.of[rows] & (place[rows] != UNKNOWN)
    width, cells = len(seen), len(seen) * len(names)
    submissions = np.bincount(categories[having] * width + place[rows[having]], minlength=cells)
    tallies = looked.facts.tallies
    at = place[tallies["submission"]]
    told = looked.found & (at != UNKNOWN)
    findings = np.bincount(
        tallies["category"][told] * width + at[told], looked.counts[told], minlength=cells
    )
    return [
        PeriodCount(
            name,
            period,
            int(submissions[code * width + each]),
            int(sizes[each]),
            int(findings[code * width + each]),
        )
        for code, name in sorted(enumerate(names), key=lambda each: each[1])
        if submissions[code * width : (code + 1) * width].any()
        for each, period in enumerate(seen)
    ]


def by_reviewer(looked: Looked) -> Sequence[ReviewerCount]:
    """Return categories by reviewer and fact check, reviewers by name, most findings first.

    All three fact checks are counted; with `refuted=True` only what is refuted.
    """
    tallies, names = looked.facts.tallies, looked.facts.names
    told = looked.told & looked.of[tallies["submission"]]
    width = len(names["category"])
    counts: list[ReviewerCount] = []
    looks = looked.facts.looks
    here = looked.of[looks["submission"]]
    seen = np.bincount(
        distinct(looks["reviewer"][here], looks["submission"][here])[0],
        minlength=len(names["reviewer"]),
    )
    for check in (Check.REFUTED,) if looked.query.refuted else Check:
        having = told & (tallies[check] > 0)
        key = tallies["reviewer"][having] * width + tallies["category"][having]
        findings = np.bincount(key, tallies[check][having])
        # A tally is of one category under one criterion, so a submission may have several.
        submissions = np.bincount(
            distinct(key, tallies["submission"][having])[0], minlength=len(findings)
        )
        counts += [
            ReviewerCount(
                names["reviewer"][each // width],
                names["category"][each % width],
                check,
                int(findings[each]),
                int(submissions[each]),
                None if names["reviewer"][each // width] == PEOPLE else int(seen[each // width]),
            )
            for each in np.flatnonzero(submissions).tolist()
        ]
    totals: Counter[tuple[str, str]] = Counter()
    for count in counts:
        totals[count.reviewer, count.category] += count.findings
    order = list(Check)
    return sorted(
        counts,
        key=lambda each: (
            each.reviewer,
            -totals[each.reviewer, each.category],
            each.category,
            order.index(each.check),
        ),
    )


def by_dimension(looked: Looked, dimension: Dimension) -> Sequence[GroupCount]:
    """Return the submissions that fail, by what they can be grouped by; most looked at first,
    the unknown last.

    Those fail that have a finding which counts, where the query names a category, a criterion or
    refuted ones; else those with a confirmed blocker. A submission with several run configs can be
    of several models and data sets; where the query names one, only that one is shown.
    """
    failing = failing_in(looked)
    submission, code = _grouped(looked, dimension)
    unknown = looked.held_by(submission[code != UNKNOWN])
    names, wanted = looked.facts.names[dimension], getattr(looked.query, dimension)
    counted = looked.of[submission] & (code != UNKNOWN)
    if wanted is not None:
        counted &= code == looked.facts.code(dimension, wanted)
    of = np.bincount(code[counted], minlength=len(names))
    hits = np.bincount(code[counted & failing[submission]], minlength=len(names))
    counts = [
        GroupCount(name, int(hits[place]), int(of[place]))
        for place, name in enumerate(names)
        if of[place]
    ]
    counts.sort(key=lambda count: (-count.of, count.group or ""))
    left = looked.of & ~unknown
    if left.any():
        counts.append(
            GroupCount(None, int(np.count_nonzero(left & failing)), int(np.count_nonzero(left)))
        )
    return counts


def grouped_sides(looked: Looked, dimension: Dimension, earlier: str, later: str) -> Halves:
    """Return the submissions of two groups as the sides to be compared."""
    submission, code = _grouped(looked, dimension)
    held = [
        looked.held_by(submission[code == looked.facts.code(dimension, name)]) & looked.of
        for name in (earlier, later)
    ]
    sides = held[0], held[1]
    return Halves(*sides, groups=(earlier, later))


def failing_in(looked: Looked) -> Flags:
    """Flag the submissions that fail, as `by_dimension` means it, on whatever day."""
    query = looked.query
    if query.category is not None or query.criterion is not None or query.refuted:
        return looked.held_by(looked.pairs("category")[1])
    return blocked_in(looked)


def blocked_in(looked: Looked) -> Flags:
    """Flag the submissions with a confirmed blocker by a reviewer, or by the query's."""
    looks = looked.facts.looks
    blocked = looks["blockers"] > 0
    if looked.query.reviewer is not None:
        blocked &= looks["reviewer"] == looked.facts.code("reviewer", looked.query.reviewer)
    return looked.held_by(looks["submission"][blocked])


def _grouped(looked: Looked, dimension: Dimension) -> tuple[Numbers, Numbers]:
    """The row of a submission beside its group, each pair once."""
    held = looked.facts.submissions
    if dimension in (Dimension.GENERATOR, Dimension.CONTRACT, Dimension.LINEAGE):
        return np.arange(len(held["number"])), held[dimension]
    runs = looked.facts.runs
    code, submission = distinct(runs[dimension], runs["submission"])
    return submission, code


def names_of(looked: Looked, column: str) -> Sequence[str]:
    """Return the known names of a column (`reviewer`, `generator`, `model`, …), sorted."""
    return sorted(looked.facts.names[column])


def lineages(store: Store) -> Sequence[str]:
    """Return the names of all lineages, sorted."""
    with store.reading() as connection:
        names = connection.scalars(select(attempts.c.lineage).distinct())
        return sorted(names)
