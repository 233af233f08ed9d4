"""Work that a migration leaves for afterwards: it takes long, so it is done a few rows at a time.

Each step is one transaction and says in the table `upkeep` how far it came: a process that is
killed loses one step, and the next one that opens the store goes on.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, bindparam, delete, select, update

from reviewers.errors import StoreError
from reviewers.store.tables import (
    METADATA,
    WORD_INDEX,
    answers,
    contents,
    findings,
    reviews,
    search_texts,
    upkeep,
)

if TYPE_CHECKING:
    from sqlalchemy import Table

_PACKED = {
    contents: ("data",),
    answers: ("text", "raw"),
    findings: ("places", "parts", "as_read", "says", "names"),
    reviews: ("dry_run",),
    search_texts: ("text", "words"),
}
_AT_ONCE = 200


def is_left(connection: Connection) -> bool:
    """Whether there is work left."""
    return connection.execute(select(upkeep.c.task).limit(1)).first() is not None


def do_some(connection: Connection) -> bool:
    """Do a step of it; return whether there was one to do."""
    wanted = select(upkeep).order_by(upkeep.c.task).limit(1)
    # Who opens the store at the same time waits, and does the next step.
    task = connection.execute(wanted.with_for_update()).one_or_none()
    if task is None:
        return False
    last = _pack_after(connection, METADATA.tables[task.task], task.after)
    its = upkeep.c.task == task.task
    if last is None:
        connection.execute(delete(upkeep).where(its))
    else:
        connection.execute(update(upkeep).where(its).values(after=str(last)))
    return True


def free_pages(connection: Connection) -> int | None:
    """Give the pages that nothing uses any more back to the disk; with what was deleted, they were
    overwritten.

    Args:
        connection: without a transaction.

    Returns:
        the bytes by which a SQLite file became smaller; None on PostgreSQL, whose autovacuum sees
        to it.

    Raises:
        StoreError: the disk has no room for a second copy. The pages are used again, and the file
            stays as large as it is.
    """
    if connection.dialect.name == "postgresql":
        return None
    # Until it is merged, the word index says which words went.
    connection.exec_driver_sql(f"INSERT INTO {WORD_INDEX}({WORD_INDEX}) VALUES ('optimize')")
    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    path = Path(str(connection.engine.url.database))
    before = path.stat().st_size
    if shutil.disk_usage(path.parent).free < before:
        raise StoreError("the disk has no room for a second copy of the store")
    connection.exec_driver_sql("VACUUM")
    connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return before - path.stat().st_size


def _pack_after(connection: Connection, table: Table, after: str) -> Any:
    """Pack what follows a key in a table; return the last key that was looked at, None at the
    end.
    """
    key, *_ = table.primary_key.columns
    beyond = key > (after if key.type.python_type is str else int(after or 0))
    keys = connection.scalars(select(key).where(beyond).distinct().order_by(key).limit(_AT_ONCE))
    found = keys.all()
    if not found:
        return None
    names = _PACKED[table]
    rows = connection.execute(
        select(*table.primary_key.columns, *(table.c[name] for name in names)).where(
            beyond, key <= found[-1]
        )
    ).all()
    # What comes back as it is meant is written packed.
    changed = update(table).where(
        *(column == bindparam(f"of_{column.name}") for column in table.primary_key.columns)
    )
    values = [_values(table, row) for row in rows if any(getattr(row, name) for name in names)]
    if values:
        connection.execute(
            changed.values({name: bindparam(f"new_{name}") for name in names}), values
        )
    return found[-1]


def _values(table: Table, row: Row[Any]) -> dict[str, Any]:
    return {
        **{f"of_{column.name}": getattr(row, column.name) for column in table.primary_key.columns},
        **{f"new_{name}": getattr(row, name) for name in _PACKED[table]},
    }
