"""Opens a database by its URL, and turns database errors into one line that says what to do."""

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from reviewers.errors import StoreError, printable
from reviewers.store.columns import PLAIN, plain

WAIT_SECONDS = 30
_FORMS = "write sqlite:////absolute/path.sqlite3 or postgresql://user:password@host/database"
_ELSEWHERE = "choose another one with --store or AREACHAIR_STORE"

# Parts of the libraries' messages, and what to show instead; the first match counts.
_MEANINGS = {
    "database is locked": (
        "the store is busy: another process is writing to it; try again in a moment"
    ),
    "lock timeout": "the store is busy: another process is writing to it; try again in a moment",
    "deadlock": "the store is busy: another process is writing to it; try again in a moment",
    "QueuePool limit": "the store is busy: too many questions at once; try again in a moment",
    "readonly database": (
        "the store can be read only; to keep anything, make its file and its folder writable"
    ),
    "unable to open database file": (
        "the store cannot be opened; check that its folder exists and is writable"
    ),
    "file is not a database": f"the file is not a database; {_ELSEWHERE}",
    "malformed": f"the file is damaged; restore it from a copy, or {_ELSEWHERE}",
    "disk is full": "the disk is full; make room and try again",
    "disk I/O error": (
        "the disk is full, or fails; make room and try again; `areachair doctor` says how it is"
    ),
    "no such module: fts5": (
        "this Python's SQLite lacks full-text search (FTS5); use another Python build, or"
        " PostgreSQL"
    ),
    "too large to convert": "a number is too large to be kept",
    "out of range": "a number is too large to be kept",
}


def make_engine(url: str) -> Engine:
    """Return an engine that several threads can share; a SQLite file and its folder are created.

    Raises:
        StoreError: the URL is not supported, its driver is missing, or the file cannot be created.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # The text is not repeated, since it may contain a password.
        raise StoreError(f"the store's URL cannot be read; {_FORMS}") from None
    backend, _, driver = parsed.drivername.partition("+")
    if backend == "sqlite" and driver in ("", "pysqlite"):
        return _sqlite(parsed)
    if backend in ("postgresql", "postgres") and driver in ("", "psycopg"):
        return _postgresql(parsed)
    raise StoreError(f"a store cannot be a {printable(parsed.drivername)} database; {_FORMS}")


@contextmanager
def one_line_errors(engine: Engine) -> Iterator[None]:
    """Turn every error of the database into a StoreError."""
    try:
        yield
    except (SQLAlchemyError, OverflowError) as error:
        raise StoreError(f"{place_of(engine.url)}: {_meaning(error, engine.url)}") from error


def _sqlite(url: URL) -> Engine:
    if not url.database or url.database.startswith((":memory:", "file:")) or url.host:
        raise StoreError(f"a SQLite store is a plain file; {_FORMS}")
    _make_file(url.database)
    shut = cannot_be_written(url)
    try:
        waiting = float(str(url.query.get("timeout", WAIT_SECONDS)))
        reading = {"creator": partial(_open_for_reading, url.database, waiting)} if shut else {}
        engine = create_engine(
            url.set(drivername="sqlite+pysqlite"),
            connect_args={"timeout": waiting},
            **reading,
            pool_size=10,
            max_overflow=40,
        )
    except (ArgumentError, ValueError):
        raise StoreError(f"the store's URL cannot be read; {_FORMS}") from None

    @event.listens_for(engine, "connect")
    def set_up(connection: DBAPIConnection, record: object) -> None:
        # For triggers and searches, which see packed texts.
        connection.create_function(PLAIN, 1, plain, deterministic=True)
        connection.isolation_level = None  # the driver's own transactions are off; see begin()
        cursor = connection.cursor()
        for pragma in ("foreign_keys = ON", "cache_size = -16000"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if statement := connection.get_execution_options().get("begin", "BEGIN"):
            connection.exec_driver_sql(statement)

    if shut:
        return engine
    try:
        with one_line_errors(engine), engine.connect().execution_options(begin="") as connection:
            _write_ahead(connection, time.monotonic() + waiting)
    except StoreError:
        engine.dispose()
        raise
    return engine


def cannot_be_written(url: URL) -> bool:
    """Whether a store is a file that this user may read only."""
    if url.get_backend_name() != "sqlite" or not url.database or not Path(url.database).exists():
        return False
    return bool(shut_places(Path(url.database)))


def shut_places(path: Path) -> Sequence[Path]:
    """Return what this user may not write of a store's file and its folder."""
    effective = os.access in os.supports_effective_ids
    both = (path, path.parent)
    return [each for each in both if not os.access(each, os.W_OK, effective_ids=effective)]


def _open_for_reading(name: str, waiting: float) -> sqlite3.Connection:
    # Where nobody else writes either, no lock is needed, for which SQLite would make files.
    how = "mode=ro" if Path(f"{name}-wal").exists() else "mode=ro&immutable=1"
    place = f"file:{quote(str(Path(name).resolve()))}?{how}"
    return sqlite3.connect(place, uri=True, timeout=waiting, check_same_thread=False)


def _write_ahead(connection: Connection, deadline: float) -> None:
    """Switch to write-ahead logging, in which readers and the writer do not block each other."""
    while True:
        try:
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        except OperationalError as error:
            # If several processes switch at once, SQLite rejects all but one without waiting.
            if "database is locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


def _make_file(name: str) -> None:
    path = Path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Created here and not by SQLite, which would let everybody read it. An existing file is not
        # opened: closing it would drop all locks that this process has on it.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise StoreError(
            f"{printable(name)}: the store cannot be opened ({reason}); {_ELSEWHERE}"
        ) from None


def _postgresql(url: URL) -> Engine:
    if "@" in (url.host or ""):
        # Its second half would be shown as a host name.
        raise StoreError("the store's URL contains an @ in its password; write it as %40")
    waiting = {} if "connect_timeout" in url.query else {"connect_timeout": 10}
    try:
        return create_engine(
            url.set(drivername="postgresql+psycopg"),
            connect_args=waiting,
            pool_size=10,
            max_overflow=40,
            pool_pre_ping=True,
        )
    except ImportError:
        raise StoreError(
            "PostgreSQL needs its driver: pip install 'areachair[postgresql]'"
        ) from None
    except ArgumentError:
        raise StoreError(f"the store's URL cannot be read; {_FORMS}") from None


@contextmanager
def write_nothing(connection: Connection) -> Iterator[None]:
    """Let a SQLite connection refuse every write meanwhile; PostgreSQL's transactions do so by
    themselves where they are told.
    """
    if connection.dialect.name != "sqlite":
        yield
        return
    driver: Any = connection.connection.driver_connection
    driver.execute("PRAGMA query_only = ON")
    try:
        yield
    finally:
        driver.execute("PRAGMA query_only = OFF")


def place_of(url: URL) -> str:
    """The location of the store, without user, password and options."""
    if url.get_backend_name() == "sqlite":
        return printable(url.database or "")
    return printable(f"postgresql://{url.host or ''}/{url.database or ''}")


def _meaning(error: Exception, url: URL) -> str:
    said = str(error.orig if isinstance(error, DBAPIError) and error.orig is not None else error)
    for part, meaning in _MEANINGS.items():
        if part in said:
            return meaning
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return "the connection to the database was lost; see what was kept, and try again"
    secrets = [url.password, *(value for key, value in url.query.items() if "pass" in key)]
    if any(secret and str(secret) in said for secret in secrets):
        return "the database refused"
    return printable(f"the database refused: {said.strip().partition(chr(10))[0][:300]}")
