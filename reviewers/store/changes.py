"""The submissions that changed since a moment, so that a cache reloads only those.

A change's number is PostgreSQL's number of the transaction that made it. SQLite has one writer at a
time: there it is one more than the largest so far. No writer waits for another one: as long as a
transaction is in progress, readers ask again for what changed since it began.
"""

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Insert,
    Select,
    func,
    insert,
    select,
)
from sqlalchemy.dialects import postgresql

from reviewers.store.tables import changed_submissions, submissions

_LATER: Select[int] = select(func.coalesce(func.max(changed_submissions.c.change), 0) + 1)


def mark_changed(connection: Connection, which: ColumnElement[bool]) -> None:
    """Say that something of these submissions changed, within the transaction that changed it."""
    marked: Insert = insert(changed_submissions)
    change: ColumnElement[int] = _LATER.scalar_subquery()
    if connection.dialect.name == "postgresql":
        # Several marks of one transaction are one change.
        marked = postgresql.insert(changed_submissions).on_conflict_do_nothing()
        change = func.txid_current()
    rows = select(change, submissions.c.number).where(which)
    connection.execute(marked.from_select(["change", "submission"], rows))


def changed_since(connection: Connection, change: int) -> Select[int]:
    """Return the numbers of the submissions that a change with this number or a larger one
    touched; one may come several times.
    """
    number = changed_submissions.c.change
    touched = number >= change
    if connection.dialect.name == "postgresql":
        # Larger ones come from the server that a copy of this database was made on.
        snapshot = func.txid_current_snapshot()
        touched &= number < func.txid_snapshot_xmax(snapshot, type_=BigInteger)
    return select(changed_submissions.c.submission).where(touched)


def next_change(connection: Connection) -> int:
    """Return a number from which on to ask `changed_since` for all that this connection does not
    see yet, and perhaps some that it does.
    """
    if connection.dialect.name == "postgresql":
        oldest = func.txid_snapshot_xmin(func.txid_current_snapshot(), type_=BigInteger)
        return connection.execute(select(oldest)).scalar_one()
    return connection.execute(_LATER).scalar_one()
