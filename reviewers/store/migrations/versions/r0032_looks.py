"""Keeps who looked at what, so that every web process knows whether a decision is blind."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Hash, Moment

revision = "0032"
down_revision = "0031"


def upgrade() -> None:
    op.create_table(
        "looks",
        sa.Column("viewer", Hash, nullable=False),
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("until", Moment()),
        sa.PrimaryKeyConstraint("viewer", "submission", name=op.f("pk_looks")),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_looks_submission")
        ),
    )
    op.create_index("ix_looks_until", "looks", ["until"])
