"""Keeps with each finding of a rule what it says as a proposition."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("findings", sa.Column("says", AnyText(), nullable=True))
