"""What alembic runs for every command; the connection comes from the caller, who owns its
transaction.
"""

from alembic import context

from reviewers.store.tables import METADATA, WORD_INDEX


def _is_ours(name: str | None, kind: str, parents: object) -> bool:
    """The word index and the tables that SQLite keeps behind it are made by hand; others' tables
    are left alone.
    """
    if kind == "table":
        return name in METADATA.tables
    return not (name or "").startswith(WORD_INDEX)


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=context.config.attributes["version_table"],
    include_name=_is_ours,
    compare_type=True,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
