"""Keeps which findings of a large submission are one defect: to compare them takes seconds."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import PackedJson

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    op.create_table(
        "groupings",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("told", PackedJson(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_groupings_submission")
        ),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_groupings")),
    )
