"""The choices of the inbox's filters: the names that occur in the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Column, Connection, func, select

from reviewers.store.store import Store
from reviewers.store.tables import attempts, chips, reader_tallies, run_configs, submissions

MOST = 200


@dataclass(frozen=True, slots=True)
class Choices:
    """Names by filter, sorted; of more than 200 the first ones, except for reviewers.

    Attributes:
        filled: on how many submissions each reviewer has a review.
    """

    reviewers: tuple[str, ...]
    lineages: tuple[str, ...]
    models: tuple[str, ...]
    datasets: tuple[str, ...]
    generators: tuple[str, ...]
    contracts: tuple[str, ...]
    readers: tuple[str, ...]
    filled: Mapping[str, int] = field(default_factory=dict)


def choices(store: Store) -> Choices:
    """Return the names; it reads all run configs and submissions, so a frequent caller should
    keep the answer.
    """
    with store.reading() as connection:
        return Choices(
            reviewers=_leaping(connection, chips.c.reviewer, None),
            lineages=_leaping(connection, attempts.c.lineage, MOST),
            models=_distinct(connection, run_configs.c.model),
            datasets=_distinct(connection, run_configs.c.dataset),
            generators=_distinct(connection, submissions.c.generator),
            contracts=_leaping(connection, submissions.c.contract, MOST),
            readers=_leaping(connection, reader_tallies.c.reader, MOST),
            filled=_filled(connection),
        )


def reviewers_seen(store: Store) -> tuple[str, ...]:
    """Return the names of all reviewers that have a review, sorted."""
    with store.reading() as connection:
        return _leaping(connection, chips.c.reviewer, None)


def contracts_seen(store: Store) -> tuple[str, ...]:
    """Return the names of all contracts by which submissions are judged, sorted."""
    with store.reading() as connection:
        return _leaping(connection, submissions.c.contract, MOST)


def _filled(connection: Connection) -> Mapping[str, int]:
    counted = select(chips.c.reviewer, func.count(chips.c.submission.distinct()))
    rows = connection.execute(counted.group_by(chips.c.reviewer)).all()
    return {row.reviewer: row[1] for row in rows}


def _leaping(connection: Connection, column: Column[str], most: int | None) -> tuple[str, ...]:
    """The distinct values of a column that leads an index, by one leap in it for each, however
    often each is there.
    """
    first = select(func.min(column).label("value")).cte("leap", recursive=True)
    after = select(func.min(column)).where(column > first.c.value).scalar_subquery()
    leap = first.union_all(select(after).where(first.c.value.is_not(None)))
    wanted = select(leap.c.value).where(leap.c.value.is_not(None))
    return tuple(sorted(connection.scalars(wanted if most is None else wanted.limit(most))))


def _distinct(connection: Connection, column: Column[str]) -> tuple[str, ...]:
    wanted = (
        select(column)
        .where(column.is_not(None), column != "")
        .distinct()
        .order_by(column)
        .limit(MOST)
    )
    return tuple(connection.scalars(wanted))
