"""Keeps the findings of persons and their remarks on findings, and derives a row for each review
that counts.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Hash, Moment
from reviewers.store.migrations.guards import refuse_changes, refuse_twice

revision = "0005"
down_revision = "0004"

_COUNTS = ("confirmed", "refuted", "unverified", "blockers")


def upgrade() -> None:
    _make_said(
        "own_findings",
        _text("id", nullable=False),
        _text("category", nullable=False),
        sa.Column("severity", sa.String(20), nullable=False),
        sa.Column("criterion", sa.Integer()),
        sa.Column("line", sa.Integer()),
        sa.Column("end_line", sa.Integer()),
        _text("file", nullable=False),
        _text("message", nullable=False),
        sa.CheckConstraint(
            "severity IN ('blocker', 'major', 'minor')", name=op.f("ck_own_findings_severity")
        ),
        sa.CheckConstraint("message <> ''", name=op.f("ck_own_findings_message")),
        sa.UniqueConstraint("submission_id", "id", name=op.f("uq_own_findings_submission_id")),
    )
    _make_said(
        "remarks",
        _text("finding_id", nullable=False),
        sa.Column("severity", sa.String(20)),
        _text("comment", nullable=False),
        sa.CheckConstraint(
            "severity IN ('blocker', 'major', 'minor')", name=op.f("ck_remarks_severity")
        ),
        sa.CheckConstraint(
            "severity IS NOT NULL OR comment <> ''", name=op.f("ck_remarks_comment")
        ),
    )
    op.create_index("ix_remarks_submission_id", "remarks", ["submission_id"])
    _make_chips()
    for table in ("own_findings", "remarks"):
        refuse_changes(table, submission_in=("submission_id",))
    refuse_twice("own_findings", ("submission_id", "id"))


def _text(name: str, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _make_said(table: str, *own: sa.Column[Any] | sa.CheckConstraint | sa.UniqueConstraint) -> None:
    op.create_table(
        table,
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", Hash, nullable=False),
        _text("author", nullable=False),
        sa.Column("at", Moment(), nullable=False),
        *own,
        sa.PrimaryKeyConstraint("number", name=op.f(f"pk_{table}")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f(f"fk_{table}_submission_id")
        ),
        sa.CheckConstraint("author <> ''", name=op.f(f"ck_{table}_author")),
    )


def _make_chips() -> None:
    op.create_table(
        "chips",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        _text("reviewer", nullable=False),
        _text("model"),
        sa.Column("verdict", sa.String(20)),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in _COUNTS),
        sa.Column("missed", sa.Integer()),
        sa.PrimaryKeyConstraint("submission", "position", name=op.f("pk_chips")),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_chips_submission")
        ),
    )
    op.create_index(
        "ix_chips_reviewer", "chips", ["reviewer", "verdict", "submission", *_COUNTS, "missed"]
    )
