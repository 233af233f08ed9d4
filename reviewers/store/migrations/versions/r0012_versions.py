"""Keeps which version of our own code made a review, so that an import need not make it again."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_HASH = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("reviews", sa.Column("version", _HASH, nullable=True))


def downgrade() -> None:
    raise NotImplementedError("the store only moves forward: decisions are never deleted")
