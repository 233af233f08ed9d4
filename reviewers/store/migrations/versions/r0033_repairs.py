"""Keeps the proven repairs of submissions, and which of them people chose."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText, Hash, Moment, PackedJson
from reviewers.store.migrations.guards import refuse_but_deletion

revision = "0033"
down_revision = "0032"

_TABLE = "repair_choices"


def upgrade() -> None:
    op.create_table(
        "repair_plans",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("chosen", Hash, nullable=False),
        sa.Column("version", Hash, nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("told", PackedJson(), nullable=False),
        sa.PrimaryKeyConstraint("submission", "chosen", name=op.f("pk_repair_plans")),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_repair_plans_submission")
        ),
    )
    op.create_table(
        _TABLE,
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", Hash, nullable=False),
        sa.Column("finding_id", AnyText(), nullable=False),
        sa.Column("rule", AnyText(), nullable=False),
        sa.Column("way", AnyText(), nullable=False),
        sa.Column("taken", sa.Boolean(), nullable=False),
        sa.Column("author", AnyText(), nullable=False),
        sa.Column("signer", Hash),
        sa.Column("at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f(f"pk_{_TABLE}")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f(f"fk_{_TABLE}_submission_id")
        ),
        sa.CheckConstraint("author <> ''", name=op.f(f"ck_{_TABLE}_author")),
        sa.CheckConstraint("NOT taken OR way <> ''", name=op.f(f"ck_{_TABLE}_way")),
    )
    op.create_index(f"ix_{_TABLE}_submission_id", _TABLE, ["submission_id"])
    refuse_but_deletion(_TABLE)
