"""Copies of a whole store: a backup is a SQLite store of its own, and a store is restored from one.

Every row is copied as it stands, from one state of the source, in one transaction of the target;
both are then read again and compared.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, CursorResult, Integer, Table, func, insert, select, text
from sqlalchemy.exc import DatabaseError

from reviewers.errors import StoreError, printable
from reviewers.roles import Act
from reviewers.store.rows import sha256
from reviewers.store.store import Store
from reviewers.store.tables import (
    METADATA,
    authors,
    change_log,
    contents,
    job_files,
    jobs,
    login_sessions,
    rate_limits,
    requests_sent,
    roles,
    submissions,
    works,
)

_AT_ONCE = 500  # rows; a row of contents may hold a whole file
# Neither who is signed in nor what is being worked on: a copy would ask models once more.
_LEFT = login_sessions, job_files, jobs, works, rate_limits, requests_sent
_COPIED = tuple(table for table in METADATA.sorted_tables if table not in _LEFT)


def back_up(store: Store, path: Path) -> Mapping[str, int]:
    """Write a store into a new file, while others go on using it, and verify the copy.

    Who is signed in is not copied. The file has its name only once it is whole.

    Returns:
        the number of rows of each table.

    Raises:
        StoreError: the file exists or cannot be written, or the copy differs.
    """
    if path.exists():
        raise StoreError(f"{printable(str(path))}: the file exists; name one that does not")
    unfinished = path.with_name(f"{path.name}.unfinished")
    _clear(unfinished)
    try:
        with closing(Store.open(f"sqlite:///{unfinished}")) as copy:
            counts = copy_rows(store, copy)
        os.replace(unfinished, path)
    finally:
        _clear(unfinished)
    return counts


def restore(path: Path, store: Store) -> Mapping[str, int]:
    """Fill an empty store, of any database, with what a backup holds, and verify the copy; a backup
    of an older areachair is migrated on the way and itself not changed.

    Raises:
        StoreError: the backup cannot be read, the store is not empty, or the copy differs.
    """
    if not path.is_file():
        raise StoreError(f"{printable(str(path))}: there is no such backup")
    with tempfile.TemporaryDirectory(prefix="areachair-restore-") as folder:
        kept = Path(folder, "backup.sqlite3")
        try:
            shutil.copyfile(path, kept)
        except OSError as error:
            raise StoreError(f"{printable(str(path))}: {error.strerror}") from None
        with closing(Store.open(f"sqlite:///{kept}")) as source:
            if damage_in(source):
                raise StoreError(f"{printable(str(path))}: the backup is damaged; take another one")
            return copy_rows(source, store)


def damage_in(store: Store) -> list[str]:
    """Return what is wrong: files that are not what their hash says or cannot be unpacked, and, of
    a SQLite file, damaged pages and tables with rows that point at no other; to these PostgreSQL
    sees itself.
    """
    with store.reading() as connection:
        try:
            changed = sum(sha256(row.data) != row.sha256 for row in _rows(contents, connection))
        except (DatabaseError, StoreError) as error:
            return [str(error.orig if isinstance(error, DatabaseError) else error)]
        differing = [f"{changed} files are not what they were"] if changed else []
        if connection.dialect.name != "sqlite":
            return differing
        try:
            pages = [*connection.exec_driver_sql("PRAGMA integrity_check").scalars()]
            loose = {*connection.exec_driver_sql("PRAGMA foreign_key_check").scalars()}
        except DatabaseError as error:
            return [str(error.orig)]
    return [
        *differing,
        *(line for line in pages if line != "ok"),
        *(f"rows of {table} point at some that are missing" for table in sorted(loose)),
    ]


def copy_rows(source: Store, target: Store) -> Mapping[str, int]:
    """Copy every row of a store into an empty one, and compare the two.

    Raises:
        StoreError: the target is not empty, or differs from the source afterwards.
    """
    with source.reading() as from_it:
        with target.writing(Act.RESTORE) as to:
            _be_empty(to, target.place)
            if to.dialect.name == "sqlite":
                to.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
            counts = {}
            for table in _COPIED:
                counts[table.name] = _copy(table, from_it, to)
                _count_on(table, to)
        with target.reading() as copied:
            differing = [
                table.name for table in _COPIED if _digest(table, from_it) != _digest(table, copied)
            ]
    differing += damage_in(target)
    if differing:
        raise StoreError(
            f"{target.place}: the copy differs in {', '.join(differing)}; do not use it"
        )
    return counts


def _clear(path: Path) -> None:
    """Remove a SQLite store with what lies beside it."""
    for ending in ("", "-wal", "-shm"):
        Path(f"{path}{ending}").unlink(missing_ok=True)


def _be_empty(connection: Connection, place: str) -> None:
    held, *others = (
        connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in (submissions, authors, roles, change_log)
    )
    if held or any(others):
        raise StoreError(
            f"{place}: the store was used and holds {held:,} submissions; restore into an empty"
            " one: name it with --store"
        )


def _copy(table: Table, source: Connection, target: Connection) -> int:
    copied = 0
    for batch in _rows(table, source).mappings().partitions():
        target.execute(insert(table), [dict(row) for row in batch])
        copied += len(batch)
    return copied


def _rows(table: Table, connection: Connection) -> CursorResult[Any]:
    options = {"yield_per": _AT_ONCE}
    return connection.execute(select(table), execution_options=options)


def _count_on(table: Table, target: Connection) -> None:
    """Let PostgreSQL number the next rows from where those of the copy end."""
    if target.dialect.name != "postgresql":
        return
    for column in table.primary_key:
        if isinstance(column.type, Integer) and column.name == "number":
            target.execute(
                text(
                    "SELECT setval(sequence, (SELECT max(number) FROM "
                    f"\"{table.name}\")) FROM pg_get_serial_sequence(:table, 'number') AS sequence"
                    " WHERE sequence IS NOT NULL"
                ),
                {"table": f'"{table.name}"'},
            )


def _digest(table: Table, connection: Connection) -> tuple[int, int]:
    """The number of rows, and a sum over them that no order changes: databases sort texts each in
    its way.
    """
    count = total = 0
    for row in _rows(table, connection):
        count += 1
        spelled = json.dumps([*row], default=_spelled, sort_keys=True).encode()
        total += int.from_bytes(hashlib.sha256(spelled).digest())
    return count, total % 2**256


def _spelled(value: Any) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
