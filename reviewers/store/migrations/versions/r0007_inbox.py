"""Keeps what the inbox can be sorted by, each with an index."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_COUNTS = ("blockers", "claims_refuted", "known_missed")
_SORTED_BY = ("imported_at", "sort_name", *_COUNTS)
_FLAGS = ("decided", "disagree", "contradicted", "refuted", "decision")


def upgrade() -> None:
    for name in _COUNTS:
        op.add_column(
            "standings", sa.Column(name, sa.Integer(), nullable=False, server_default="0")
        )
    for name in _SORTED_BY:
        op.create_index(f"ix_standings_by_{name}", "standings", [name, "submission", *_FLAGS])
    # Worked out anew when the store is opened: these counts, and the words of the code.
    op.execute("UPDATE standings SET version = 0")
