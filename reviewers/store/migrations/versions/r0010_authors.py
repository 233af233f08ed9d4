"""Tells authors apart by more than a name: records point at an author's key, whose names are rows
of their own.

What was written before stays as it is: each name on it becomes an author of its own.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.store.authors import recorded_key
from reviewers.store.columns import AnyText, Hash, Moment
from reviewers.store.migrations.guards import refuse_changes

revision = "0010"
down_revision = "0009"

_SIGNED = ("decisions", "rulings", "own_findings", "remarks", "relations")


def upgrade() -> None:
    op.create_table(
        "authors",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("key", Hash, nullable=False),
        sa.Column("given", sa.String(20), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("issuer", sa.Text()),
        sa.Column("subject", sa.Text()),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_authors")),
        sa.CheckConstraint(
            "given IN ('recorded', 'named', 'provider')", name=op.f("ck_authors_given")
        ),
        sa.CheckConstraint("name <> ''", name=op.f("ck_authors_name")),
    )
    for table in _SIGNED:
        op.add_column(table, sa.Column("signer", Hash, nullable=True))
    _keep_earlier_names()
    refuse_changes("authors")


def _keep_earlier_names() -> None:
    author, at = sa.column("author", AnyText), sa.column("at", Moment)
    connection = op.get_bind()
    said = sa.union_all(*(sa.select(author, at).select_from(sa.table(each)) for each in _SIGNED))
    words = said.subquery()
    wanted = sa.select(words.c.author, sa.func.min(words.c.at, type_=Moment).label("at"))
    names = connection.execute(wanted.group_by(words.c.author)).all()
    authors = sa.table(
        "authors",
        *(sa.column(name) for name in ("key", "given")),
        sa.column("name", AnyText),
        sa.column("at", Moment),
    )
    decided_by = sa.column("decided_by", AnyText)
    for row in sorted(names, key=lambda row: (row.at, row.author)):
        key = recorded_key(row.author)
        connection.execute(
            sa.insert(authors).values(key=key, given="recorded", name=row.author, at=row.at)
        )
        # What is derived tells who decided by the key.
        connection.execute(
            sa.update(sa.table("standings", decided_by))
            .where(decided_by == row.author)
            .values(decided_by=key)
        )
