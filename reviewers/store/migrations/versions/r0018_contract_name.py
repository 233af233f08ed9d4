"""Keeps the name of the contract by which each submission is judged, to be asked for."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("contract", AnyText(), nullable=True))
    op.create_index("ix_submissions_contract", "submissions", ["contract"])
