"""Keeps the counts of the whole store, and what each submission adds to them: with its standing,
which is worked out again after this.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Hash, Json, PackedJson

revision = "0031"
down_revision = "0030"

_REFUTED = ["submission", "category", "criterion", "reviewer"]
_ASSIGNED = ["assigned", "decided", "submission"]


def upgrade() -> None:
    op.create_table(
        "rollup_parts",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("told", PackedJson(), nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_rollup_parts_submission")
        ),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_rollup_parts")),
    )
    op.create_table(
        "rollups",
        sa.Column("id", Hash, nullable=False),
        sa.Column("what", sa.String(20), nullable=False),
        sa.Column("key", Json(), nullable=False),
        *(sa.Column(f"n{place}", sa.BigInteger(), nullable=False) for place in range(1, 8)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rollups")),
    )
    op.create_index("ix_rollups_what", "rollups", ["what"])
    # What pages ask for, in the order in which they ask for it.
    op.drop_index("ix_attempts_first", table_name="attempts")
    op.create_index("ix_attempts_first", "attempts", ["first", "number", "submission"])
    op.create_index(
        "ix_decisions_signer", "decisions", ["signer", "submission_id", "number", "verdict"]
    )
    _only("ix_tallies_refuted", "tallies", _REFUTED, "refuted > 0")
    _only("ix_standings_assigned", "standings", _ASSIGNED, "assigned IS NOT NULL")


def _only(name: str, table: str, columns: list[str], which: str) -> None:
    where = sa.text(which)
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)
