"""Keeps which submissions are attempts at one experiment, where in a repository they were, and the
outcomes of real runs.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Hash, Moment
from reviewers.store.migrations.guards import refuse_changes, refuse_twice

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("submissions", sa.Column("likeness", Hash, nullable=True))
    op.create_index("ix_submissions_likeness", "submissions", ["likeness"])
    _make_relations()
    _make_outcomes()
    _make_commits()
    _make_attempts()
    refuse_changes("relations", submission_in=("one", "other"))
    refuse_changes("outcomes", submission_in=("submission_id",))
    refuse_twice("outcomes", ("submission_id", "digest", "stage", "source"))


def _text(name: str, nullable: bool = True) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _make_relations() -> None:
    op.create_table(
        "relations",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("one", Hash, nullable=False),
        sa.Column("other", Hash, nullable=False),
        sa.Column("together", sa.Boolean(), nullable=False),
        _text("reason", nullable=False),
        _text("author", nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_relations")),
        sa.ForeignKeyConstraint(["one"], ["submissions.id"], name=op.f("fk_relations_one")),
        sa.ForeignKeyConstraint(["other"], ["submissions.id"], name=op.f("fk_relations_other")),
        sa.CheckConstraint("one <> other", name=op.f("ck_relations_other")),
        sa.CheckConstraint("reason <> ''", name=op.f("ck_relations_reason")),
        sa.CheckConstraint("author <> ''", name=op.f("ck_relations_author")),
    )
    op.create_index("ix_relations_one", "relations", ["one"])
    op.create_index("ix_relations_other", "relations", ["other"])


def _make_outcomes() -> None:
    op.create_table(
        "outcomes",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", Hash, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("stage", sa.String(20), nullable=False),
        _text("source", nullable=False),
        sa.Column("exit_code", sa.Integer()),
        sa.Column("at", Moment(), nullable=False),
        _text("error"),
        _text("message"),
        sa.Column("form", sa.String(20)),
        _text("category"),
        _text("spans", nullable=False),
        _text("excerpt", nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_outcomes")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f("fk_outcomes_submission_id")
        ),
        sa.UniqueConstraint(
            "submission_id", "digest", "stage", "source", name=op.f("uq_outcomes_submission_id")
        ),
    )


def _make_commits() -> None:
    op.create_table(
        "commits",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("commit", Hash, nullable=False),
        sa.Column("at", Moment()),
        _text("repository", nullable=False),
        _text("message", nullable=False),
        _text("branches", nullable=False),
        sa.PrimaryKeyConstraint("submission", "commit", name=op.f("pk_commits")),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_commits_submission")
        ),
    )


def _make_attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("first", Hash, nullable=False),
        _text("lineage", nullable=False),
        _text("called", nullable=False),
        sa.Column("order_by", sa.String(20), nullable=False),
        sa.Column("why", sa.String(20)),
        sa.Column("score", sa.Float()),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_attempts")),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_attempts_submission")
        ),
    )
    op.create_index("ix_attempts_first", "attempts", ["first"])
    op.create_index("ix_attempts_called", "attempts", ["called"])
    op.create_index("ix_attempts_lineage", "attempts", ["lineage", "submission", "number"])
