"""Keeps how claims are read, and with each finding its parts and what the code says to it as
read.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText, Hash, Json, Moment
from reviewers.store.migrations.guards import refuse_changes

revision = "0020"
down_revision = "0019"


_TABLE = "readings"


def upgrade() -> None:
    op.add_column("findings", sa.Column("parts", Json(), nullable=True))
    op.add_column("findings", sa.Column("as_read", Json(), nullable=True))
    op.add_column("findings", sa.Column("read_result", sa.String(20), nullable=True))
    op.create_table(
        _TABLE,
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", Hash, nullable=False),
        sa.Column("claim", AnyText(), nullable=False),
        sa.Column("vocabulary", Hash, nullable=False),
        sa.Column("reader", AnyText(), nullable=False),
        sa.Column("proposition", Json()),
        sa.Column("why_not", AnyText(), nullable=False),
        sa.Column("leftover", Json()),
        sa.Column("author", AnyText()),
        sa.Column("signer", Hash),
        sa.Column("at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f(f"pk_{_TABLE}")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f(f"fk_{_TABLE}_submission_id")
        ),
        sa.CheckConstraint("author <> ''", name=op.f(f"ck_{_TABLE}_author")),
        sa.CheckConstraint("reader <> ''", name=op.f(f"ck_{_TABLE}_reader")),
    )
    op.create_index(f"ix_{_TABLE}_submission_id", _TABLE, ["submission_id"])
    message = "how a claim was read is never changed or deleted"
    refuse_changes(_TABLE, message=message, submission_in=("submission_id",), held_message=message)
