"""Keeps who looks after a submission, and what persons arrange for themselves at the desk."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText, Hash, Json, Moment
from reviewers.store.migrations.guards import refuse_changes

revision = "0024"
down_revision = "0023"

_TABLE = "assignments"
_FLAGS = ("decided", "disagree", "contradicted", "refuted", "decision", "assigned")
_SORTED_BY = ("dated_at", "sort_name", "blockers", "claims_refuted", "known_missed")


def upgrade() -> None:
    op.create_table(
        _TABLE,
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", Hash, nullable=False),
        sa.Column("assignee", AnyText()),
        sa.Column("assigned", Hash),
        sa.Column("author", AnyText(), nullable=False),
        sa.Column("signer", Hash),
        sa.Column("at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f(f"pk_{_TABLE}")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f(f"fk_{_TABLE}_submission_id")
        ),
        sa.CheckConstraint("author <> ''", name=op.f(f"ck_{_TABLE}_author")),
        sa.CheckConstraint(
            "(assignee IS NULL) = (assigned IS NULL)", name=op.f(f"ck_{_TABLE}_assigned")
        ),
    )
    op.create_index(f"ix_{_TABLE}_submission_id", _TABLE, ["submission_id"])
    message = "assignments are never changed or deleted"
    refuse_changes(_TABLE, message=message, submission_in=("submission_id",), held_message=message)
    op.create_table(
        "desk_choices",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("owner", Hash, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("name", AnyText(), nullable=False),
        sa.Column("value", Json(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_desk_choices")),
        sa.UniqueConstraint("owner", "kind", "name", name=op.f("uq_desk_choices_owner")),
    )
    for name, kind in (("assigned", Hash), ("assigned_by", Hash), ("assigned_at", Moment())):
        op.add_column("standings", sa.Column(name, kind, nullable=True))
    _index()


def _index() -> None:
    """Let each order be filtered by its assignee without reading the rows."""
    orders: dict[str, list[Any]] = {
        f"ix_standings_by_{name}": [name, "submission"] for name in _SORTED_BY
    }
    falling = [sa.text("rank DESC"), sa.text("dated_at DESC")]
    orders["ix_standings_order"] = [*falling, "sort_name", "submission"]
    orders["ix_standings_views"] = ["version"]
    for name, columns in orders.items():
        op.drop_index(name, "standings")
        op.create_index(name, "standings", [*columns, *_FLAGS])
