"""Keeps every place that a claim may mean, not only the best one."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("findings", sa.Column("places", sa.Text(), nullable=True))


def downgrade() -> None:
    raise NotImplementedError("the store only moves forward: decisions are never deleted")
