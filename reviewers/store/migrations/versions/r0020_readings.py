"""Keeps how claims are read, and with each finding its parts and what the code says to it as
read.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText, Json, Moment

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


_HASH = sa.String(64).with_variant(sa.String(64, collation="C"), "postgresql")
_TABLE = "readings"


def upgrade() -> None:
    op.add_column("findings", sa.Column("parts", Json(), nullable=True))
    op.add_column("findings", sa.Column("as_read", Json(), nullable=True))
    op.add_column("findings", sa.Column("read_result", sa.String(20), nullable=True))
    op.create_table(
        _TABLE,
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", _HASH, nullable=False),
        sa.Column("claim", AnyText(), nullable=False),
        sa.Column("vocabulary", _HASH, nullable=False),
        sa.Column("reader", AnyText(), nullable=False),
        sa.Column("proposition", Json()),
        sa.Column("why_not", AnyText(), nullable=False),
        sa.Column("leftover", Json()),
        sa.Column("author", AnyText()),
        sa.Column("signer", _HASH),
        sa.Column("at", Moment(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f(f"pk_{_TABLE}")),
        sa.ForeignKeyConstraint(
            ["submission_id"], ["submissions.id"], name=op.f(f"fk_{_TABLE}_submission_id")
        ),
        sa.CheckConstraint("author <> ''", name=op.f(f"ck_{_TABLE}_author")),
        sa.CheckConstraint("reader <> ''", name=op.f(f"ck_{_TABLE}_reader")),
    )
    op.create_index(f"ix_{_TABLE}_submission_id", _TABLE, ["submission_id"])
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE TRIGGER {_TABLE}_refused BEFORE UPDATE OR DELETE OR TRUNCATE ON {_TABLE}"
            " FOR EACH STATEMENT EXECUTE FUNCTION areachair_refuse()"
        )
    else:
        _guard_sqlite()


def _guard_sqlite() -> None:
    held = f"EXISTS (SELECT 1 FROM {_TABLE} WHERE submission_id = OLD.id)"
    guards = {
        f"{_TABLE}_update": f"UPDATE ON {_TABLE}",
        f"{_TABLE}_delete": f"DELETE ON {_TABLE}",
        # INSERT OR REPLACE deletes without firing the delete trigger.
        f"{_TABLE}_replace": (
            f"INSERT ON {_TABLE} WHEN EXISTS (SELECT 1 FROM {_TABLE} WHERE number = NEW.number)"
        ),
        f"submissions_{_TABLE}": f"DELETE ON submissions WHEN {held}",
    }
    for name, event in guards.items():
        op.execute(
            f"CREATE TRIGGER {name}_refused BEFORE {event}"
            " BEGIN SELECT RAISE(ABORT, 'how a claim was read is never changed or deleted'); END"
        )


def downgrade() -> None:
    raise NotImplementedError("the store only moves forward: decisions are never deleted")
