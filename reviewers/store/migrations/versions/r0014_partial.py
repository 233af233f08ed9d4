"""Keeps with a review what it does not cover: rules that stopped, files that are too large."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("reviews", sa.Column("partial", sa.Text(), nullable=True))
