"""Migrates a database to the newest tables; two processes that open the same one wait for each
other.

Alembic takes as long to load as the rest of the store, so it is loaded where there is something to
migrate; whether there is, the names of its scripts tell.
"""

import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from reviewers.errors import StoreError

if TYPE_CHECKING:
    from alembic.config import Config

_FOLDER = Path(__file__).parent / "migrations"
# Its own name: a PostgreSQL database may be shared with another program that uses alembic too.
VERSION_TABLE = "areachair_version"
# Alembic's `op` and `context` are global: two threads that migrate two databases at once would mix
# them up.
_one_at_a_time = threading.Lock()
_LOCK = 0x61726561  # "area": any number will do that others do not lock


def alembic_config(connection: Connection) -> "Config":
    """Return what alembic's commands need to work on this connection, within its transaction."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    return config


@cache
def revisions() -> Sequence[str]:
    """Return the revisions of the tables, the newest last."""
    scripts = (_FOLDER / "versions").glob("r[0-9]*.py")
    return sorted(each.name[1:].partition("_")[0] for each in scripts)


def is_newest(connection: Connection) -> bool:
    """Whether there is nothing to migrate.

    Raises:
        StoreError: a newer areachair wrote it.
    """
    if not inspect(connection).has_table(VERSION_TABLE):
        return False
    current = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    if current is not None and current not in revisions():
        raise StoreError(
            "the store was written by a newer areachair; update this one: pip install --upgrade"
            " areachair"
        )
    return current == revisions()[-1]


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
    from alembic import command

    with _one_at_a_time:
        command.upgrade(alembic_config(connection), "head")
