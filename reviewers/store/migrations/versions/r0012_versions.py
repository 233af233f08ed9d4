"""Keeps which version of our own code made a review, so that an import need not make it again."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Hash

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("reviews", sa.Column("version", Hash, nullable=True))
