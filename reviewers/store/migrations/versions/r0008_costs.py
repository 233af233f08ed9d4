"""Finds what a reviewer's reviews cost and took without sorting them, and a submission's current
ones without a search.
"""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_index("ix_reviews_submission", "reviews", ["submission", "current"])
    op.create_index("ix_reviews_seconds", "reviews", ["current", "reviewer", "seconds"])
    op.create_index("ix_reviews_cost", "reviews", ["current", "reviewer", "cost_usd"])
