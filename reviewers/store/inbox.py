"""What the inbox asks: which submissions need a person, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Integer, Row, Select, and_, false, func, literal_column, or_, select, true

from reviewers.records import Verdict
from reviewers.store.keep import HEX
from reviewers.store.search import holds_every_word
from reviewers.store.standing import ReviewChip
from reviewers.store.store import Store
from reviewers.store.submission import chip_of
from reviewers.store.tables import attempts, reviews, standings, submissions, tallies

__all__ = [
    "InboxPage",
    "InboxQuery",
    "InboxRow",
    "ReviewChip",
    "View",
    "inbox",
    "next_undecided",
    "progress",
    "reviewers_seen",
    "view_counts",
]


class View(StrEnum):
    """Saved views; `ALL` holds every submission."""

    NEEDS_DECISION = "needs-decision"  # no decision yet
    DISAGREE = "disagree"  # two reviewers with different verdicts
    CONTRADICTED = "contradicted"  # a reviewer says ready, a confirmed blocker says no
    REFUTED = "refuted"  # at least one claim is refuted
    DECIDED = "decided"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class InboxQuery:
    """What to show; None does not filter. Filters are joined by and.

    Attributes:
        text: every word must stand in the name, run ids, hypothesis, method, a finding's message or a claim, where a word
            begins: `bert` finds DistilBERT and `trials` finds n_trials.
        reviewer, verdict: together they ask for this verdict by this reviewer; alone, by any.
        category, criterion: one finding has both, and is this reviewer's where one is given; refuted and dismissed ones
            do not count.
        refuted: the finding asked for by category and criterion is a refuted or dismissed one instead.
        lineage: only submissions of this lineage.
        limit, offset: the page, counted in submissions.
    """

    view: View = View.ALL
    text: str = ""
    reviewer: str | None = None
    verdict: Verdict | None = None
    category: str | None = None
    criterion: int | None = None
    refuted: bool = False
    lineage: str | None = None
    decision: Verdict | None = None
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One submission.

    Attributes:
        title: the hypothesis' or method's first words; the run ids where there is neither.
        attention: why it is high up, in words ("recorded says ready, but 2 confirmed blockers"); empty once decided.
        rank: the higher, the more it needs a person.
        missed: confirmed blockers of the rules that no claim of an LLM reviewer covers; None where no such reviewer answered.
    """

    id: str
    name: str
    title: str
    lineage: str | None
    attempt: int | None
    imported_at: datetime
    chips: tuple[ReviewChip, ...]
    missed: int | None
    attention: str
    rank: int
    decision: Verdict | None
    decided_by: str | None
    decided_at: datetime | None


@dataclass(frozen=True, slots=True)
class InboxPage:
    """A page of rows, what needs a person first; `total` counts all that match."""

    rows: tuple[InboxRow, ...]
    total: int


_VIEWS: Mapping[View, ColumnElement[bool]] = {
    View.NEEDS_DECISION: ~standings.c.decided,
    View.DISAGREE: standings.c.disagree.is_(True),
    View.CONTRADICTED: standings.c.contradicted.is_(True),
    View.REFUTED: standings.c.refuted.is_(True),
    View.DECIDED: standings.c.decided.is_(True),
    View.ALL: true(),
}
# The plus keeps SQLite from fetching wide rows one by one by this number: the order's index is walked instead, which is
# twice as fast for a filter that lets much through.
_SUBMISSION: ColumnElement[int] = literal_column("+standings.submission", Integer)
_ORDER = (
    standings.c.rank.desc(),
    standings.c.imported_at.desc(),
    standings.c.sort_name,
    standings.c.submission,
)


def inbox(store: Store, query: InboxQuery) -> InboxPage:
    """Return one page, sorted by rank (highest first), then by newest import, then by name."""
    with store.reading() as connection:
        wanted = _matching(connection, query)
        total = connection.execute(select(func.count()).select_from(wanted.subquery())).scalar_one()
        # The page is cut out of the index before any row is read.
        page = wanted.order_by(*_ORDER).limit(max(query.limit, 0)).offset(max(query.offset, 0)).subquery()
        full = (
            select(standings, submissions.c.id, submissions.c.name, attempts.c.lineage, attempts.c.number.label("attempt"))
            .join(page, page.c.submission == standings.c.submission)
            .join(submissions, submissions.c.number == standings.c.submission)
            .outerjoin(attempts, attempts.c.submission == standings.c.submission)
        )
        rows = connection.execute(full.order_by(*_ORDER)).all()
        return InboxPage(tuple(map(_row, rows)), total)


def view_counts(store: Store) -> Mapping[View, int]:
    """Return how many submissions each saved view holds."""
    with store.reading() as connection:
        counts = [func.count().filter(condition).label(view.name) for view, condition in _VIEWS.items()]
        row = connection.execute(select(*counts).select_from(standings)).one()
        return dict(zip(_VIEWS, row, strict=True))


def progress(store: Store) -> tuple[int, int]:
    """Return how many submissions are decided, and how many there are."""
    counts = view_counts(store)
    return counts[View.DECIDED], counts[View.ALL]


def next_undecided(store: Store, after: str, query: InboxQuery) -> str | None:
    """Return the id of the next submission without a decision in the query's order after this one, wrapping.

    None where all are decided. A submission that was just decided counts as standing where it stood before.
    """
    with store.reading() as connection:
        wanted = _matching(connection, query).where(~standings.c.decided)
        its_own = select(standings).join(submissions, submissions.c.number == standings.c.submission)
        here = connection.execute(its_own.where(submissions.c.id == after)).one_or_none() if HEX.fullmatch(after) else None
        for condition in (true() if here is None else _later_than(here), true()):
            found = wanted.where(condition).order_by(*_ORDER).limit(1).subquery()
            ids = select(submissions.c.id).join(found, found.c.submission == submissions.c.number)
            next_one: str | None = connection.execute(ids).scalar_one_or_none()
            if next_one is not None:
                return next_one
        return None


def reviewers_seen(store: Store) -> tuple[str, ...]:
    """Return the names of all reviewers that have a review, sorted."""
    with store.reading() as connection:
        names = connection.scalars(select(reviews.c.reviewer).where(reviews.c.current).distinct())
        return tuple(sorted(names))


def _matching(connection: Connection, query: InboxQuery) -> Select[int]:
    """The numbers of the submissions that match, in no order."""
    wanted = select(standings.c.submission).where(_VIEWS[query.view])
    wanted = wanted.where(*holds_every_word(query.text, _SUBMISSION, connection.dialect.name))
    if query.reviewer is not None or query.verdict is not None:
        given = select(reviews.c.submission).where(reviews.c.current)
        given = given if query.reviewer is None else given.where(reviews.c.reviewer == query.reviewer)
        given = given if query.verdict is None else given.where(reviews.c.verdict == query.verdict)
        wanted = wanted.where(_SUBMISSION.in_(given))
    if query.category is not None or query.criterion is not None:
        found = select(tallies.c.submission).where(_counting(query.refuted))
        found = found if query.reviewer is None else found.where(tallies.c.reviewer == query.reviewer)
        found = found if query.category is None else found.where(tallies.c.category == query.category)
        found = found if query.criterion is None else found.where(tallies.c.criterion == query.criterion)
        wanted = wanted.where(_SUBMISSION.in_(found))
    if query.lineage is not None:
        wanted = wanted.where(_SUBMISSION.in_(select(attempts.c.submission).where(attempts.c.lineage == query.lineage)))
    if query.decision is not None:
        wanted = wanted.where(standings.c.decision == query.decision)
    return wanted


def _counting(refuted: bool) -> ColumnElement[bool]:
    return tallies.c.refuted > 0 if refuted else or_(tallies.c.confirmed > 0, tallies.c.unverified > 0)


def _later_than(here: Row[Any]) -> ColumnElement[bool]:
    """What comes after this standing in the inbox' order, as if it had no decision."""
    steps = (
        (standings.c.rank < here.open_rank, standings.c.rank == here.open_rank),
        (standings.c.imported_at < here.imported_at, standings.c.imported_at == here.imported_at),
        (standings.c.sort_name > here.sort_name, standings.c.sort_name == here.sort_name),
        (standings.c.submission > here.submission, false()),
    )
    later: ColumnElement[bool] = false()
    for beyond, equal in reversed(steps):
        later = or_(beyond, and_(equal, later))
    return later


def _row(row: Row[Any]) -> InboxRow:
    return InboxRow(
        id=row.id,
        name=row.name,
        title=row.title,
        lineage=row.lineage,
        attempt=row.attempt,
        imported_at=row.imported_at,
        chips=tuple(map(chip_of, row.chips)),
        missed=row.missed,
        attention=row.attention,
        rank=row.rank,
        decision=None if row.decision is None else Verdict(row.decision),
        decided_by=row.decided_by,
        decided_at=row.decided_at,
    )
