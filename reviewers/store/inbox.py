"""Queries of the inbox: which submissions need a person, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import compress
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, case, func, select, true

from reviewers.records import Generated, Verdict
from reviewers.store import bulk
from reviewers.store.authors import Author, Authors, written_by
from reviewers.store.columns import sortable
from reviewers.store.inbox_choices import contracts_seen, reviewers_seen
from reviewers.store.inbox_query import (
    InboxQuery,
    ReadAs,
    Sort,
    View,
    decided_by,
    ids_decided_by,
    in_names,
    later_than,
    latest_attempts,
    matching,
    order,
    steps_of,
)
from reviewers.store.insert import HEX, parts
from reviewers.store.rollups import sums
from reviewers.store.rows import generated_of
from reviewers.store.search import holds_words
from reviewers.store.store import Store
from reviewers.store.submission import chip_of
from reviewers.store.tables import attempts, decisions, standings, submissions
from reviewers.store.triage import ReviewChip

__all__ = [
    "MOST_COUNTED", "InboxPage", "InboxQuery", "InboxRow", "ReadAs", "ReviewChip", "Sort", "View",
    "contracts_seen",
    "decided_ids", "decided_of", "given_reasons", "inbox", "matching_attempts", "matching_ids",
    "next_undecided",
    "progress", "reviewers_seen", "undecided_count", "view_counts",
]  # fmt: skip

_EVERY = InboxQuery(limit=0)
_MOST_NAMED = 200
MOST_COUNTED = 10_000
"""Of more than these, it is only said that there are more."""


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
        blockers: confirmed ones that one reviewer found, at most.
        first: what all attempts of its lineage share; None if it stands alone.
        matching: how many attempts of its lineage match, itself included; 1 unless the query is by
            lineage.
        curve: the blockers of each attempt of its lineage, in order; empty unless the query is by
            lineage.
        assignee, assigned_by, assigned_at: who looks after it, who said so, and when; None if
            nobody does.
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
    blockers: int = 0
    first: str | None = None
    matching: int = 1
    curve: tuple[tuple[int, int], ...] = ()
    assignee: Author | None = None
    assigned_by: Author | None = None
    assigned_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class InboxPage:
    """A page of rows, in the order asked for: what has the search's text in its name comes first.

    Attributes:
        total, decided: the submissions that match, and those of them with a decision.
        shown: how many rows there are on all pages: the submissions, or their lineages.
        more: whether more match than are counted: `MOST_COUNTED`, or as far as the page goes. Then
            `decided` says nothing.
    """

    rows: tuple[InboxRow, ...]
    total: int
    decided: int
    shown: int
    more: bool = False


def inbox(store: Store, query: InboxQuery) -> InboxPage:
    """Return one page in the order that the query asks for.

    A saved view by itself is counted to the end, from what is kept along.
    """
    most = max(MOST_COUNTED, query.offset + query.limit)
    with store.reading() as connection:
        wanted = matching(connection, query)
        view_alone = replace(query, sort=Sort.NEEDED, limit=0, offset=0) == replace(
            _EVERY, view=query.view
        )
        if view_alone:
            numbers = connection.scalars(_limited(wanted, query)).all() if query.limit > 0 else ()
            total, decided = _held(connection, query.view)
            return InboxPage(tuple(_rows(connection, numbers)), total, decided, total)
        every = replace(query, by_lineage=False, sort=Sort.NEEDED, limit=0, offset=0) == _EVERY
        each = latest_attempts(wanted, every=every) if query.by_lineage else wanted
        numbers, shown, decided = _page(connection, query, each, most)
        total = shown
        if query.by_lineage:
            counted = wanted.add_columns(standings.c.decided).limit(most + 1).subquery()
            its = select(func.count(), func.count().filter(counted.c.decided))
            total, decided = connection.execute(its.select_from(counted)).one()
        rows = _rows(connection, numbers)
        if query.by_lineage:
            rows = _with_lineages(connection, rows, wanted)
        few = min(total, most), decided, min(shown, most)
        return InboxPage(tuple(rows), *few, more=max(total, shown) > most)


def _limited(wanted: Select[int], query: InboxQuery) -> Select[int]:
    return wanted.order_by(*order(query.sort)).limit(query.limit).offset(max(query.offset, 0))


def matching_attempts(
    store: Store, query: InboxQuery, first: str, most: int = 50
) -> tuple[InboxRow, ...]:
    """Return the attempts of a lineage that match, the latest first.

    Args:
        first: as in `InboxRow`.
    """
    with store.reading() as connection:
        among = select(attempts.c.submission).where(attempts.c.first == first)
        each = matching(connection, query).where(standings.c.submission.in_(among)).subquery()
        ordered = (
            select(each.c.submission)
            .join(attempts, attempts.c.submission == each.c.submission)
            .order_by(attempts.c.number.desc(), each.c.submission.desc())
        )
        return tuple(_rows(connection, connection.scalars(ordered.limit(most)).all()))


def _page(
    connection: Connection, query: InboxQuery, each: Select[int], most: int
) -> tuple[Sequence[int], int, int]:
    """The numbers of one page, cut out of the index before any row is read; how many match, as far
    as one more than `most`, and how many of those are decided.
    """
    limit, offset = max(query.limit, 0), max(query.offset, 0)
    if not limit:
        alone = each.add_columns(standings.c.decided).limit(most + 1).subquery()
        counts = select(func.count(), func.count().filter(alone.c.decided)).select_from(alone)
        return (), *connection.execute(counts).one()
    named = _named(connection, query) if query.text.strip() and not query.in_names else []
    if named and query.by_lineage:
        shown = set(connection.scalars(each.where(standings.c.submission.in_(named))))
        named = [number for number in named if number in shown]
    first = named[offset : offset + limit]
    # What matches is looked for once: it is counted as far as that goes, and the page is a part.
    found = (
        each.add_columns(standings.c.decided, *steps_of(query.sort))
        .order_by(*order(query.sort))
        .limit(most + 1 + len(named))
        .cte("found")
    )
    counts = select(func.count(), func.count().filter(found.c.decided)).select_from(found)
    if len(first) == limit:
        return first, *connection.execute(counts).one()
    both = counts.cte("counts")
    rest = select(found).order_by(*order(query.sort, found))
    if named:
        rest = rest.where(found.c[0].not_in(named))
    page = rest.limit(limit - len(first)).offset(max(0, offset - len(named))).subquery()
    # The counts are there even where the page is beyond the last row.
    joined = select(page.c[0], *both.c).select_from(both.outerjoin(page, true()))
    rows = connection.execute(joined.order_by(*order(query.sort, page))).all()
    return (*first, *(row[0] for row in rows if row[0] is not None)), rows[0][1], rows[0][2]


def _named(connection: Connection, query: InboxQuery) -> list[int]:
    """The numbers of those with the text in their name, the very name first; where they are many,
    that one alone.
    """
    text = query.text.strip().lower()
    has_words = in_names(text, connection.dialect.name, standings.c.sort_name)
    so_named = select(standings.c.submission).where(*has_words)
    # Most words stand in no name: then what else is asked for need not be looked at.
    if connection.execute(so_named.limit(1)).first() is None:
        return []
    is_name = func.lower(standings.c.sort_name) == sortable(text)
    wanted = matching(connection, replace(query, text=""))
    found = connection.execute(
        wanted.where(standings.c.submission.in_(so_named))
        .add_columns(standings.c.sort_name)
        .order_by(case((is_name, 0), else_=1), *order(query.sort))
        .limit(_MOST_NAMED + 1)
    ).all()
    if len(found) > _MOST_NAMED:
        found = [row for row in found if row.sort_name.lower() == sortable(text)]
    return [row.submission for row in found if holds_words(row.sort_name, text)]


def _rows(connection: Connection, numbers: Sequence[int]) -> list[InboxRow]:
    """The rows of these submissions, in this order."""
    same = attempts.alias()
    last = (
        select(func.max(same.c.number)).where(same.c.lineage == attempts.c.lineage)
    ).scalar_subquery()
    its_own = (
        submissions.c.id,
        submissions.c.name,
        submissions.c.generated_at,
        submissions.c.dated_by,
        submissions.c.contract,
        attempts.c.first,
        attempts.c.lineage,
        attempts.c.number.label("attempt"),
    )
    full = (
        select(standings, *its_own, last.label("attempts"))
        .join(submissions, submissions.c.number == standings.c.submission)
        .outerjoin(attempts, attempts.c.submission == standings.c.submission)
    )
    names = Authors(connection)
    found = {
        row.submission: _row(row, names)
        for some in parts(numbers)
        for row in connection.execute(full.where(standings.c.submission.in_(some)))
    }
    return [found[number] for number in numbers if number in found]


def _with_lineages(
    connection: Connection, rows: Sequence[InboxRow], wanted: Select[int]
) -> list[InboxRow]:
    """The rows with what is known of all attempts of their lineages."""
    firsts = {row.first for row in rows if row.first is not None}
    of = select(attempts.c.first, attempts.c.number, standings.c.blockers).join(
        standings, standings.c.submission == attempts.c.submission
    )
    curves: dict[str, dict[int, int]] = defaultdict(dict)
    for each in connection.execute(of.where(attempts.c.first.in_(firsts))):
        known = curves[each.first]
        known[each.number] = max(each.blockers, known.get(each.number, 0))
    # Only these lineages are looked at, not all that is wanted.
    among = select(attempts.c.submission).where(attempts.c.first.in_(firsts))
    its = wanted.where(standings.c.submission.in_(among)).subquery()
    counted = select(attempts.c.first, func.count()).join(
        its, its.c.submission == attempts.c.submission
    )
    counts = connection.execute(counted.group_by(attempts.c.first)).all()
    matches: dict[str, int] = {row.first: row[1] for row in counts}
    return [
        replace(
            row,
            matching=matches.get(row.first or "", 1),
            curve=tuple(sorted(curves[row.first or ""].items())),
        )
        for row in rows
    ]


def view_counts(store: Store) -> Mapping[View, int]:
    """Return how many submissions each saved view holds."""
    with store.reading() as connection:
        return _view_counts(connection)


def _view_counts(connection: Connection) -> Mapping[View, int]:
    counts = dict.fromkeys(View, 0)
    for views, number in _in_views(connection):
        for view in views:
            counts[view] += number
    return counts


def _held(connection: Connection, wanted: View) -> tuple[int, int]:
    """How many submissions a view holds, and how many of those are decided."""
    held = [(views, number) for views, number in _in_views(connection) if wanted in views]
    decided = sum(number for views, number in held if View.DECIDED in views)
    return sum(number for _, number in held), decided


def _in_views(connection: Connection) -> Iterator[tuple[tuple[View, ...], int]]:
    """Yield how many submissions are in exactly these views."""
    for decided, *flags, (number, *_) in sums(connection, "views"):
        flagged = compress((View.DISAGREE, View.CONTRADICTED, View.REFUTED), flags)
        yield (View.ALL, View.DECIDED if decided else View.NEEDS_DECISION, *flagged), number


def progress(store: Store) -> tuple[int, int]:
    """Return how many submissions are decided, and how many there are."""
    counts = view_counts(store)
    return counts[View.DECIDED], counts[View.ALL]


def next_undecided(
    store: Store, after: str, query: InboxQuery, *, by: str | None = None
) -> str | None:
    """Return the id of the next submission without a decision in the query's order after this one,
    wrapping.

    None if all are decided. A submission that was just decided counts as standing where it stood
    before. A query by lineage goes on from the row of this one's lineage to the rows of the others,
    and only then to what is left of its own.

    Args:
        by: whose decisions count; if None, of the person whose undecided ones the query asks for,
            else everybody's.
    """
    by = query.undecided_by if by is None else by
    with store.reading() as connection:
        wanted = matching(connection, query)
        wanted = latest_attempts(wanted) if query.by_lineage else wanted
        wanted = wanted.where(
            ~standings.c.decided
            if by is None
            else standings.c.submission.not_in(decided_by(connection, by))
        )
        here = _standing(connection, query, after)
        conditions = [true()] if here is None else [later_than(here, query.sort), true()]
        if query.by_lineage and here is not None and here.first is not None:
            own = select(attempts.c.submission).where(attempts.c.first == here.first)
            others = standings.c.submission.not_in(own)
            conditions = [*(and_(others, each) for each in conditions), true()]
        for condition in conditions:
            found = wanted.where(condition).order_by(*order(query.sort)).limit(1).subquery()
            ids = select(submissions.c.id).join(found, found.c.submission == submissions.c.number)
            next_one: str | None = connection.execute(ids).scalar_one_or_none()
            if next_one is not None:
                return next_one
        return None


def _standing(connection: Connection, query: InboxQuery, id: str) -> Row[Any] | None:
    """Where a submission stands in the list: a query by lineage shows a later attempt in its place,
    if one matches.
    """
    each = (
        select(standings, attempts.c.first, attempts.c.number.label("attempt"))
        .join(submissions, submissions.c.number == standings.c.submission)
        .outerjoin(attempts, attempts.c.submission == standings.c.submission)
    )
    if not HEX.fullmatch(id):
        return None
    here = connection.execute(each.where(submissions.c.id == id)).one_or_none()
    if here is None or here.first is None or not query.by_lineage:
        return here
    among = select(attempts.c.submission).where(
        attempts.c.first == here.first, attempts.c.number > here.attempt
    )
    later = matching(connection, query).where(standings.c.submission.in_(among))
    latest = each.where(standings.c.submission.in_(later)).order_by(
        attempts.c.number.desc(), standings.c.submission.desc()
    )
    return connection.execute(latest.limit(1)).one_or_none() or here


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
        return _view_counts(connection)[View.ALL] - connection.execute(decided).scalar_one()


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
        blockers=row.blockers,
        first=row.first,
        assignee=None if row.assigned is None else names.by_key(row.assigned),
        assigned_by=None if row.assigned_by is None else names.by_key(row.assigned_by),
        assigned_at=row.assigned_at,
    )
