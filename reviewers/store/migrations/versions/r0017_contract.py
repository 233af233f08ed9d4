"""Keeps the contract that came with a submission, and those that persons chose for it."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText, Hash, Moment
from reviewers.store.migrations.guards import refuse_changes

revision = "0017"
down_revision = "0016"


_TABLE = "contract_choices"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("contract_source", sa.String(20), nullable=True))
    op.add_column("submissions", sa.Column("contract_text", AnyText(), nullable=True))
    op.create_table(
        _TABLE,
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", Hash, nullable=False),
        sa.Column("author", AnyText(), nullable=False),
        sa.Column("signer", Hash),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("text", AnyText()),
        sa.PrimaryKeyConstraint("number", name=op.f(f"pk_{_TABLE}")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f(f"fk_{_TABLE}_submission_id")
        ),
        sa.CheckConstraint("author <> ''", name=op.f(f"ck_{_TABLE}_author")),
    )
    op.create_index(f"ix_{_TABLE}_submission_id", _TABLE, ["submission_id"])
    message = "what a person chose is never changed or deleted"
    refuse_changes(_TABLE, message=message, submission_in=("submission_id",), held_message=message)
