"""The choices of the inbox's filters: the names that occur in the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Column, Connection, func, select

from reviewers.store.rollups import sums
from reviewers.store.store import Store
from reviewers.store.tables import attempts, chips, submissions

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
    """Return the names."""
    named: dict[str, dict[str, int]] = defaultdict(dict)
    with store.reading() as connection:
        for kind, name, (count, *_) in sums(connection, "name"):
            named[kind][name] = count
        lineages = _leaping(connection, attempts.c.lineage, MOST)
        readers = sorted(name for name, _ in sums(connection, "reader"))
    found = {kind: tuple(sorted(names)) for kind, names in named.items()}
    return Choices(
        reviewers=found.get("reviewer", ()),
        lineages=lineages,
        models=found.get("model", ())[:MOST],
        datasets=found.get("dataset", ())[:MOST],
        generators=found.get("generator", ())[:MOST],
        contracts=found.get("contract", ())[:MOST],
        readers=tuple(readers[:MOST]),
        filled=named["reviewer"],
    )


def reviewers_seen(store: Store) -> tuple[str, ...]:
    """Return the names of all reviewers that have a review, sorted."""
    with store.reading() as connection:
        return _leaping(connection, chips.c.reviewer, None)


def contracts_seen(store: Store) -> tuple[str, ...]:
    """Return the names of all contracts by which submissions are judged, sorted."""
    with store.reading() as connection:
        return _leaping(connection, submissions.c.contract, MOST)


def _leaping(connection: Connection, column: Column[str], most: int | None) -> tuple[str, ...]:
    """The distinct values of a column that leads an index, by one leap in it for each, however
    often each is there.
    """
    first = select(func.min(column).label("value")).cte("leap", recursive=True)
    after = select(func.min(column)).where(column > first.c.value).scalar_subquery()
    leap = first.union_all(select(after).where(first.c.value.is_not(None)))
    wanted = select(leap.c.value).where(leap.c.value.is_not(None))
    return tuple(sorted(connection.scalars(wanted if most is None else wanted.limit(most))))
