"""Seconds and cost of the current reviews by reviewer, as far as known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, func, select

from reviewers.store.reviewer_names import called
from reviewers.store.store import Store
from reviewers.store.tables import chips, reviews
from reviewers.store.triage import RECORDED


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
    with store.reading() as connection:
        counts = dict(_reviewers(connection))
        of_one = Counter(reviewer for reviewer, _ in counts)
        found = []
        for (reviewer, model), number in counts.items():
            # The model is in no index, so it is asked for only where it tells recorded answers
            # apart.
            mine = reviews.c.reviewer == reviewer
            mine = (
                mine
                if of_one[reviewer] == 1
                else mine & (func.coalesce(reviews.c.model, "") == (model or ""))
            )
            measures = (
                _measure(connection, mine, column)
                for column in (reviews.c.seconds, reviews.c.cost_usd)
            )
            found.append(Spending(called(reviewer, model), number, *measures))
    return sorted(found, key=lambda one: one.name)


def _reviewers(connection: Connection) -> Iterator[tuple[tuple[str, str | None], int]]:
    """Those with a current review and the number of these; a model only for recorded answers, whose
    name says too little.

    Chips are the current reviews, and far smaller.
    """
    named = (
        select(chips.c.reviewer, func.count())
        .where(chips.c.reviewer != RECORDED)
        .group_by(chips.c.reviewer)
    )
    for reviewer, number in connection.execute(named):
        yield (reviewer, None), number
    model = func.coalesce(chips.c.model, "").label("model")
    recorded = select(model, func.count()).where(chips.c.reviewer == RECORDED).group_by(model)
    for name, number in connection.execute(recorded):
        yield (RECORDED, name or None), number


def _measure(
    connection: Connection, mine: ColumnElement[bool], column: ColumnElement[float | None]
) -> Measure:
    given = select(column).where(reviews.c.current, mine, column.is_not(None))
    known, total = connection.execute(given.with_only_columns(func.count(), func.sum(column))).one()
    if not known:
        return Measure()
    # The middle one, or the mean of both middle ones: the index has them in order.
    middle = connection.scalars(
        given.order_by(column).offset((known - 1) // 2).limit(2 - known % 2)
    ).all()
    return Measure(known, total, sum(value or 0.0 for value in middle) / len(middle))
