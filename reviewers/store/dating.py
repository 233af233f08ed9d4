"""Stores when submissions were generated: read for many at once, changed by a person."""

from collections.abc import Collection, Mapping
from datetime import datetime

from sqlalchemy import select, update

from reviewers.records import DatedBy, Generated
from reviewers.roles import Act
from reviewers.store.attempts import recognise_around
from reviewers.store.insert import numbered, parts
from reviewers.store.refresh import refresh
from reviewers.store.rows import date_values, generated_of
from reviewers.store.store import Store
from reviewers.store.submission import identified
from reviewers.store.tables import submissions


def dates_of(store: Store, ids: Collection[str]) -> Mapping[str, Generated | None]:
    """Return the dates of those submissions that are kept, by id."""
    found: dict[str, Generated | None] = {}
    with store.reading() as connection:
        for some in parts(sorted(ids)):
            rows = connection.execute(select(submissions).where(submissions.c.id.in_(some)))
            found |= {row.id: generated_of(row) for row in rows}
    return found


def date_submission(store: Store, prefix: str, at: datetime) -> None:
    """Say when a submission was generated, in place of what was known.

    Args:
        prefix: its id, or an unambiguous prefix of at least 8 characters.

    Raises:
        UnknownSubmission: there is none, or the prefix is ambiguous.
    """
    with store.writing(Act.DATE) as connection:
        number, id = identified(connection, prefix)
        numbered(connection, id)
        own = update(submissions).where(submissions.c.number == number)
        connection.execute(own.values(date_values(Generated(at, DatedBy.GIVEN))))
        refresh(connection, number, texts=False)
        recognise_around(connection, [number])
