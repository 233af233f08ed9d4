"""Plain functions that make what the store keeps, and look at a database behind the store's
back.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import psycopg
from sqlalchemy import Engine, event, make_url

from reviewers.records import (
    Check,
    FactCheck,
    Finding,
    ResearchContext,
    Review,
    RunConfig,
    Severity,
    SourceFile,
    Span,
    Submission,
    Verdict,
)
from reviewers.store.columns import plain
from reviewers.store.packing import unpacked
from reviewers.store.tables import METADATA

_numbers = count()

READY, NOT_READY = Verdict.READY, Verdict.NOT_READY

DERIVED = (
    "standings",
    "chips",
    "tallies",
    "reader_tallies",
    "fates",
    "groupings",
    "search_texts",
    "attempts",
    "rollup_parts",
)
KEPT = (
    "submissions", "contexts", "contents", "submission_files", "run_configs", "answers", "reviews",
    "findings", "decisions", "rulings", "own_findings", "remarks", "contract_choices", "readings",
    "relations", "outcomes", "commits", "authors", "assignments", "repair_choices",
)  # fmt: skip


def make_submission(name: str = "first", **fields: Any) -> Submission:
    """A small submission whose content, and so whose id, depends on its name; all are attempts at
    one experiment.
    """
    train = SourceFile("src/train.py", f"print({name!r})\n".encode("utf-8", "surrogatepass"))
    run = RunConfig(
        "proposed-1",
        SourceFile("config/runs/proposed-1.yaml", b"run_id: proposed-1\n"),
        method="proposed",
    )
    made: dict[str, Any] = {
        "name": name,
        "source": f"logs/{name}.txt",
        "files": (train, SourceFile("src/model.py", b"LAYERS = 2\n")),
        "runs": (run,),
        "context": ResearchContext(
            hypothesis={"open_problems": "Sparse gates"}, method="Gated adapters"
        ),
    }
    return Submission(**{**made, **fields})


def make_experiment(experiment: str, name: str, **fields: Any) -> Submission:
    """An attempt at the experiment of this name."""
    context = ResearchContext(
        hypothesis={"open_problems": f"Sparse gates {experiment}"}, method="Gated adapters"
    )
    return make_submission(name, context=context, **fields)


def make_finding(id: str = "f1", result: Check = Check.CONFIRMED, **fields: Any) -> Finding:
    """A claim; with `rule="XX01"` a rule's finding."""
    made: dict[str, Any] = {
        "category": "cli-contract",
        "severity": Severity.BLOCKER,
        "message": f"message of {id}",
        "criterion": 8,
        "span": Span("src/train.py", 1),
        "check": FactCheck(result, f"evidence of {id}"),
        "claim": None if fields.get("rule") else f"claim of {id}",
        "kind": None if fields.get("rule") else "cli-contract",
    }
    return Finding(id=id, **{**made, **fields})


def rules_found(*ids: str, result: Check = Check.CONFIRMED, **fields: Any) -> Review:
    """A review by the rules with these blockers, not ready where there are any."""
    found = tuple(make_finding(id, result, **{"rule": "XX01", **fields}) for id in ids)
    return make_review("rules", NOT_READY if found else READY, *found)


def make_review(
    reviewer: str = "recorded",
    verdict: Verdict | None = NOT_READY,
    *findings: Finding,
    **fields: Any,
) -> Review:
    """A review; without a verdict, one that failed."""
    failure = None if verdict else "the answer stops in the middle"
    return Review(
        reviewer=reviewer, verdict=verdict, findings=findings, **{"failure": failure, **fields}
    )


class Clock:
    """Gives a later time at each reading, so that an order by time is one."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self.step = timedelta(seconds=1)

    def __call__(self) -> datetime:
        self.now += self.step
        return self.now


def make_schema(server: str) -> str:
    """The URL of an empty schema, which is as good as an empty database and made in a hundredth of
    the time.
    """
    name = f"store_{next(_numbers)}"
    sql(server, f"CREATE SCHEMA {name}")
    return f"{server}&options=-csearch_path%3D{name}"


def empty_tables(url: str) -> None:
    """Take all rows out of a PostgreSQL store, which has rules against that, and let its numbers
    begin anew.
    """
    sql(
        url,
        """
        SET session_replication_role = replica;
        DO $$ DECLARE it record; BEGIN
          FOR it IN SELECT tablename FROM pg_tables
            WHERE schemaname = current_schema() AND tablename <> 'areachair_version'
          LOOP EXECUTE format('DELETE FROM %I', it.tablename); END LOOP;
          FOR it IN SELECT sequencename FROM pg_sequences WHERE schemaname = current_schema()
          LOOP EXECUTE format('ALTER SEQUENCE %I RESTART', it.sequencename); END LOOP;
        END $$""",
    )


@contextmanager
def behind(url: str) -> Iterator[Any]:
    """A plain connection of the database's own driver, everything it could switch off switched
    off.
    """
    if url.startswith("sqlite"):
        with closing(
            sqlite3.connect(str(make_url(url).database), isolation_level=None)
        ) as connection:
            yield connection
    else:
        with closing(psycopg.connect(url, autocommit=True)) as connection:
            yield connection


def drop_guards(connection: sqlite3.Connection, table: str) -> None:
    """Drop a table's triggers, as who damages a file of SQLite can."""
    named = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?"
    for (name,) in connection.execute(named, [table]).fetchall():
        connection.execute(f"DROP TRIGGER {name}")


def sql(url: str, statement: str) -> list[tuple[Any, ...]]:
    """Run one statement behind the store's back."""
    with behind(url) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def as_before(url: str, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of a table of today as they were before anything was packed or shared."""
    if table == "contexts" and "hypothesis" in names:
        joined = "SELECT submission, data FROM contexts JOIN contents ON sha256 = content"
        for number, data in sql(url, joined):
            told = {"submission": number, **json.loads(unpacked(bytes(data)))}
            yield tuple(
                json.dumps(told[name]) if isinstance(told[name], dict) else told[name]
                for name in names
            )
        return
    wanted = ", ".join(f'"{name}"' for name in names)
    for row in sql(url, f"SELECT {wanted} FROM {table}"):
        is_text = table != "contents"
        yield tuple(
            (plain(each) if is_text else unpacked(each)) if isinstance(each, bytes) else each
            for each in row
        )


def table_names(url: str) -> list[str]:
    """The names of all tables, sorted."""
    if url.startswith("sqlite"):
        return [
            name
            for (name,) in sql(
                url, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
            )
        ]
    return [
        name
        for (name,) in sql(
            url, "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1"
        )
    ]


def row_counts(url: str) -> dict[str, int]:
    """The number of rows in every table."""
    return {table: sql(url, f"SELECT count(*) FROM {table}")[0][0] for table in (*KEPT, *DERIVED)}


def content_of(url: str, tables: Sequence[str], *without: str) -> dict[str, list[str]]:
    """Everything that stands in these tables, but for the columns of some names."""
    found = {}
    for table in tables:
        columns = (each.name for each in METADATA.tables[table].columns)
        wanted = ", ".join(f'"{name}"' for name in columns if name not in without)
        rows = sql(url, f"SELECT {wanted} FROM {table}")
        found[table] = sorted(map(repr, rows))
    return found


@contextmanager
def watched(see: Callable[[Any, str, Any], None]) -> Iterator[None]:
    """Show each question to a database before it is asked: its cursor, text and values."""

    def before(_: Any, cursor: Any, statement: str, values: Any, *rest: Any) -> None:
        see(cursor, statement, values)

    event.listen(Engine, "before_cursor_execute", before)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", before)


@contextmanager
def plans(explain: str) -> Iterator[list[str]]:
    """Collect how the database goes about what it is asked meanwhile."""
    found: list[str] = []

    def see(cursor: Any, statement: str, values: Any) -> None:
        if statement.startswith(("SELECT", "WITH")):
            rows = cursor.connection.cursor().execute(f"{explain} {statement}", values).fetchall()
            found.append("\n".join(str(row[-1]) for row in rows))

    with watched(see):
        yield found
