"""Keeps with each finding of a rule what it names of the code."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Json

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("findings", sa.Column("names", Json(), nullable=True))
