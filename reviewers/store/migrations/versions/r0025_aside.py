"""Keeps of a submission whether it is set aside."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("aside", sa.Boolean(), nullable=True))
