"""Keeps whether a person decided or ruled before seeing what others say; of older records nobody
knows.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    for table in ("decisions", "rulings"):
        op.add_column(table, sa.Column("blind", sa.Boolean(), nullable=True))
