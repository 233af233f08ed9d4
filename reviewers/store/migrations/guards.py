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


_OF_SUBMISSION = {
    "decisions": ("submission_id",),
    "rulings": ("submission_id",),
    "own_findings": ("submission_id",),
    "remarks": ("submission_id",),
    "contract_choices": ("submission_id",),
    "readings": ("submission_id",),
    "assignments": ("submission_id",),
    "outcomes": ("submission_id",),
    "relations": ("one", "other"),
}
_REVIEWS = "number, submission, digest, slot, reviewer, verdict, failure, model, text, raw"
_TOLD = (
    "EXISTS (SELECT 1 FROM deletions WHERE deletions.submission_id = {0}.id"
    " AND deletions.imported_at = {0}.imported_at)"
)


def allow_deletion() -> None:
    """Let a submission be deleted with all that was said of it, and only as a whole: once the table
    `deletions` says who does so and why.

    On SQLite the submission goes first, and what was said may go where it is gone: foreign keys
    refuse to end with less. On PostgreSQL, which looks at those at once, it goes last, and the
    record is refused where the submission is there in the end.
    """
    if op.get_bind().dialect.name == "postgresql":
        _allow_on_postgresql()
        return
    names = op.get_bind().exec_driver_sql(
        "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'submissions'"
        " AND name NOT IN ('submissions_update_refused', 'submissions_replace_refused')"
    )
    for name in names.scalars().all():
        op.execute(f'DROP TRIGGER "{name}"')
    untold = f"NOT {_TOLD.format('OLD')}"
    refuse("submissions_delete", f"DELETE ON submissions WHEN {untold}", "it is not said who did")
    kept = {
        table: " AND ".join(
            f"EXISTS (SELECT 1 FROM submissions WHERE id = OLD.{column})" for column in columns
        )
        for table, columns in _OF_SUBMISSION.items()
    }
    kept["reviews"] = "EXISTS (SELECT 1 FROM submissions WHERE number = OLD.submission)"
    for table, condition in kept.items():
        op.execute(f"DROP TRIGGER {table}_delete_refused")
        refuse(
            f"{table}_delete", f"DELETE ON {table} WHEN {condition}", f"{table} are never deleted"
        )


def refuse_but_deletion(table: str) -> None:
    """Make rows of a newer table final, as `allow_deletion` leaves older ones: what was said goes
    with its submission, named by `submission_id`, and in no other way.
    """
    if op.get_bind().dialect.name == "postgresql":
        _refuse_untold(table)
        return
    final = f"{table} are never changed or deleted"
    known = f"EXISTS (SELECT 1 FROM {table} WHERE number = NEW.number)"
    there = "EXISTS (SELECT 1 FROM submissions WHERE id = OLD.submission_id)"
    refuse(f"{table}_update", f"UPDATE ON {table}", final)
    refuse(f"{table}_replace", f"INSERT ON {table} WHEN {known}", final)
    refuse(f"{table}_delete", f"DELETE ON {table} WHEN {there}", final)


def _allow_on_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION areachair_refuse_untold() RETURNS trigger LANGUAGE plpgsql AS $$"
        " DECLARE it jsonb := to_jsonb(OLD); BEGIN"
        "  IF NOT EXISTS (SELECT 1 FROM submissions s WHERE (s.id IN (it->>'submission_id',"
        "    it->>'one', it->>'other', CASE WHEN TG_TABLE_NAME = 'submissions' THEN it->>'id' END)"
        "    OR (TG_TABLE_NAME = 'reviews' AND s.number = (it->>'submission')::int))"
        f"   AND {_TOLD.format('s')})"
        "  THEN RAISE EXCEPTION '% are never deleted', TG_TABLE_NAME; END IF;"
        "  RETURN OLD; END $$"
    )
    op.execute(
        "CREATE FUNCTION areachair_refuse_half() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        "  IF EXISTS (SELECT 1 FROM submissions s WHERE s.id = NEW.submission_id"
        "    AND s.imported_at = NEW.imported_at)"
        "  THEN RAISE EXCEPTION 'a submission is deleted as a whole'; END IF;"
        "  RETURN NULL; END $$"
    )
    op.execute(
        "CREATE CONSTRAINT TRIGGER deletions_whole AFTER INSERT ON deletions DEFERRABLE INITIALLY"
        " DEFERRED FOR EACH ROW EXECUTE FUNCTION areachair_refuse_half()"
    )
    updates = dict.fromkeys(_OF_SUBMISSION, "UPDATE") | {"reviews": f"UPDATE OF {_REVIEWS}"}
    for table, update in updates.items():
        op.execute(f"DROP TRIGGER {table}_refused ON {table}")
        _refuse_untold(table, update)
    _refuse_deletion("submissions")


def _refuse_untold(table: str, update: str = "UPDATE") -> None:
    op.execute(
        f"CREATE TRIGGER {table}_refused BEFORE {update} OR TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION areachair_refuse()"
    )
    _refuse_deletion(table)


def _refuse_deletion(table: str) -> None:
    op.execute(
        f"CREATE TRIGGER {table}_deleted BEFORE DELETE ON {table} FOR EACH ROW"
        " EXECUTE FUNCTION areachair_refuse_untold()"
    )
