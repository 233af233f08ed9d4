"""Packs files and long texts, keeps what attempts say of their research once, and lets a submission
be deleted as a whole, with a record of it.

What is long is packed afterwards, a few rows at a time: see `reviewers.store.upkeep`.
"""

import sqlalchemy as sa
from alembic import op

from reviewers.store.columns import AnyText, Hash, Json, Moment, PackedBytes, fields_bytes
from reviewers.store.migrations.guards import allow_deletion, refuse_changes
from reviewers.store.packing import MARK
from reviewers.store.rows import sha256

revision = "0027"
down_revision = "0026"

_FIELDS = ("hypothesis", "method", "design", "primary_metric", "criteria")
_UPKEEP = ("contents", "answers", "findings", "reviews", "search_texts")
_contents = sa.table("contents", sa.column("sha256", Hash), sa.column("data", PackedBytes()))


def upgrade() -> None:
    op.create_table(
        "upkeep",
        sa.Column("task", sa.String(40), nullable=False),
        sa.Column("after", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("task", name=op.f("pk_upkeep")),
    )
    op.create_table(
        "deletions",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("submission_id", Hash, nullable=False),
        sa.Column("imported_at", Moment(), nullable=False),
        sa.Column("reason", AnyText(), nullable=False),
        sa.Column("author", AnyText(), nullable=False),
        sa.Column("signer", Hash),
        sa.Column("at", Moment(), nullable=False),
        sa.CheckConstraint("author <> ''", name=op.f("ck_deletions_author")),
        sa.CheckConstraint("reason <> ''", name=op.f("ck_deletions_reason")),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_deletions")),
    )
    op.create_index("ix_deletions_submission_id", "deletions", ["submission_id"])
    refuse_changes("deletions")
    allow_deletion()
    # It says of one that is deleted, too, that it changed.
    with op.batch_alter_table("changed_submissions") as batch:
        batch.drop_constraint("fk_changed_submissions_submission", type_="foreignkey")
    _share_contexts()
    for table in ("submission_files", "run_configs", "contexts"):
        op.create_index(f"ix_{table}_content", table, ["content"])
    _begin_packing()


def _share_contexts() -> None:
    connection = op.get_bind()
    columns = (AnyText() if name in _FIELDS[1::2] + _FIELDS[4:] else Json() for name in _FIELDS)
    own = (sa.column(name, kind) for name, kind in zip(_FIELDS, columns, strict=True))
    old = sa.table("contexts", sa.column("submission", sa.Integer()), *own)
    made: dict[int, str] = {}
    known: set[str] = set()
    for row in connection.execute(sa.select(old), execution_options={"yield_per": 500}):
        data = fields_bytes({name: getattr(row, name) for name in _FIELDS})
        made[row.submission] = name = sha256(data)
        its = _contents.c.sha256 == name
        if name not in known and not connection.scalar(sa.select(_contents.c.sha256).where(its)):
            connection.execute(sa.insert(_contents).values(sha256=name, data=data))
        known.add(name)
    op.drop_table("contexts")
    new = op.create_table(
        "contexts",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("content", Hash, nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.number"], name=op.f("fk_contexts_submission")
        ),
        sa.ForeignKeyConstraint(["content"], ["contents.sha256"], name=op.f("fk_contexts_content")),
        sa.PrimaryKeyConstraint("submission", name=op.f("pk_contexts")),
    )
    op.bulk_insert(new, [{"submission": of, "content": name} for of, name in made.items()])


def _begin_packing() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql":
        # Nothing changes words in place; the others see them as they are written.
        op.execute("DROP TRIGGER search_texts_changed")
        for name, when, row, what in (
            ("added", "INSERT", "NEW", "(rowid, words) VALUES ("),
            ("removed", "DELETE", "OLD", "(search_index, rowid, words) VALUES ('delete', "),
        ):
            op.execute(f"DROP TRIGGER search_texts_{name}")
            op.execute(
                f"CREATE TRIGGER search_texts_{name} AFTER {when} ON search_texts BEGIN INSERT INTO"
                f" search_index{what}{row}.submission, areachair_plain({row}.words)); END"
            )
    # What happens to begin as what is packed does.
    begins = sa.func.substr(_contents.c.data, 1, len(MARK))
    is_old = sa.type_coerce(begins, sa.LargeBinary) == sa.literal(MARK, sa.LargeBinary)
    raw = sa.select(_contents.c.sha256, sa.type_coerce(_contents.c.data, sa.LargeBinary))
    for name, data in connection.execute(raw.where(is_old)).all():
        if sha256(data) == name:
            its = sa.update(_contents).where(_contents.c.sha256 == name)
            connection.execute(its.values(data=data))
    if connection.scalar(sa.select(_contents.c.sha256).limit(1)) is not None:
        tasks = _UPKEEP[:1] if connection.dialect.name == "postgresql" else _UPKEEP
        upkeep = sa.table("upkeep", sa.column("task"), sa.column("after"))
        op.bulk_insert(upkeep, [{"task": task, "after": ""} for task in tasks])
