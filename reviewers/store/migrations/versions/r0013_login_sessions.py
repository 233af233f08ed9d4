"""Keeps who is signed in, so that a session can be ended before its cookie is gone."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Hash, Moment

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "login_sessions",
        sa.Column("id", Hash, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("issuer", "subject", "name")),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("began", Moment(), nullable=False),
        sa.Column("until", Moment(), nullable=False),
        sa.Column("ended", Moment(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_sessions")),
    )
