"""The inbox table: one row per submission or lineage, one cell per reviewer, and keys to decide on
one or many rows.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from dashboard.addresses import PAGE_SIZE, inbox_address, submission_address
from dashboard.dates import age_of
from dashboard.parts.component import load
from dashboard.parts.inbox_columns import InboxColumn, short_name
from dashboard.parts.plain import one_line, visible
from dashboard.parts.words import author_words, chip_data, verdict_words
from dashboard.reviewer_marks import reviewer_marks
from reviewers.records import Verdict
from reviewers.store.inbox import InboxPage, InboxQuery, InboxRow, ReviewChip
from reviewers.store.search import places_in
from reviewers.store.search_places import FoundIn, SearchPlace

_mount = load("inbox_table")


@dataclass(frozen=True, slots=True)
class Person:
    """Who is at the desk.

    Attributes:
        id: of the author; empty if unknown.
        reasons: given lately, to be offered again.
        hidden: ids of the submissions whose reviews this person does not want to see before
            deciding.
    """

    name: str
    reasons: Mapping[Verdict, Sequence[str]]
    hidden: Collection[str] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of the last decisions.

    Attributes:
        at: when, in seconds since 1970; tells one such message from the next.
        undo: ids of the submissions whose decision can be taken back at once.
    """

    words: str
    at: float
    undo: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowDetails:
    """What belongs to the rows beyond the page itself.

    Attributes:
        places: why the search found a submission, by id.
        attempts: of the lineages that are open, by `InboxRow.first`.
        people: to whom submissions may be assigned: id and name.
        meant: the finding at which a submission opens, by its id; at its first one else.
    """

    places: Mapping[str, SearchPlace] = field(default_factory=dict)
    attempts: Mapping[str, Sequence[InboxRow]] = field(default_factory=dict)
    people: Sequence[tuple[str, str]] = ()
    meant: Mapping[str, str] = field(default_factory=dict)


def inbox_table(
    found: InboxPage,
    columns: Sequence[InboxColumn],
    query: InboxQuery,
    person: Person,
    done: Done | None,
    more: RowDetails,
    *,
    can_ask: bool = False,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw the rows in the order given.

    Where there is no row, it says only the outcome of the last decisions.

    Events: `decide` with `ids`, `verdict` and `reason`; `decide_all` with `verdict`, `reason`, the
    `total` that was agreed to and whether to `keep` decisions that stand; `ask` with `ids`, or with
    the `total` of all that match; `undo`; `claim` with `ids` or a `total`; `assign` likewise, and
    `to` whom; `open` with a lineage's `first`, and `on`.

    Args:
        columns: those that are shown, from left to right.
        query: goes along with each link.
        can_ask: whether reviewers can be asked about what is selected.
    """
    marks = reviewer_marks(name for column in columns for name in column.reviewers)
    rows = [each for row in found.rows for each in _rows(row, columns, query, person, more)]
    data = {
        "can_ask": can_ask,
        "columns": [_column(column, marks) for column in columns],
        "rows": rows,
        "query": inbox_address(replace(query, offset=0)),
        "total": found.total,
        "shown": found.shown,
        "more": found.more,
        "lineages": query.by_lineage,
        "searched": bool(query.text.strip()),
        "decided": found.decided,
        "offset": query.offset,
        "pages": {
            name: inbox_address(replace(query, offset=at))
            for name, at in _turns(found, query.offset).items()
        },
        "person": {
            "name": person.name,
            "reasons": {
                str(of): [one_line(each) for each in said] for of, said in person.reasons.items()
            },
        },
        "people": [[id, one_line(name)] for id, name in more.people],
        "said": (
            done and {"words": one_line(done.words, 300), "number": done.at, "undo": len(done.undo)}
        ),
    }
    _mount(key=key, data=data, on_events=on_events)


def _turns(found: InboxPage, offset: int) -> Mapping[str, int]:
    """Where the pages before and after begin."""
    last = max(0, (found.shown - 1) // PAGE_SIZE * PAGE_SIZE)
    before = {"First": 0, "Previous": min(last, offset - PAGE_SIZE)} if offset else {}
    if found.more:  # where the last page is, nobody has counted
        return {**before, "Next": offset + PAGE_SIZE}
    after = {"Next": offset + PAGE_SIZE, "Last": last} if offset < last else {}
    return {**before, **after}


def _column(column: InboxColumn, marks: Mapping[str, dict[str, str]]) -> dict[str, Any]:
    return {
        "id": column.id,
        "kind": column.kind,
        "title": column.title,
        "about": column.about,
        "chosen": column.chosen,
        "width": column.width,
        "reviewers": [marks[name] for name in column.reviewers],
    }


def _rows(
    row: InboxRow,
    columns: Sequence[InboxColumn],
    query: InboxQuery,
    person: Person,
    more: RowDetails,
) -> list[dict[str, Any]]:
    """A row, and below it the earlier attempts of its lineage where that is open."""
    known = more.attempts.get(row.first or "", ())
    earlier = [each for each in known if each.id != row.id]
    own = _row(row, columns, query, person, more)
    if query.by_lineage:
        left = row.matching - 1 - len(earlier)
        own |= {
            "first": row.first,
            "is_open": bool(known),
            "matching": row.matching,
            "curve": [] if own["hidden"] else [list(point) for point in row.curve],
            "left": left if known else 0,
            "all_of_it": inbox_address(
                replace(query, by_lineage=False, lineage=row.lineage, offset=0)
            ),
        }
    children = [
        {**_row(each, columns, query, person, more), "of": row.id, "curve": []} for each in earlier
    ]
    return [own, *children]


def _row(
    row: InboxRow,
    columns: Sequence[InboxColumn],
    query: InboxQuery,
    person: Person,
    more: RowDetails,
) -> dict[str, Any]:
    hidden = row.id in person.hidden
    place = more.places.get(row.id)
    return {
        "id": row.id,
        "href": submission_address(row.id, query, place, finding=more.meant.get(row.id)),
        "name": one_line(row.name),
        "marks": _marked_name(row, query),
        "attempt": row.attempt and f"attempt {row.attempt} of {row.attempts}",
        "title": one_line(row.title, 240),
        "place": place and _place(place),
        "contract": one_line(row.contract or "—"),
        "age": age_of(row.generated, row.imported_at),
        "hidden": hidden,
        "cells": {} if hidden else _cells(row, columns),
        "texts": _texts(row, columns, hidden=hidden),
        "blockers": None if hidden else row.blockers,
        "missed": None if hidden else row.missed,
        "attention": "hidden until you decide" if hidden else one_line(row.attention),
        # Who goes through what they have not decided on themselves is led to what others
        # decided on, too.
        "open": hidden or row.decision is None or query.undecided_by is not None,
        "assignee": _assignee(row, person),
        **_decision(row, hidden),
    }


def _cells(row: InboxRow, columns: Sequence[InboxColumn]) -> dict[str, list[dict[str, Any]]]:
    """The reviews by the column that holds them."""
    return {
        column.id: [
            _review(chip, column.reviewers)
            for chip in row.chips
            if chip.reviewer in column.reviewers
        ]
        for column in columns
        if column.reviewers
    }


def _texts(row: InboxRow, columns: Sequence[InboxColumn], *, hidden: bool) -> dict[str, str]:
    """What the columns of text show, by column; nothing of what is hidden."""
    told = {
        column.id: next(iter(column.cells(row).values()), None)
        for column in columns
        if column.kind == "text" and not (hidden and column.opinion)
    }
    return {id: "—" if value is None else one_line(str(value)) for id, value in told.items()}


def _marked_name(row: InboxRow, query: InboxQuery) -> list[list[int]]:
    name = one_line(row.name)
    return [[start, end] for start, end, _ in places_in(name, query.text)] if query.text else []


def _place(place: SearchPlace) -> dict[str, Any]:
    """Where the search found something: the place in words, and its text in marked parts."""
    cuts = [0, *(at for mark in place.marks for at in mark), len(place.text)]
    parts = [
        [visible(place.text[start:end]), nth % 2 == 1]
        for nth, (start, end) in enumerate(pairwise(cuts))
        if end > start
    ]
    return {
        "kind": str(place.kind),
        "where": _where(place),
        "about": one_line(f"{place.file}:{place.line}" if place.file else place.by),
        "parts": [] if place.kind is FoundIn.NAME else parts,
        "more": place.more,
    }


def _where(place: SearchPlace) -> str:
    if place.kind is FoundIn.CODE:
        return f"{one_line((place.file or '').rpartition('/')[2], 40)}:{place.line}"
    by = one_line(place.by, 40)
    return f"finding, {short_name(by, [by])}" if place.kind is FoundIn.FINDING else by


def _assignee(row: InboxRow, person: Person) -> dict[str, Any] | None:
    who, by, at = row.assignee, row.assigned_by, row.assigned_at
    if who is None or at is None:
        return None
    claimed = by is not None and by.id == who.id
    said = "Claimed" if claimed else f"Assigned by {one_line(by.name) if by else 'somebody'}"
    return {
        "name": one_line(who.name, 60),
        "initials": initials(who.name),
        "mine": bool(person.id) and who.id == person.id,
        "word": "claimed" if claimed else "assigned",
        "about": f"{said} for {one_line(author_words(who), 160)}, {at:%Y-%m-%d %H:%M} UTC",
    }


def _decision(row: InboxRow, hidden: bool) -> dict[str, Any]:
    """The current decision; None on a hidden row, where it would be another person's."""
    verdict, author, at = (
        (None, None, None) if hidden else (row.decision, row.decided_by, row.decided_at)
    )
    return {
        "decision": verdict and str(verdict),
        "decided": verdict_words(verdict) if verdict else "",
        "decided_by": one_line(author_words(author), 160) if author else "",
        "initials": initials(author.name) if author else "",
        "decided_at": at and at.isoformat(),
    }


def _review(chip: ReviewChip, among: Sequence[str]) -> dict[str, Any]:
    return {
        **chip_data(chip),
        "reviewer": short_name(chip.reviewer, among),
        "of": among.index(chip.reviewer),
        "model": one_line(chip.model or ""),
        "failure": one_line(chip.failure or ""),
        "blockers": chip.blockers,
    }


def initials(author: str) -> str:
    """Return the first letters of a name, or the beginning of one word."""
    words = one_line(author, 60).replace(".", " ").replace("_", " ").split()
    return "".join(word[0].upper() for word in words[:3]) if len(words) > 1 else "".join(words)[:8]
