"""A store of 100,000 submissions and a million findings, to measure screens on.

    python -m tests.benchmarks.big_store STORE.sqlite3 [SUBMISSIONS]

A pattern of a thousand is written through the store's own functions. Its rows, derived ones too,
are then copied in bulk with other numbers, words, ids and days, so that the store opens without
working anything out.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Connection, Table, insert, select

from reviewers.attempts.members import candidates_key, member_of
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.columns import Json, Moment
from reviewers.store.rollups import recount
from reviewers.store.rows import context_bytes, sha256, submission_of
from reviewers.store.tables import (
    METADATA,
    attempts,
    changed_submissions,
    contents,
    contexts,
    reviews,
    submissions,
)
from tests.benchmarks.big_pattern import BEGAN, YEAR, Clock, word, write_pattern

SUBMISSIONS = 100_000
PATTERN = 1_000
_OF_NONE = (
    *("authors", "batches", "login_sessions", "desk_choices", "upkeep", "deletions"),
    *("rollups", "looks"),
)
_SHARED = (
    contents,
    *map(METADATA.tables.get, _OF_NONE),
)
"""Tables whose rows belong to no submission."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Copy:
    """One copy of one lineage.

    Attributes:
        number: which copy, 1 for the first beside the pattern itself.
        steps: how far numbers of a table lie from those of the copy before.
        ids: the submissions' new ids by their old ones.
        contexts: what is kept of their research, as bytes by its old hash.
    """

    number: int
    steps: Mapping[str, int]
    ids: Mapping[str, str]
    contexts: Mapping[str, bytes]
    later: timedelta
    likeness: str
    old: str
    new: str


Change = Callable[[Any, Copy], Any]


class Pattern:
    """All rows of a small store, by lineage, each with what a copy of it has to change."""

    def __init__(self, connection: Connection, lineages: Sequence[Sequence[str]]) -> None:
        self.lineages = lineages
        lineage_of = {id: at for at, ids in enumerate(lineages) for id in ids}
        numbers = {
            row.number: row.id
            for row in connection.execute(select(submissions.c.number, submissions.c.id))
        }
        self.submissions = {id: submission_of(connection, number) for number, id in numbers.items()}
        imported = {
            row.id: row.imported_at
            for row in connection.execute(select(submissions.c.id, submissions.c.imported_at))
        }
        self.began = [imported[ids[0]] for ids in lineages]
        owners = {"submissions.number": numbers, "submissions.id": {id: id for id in lineage_of}}
        owners["reviews.number"] = {
            row.number: numbers[row.submission]
            for row in connection.execute(select(reviews.c.number, reviews.c.submission))
        }
        self.steps: dict[str, int] = {}
        self.rows: dict[Table, dict[int, list[tuple[Row, list[tuple[str, Change]]]]]] = {}
        for table in METADATA.sorted_tables:
            if table not in _SHARED:
                self.rows[table] = defaultdict(list)
                for row in connection.execute(select(table)).mappings():
                    lineage = lineage_of[_owner(table, dict(row), owners)]
                    self.rows[table][lineage].append(
                        (dict(row), list(_changes(table, dict(row), word(lineage))))
                    )
                    for column in table.primary_key:
                        if _is_counted(column):
                            self.steps[table.name] = max(
                                self.steps.get(table.name, 0), row[column.name]
                            )

    def copied(
        self, number: int, lineages: Sequence[int], dice: random.Random
    ) -> dict[Table, list[Row]]:
        """Return the rows of one copy of these lineages."""
        made: dict[Table, list[Row]] = {table: [] for table in (contents, *self.rows)}
        for lineage in lineages:
            copy = self._copy(number, lineage, dice)
            made[contents] += [
                {"sha256": sha256(data), "data": data} for data in {*copy.contexts.values()}
            ]
            for table, rows in self.rows.items():
                for row, changes in rows[lineage]:
                    made[table].append(
                        row | {name: change(row[name], copy) for name, change in changes}
                    )
        return made

    def _copy(self, number: int, lineage: int, dice: random.Random) -> Copy:
        old, new = word(lineage), word(lineage + number * len(self.lineages))
        renamed = {id: _renamed(self.submissions[id], old, new) for id in self.lineages[lineage]}
        ids = {id: submission.id for id, submission in renamed.items()}
        told = {
            sha256(context_bytes(self.submissions[id].context)): context_bytes(submission.context)
            for id, submission in renamed.items()
        }
        likeness = candidates_key(member_of(next(iter(renamed.values()))))
        later = BEGAN + YEAR * dice.random() - self.began[lineage]
        return Copy(number, self.steps, ids, told, later, likeness, old, new)


def write_big_store(path: Path, wanted: int = SUBMISSIONS, pattern: int = PATTERN) -> None:
    """Write a new store with this many submissions."""
    clock, dice = Clock(), random.Random(11)
    with closing(Store.open(f"sqlite:///{path}", clock=clock)) as store:
        lineages = write_pattern(store, clock, min(pattern, wanted))
        with store.reading() as connection:
            rows = Pattern(connection, lineages)
        made, number = min(pattern, wanted), 0
        while made < wanted:
            number += 1
            chosen = list(_fitting(lineages, wanted - made))
            made += sum(len(lineages[at]) for at in chosen)
            with store.writing() as connection:
                for table, values in rows.copied(number, chosen, dice).items():
                    if values:
                        connection.execute(insert(table), values)
        with store.writing() as connection:
            recount(connection)


def _fitting(lineages: Sequence[Sequence[str]], room: int) -> Iterator[int]:
    """Yield lineages for as long as whole ones fit."""
    for at, ids in enumerate(lineages):
        if len(ids) <= room:
            room -= len(ids)
            yield at


def _owner(table: Table, row: Mapping[str, Any], owners: Mapping[str, Mapping[Any, str]]) -> str:
    """The id of the submission that a row belongs to."""
    for column in table.columns:
        for target in ({f"{table.name}.{column.name}"} | _targets(column)) & owners.keys():
            return owners[target][row[column.name]]
    raise LookupError(f"nobody said whose the rows of {table.name} are")


def _targets(column: Column[Any]) -> set[str]:
    """What a column points at; the log of changes does so without a foreign key."""
    if column is changed_submissions.c.submission:
        return {"submissions.number"}
    return {key.target_fullname for key in column.foreign_keys}


def _is_counted(column: Column[Any]) -> bool:
    """Whether it numbers its table's rows."""
    return column.name == "number" and not column.foreign_keys


def _changes(table: Table, row: Mapping[str, Any], own: str) -> Iterator[tuple[str, Change]]:
    for column in table.columns:
        value = row[column.name]
        targets = _targets(column)
        counted = table.name if column.primary_key and _is_counted(column) else None
        for other in ("submissions", "reviews"):
            counted = other if f"{other}.number" in targets else counted
        if value is None:
            continue
        if counted is not None:
            yield column.name, _counted_on(counted)
        elif column in (submissions.c.id, attempts.c.first) or "submissions.id" in targets:
            yield column.name, lambda id, copy: copy.ids[id]
        elif column is contexts.c.content:
            yield column.name, lambda name, copy: sha256(copy.contexts[name])
        elif column is submissions.c.likeness:
            yield column.name, lambda _, copy: copy.likeness
        elif isinstance(column.type, Moment):
            yield column.name, lambda at, copy: at + copy.later
        elif isinstance(column.type, Json) and own in json.dumps(value):
            yield (
                column.name,
                lambda value, copy: json.loads(json.dumps(value).replace(copy.old, copy.new)),
            )
        elif isinstance(value, str) and own in value:
            yield column.name, lambda text, copy: text.replace(copy.old, copy.new)


def _counted_on(table: str) -> Change:
    return lambda number, copy: number + copy.number * copy.steps[table]


def _renamed(submission: Submission, old: str, new: str) -> Submission:
    """The submission with another word in its research context, and so with another id."""
    context = submission.context
    hypothesis = {name: text.replace(old, new) for name, text in context.hypothesis.items()}
    method = context.method and context.method.replace(old, new)
    return replace(submission, context=replace(context, hypothesis=hypothesis, method=method))


if __name__ == "__main__":
    began = time.time()
    write_big_store(Path(sys.argv[1]), *map(int, sys.argv[2:]))
    print(f"{sys.argv[1]}: {time.time() - began:.0f} s")
