"""Keeps the findings of persons and their remarks on findings, and derives a row for each review
that counts.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_HASH = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
_MOMENT = sa.BigInteger().with_variant(sa.TIMESTAMP(timezone=True), "postgresql")
_GUARDED = ("own_findings", "remarks")
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
    if op.get_bind().dialect.name == "postgresql":
        for table in _GUARDED:
            op.execute(
                f"CREATE TRIGGER {table}_refused BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}"
                " FOR EACH STATEMENT EXECUTE FUNCTION areachair_refuse()"
            )
    else:
        _guard_sqlite()


def downgrade() -> None:
    raise NotImplementedError("the store only moves forward: decisions are never deleted")


def _text(name: str, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _make_said(table: str, *own: sa.Column[Any] | sa.CheckConstraint | sa.UniqueConstraint) -> None:
    op.create_table(
        table,
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", _HASH, nullable=False),
        _text("author", nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
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


def _guard_sqlite() -> None:
    for table in _GUARDED:
        guards = {
            "update": f"UPDATE ON {table}",
            "delete": f"DELETE ON {table}",
            # INSERT OR REPLACE deletes without firing the delete trigger.
            "replace": (
                f"INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE number = NEW.number)"
            ),
        }
        for name, event in guards.items():
            _refuse(f"{table}_{name}", event, f"{table} are never changed or deleted")
        held = f"EXISTS (SELECT 1 FROM {table} WHERE submission_id = OLD.id)"
        _refuse(
            f"submissions_{table}",
            f"DELETE ON submissions WHEN {held}",
            "what was decided on is never deleted",
        )
    same = (
        "EXISTS (SELECT 1 FROM own_findings WHERE submission_id = NEW.submission_id AND id ="
        " NEW.id)"
    )
    _refuse("own_findings_twice", f"INSERT ON own_findings WHEN {same}", "it is kept already")


def _refuse(name: str, event: str, message: str) -> None:
    op.execute(
        f"CREATE TRIGGER {name}_refused BEFORE {event} BEGIN SELECT RAISE(ABORT, '{message}'); END"
    )
