"""Keeps why people decline a repair, and the lines that they wrote in place of those offered."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText, PackedText

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    op.add_column("repair_choices", sa.Column("reason", AnyText()))
    op.add_column("repair_choices", sa.Column("edited", PackedText()))
