"""Keeps with a review what a run would meet."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Json

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("reviews", sa.Column("dry_run", Json(), nullable=True))
