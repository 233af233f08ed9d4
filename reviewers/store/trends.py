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
    Table,
    cast,
    distinct,
    extract,
    func,
    select,
    type_coerce,
)

from reviewers.rubric import rubric
from reviewers.store.store import Store
from reviewers.store.tables import attempts, reviews, submissions, tallies

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
        of = _looked_at(connection, query)
        rows = connection.execute(_counts(query, tallies.c.category))
        counts = [CategoryCount(row.category, row.submissions, of, row.findings) for row in rows]
        return sorted(counts, key=lambda count: (-count.submissions, -count.findings, count.category))


def by_day(store: Store, query: TrendsQuery) -> Sequence[TimeCount]:
    """Return categories by the day (UTC) on which submissions were imported, oldest first."""

    def day(period: int) -> date:
        return _EPOCH + timedelta(days=period)

    with store.reading() as connection:
        return _by_period(connection, query, _day(connection), day)


def by_attempt(store: Store, query: TrendsQuery) -> Sequence[TimeCount]:
    """Return categories by attempt number within lineages, first attempt first; submissions in no lineage do not count."""
    with store.reading() as connection:
        return _by_period(connection, query, attempts.c.number, int, attempts)


def by_reviewer(store: Store, query: TrendsQuery) -> Sequence[ReviewerCount]:
    """Return categories by reviewer, reviewers by name, most findings first.

    All three fact checks are counted; with `refuted=True` only what is refuted.
    """
    confirmed, refuted, unverified = (func.sum(tallies.c[name]).label(name) for name in ("confirmed", "refuted", "unverified"))
    key = (tallies.c.reviewer, tallies.c.category)
    with store.reading() as connection:
        rows = connection.execute(_filtered(select(*key, confirmed, refuted, unverified), query).group_by(*key)).all()
    if query.refuted:
        counts = [ReviewerCount(row.reviewer, row.category, 0, row.refuted, 0) for row in rows if row.refuted]
    else:
        counts = [ReviewerCount(row.reviewer, row.category, row.confirmed, row.refuted, row.unverified) for row in rows]
    return sorted(
        counts, key=lambda count: (count.reviewer, -(count.confirmed + count.refuted + count.unverified), count.category)
    )


def by_criterion(store: Store, query: TrendsQuery) -> Sequence[CriterionCount]:
    """Return criteria 1 to 9 in order, those without findings included."""
    with store.reading() as connection:
        of = _looked_at(connection, query)
        rows = connection.execute(_counts(query, tallies.c.criterion))
        counted = {row.criterion: (row.submissions, row.findings) for row in rows}
    counts = {number: counted.get(number, (0, 0)) for number in rubric().criteria}
    return [CriterionCount(number, submissions, of, findings) for number, (submissions, findings) in counts.items()]


def lineages(store: Store) -> Sequence[str]:
    """Return the names of all lineages, sorted."""
    with store.reading() as connection:
        names = connection.scalars(select(attempts.c.lineage).distinct())
        return sorted(names)


def _of_query(query: TrendsQuery) -> list[ColumnElement[bool]]:
    """The conditions on a submission under which it was looked at; tallies are kept of such submissions only."""
    verdicts = select(reviews.c.submission).where(reviews.c.current, reviews.c.verdict.is_not(None))
    if query.reviewer is not None:
        verdicts = verdicts.where(reviews.c.reviewer == query.reviewer)
    conditions: list[ColumnElement[bool]] = [submissions.c.number.in_(verdicts)]
    if query.lineage is not None:
        conditions.append(submissions.c.number.in_(_members(query.lineage)))
    return conditions


def _looked_at(connection: Connection, query: TrendsQuery) -> int:
    return connection.execute(select(func.count()).select_from(submissions).where(*_of_query(query))).scalar_one()


def _filtered(counts: Select[Any], query: TrendsQuery) -> Select[Any]:
    """Keep the tallies of the query's reviewer, criterion and lineage."""
    if query.reviewer is not None:
        counts = counts.where(tallies.c.reviewer == query.reviewer)
    if query.criterion is not None:
        counts = counts.where(tallies.c.criterion == query.criterion)
    if query.lineage is not None:
        counts = counts.where(tallies.c.submission.in_(_members(query.lineage)))
    return counts


def _members(lineage: str) -> Select[int]:
    return select(attempts.c.submission).where(attempts.c.lineage == lineage)


def _counts(query: TrendsQuery, *key: ColumnElement[Any]) -> Select[Any]:
    """Submissions and findings that count, by a key."""
    findings = tallies.c.refuted if query.refuted else tallies.c.confirmed + tallies.c.unverified
    counted = (func.count(distinct(tallies.c.submission)).label("submissions"), func.sum(findings).label("findings"))
    return _filtered(select(*key, *counted).select_from(tallies).where(findings > 0), query).group_by(*key)


def _by_period(
    connection: Connection,
    query: TrendsQuery,
    period: ColumnElement[Any],
    shown: Callable[[int], date | int],
    told: Table = submissions,
) -> Sequence[TimeCount]:
    """Args: told: the table that tells the period; submissions without a row there do not count."""
    source = submissions if told is submissions else submissions.join(told, told.c.submission == submissions.c.number)
    key = period.label("period")
    sizes = (
        select(key, func.count().label("of"))
        .select_from(source)
        .where(period.is_not(None), *_of_query(query))
        .group_by(key)
        .order_by(key)
    )
    of = {row.period: row.of for row in connection.execute(sizes)}
    counts = _counts(query, key, tallies.c.category).where(period.is_not(None))
    counted: dict[str, dict[int, int]] = defaultdict(dict)
    for row in connection.execute(counts.join(source, submissions.c.number == tallies.c.submission)):
        counted[row.category][row.period] = row.submissions
    return [
        TimeCount(shown(key), category, counted[category].get(key, 0), size)
        for key, size in of.items()
        for category in sorted(counted)
    ]


def _day(connection: Connection) -> ColumnElement[int]:
    """The day of import, counted from 1970."""
    moment = submissions.c.imported_at
    if connection.dialect.name == "postgresql":
        return cast(func.floor(extract("epoch", moment) / _SECONDS_A_DAY), Integer)
    return type_coerce(moment, BigInteger) // (_SECONDS_A_DAY * 1_000_000)
