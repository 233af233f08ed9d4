"""Keeps what jobs write for people, and what all workers together may ask of a server."""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Hash, Moment

revision = "0029"
down_revision = "0028"


def upgrade() -> None:
    op.create_table(
        "job_files",
        sa.Column("job", sa.Integer(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("job", "part", name=op.f("pk_job_files")),
        sa.ForeignKeyConstraint(["job"], ["jobs.number"], name=op.f("fk_job_files_job")),
    )
    op.create_table(
        "rate_limits",
        sa.Column("lane", Hash, nullable=False),
        sa.Column("closed", Moment()),
        sa.PrimaryKeyConstraint("lane", name=op.f("pk_rate_limits")),
    )
    op.create_table(
        "requests_sent",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("lane", Hash, nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_requests_sent")),
    )
    op.create_index("ix_requests_sent_lane", "requests_sent", ["lane", "at"])
