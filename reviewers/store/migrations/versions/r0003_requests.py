"""Stores the prompt and the request of a model's review, the review that it revises, its cached
tokens, and provider batches.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import Hash, Moment

revision = "0003"
down_revision = "0002"

_SAID = (
    "number, submission, digest, slot, reviewer, verdict, failure, model, text, raw, prompt,"
    " request, revises"
)


def upgrade() -> None:
    op.add_column("reviews", sa.Column("cached_tokens", sa.Integer(), nullable=True))
    op.add_column("reviews", sa.Column("prompt", sa.Text(), nullable=True))
    op.add_column("reviews", sa.Column("request", Hash, nullable=True))
    op.add_column("reviews", sa.Column("revises", Hash, nullable=True))
    op.create_index("ix_reviews_request", "reviews", ["request"])
    op.create_table(
        "batches",
        sa.Column("label", Hash, nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=False),
        sa.Column("server", sa.Text(), nullable=False),
        sa.Column("provider_ids", sa.Text(), nullable=False),
        sa.Column("questions", sa.Text(), nullable=False),
        sa.Column("at", Moment(), nullable=False),
        sa.Column("ended", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("label", name=op.f("pk_batches")),
    )
    # What a review says is never changed; the new columns are part of it.
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER IF EXISTS reviews_refused ON reviews")
        op.execute(
            f"CREATE TRIGGER reviews_refused BEFORE UPDATE OF {_SAID} OR DELETE OR TRUNCATE ON"
            " reviews FOR EACH STATEMENT EXECUTE FUNCTION areachair_refuse()"
        )
    else:
        op.execute("DROP TRIGGER IF EXISTS reviews_update_refused")
        op.execute(
            f"CREATE TRIGGER reviews_update_refused BEFORE UPDATE OF {_SAID} ON reviews"
            " BEGIN SELECT RAISE(ABORT, 'reviews are never changed or deleted'); END"
        )
