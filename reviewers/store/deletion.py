"""Deletes submissions for good: their files, reviews and all that was said of them; what stays is a
record of who deleted which one, when and why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Table, delete, exists, insert, select, union

from reviewers.errors import StoreError
from reviewers.roles import Act
from reviewers.store import rollups
from reviewers.store.attempts import forget, recognise_around
from reviewers.store.authors import Author, Authors, Signer, sign
from reviewers.store.changes import mark_changed
from reviewers.store.insert import hold_everything, parts
from reviewers.store.people import signed
from reviewers.store.store import Store
from reviewers.store.tables import (
    METADATA,
    attempts,
    contents,
    contexts,
    decisions,
    deletions,
    job_files,
    jobs,
    reviews,
    run_configs,
    submission_files,
    submissions,
)

_HOLDERS = (submission_files, run_configs, contexts)


@dataclass(frozen=True, slots=True)
class Deletable:
    """A submission that may be deleted; `decided`: whether a person ever gave a verdict on it."""

    id: str
    name: str
    imported_at: datetime
    decided: bool


@dataclass(frozen=True, slots=True)
class Deleted:
    """What was deleted.

    Attributes:
        submissions: how many, base code that nothing else was derived from among them.
        files: how many contents that no other submission holds.
        requests: the ids of the requests that were sent to models about them.
    """

    submissions: int
    files: int
    requests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deletion:
    """The record of a deletion."""

    submission_id: str
    imported_at: datetime
    reason: str
    author: Author
    at: datetime

    def __str__(self) -> str:
        return (
            f"submission {self.submission_id[:12]} was deleted by {self.author} on"
            f" {self.at:%Y-%m-%d %H:%M} UTC: {self.reason}"
        )


def deletable(
    store: Store,
    ids: Collection[str] = (),
    *,
    older_than: timedelta | None = None,
    keep_decided: bool = False,
) -> tuple[Deletable, ...]:
    """Return the submissions with these ids, or those imported so long ago, the oldest first; those
    set aside too, base code not.

    Args:
        keep_decided: leave out those on which a person ever gave a verdict.
    """
    decided = exists().where(decisions.c.submission_id == submissions.c.id)
    its = (submissions.c.id, submissions.c.name, submissions.c.imported_at)
    wanted = select(*its, decided.label("decided")).order_by(submissions.c.number)
    wanted = wanted.where(submissions.c.attempt.is_distinct_from(0))
    if keep_decided:
        wanted = wanted.where(~decided)
    if older_than is not None:
        wanted = wanted.where(submissions.c.imported_at < store.now() - older_than)
    else:
        wanted = wanted.where(submissions.c.id.in_(ids))
    with store.reading() as connection:
        return tuple(Deletable(*row) for row in connection.execute(wanted))


def delete_submissions(
    store: Store, ids: Iterable[str], reason: str, author: str | Signer
) -> Deleted:
    """Delete submissions, all or none; ids that the store does not have are passed over.

    Raises:
        StoreError: the reason or author is empty.
    """
    reason, signer = signed(reason, author, needs_reason=True, deed="a deletion")
    with store.writing(Act.DELETE) as connection:
        hold_everything(connection)
        numbers = _numbers(connection, sorted(set(ids)))
        if not numbers:
            return Deleted(0, 0, ())
        at = store.now()
        by = sign(connection, signer, at)
        told = [
            {"submission_id": row.id, "imported_at": row.imported_at, "reason": reason, "at": at}
            for row in _rows(connection, numbers)
        ]
        connection.execute(insert(deletions), [{**each, **by} for each in told])
        fellows = _fellows(connection, numbers)
        forget(connection, numbers)
        held, requests = _held(connection, numbers), _requests(connection, numbers)
        for few in parts(numbers):
            mark_changed(connection, submissions.c.number.in_(few))
        _delete_rows(connection, numbers, [each["submission_id"] for each in told])
        files = _delete_contents(connection, held)
        recognise_around(connection, fellows)
    return Deleted(len(numbers), files, requests)


def deletions_in(connection: Connection, prefix: str) -> tuple[Deletion, ...]:
    """Return the records of the submissions with this id, or this beginning of one, newest
    first.
    """
    its = deletions.c.submission_id.between(prefix, prefix + "g")
    names = Authors(connection)
    return tuple(
        Deletion(row.submission_id, row.imported_at, row.reason, names.of(row), row.at)
        for row in connection.execute(
            select(deletions).where(its).order_by(deletions.c.number.desc())
        )
    )


def _numbers(connection: Connection, ids: Sequence[str]) -> list[int]:
    """The numbers of submissions, and of base code that nothing else was derived from."""
    numbers = {
        number
        for few in parts(ids)
        for number in connection.scalars(
            select(submissions.c.number).where(submissions.c.id.in_(few))
        )
    }
    derived: dict[int, set[int]] = defaultdict(set)
    its = select(submissions.c.base, submissions.c.number)
    for row in connection.execute(its.where(submissions.c.base.is_not(None))):
        derived[row.base].add(row.number)
    if any(own - numbers for base, own in derived.items() if base in numbers):
        raise StoreError("others were derived from this base code; delete those first")
    # The newest first: what a submission was derived from precedes it.
    bases = {base for base, own in derived.items() if own <= numbers}
    return sorted(numbers | bases, reverse=True)


def _rows(connection: Connection, numbers: Sequence[int]) -> list[Any]:
    wanted = select(submissions.c.id, submissions.c.imported_at)
    return [
        row
        for few in parts(numbers)
        for row in connection.execute(wanted.where(submissions.c.number.in_(few)))
    ]


def _fellows(connection: Connection, numbers: Sequence[int]) -> set[int]:
    """The other submissions of their lineages."""
    found: set[int] = set()
    for few in parts(numbers):
        lineages = select(attempts.c.first).where(attempts.c.submission.in_(few))
        fellows = select(attempts.c.submission).where(attempts.c.first.in_(lineages))
        found |= set(connection.scalars(fellows))
    return found - set(numbers)


def _held(connection: Connection, numbers: Sequence[int]) -> list[str]:
    """The contents that they hold."""
    found: set[str] = set()
    for few in parts(numbers):
        for table in _HOLDERS:
            found |= set(
                connection.scalars(select(table.c.content).where(table.c.submission.in_(few)))
            )
    return sorted(found)


def _requests(connection: Connection, numbers: Sequence[int]) -> tuple[str, ...]:
    wanted = select(reviews.c.request, reviews.c.revises)
    rows = [
        row
        for few in parts(numbers)
        for row in connection.execute(wanted.where(reviews.c.submission.in_(few)))
    ]
    return tuple(sorted({request for row in rows for request in row if request}))


def _delete_rows(connection: Connection, numbers: Sequence[int], ids: Sequence[str]) -> None:
    """Delete their rows from every table: which ones are theirs, the foreign keys say."""
    rollups.forget(connection, numbers)
    tables = METADATA.sorted_tables
    if connection.dialect.name == "sqlite":
        # What was said may go once its submission is gone; before the end, all of it must be.
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    else:
        tables.reverse()
    theirs = {
        "submissions.number": numbers,
        "submissions.id": ids,
        "reviews.number": [
            number
            for few in parts(numbers)
            for number in connection.scalars(
                select(reviews.c.number).where(reviews.c.submission.in_(few))
            )
        ],
    }
    for table in tables:
        if table is submissions:
            _delete_in(connection, submissions, "number", numbers)
            continue
        for key in table.foreign_keys:
            if key.target_fullname in theirs:
                _delete_in(connection, table, key.parent.name, theirs[key.target_fullname])
    # They have no foreign key: who hands in what was just deleted is told so by its job.
    _delete_in(connection, jobs, "submission_id", ids)
    # What was exported holds them, too.
    connection.execute(delete(job_files))


def _delete_in(
    connection: Connection, table: Table, column: str, values: Sequence[int] | Sequence[str]
) -> None:
    some: Sequence[Any] = values
    for few in parts(some):
        connection.execute(delete(table).where(table.c[column].in_(few)))


def _delete_contents(connection: Connection, held: Sequence[str]) -> int:
    """Delete the contents among these that nothing holds any more; return how many."""
    deleted = 0
    for few in parts(held):
        still = union(
            *(select(table.c.content).where(table.c.content.in_(few)) for table in _HOLDERS)
        )
        loose = sorted(set(few) - set(connection.scalars(still)))
        _delete_in(connection, contents, "sha256", loose)
        deleted += len(loose)
    return deleted
