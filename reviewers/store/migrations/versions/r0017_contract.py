"""Keeps the contract that came with a submission, or that the command line named."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText

revision = "0017"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("submissions", sa.Column("contract_source", sa.String(20), nullable=True))
    op.add_column("submissions", sa.Column("contract_text", AnyText(), nullable=True))


def downgrade() -> None:
    raise NotImplementedError("the store only moves forward: decisions are never deleted")
