"""Keeps people's roles and a log of changes; lets the database refuse to change findings,
submissions and their files.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText, Hash, Moment
from reviewers.store.migrations.guards import keep_submissions_whole, refuse_changes

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column("login_sessions", sa.Column("role", sa.String(20)))
    op.create_table(
        "roles",
        sa.Column("person", Hash, nullable=False),
        sa.Column("issuer", AnyText(), nullable=False),
        sa.Column("subject", AnyText(), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("role", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("person", name=op.f("pk_roles")),
    )
    op.create_table(
        "change_log",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("about", AnyText(), nullable=False),
        sa.Column("before", AnyText()),
        sa.Column("after", AnyText()),
        sa.Column("author", AnyText()),
        sa.Column("signer", Hash),
        sa.Column("at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_change_log")),
    )
    op.create_index("ix_change_log_about", "change_log", ["kind", "about", "number"])
    refuse_changes("change_log")
    keep_submissions_whole()
