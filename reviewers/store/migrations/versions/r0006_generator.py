"""Keeps what generated each submission, and derives who had predicted the outcomes of real runs."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("generator", sa.Text(), nullable=True))
    op.create_index("ix_submissions_generator", "submissions", ["generator"])
    op.create_table(
        "fates",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=False),
        sa.Column("fate", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("submission", "position", "reviewer", name=op.f("pk_fates")),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_fates_submission")
        ),
    )
    # Opening the store works out anew what an older version stands beside.
    ran = "SELECT number FROM submissions WHERE id IN (SELECT submission_id FROM outcomes)"
    op.execute(f"UPDATE standings SET version = 0 WHERE submission IN ({ran})")
