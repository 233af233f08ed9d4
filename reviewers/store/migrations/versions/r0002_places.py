"""Keeps every place that a claim may mean, not only the best one."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("findings", sa.Column("places", sa.Text(), nullable=True))
