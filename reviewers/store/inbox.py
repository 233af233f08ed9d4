"""Queries of the inbox: which submissions need a person, and why."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, func, select, true

from reviewers.records import Generated, Verdict
from reviewers.store import bulk
from reviewers.store.authors import Author, Authors, written_by
from reviewers.store.inbox_choices import contracts_seen, reviewers_seen
from reviewers.store.inbox_query import (
    VIEWS,
    InboxQuery,
    ReadAs,
    Sort,
    View,
    ids_decided_by,
    later_than,
    matching,
    order,
)
from reviewers.store.insert import HEX
from reviewers.store.rows import generated_of
from reviewers.store.store import Store
from reviewers.store.submission import chip_of
from reviewers.store.tables import COUNTED, attempts, decisions, standings, submissions
from reviewers.store.triage import ReviewChip

__all__ = [
    "InboxPage", "InboxQuery", "InboxRow", "ReadAs", "ReviewChip", "Sort", "View", "contracts_seen",
    "decided_ids", "decided_of", "given_reasons", "inbox", "matching_ids", "next_undecided",
    "progress", "reviewers_seen", "undecided_count", "view_counts",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One submission.

    Attributes:
        title: the hypothesis' or method's first words; the run ids where there is neither.
        attempt, attempts: its number within its lineage, 1-based, and how many there are.
        contract: the name of the one by which it is judged; None if that is not kept yet.
        attention: why it is high up, in words ("recorded says ready, but 2 confirmed blockers");
            empty once decided.
        rank: the higher, the more it needs a person.
        missed: confirmed blockers of the rules that no claim of an LLM reviewer covers; None if
            no such reviewer answered.
    """

    id: str
    name: str
    title: str
    lineage: str | None
    attempt: int | None
    attempts: int | None
    imported_at: datetime
    generated: Generated | None
    contract: str | None
    chips: tuple[ReviewChip, ...]
    missed: int | None
    attention: str
    rank: int
    decision: Verdict | None
    decided_by: Author | None
    decided_at: datetime | None


@dataclass(frozen=True, slots=True)
class InboxPage:
    """A page of rows, in the order asked for; `total` counts all that match, `decided` those of
    them with a decision.
    """

    rows: tuple[InboxRow, ...]
    total: int
    decided: int


def inbox(store: Store, query: InboxQuery) -> InboxPage:
    """Return one page in the order that the query asks for."""
    with store.reading() as connection:
        wanted = matching(connection, query)
        counts = wanted.with_only_columns(func.count(), func.count().filter(standings.c.decided))
        total, decided = connection.execute(counts).one()
        # The page is cut out of the index before any row is read.
        page = (
            wanted.order_by(*order(query.sort))
            .limit(max(query.limit, 0))
            .offset(max(query.offset, 0))
            .subquery()
        )
        same = attempts.alias()
        last = (
            select(func.max(same.c.number))
            .where(same.c.lineage == attempts.c.lineage)
            .scalar_subquery()
        )
        its_own = (
            submissions.c.id,
            submissions.c.name,
            submissions.c.generated_at,
            submissions.c.dated_by,
            submissions.c.contract,
            attempts.c.lineage,
            attempts.c.number.label("attempt"),
        )
        full = (
            select(standings, *its_own, last.label("attempts"))
            .join(page, page.c.submission == standings.c.submission)
            .join(submissions, submissions.c.number == standings.c.submission)
            .outerjoin(attempts, attempts.c.submission == standings.c.submission)
        )
        rows = connection.execute(full.order_by(*order(query.sort))).all()
        names = Authors(connection)
        return InboxPage(tuple(_row(row, names) for row in rows), total, decided)


def view_counts(store: Store) -> Mapping[View, int]:
    """Return how many submissions each saved view holds."""
    with store.reading() as connection:
        counts = [
            func.count().filter(condition).label(view.name) for view, condition in VIEWS.items()
        ]
        row = connection.execute(select(*counts).select_from(standings)).one()
        return dict(zip(VIEWS, row, strict=True))


def progress(store: Store) -> tuple[int, int]:
    """Return how many submissions are decided, and how many there are."""
    counts = view_counts(store)
    return counts[View.DECIDED], counts[View.ALL]


def next_undecided(store: Store, after: str, query: InboxQuery) -> str | None:
    """Return the id of the next submission without a decision in the query's order after this one,
    wrapping.

    None if all are decided. A submission that was just decided counts as standing where it stood
    before. Where the query asks for what a person has not decided on, what others decided on is
    among them.
    """
    with store.reading() as connection:
        wanted = matching(connection, query)
        wanted = wanted.where(~standings.c.decided) if query.undecided_by is None else wanted
        its_own = select(standings).join(
            submissions, submissions.c.number == standings.c.submission
        )
        here = (
            connection.execute(its_own.where(submissions.c.id == after)).one_or_none()
            if HEX.fullmatch(after)
            else None
        )
        for condition in (true() if here is None else later_than(here, query.sort), true()):
            found = wanted.where(condition).order_by(*order(query.sort)).limit(1).subquery()
            ids = select(submissions.c.id).join(found, found.c.submission == submissions.c.number)
            next_one: str | None = connection.execute(ids).scalar_one_or_none()
            if next_one is not None:
                return next_one
        return None


def decided_ids(
    store: Store, author: str, ids: Collection[str], *, ever: bool = False
) -> frozenset[str]:
    """Return those of the submissions on which this person has a decision that stands.

    Args:
        ever: also those on which it was withdrawn since.
    """
    with store.reading() as connection:
        mine = (
            select(decisions.c.submission_id).where(written_by(connection, decisions, author))
            if ever
            else ids_decided_by(connection, author)
        )
        return frozenset(connection.scalars(mine.where(decisions.c.submission_id.in_(ids))))


def decided_of(store: Store, ids: Collection[str], *, by: str | None = None) -> frozenset[str]:
    """Return those of the submissions on which anybody's decision stands, or this person's
    counts.
    """
    with store.reading() as connection:
        joined = select(submissions.c.id).join(
            standings, standings.c.submission == submissions.c.number
        )
        wanted = joined.where(submissions.c.id.in_(ids), standings.c.decided)
        if by is not None:
            wanted = wanted.where(standings.c.decided_by.in_(Authors(connection).keys(by)))
        return frozenset(connection.scalars(wanted))


def undecided_count(store: Store, author: str) -> int:
    """Return on how many submissions this person has no decision that stands."""
    with store.reading() as connection:
        decided = select(func.count()).select_from(ids_decided_by(connection, author).subquery())
        every = select(func.count()).select_from(submissions).where(COUNTED)
        return connection.execute(every).scalar_one() - connection.execute(decided).scalar_one()


def matching_ids(store: Store, query: InboxQuery, *, undecided: bool = False) -> tuple[str, ...]:
    """Return the ids of all submissions that match, on every page, in no order.

    Args:
        undecided: leave out those that have a decision.
    """
    with store.reading() as connection:
        wanted = matching(connection, query)
        wanted = wanted.where(~standings.c.decided) if undecided else wanted
        return tuple(
            connection.scalars(select(submissions.c.id).where(submissions.c.number.in_(wanted)))
        )


def given_reasons(store: Store, author: str, most: int = 6) -> Mapping[Verdict, tuple[str, ...]]:
    """Return the reasons that a person gave most often of late, by verdict."""
    with store.reading() as connection:
        return {
            verdict: bulk.given_reasons(connection, author, verdict, most) for verdict in Verdict
        }


def _row(row: Row[Any], names: Authors) -> InboxRow:
    return InboxRow(
        id=row.id,
        name=row.name,
        title=row.title,
        lineage=row.lineage,
        attempt=row.attempt,
        attempts=row.attempts,
        imported_at=row.imported_at,
        contract=row.contract,
        generated=generated_of(row),
        chips=tuple(map(chip_of, row.chips)),
        missed=row.missed,
        attention="" if row.decided else row.attention,
        rank=row.rank,
        decision=None if row.decision is None else Verdict(row.decision),
        decided_by=None if row.decided_by is None else names.by_key(row.decided_by),
        decided_at=row.decided_at,
    )
