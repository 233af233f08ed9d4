"""Keeps of a submission what it was derived from, which is a submission itself, and what lay in its
bundle and is not kept.
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("base", sa.Integer(), nullable=True))
    op.add_column("submissions", sa.Column("passed_over", sa.Text(), nullable=True))
    op.create_index("ix_submissions_base", "submissions", ["base"])
