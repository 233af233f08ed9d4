"""Seconds and cost of the current reviews by reviewer, as far as known."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, select

from reviewers.store.reviewer_names import called
from reviewers.store.rollup_counts import MICRO, least_of
from reviewers.store.rollups import sums
from reviewers.store.store import Store
from reviewers.store.tables import reviews
from reviewers.store.triage import RECORDED

_Who = tuple[str, str | None]
"""A reviewer, and the model where that is no part of its name."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity over the reviews of which it is known.

    Attributes:
        known: their number; with 0 of them nothing can be said.
    """

    known: int = 0
    total: float | None = None
    median: float | None = None

    @property
    def mean(self) -> float | None:
        """The total divided by the number."""
        return None if self.total is None else self.total / self.known


@dataclass(frozen=True, slots=True)
class Spending:
    """What one reviewer's current reviews took, those without a verdict included."""

    name: str
    reviews: int
    seconds: Measure
    cost: Measure


def spending(store: Store) -> Sequence[Spending]:
    """Return what each reviewer took, by name."""
    counts: Counter[_Who] = Counter()
    taken: dict[tuple[_Who, str], dict[int | None, tuple[int, int]]] = defaultdict(dict)
    with store.reading() as connection:
        for reviewer, model, _, numbers in sums(connection, "track"):
            counts[reviewer, model] += numbers[0]
        for name, reviewer, model, step, numbers in sums(connection, "took"):
            taken[(reviewer, model), name][step] = numbers[0], numbers[1]
        return sorted(
            (
                Spending(
                    called(*who),
                    number,
                    _measure(connection, who, reviews.c.seconds, taken[who, "seconds"]),
                    _measure(connection, who, reviews.c.cost_usd, taken[who, "cost_usd"]),
                )
                for who, number in counts.items()
            ),
            key=lambda one: one.name,
        )


def _measure(
    connection: Connection,
    who: _Who,
    column: ColumnElement[float | None],
    steps: Mapping[int | None, tuple[int, int]],
) -> Measure:
    """Args: steps: a histogram: how many reviews took as much as a step, and how much in all."""
    known = sum(number for number, _ in steps.values())
    if not known:
        return Measure()
    unit = MICRO if column is reviews.c.seconds else MICRO * MICRO
    total = sum(amount for _, amount in steps.values()) / unit
    # The middle one, or the mean of both middle ones: the histogram says where to look, and the
    # index has them in order.
    place, least = (known - 1) // 2, -math.inf
    for step in sorted(steps, key=lambda each: -math.inf if each is None else each):
        if place < steps[step][0]:
            least = -math.inf if step is None else least_of(step)
            break
        place -= steps[step][0]
    reviewer, model = who
    mine = (reviews.c.current, reviews.c.reviewer == reviewer, column.is_not(None))
    given = select(column).where(*mine).order_by(column).offset(place).limit(2 - known % 2)
    if least > -math.inf:
        given = given.where(column >= least)
    if reviewer == RECORDED:
        # In no index: only recorded answers are told apart by it.
        given = given.where(func.coalesce(reviews.c.model, "") == (model or ""))
    middle = connection.scalars(given).all()
    return Measure(known, total, sum(value or 0.0 for value in middle) / len(middle))
