"""Keeps who is signed in, so that a session can be ended before its cookie is gone."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_HASH = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
_MOMENT = sa.BigInteger().with_variant(sa.TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "login_sessions",
        sa.Column("id", _HASH, nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("issuer", "subject", "name")),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("began", _MOMENT, nullable=False),
        sa.Column("until", _MOMENT, nullable=False),
        sa.Column("ended", _MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_login_sessions")),
    )


def downgrade() -> None:
    raise NotImplementedError("the store only moves forward: decisions are never deleted")
