"""Triggers by which the database refuses to change or delete what was said.

Foreign keys hold only where a SQLite connection switches them on; these hold on every connection.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, text

# What a review says; which one of a reviewer is the current one may change.
_SAID = (
    "number, submission, digest, slot, reviewer, verdict, failure, model, text, raw, prompt,"
    " request, revises"
)
_CHOSEN = "what a person chose is never changed or deleted"
_READ = "how a claim was read is never changed or deleted"


@dataclass(frozen=True, slots=True)
class _Final:
    """A table whose rows are final.

    Attributes:
        update: the updates that are refused, such as `UPDATE OF text`.
        message: of the refusal on SQLite; empty for the usual one.
        held_by: columns that hold the id of a submission, which may not be deleted then;
            PostgreSQL's foreign keys see to that by themselves.
        once: columns that no two rows have alike; SQLite only, where INSERT OR REPLACE would take
            the new row in place of the old one.
    """

    table: str
    update: str = "UPDATE"
    message: str = ""
    held_by: Sequence[str] = ("submission_id",)
    once: Sequence[str] = ()


_FINAL = (
    _Final("reviews", f"UPDATE OF {_SAID}", held_by=()),
    _Final("decisions"),
    _Final("rulings"),
    _Final("own_findings", once=("submission_id", "id")),
    _Final("remarks"),
    _Final("contract_choices", message=_CHOSEN),
    _Final("readings", message=_READ),
    _Final("relations", held_by=("one", "other")),
    _Final("outcomes", once=("submission_id", "digest", "stage", "source")),
    _Final("authors", held_by=()),
)


def guard(connection: Connection) -> None:
    """Make every trigger anew."""
    if connection.dialect.name == "postgresql":
        _guard_postgresql(connection)
        return
    asked = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    for name in connection.scalars(text(asked)).all():
        if name.endswith("_refused"):
            connection.execute(text(f"DROP TRIGGER {name}"))
    never = "submissions are never changed"
    kept = "EXISTS (SELECT 1 FROM submissions WHERE id = NEW.id OR number = NEW.number)"
    _refuse(connection, "submissions_update", "UPDATE OF number, id ON submissions", never)
    _refuse(connection, "submissions_replace", f"INSERT ON submissions WHEN {kept}", never)
    for each in _FINAL:
        _guard_sqlite(connection, each)


def _guard_postgresql(connection: Connection) -> None:
    connection.execute(
        text(
            "CREATE OR REPLACE FUNCTION areachair_refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION '% are never changed or deleted', TG_TABLE_NAME; END $$"
        )
    )
    for each in _FINAL:
        name = f"{each.table}_refused"
        connection.execute(text(f"DROP TRIGGER IF EXISTS {name} ON {each.table}"))
        connection.execute(
            text(
                f"CREATE TRIGGER {name} BEFORE {each.update} OR DELETE OR TRUNCATE ON {each.table}"
                " FOR EACH STATEMENT EXECUTE FUNCTION areachair_refuse()"
            )
        )


def _guard_sqlite(connection: Connection, final: _Final) -> None:
    table = final.table
    message = final.message or f"{table} are never changed or deleted"
    known = f"EXISTS (SELECT 1 FROM {table} WHERE number = NEW.number)"
    _refuse(connection, f"{table}_update", f"{final.update} ON {table}", message)
    _refuse(connection, f"{table}_delete", f"DELETE ON {table}", message)
    # INSERT OR REPLACE deletes without firing the delete trigger.
    _refuse(connection, f"{table}_replace", f"INSERT ON {table} WHEN {known}", message)
    if final.held_by:
        held = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table} WHERE {column} = OLD.id)" for column in final.held_by
        )
        held_message = final.message or "what was decided on is never deleted"
        _refuse(
            connection, f"submissions_{table}", f"DELETE ON submissions WHEN {held}", held_message
        )
    if final.once:
        same = " AND ".join(f"{name} = NEW.{name}" for name in final.once)
        twice = f"EXISTS (SELECT 1 FROM {table} WHERE {same})"
        _refuse(
            connection, f"{table}_twice", f"INSERT ON {table} WHEN {twice}", "it is kept already"
        )


def _refuse(connection: Connection, name: str, event: str, message: str) -> None:
    connection.execute(
        text(
            f"CREATE TRIGGER {name}_refused BEFORE {event}"
            f" BEGIN SELECT RAISE(ABORT, '{message}'); END"
        )
    )
