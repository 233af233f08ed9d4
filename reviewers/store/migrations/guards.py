"""Triggers by which the database refuses to change or delete what was said.

Foreign keys hold only where a SQLite connection switches them on; these hold on every connection.
"""

from collections.abc import Sequence

from alembic import op


def refuse_changes(
    table: str,
    *,
    update: str = "UPDATE",
    message: str = "",
    submission_in: Sequence[str] = (),
    held_message: str = "what was decided on is never deleted",
) -> None:
    """Make rows of a table final.

    Args:
        update: the updates that are refused, such as `UPDATE OF text`.
        message: of the refusal on SQLite.
        submission_in: columns that hold the id of a submission, which may not be deleted then;
            PostgreSQL's foreign keys see to that by themselves.
    """
    message = message or f"{table} are never changed or deleted"
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE TRIGGER {table}_refused BEFORE {update} OR DELETE OR TRUNCATE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION areachair_refuse()"
        )
        return
    known = f"EXISTS (SELECT 1 FROM {table} WHERE number = NEW.number)"
    refuse(f"{table}_update", f"{update} ON {table}", message)
    refuse(f"{table}_delete", f"DELETE ON {table}", message)
    # INSERT OR REPLACE deletes without firing the delete trigger.
    refuse(f"{table}_replace", f"INSERT ON {table} WHEN {known}", message)
    if submission_in:
        held = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table} WHERE {column} = OLD.id)" for column in submission_in
        )
        refuse(f"submissions_{table}", f"DELETE ON submissions WHEN {held}", held_message)


def refuse_twice(table: str, columns: Sequence[str]) -> None:
    """Refuse a row of which the store has one with the same values; SQLite only, where INSERT OR
    REPLACE would take it in its place.
    """
    if op.get_bind().dialect.name != "postgresql":
        same = " AND ".join(f"{name} = NEW.{name}" for name in columns)
        kept = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"
        refuse(f"{table}_twice", f"INSERT ON {table} WHEN {kept}", "it is kept already")


def refuse(name: str, event: str, message: str) -> None:
    """Make one trigger on SQLite."""
    op.execute(
        f"CREATE TRIGGER {name}_refused BEFORE {event} BEGIN SELECT RAISE(ABORT, '{message}'); END"
    )
