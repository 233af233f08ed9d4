"""Keeps what workers are to do, and what it may cost."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText, Hash, Json, Moment
from reviewers.store.tables import LIVE

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    op.create_table(
        "works",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("by", AnyText(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        *(sa.Column(name, sa.BigInteger()) for name in ("most_pico", "most_tokens")),
        *_amounts("spent_pico", "spent_tokens", "held_pico", "held_tokens"),
        sa.Column("put_away", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_works")),
    )
    op.create_table(
        "jobs",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("work", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(20), nullable=False),
        sa.Column("submission_id", Hash),
        sa.Column("reviewer", AnyText()),
        sa.Column("about", AnyText(), nullable=False),
        sa.Column("arguments", Json(), nullable=False),
        sa.Column("data", sa.LargeBinary()),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("deaths", sa.Integer(), nullable=False),
        sa.Column("worker", AnyText()),
        *(sa.Column(name, Moment()) for name in ("lease", "begun", "ended")),
        *(sa.Column(name, AnyText(), nullable=False) for name in ("progress", "problem")),
        *_amounts("spent_pico", "held_pico", "held_tokens"),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_jobs")),
        sa.ForeignKeyConstraint(["work"], ["works.number"], name=op.f("fk_jobs_work")),
    )
    op.create_index("ix_jobs_work", "jobs", ["work", "state"])
    op.create_index("ix_jobs_state", "jobs", ["state", "number"])
    op.create_index("ix_jobs_submission_id", "jobs", ["submission_id"])
    op.create_index("ix_jobs_lease", "jobs", ["lease"])
    op.create_index("ix_jobs_ended", "jobs", ["ended"])
    where = sa.text(LIVE)
    op.create_index(
        "uq_jobs_live",
        "jobs",
        ["submission_id", "reviewer"],
        unique=True,
        sqlite_where=where,
        postgresql_where=where,
    )


def _amounts(*names: str) -> list[sa.Column[int]]:
    return [sa.Column(name, sa.BigInteger(), nullable=False) for name in names]
