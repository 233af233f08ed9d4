"""Makes the tables of a new store, and gives an older one what it lacks; two processes that open
the same one wait for each other.

Every change of the tables so far adds columns, tables or indexes. So an older store is compared
with `tables.py` and gets what is missing; what its rows tell about that is filled in here.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import Column, Connection, inspect, text
from sqlalchemy.schema import CreateColumn, CreateIndex

from reviewers.bundles.dating import date_in_name, disbelief
from reviewers.errors import StoreError
from reviewers.records import DatedBy
from reviewers.store.authors import recorded_key
from reviewers.store.columns import Moment
from reviewers.store.guards import guard
from reviewers.store.tables import (
    METADATA,
    authors,
    commits,
    decisions,
    own_findings,
    relations,
    remarks,
    rulings,
    standings,
    submissions,
)
from reviewers.store.word_index import make_word_index

# Raised with every change of the tables; it stands in a table of its own name, since a PostgreSQL
# database may be shared with another program.
_NEWEST = "0023"
_VERSION_TABLE = "areachair_version"
_LOCK = 0x61726561  # "area": any number will do that others do not lock
_SIGNED = (decisions, rulings, own_findings, remarks, relations)


def is_newest(connection: Connection) -> bool:
    """Whether there is nothing to migrate.

    Raises:
        StoreError: a newer areachair wrote it.
    """
    version = _version(connection)
    if version is not None and version > _NEWEST:
        raise StoreError(
            "the store was written by a newer areachair; update this one: pip install --upgrade"
            " areachair"
        )
    return version == _NEWEST


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
    names = inspect(connection).get_table_names()
    if connection.dialect.name == "sqlite" and names and _VERSION_TABLE not in names:
        raise StoreError(
            "the file is a database of another program; choose another one with --store or"
            " AREACHAIR_STORE"
        )
    before = _version(connection)
    METADATA.create_all(connection, checkfirst=before is not None)
    if before is not None:
        _complete(connection)
        _fill(connection, before)
    make_word_index(connection)
    guard(connection)
    _note_version(connection)


def _version(connection: Connection) -> str | None:
    """The version of its tables; None for a new store."""
    if not inspect(connection).has_table(_VERSION_TABLE):
        return None
    return connection.scalars(text(f"SELECT version_num FROM {_VERSION_TABLE}")).one_or_none()


def _note_version(connection: Connection) -> None:
    connection.execute(
        text(
            f"CREATE TABLE IF NOT EXISTS {_VERSION_TABLE} (version_num VARCHAR(32) NOT NULL,"
            f" CONSTRAINT {_VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(text(f"DELETE FROM {_VERSION_TABLE}"))
    connection.execute(text(f"INSERT INTO {_VERSION_TABLE} VALUES ('{_NEWEST}')"))


def _complete(connection: Connection) -> None:
    """Add the columns that tables lack, and make all indexes anew."""
    known = inspect(connection)
    for name in _index_names(connection):
        connection.execute(text(f"DROP INDEX {name}"))
    for table in METADATA.sorted_tables:
        there = {column["name"] for column in known.get_columns(table.name)}
        for column in table.columns:
            if column.name not in there:
                added = _added(connection, column)
                connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {added}"))
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            connection.execute(CreateIndex(index))


def _index_names(connection: Connection) -> Sequence[str]:
    asked = (
        "SELECT indexname AS name, tablename AS of FROM pg_indexes"
        " WHERE schemaname = current_schema()"
        if connection.dialect.name == "postgresql"
        else "SELECT name, tbl_name AS of FROM sqlite_master WHERE type = 'index'"
    )
    return [
        row.name
        for row in connection.execute(text(asked))
        if row.of in METADATA.tables and row.name.startswith("ix_")
    ]


def _added(connection: Connection, column: Column[object]) -> str:
    """A column of a table that may have rows: the earliest moment, or 0, stands for what only is
    derived later.
    """
    made = str(CreateColumn(column).compile(dialect=connection.dialect))
    is_moment = isinstance(column.type, Moment) and connection.dialect.name == "postgresql"
    default = "'epoch'" if is_moment else "0"
    return made.replace(" NOT NULL", f" DEFAULT {default} NOT NULL")


def _fill(connection: Connection, before: str) -> None:
    """Fill in what the rows of an older store tell about its new columns."""
    if before < "0010":
        _keep_earlier_names(connection)
    if before < "0015":
        _date(connection)


def _keep_earlier_names(connection: Connection) -> None:
    """Make each name on a record an author of its own."""
    said = sa.union_all(*(sa.select(table.c.author, table.c.at) for table in _SIGNED)).subquery()
    wanted = sa.select(said.c.author, sa.func.min(said.c.at, type_=Moment).label("at"))
    names = connection.execute(wanted.group_by(said.c.author)).all()
    for row in sorted(names, key=lambda row: (row.at, row.author)):
        key = recorded_key(row.author)
        connection.execute(
            sa.insert(authors).values(key=key, given="recorded", name=row.author, at=row.at)
        )
        # What is derived tells who decided by the key.
        decided_by = standings.c.decided_by
        connection.execute(
            sa.update(standings).where(decided_by == row.author).values(decided_by=key)
        )


def _date(connection: Connection) -> None:
    """Date submissions by their commits and names."""
    number, at = submissions.c.number, submissions.c.generated_at
    first = sa.select(commits.c.submission, sa.func.min(commits.c.at).label("at"))
    committed = {
        row.submission: row.at
        for row in connection.execute(first.group_by(commits.c.submission))
        if row.at is not None
    }
    rows = connection.execute(sa.select(number, submissions.c.name, submissions.c.imported_at))
    for row in rows.all():
        told = (committed.get(row.number), DatedBy.COMMIT), (date_in_name(row.name), DatedBy.NAME)
        for date, by in told:
            if date is not None and not disbelief(date, row.imported_at):
                dated = sa.update(submissions).where(number == row.number)
                connection.execute(dated.values(generated_at=date, dated_by=by))
                break
    known = sa.select(sa.func.coalesce(at, submissions.c.imported_at))
    own = known.where(number == standings.c.submission).scalar_subquery()
    connection.execute(sa.update(standings).values(dated_at=own))
