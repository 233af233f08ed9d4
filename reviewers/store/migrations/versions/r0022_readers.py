"""Counts the results of claims by reader, and keeps under which category a person files a
finding.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText

revision = "0022"
down_revision = "0021"

_TABLE = "reader_tallies"
_COUNTS = ("asked", "confirmed", "refuted", "unverified", "reread", "ruled_out", "two_ways")


def upgrade() -> None:
    op.add_column("remarks", sa.Column("category", AnyText(), nullable=True))
    op.create_table(
        _TABLE,
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("reader", AnyText(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in _COUNTS),
        sa.PrimaryKeyConstraint("submission", "reader", name=op.f(f"pk_{_TABLE}")),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f(f"fk_{_TABLE}_submission")
        ),
    )
    op.create_index(f"ix_{_TABLE}_reader", _TABLE, ["reader", *_COUNTS, "submission"])
