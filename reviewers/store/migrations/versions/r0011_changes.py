"""Tells which submissions changed since a moment."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "changed_submissions",
        sa.Column("change", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_changed_submissions_submission")
        ),
        sa.PrimaryKeyConstraint("change", "submission", name=op.f("pk_changed_submissions")),
    )


def downgrade() -> None:
    raise NotImplementedError("the store only moves forward: decisions are never deleted")
