"""What the trends screen asks: which failures recur, when, by whom found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    Select,
    Subquery,
    cast,
    distinct,
    extract,
    func,
    select,
    type_coerce,
)

from reviewers.rubric import rubric
from reviewers.store.store import Store
from reviewers.store.tables import reviews, submissions, tallies

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).date()
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class TrendsQuery:
    """Which findings count; None does not filter.

    Refuted and dismissed findings count only with `refuted=True`, which shows just them. The submissions looked at (`of`)
    are those with a verdict by a reviewer, or by this reviewer where one is given.

    Attributes:
        reviewer: only this reviewer's findings.
        lineage: only submissions of this lineage.
    """

    reviewer: str | None = None
    criterion: int | None = None
    lineage: str | None = None
    refuted: bool = False


@dataclass(frozen=True, slots=True)
class CategoryCount:
    """One category: submissions that have it, out of `of` submissions looked at, and its findings in all."""

    category: str
    submissions: int
    of: int
    findings: int


@dataclass(frozen=True, slots=True)
class TimeCount:
    """One category in one period, zeros included.

    Attributes:
        period: the day of import, or the attempt number where the x axis is the attempt.
    """

    period: date | int
    category: str
    submissions: int
    of: int


@dataclass(frozen=True, slots=True)
class ReviewerCount:
    """One category by one reviewer, split by fact check, rulings counted in; counts are findings."""

    reviewer: str
    category: str
    confirmed: int
    refuted: int
    unverified: int


@dataclass(frozen=True, slots=True)
class CriterionCount:
    """One criterion: submissions with a finding under it, out of `of`."""

    criterion: int
    submissions: int
    of: int
    findings: int


def by_category(store: Store, query: TrendsQuery) -> Sequence[CategoryCount]:
    """Return categories, most submissions first."""
    with store.reading() as connection:
        looked_at = _looked_at(query)
        of = _size(connection, looked_at)
        category = tallies.c.category
        rows = connection.execute(_counts(query, looked_at, category).group_by(category))
        counts = [CategoryCount(row.key, row.submissions, of, row.findings) for row in rows]
        return sorted(counts, key=lambda count: (-count.submissions, -count.findings, count.category))


def by_day(store: Store, query: TrendsQuery) -> Sequence[TimeCount]:
    """Return categories by the day (UTC) on which submissions were imported, oldest first."""

    def day(period: int) -> date:
        return _EPOCH + timedelta(days=period)

    with store.reading() as connection:
        return _by_period(connection, query, lambda looked_at: _day(connection, looked_at.c.imported_at), day)


def by_attempt(store: Store, query: TrendsQuery) -> Sequence[TimeCount]:
    """Return categories by attempt number within lineages, first attempt first; submissions without an attempt do not count."""
    with store.reading() as connection:
        return _by_period(connection, query, lambda looked_at: looked_at.c.attempt, int)


def by_reviewer(store: Store, query: TrendsQuery) -> Sequence[ReviewerCount]:
    """Return categories by reviewer, reviewers by name, most findings first.

    All three fact checks are counted; with `refuted=True` only what is refuted.
    """
    with store.reading() as connection:
        looked_at = _looked_at(query)
        sums = [func.sum(column).label(column.name) for column in (tallies.c.confirmed, tallies.c.refuted, tallies.c.unverified)]
        key = (tallies.c.reviewer, tallies.c.category)
        rows = connection.execute(_wanted(select(*key, *sums), query, looked_at).group_by(*key)).all()
    counts = [
        ReviewerCount(
            row.reviewer, row.category, *((0, row.refuted, 0) if query.refuted else (row.confirmed, row.refuted, row.unverified))
        )
        for row in rows
        if row.refuted or not query.refuted
    ]
    return sorted(
        counts, key=lambda count: (count.reviewer, -(count.confirmed + count.refuted + count.unverified), count.category)
    )


def by_criterion(store: Store, query: TrendsQuery) -> Sequence[CriterionCount]:
    """Return criteria 1 to 9 in order, those without findings included."""
    with store.reading() as connection:
        looked_at = _looked_at(query)
        of = _size(connection, looked_at)
        criterion = tallies.c.criterion
        rows = connection.execute(_counts(query, looked_at, criterion).group_by(criterion))
        counted = {row.key: (row.submissions, row.findings) for row in rows}
    counts = {number: counted.get(number, (0, 0)) for number in rubric().criteria}
    return [CriterionCount(number, submissions, of, findings) for number, (submissions, findings) in counts.items()]


def lineages(store: Store) -> Sequence[str]:
    """Return the names of all lineages, sorted."""
    with store.reading() as connection:
        names = connection.scalars(select(submissions.c.lineage).where(submissions.c.lineage.is_not(None)).distinct())
        return sorted(name for name in names if name is not None)


def _looked_at(query: TrendsQuery) -> Subquery:
    """The submissions that the query is about."""
    verdicts = select(reviews.c.submission).where(reviews.c.current, reviews.c.verdict.is_not(None))
    if query.reviewer is not None:
        verdicts = verdicts.where(reviews.c.reviewer == query.reviewer)
    wanted = select(submissions.c.number, submissions.c.imported_at, submissions.c.attempt)
    wanted = wanted.where(submissions.c.number.in_(verdicts))
    if query.lineage is not None:
        wanted = wanted.where(submissions.c.lineage == query.lineage)
    return wanted.subquery()


def _size(connection: Connection, looked_at: Subquery) -> int:
    return connection.execute(select(func.count()).select_from(looked_at)).scalar_one()


def _wanted(counts: Select[Any], query: TrendsQuery, looked_at: Subquery) -> Select[Any]:
    """Join the tallies of the submissions looked at, those of the query's reviewer and criterion."""
    counts = counts.select_from(tallies.join(looked_at, looked_at.c.number == tallies.c.submission))
    if query.reviewer is not None:
        counts = counts.where(tallies.c.reviewer == query.reviewer)
    if query.criterion is not None:
        counts = counts.where(tallies.c.criterion == query.criterion)
    return counts


def _counts(query: TrendsQuery, looked_at: Subquery, *key: ColumnElement[Any]) -> Select[Any]:
    """Submissions and findings that count, by a key (several columns are called key, second, in this order)."""
    findings = tallies.c.refuted if query.refuted else tallies.c.confirmed + tallies.c.unverified
    labels = [column.label(name) for column, name in zip(key, ("key", "second"), strict=False)]
    counts = select(
        *labels, func.count(distinct(tallies.c.submission)).label("submissions"), func.sum(findings).label("findings")
    )
    return _wanted(counts, query, looked_at).where(findings > 0)


def _by_period(
    connection: Connection,
    query: TrendsQuery,
    period_of: Callable[[Subquery], ColumnElement[Any]],
    shown: Callable[[int], date | int],
) -> Sequence[TimeCount]:
    looked_at = _looked_at(query)
    period = period_of(looked_at)
    sizes = select(period.label("key"), func.count().label("of")).where(period.is_not(None)).group_by(period).order_by(period)
    of = {row.key: row.of for row in connection.execute(sizes)}
    counted: dict[str, dict[int, int]] = defaultdict(dict)
    counts = _counts(query, looked_at, period, tallies.c.category).where(period.is_not(None)).group_by(period, tallies.c.category)
    for row in connection.execute(counts):
        counted[row.second][row.key] = row.submissions
    return [
        TimeCount(shown(key), category, counted[category].get(key, 0), size)
        for key, size in of.items()
        for category in sorted(counted)
    ]


def _day(connection: Connection, moment: ColumnElement[datetime]) -> ColumnElement[int]:
    """Days since 1970."""
    if connection.dialect.name == "postgresql":
        return cast(func.floor(extract("epoch", moment) / _SECONDS_A_DAY), Integer)
    return type_coerce(moment, BigInteger) // (_SECONDS_A_DAY * 1_000_000)
