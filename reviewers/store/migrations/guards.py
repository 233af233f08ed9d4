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


_FINAL = {
    "submissions": (
        *("number", "id", "imported_at", "attempt", "name", "source", "lineage", "passed_over"),
        *("contract_source", "contract_text"),
    ),
    "contents": ("sha256",),
    "contexts": ("submission", "content"),
    "submission_files": ("submission", "position", "content", "path", "repaired"),
    "run_configs": (
        *("submission", "position", "content", "run_id", "path", "repaired"),
        *("method", "model", "dataset"),
    ),
    "answers": ("number", "submission", "digest", "verdict", "model", "failure"),
    "reviews": (
        *(*_REVIEWS.split(", "), "seconds", "input_tokens", "output_tokens", "cached_tokens"),
        *("cost_usd", "prompt", "request", "revises", "partial"),
    ),
    "findings": (
        *("review", "position", "id", "category", "severity", "result", "criterion", "line"),
        *("end_line", "evidence_line", "evidence_end_line", "claim_start", "claim_end", "rule"),
        *("misreading", "file", "evidence_file", "message", "claim", "evidence"),
    ),
    "commits": ("submission", "commit", "at", "repository", "message", "branches"),
}
"""The columns that are never changed once written; the others follow from later records."""
_FILLED = "generator", "base"
"""Columns of submissions that are only ever filled in."""
_PACKED = {
    "contents": ("data",),
    "answers": ("text", "raw"),
    "findings": ("places", "parts", "says", "names"),
}
"""The columns that change only while `upkeep` packs what an older areachair kept."""
_KEYS = {
    "contents": ("sha256",),
    "contexts": ("submission",),
    "submission_files": ("submission, position",),
    "run_configs": ("submission, position",),
    "answers": ("number", "submission, digest"),
    "reviews": ("submission, digest",),
    "findings": ("review, position",),
    "commits": ("submission, commit",),
}
_HOLDERS = "submission_files", "run_configs", "contexts"


def keep_submissions_whole() -> None:
    """Make final what is kept of a submission, its files, answers, reviews and findings: nothing of
    it is changed, and deleted only with all of the submission.
    """
    if op.get_bind().dialect.name == "postgresql":
        _keep_whole_on_postgresql()
        return
    for table, columns in _FINAL.items():
        refuse(f"{table}_final", f"UPDATE OF {_listed(columns)} ON {table}", _never(table))
    filled = " OR ".join(
        f"OLD.{name} IS NOT NULL AND NEW.{name} IS NOT OLD.{name}" for name in _FILLED
    )
    event = f"UPDATE OF {_listed(_FILLED)} ON submissions WHEN {filled}"
    refuse("submissions_filled", event, _never("submissions"))
    for table, columns in _PACKED.items():
        when = f"NOT EXISTS (SELECT 1 FROM upkeep WHERE task = '{table}')"
        event = f"UPDATE OF {_listed(columns)} ON {table} WHEN {when}"
        refuse(f"{table}_packed", event, _never(table))
    for table, keys in _KEYS.items():
        # INSERT OR REPLACE deletes without firing the delete trigger.
        same = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table} WHERE {_equal(key.split(', '))})" for key in keys
        )
        refuse(f"{table}_again", f"INSERT ON {table} WHEN {same}", _never(table))
    held = dict.fromkeys(_KEYS, "EXISTS (SELECT 1 FROM submissions WHERE number = OLD.submission)")
    held["findings"] = "EXISTS (SELECT 1 FROM reviews WHERE number = OLD.review)"
    held["contents"] = " OR ".join(
        f"EXISTS (SELECT 1 FROM {each} WHERE content = OLD.sha256)" for each in _HOLDERS
    )
    del held["reviews"]  # guarded since r0027
    for table, condition in held.items():
        refuse(f"{table}_gone", f"DELETE ON {table} WHEN {condition}", f"{table} are never deleted")


def _keep_whole_on_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION areachair_refuse_unpacked() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        "  IF NOT EXISTS (SELECT 1 FROM upkeep WHERE task = TG_TABLE_NAME)"
        "  THEN RAISE EXCEPTION '% are never changed or deleted', TG_TABLE_NAME; END IF;"
        "  RETURN NULL; END $$"
    )
    op.execute(
        "CREATE FUNCTION areachair_refuse_part() RETURNS trigger LANGUAGE plpgsql AS $$"
        " DECLARE it jsonb := to_jsonb(OLD); whose int; BEGIN"
        "  IF TG_TABLE_NAME = 'findings'"
        "  THEN SELECT submission INTO whose FROM reviews WHERE number = (it->>'review')::int;"
        "  ELSE whose := (it->>'submission')::int; END IF;"
        "  IF NOT EXISTS (SELECT 1 FROM submissions s WHERE s.number = whose"
        f"    AND {_TOLD.format('s')})"
        "  THEN RAISE EXCEPTION '% are never deleted', TG_TABLE_NAME; END IF;"
        "  RETURN OLD; END $$"
    )
    for table, columns in _FINAL.items():
        op.execute(
            f"CREATE TRIGGER {table}_final BEFORE UPDATE OF {_listed(columns)} OR TRUNCATE"
            f" ON {table} FOR EACH STATEMENT EXECUTE FUNCTION areachair_refuse()"
        )
    changed = _filled_anew("IS DISTINCT FROM")
    op.execute(
        f"CREATE TRIGGER submissions_filled BEFORE UPDATE OF {_listed(_FILLED)} ON submissions"
        f" FOR EACH ROW WHEN ({changed}) EXECUTE FUNCTION areachair_refuse()"
    )
    for table, columns in _PACKED.items():
        op.execute(
            f"CREATE TRIGGER {table}_packed BEFORE UPDATE OF {_listed(columns)} ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION areachair_refuse_unpacked()"
        )
    # What holds contents, foreign keys see to; submissions and reviews are guarded since r0027.
    for table in _KEYS.keys() - {"contents", "reviews"}:
        op.execute(
            f"CREATE TRIGGER {table}_deleted BEFORE DELETE ON {table} FOR EACH ROW"
            " EXECUTE FUNCTION areachair_refuse_part()"
        )


def _filled_anew(differs: str) -> str:
    return " OR ".join(
        f"OLD.{name} IS NOT NULL AND NEW.{name} {differs} OLD.{name}" for name in _FILLED
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _equal(names: Sequence[str]) -> str:
    return " AND ".join(f'"{name}" = NEW."{name}"' for name in names)


def _never(table: str) -> str:
    return f"{table} are never changed or deleted"
