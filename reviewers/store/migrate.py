"""Migrates a database to the newest tables; two processes that open the same one wait for each
other.
"""

import threading
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from reviewers.errors import StoreError

_FOLDER = Path(__file__).parent / "migrations"
# Its own name: a PostgreSQL database may be shared with another program that uses alembic too.
VERSION_TABLE = "areachair_version"
# Alembic's `op` and `context` are global: two threads that migrate two databases at once would mix
# them up.
_one_at_a_time = threading.Lock()
_LOCK = 0x61726561  # "area": any number will do that others do not lock


def alembic_config(connection: Connection) -> Config:
    """Return what alembic's commands need to work on this connection, within its transaction."""
    config = _config()
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    return config


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config


@cache
def _known() -> tuple[str | None, frozenset[str]]:
    """The newest revision, and all: alembic loads every script of them."""
    script = ScriptDirectory.from_config(_config())
    revisions = frozenset(revision.revision for revision in script.walk_revisions())
    return script.get_current_head(), revisions


def is_newest(connection: Connection) -> bool:
    """Whether there is nothing to migrate.

    Raises:
        StoreError: a newer areachair wrote it.
    """
    newest, known = _known()
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    current = context.get_current_revision()
    if current is not None and current not in known:
        raise StoreError(
            "the store was written by a newer areachair; update this one: pip install --upgrade"
            " areachair"
        )
    return current == newest


def migrate(connection: Connection) -> None:
    """Make or change the tables within the connection's transaction, which must hold SQLite's write
    lock already.

    Raises:
        StoreError: a newer areachair or another program wrote it, or the database cannot hold every
            text.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
        if encoding != "UTF8":
            raise StoreError(
                f"the database keeps text as {encoding}; create one with ENCODING 'UTF8' for the"
                " store"
            )
    if is_newest(connection):
        return
    if connection.dialect.name == "sqlite":
        names = inspect(connection).get_table_names()
        if names and VERSION_TABLE not in names:
            raise StoreError(
                "the file is a database of another program; choose another one with --store or"
                " AREACHAIR_STORE"
            )
    with _one_at_a_time:
        command.upgrade(alembic_config(connection), "head")
