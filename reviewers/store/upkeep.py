"""Work that a migration leaves for afterwards: it takes long, so it is done a few rows at a time.

Each step is one transaction and says in the table `upkeep` how far it came: a process that is
killed loses one step, and the next one that opens the store goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, bindparam, delete, select, update

from reviewers.store.tables import (
    METADATA,
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
