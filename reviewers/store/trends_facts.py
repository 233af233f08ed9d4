"""The data that all trends are computed from: the derived tables as columns in memory, loaded once
per state of the store.

A million tallies take some fifty megabytes, and any query on them takes milliseconds, whatever it
filters by. After a change only the submissions that changed are loaded again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Engine,
    Integer,
    Select,
    Text,
    cast,
    extract,
    func,
    select,
    type_coerce,
)

from reviewers.store.changes import changed_since, next_change
from reviewers.store.columns import AnyText
from reviewers.store.tables import (
    COUNTED,
    attempts,
    chips,
    fates,
    run_configs,
    submissions,
    tallies,
)

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
UNKNOWN = -1
_SECONDS_A_DAY = 86_400


@dataclass(frozen=True, slots=True)
class TrendFacts:
    """The columns of one moment.

    Attributes:
        submissions: `number`, `day` (UTC, from 1970, on which it was generated, or imported where
            that is not known), `dated_by`, `generator`, `contract`, `lineage`, `attempt`; a row
            each, by number.
        looks: `submission`, `reviewer`, `confirmed`, `refuted`, `unverified`, `blockers`, `missed`:
            a row for each current review with a verdict.
        tallies: `submission`, `reviewer`, `category`, `criterion`, `confirmed`, `refuted`,
            `unverified`.
        fates: `submission`, `position`, `reviewer`, `category`, `fate`.
        runs: `submission`, `model`, `dataset`.
        names: what the numbers in a column of names stand for, by column.
        moment: no other columns that this process reads have the same number.

    In all but the first table, `submission` is a row of the first. What is unknown is -1.
    """

    submissions: Mapping[str, Numbers]
    looks: Mapping[str, Numbers]
    tallies: Mapping[str, Numbers]
    fates: Mapping[str, Numbers]
    runs: Mapping[str, Numbers]
    names: Mapping[str, tuple[str, ...]]
    moment: int

    def code(self, column: str, name: str) -> int:
        """Return the number that stands for a name; one that no row has if it is not known."""
        names = self.names[column]
        return names.index(name) if name in names else UNKNOWN - 1


_Columns = dict[str, Numbers]
_CHECKS = ("confirmed", "refuted", "unverified")
_NAMES = (
    "reviewer", "category", "dated_by", "generator", "contract", "lineage", "model", "dataset",
    "fate",
)  # fmt: skip


@dataclass(slots=True)
class _Kept:
    """Attributes: since: every change with a smaller number is counted in `facts`."""

    lock: threading.Lock
    facts: TrendFacts | None = None
    since: int = 0


_kept: WeakKeyDictionary[Engine, _Kept] = WeakKeyDictionary()
_guard = threading.Lock()
_moments = count(1)


def facts(connection: Connection) -> TrendFacts:
    """Return the columns of what this connection sees, or of a moment after that.

    The first call reads all of them: some two seconds for a million tallies. Later ones read the
    submissions that changed since.

    Args:
        connection: all its questions see the same state, as `Store.reading` has it; else one
            column would count a submission that another one lacks.
    """
    with _guard:
        kept = _kept.setdefault(connection.engine, _Kept(threading.Lock()))
    with kept.lock:
        if kept.facts is None:
            kept.facts, kept.since = _read(connection), next_change(connection)
        elif connection.execute(changed_since(connection, kept.since).limit(1)).first():
            touched = np.array([*connection.scalars(changed_since(connection, kept.since))])
            changed = _read(connection, kept.since)
            kept.facts = _joined(kept.facts, changed, touched)
            kept.since = next_change(connection)
        return kept.facts


def _read(connection: Connection, since: int | None = None) -> TrendFacts:
    """Args: since: the change from which on to read what changed; None reads everything."""
    codes: dict[str, dict[str, int]] = {name: {} for name in _NAMES}

    def among(numbers: Any) -> list[ColumnElement[bool]]:
        return [] if since is None else [numbers.in_(changed_since(connection, since))]

    wanted = _submissions(connection).where(*among(submissions.c.number))
    held = _rows(connection, wanted.order_by(submissions.c.number), codes)

    def read(keys: Sequence[Any], numbers: Sequence[Any], *conditions: Any) -> _Columns:
        packed = _Packed(tuple(keys), tuple(numbers))
        columns = packed.read(connection, codes, *conditions, *among(numbers[0]))
        return {**columns, "submission": np.searchsorted(held["number"], columns["submission"])}

    checks = [chips.c[name] for name in (*_CHECKS, "blockers", "missed")]
    return TrendFacts(
        submissions=held,
        looks=read([chips.c.reviewer], [chips.c.submission, *checks], chips.c.verdict.is_not(None)),
        tallies=read(
            [tallies.c.reviewer, tallies.c.category, tallies.c.criterion],
            [tallies.c.submission, *(tallies.c[name] for name in _CHECKS)],
        ),
        fates=read(
            [fates.c.reviewer, fates.c.category, fates.c.fate],
            [fates.c.submission, fates.c.position],
        ),
        runs=read(
            [run_configs.c.model, run_configs.c.dataset],
            [run_configs.c.submission],
            run_configs.c.submission.in_(select(submissions.c.number).where(COUNTED)),
        ),
        names={column: _texts(known) for column, known in codes.items()},
        moment=next(_moments),
    )


def _joined(before: TrendFacts, changed: TrendFacts, touched: Numbers) -> TrendFacts:
    """Put what was read of submissions that changed in the place of what was known of them.

    Args:
        touched: the numbers of those that changed; one that counts no more is among them alone.
    """
    known = {name: {each: code for code, each in enumerate(before.names[name])} for name in _NAMES}
    recoded = {
        name: np.array([*(known[name].setdefault(each, len(known[name])) for each in new), UNKNOWN])
        for name, new in changed.names.items()
    }

    def both(name: str, old: Numbers, new: Numbers) -> Numbers:
        return np.concatenate((old, recoded[name][new] if name in recoded else new))

    stays = ~np.isin(before.submissions["number"], touched)
    numbers = both("number", before.submissions["number"][stays], changed.submissions["number"])
    order = np.argsort(numbers, kind="stable")
    tables: dict[str, _Columns] = {
        "submissions": {
            name: both(name, column[stays], changed.submissions[name])[order]
            for name, column in before.submissions.items()
        }
    }
    # Where the rows of submissions went: of those that stay, and of those that were read.
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    moved = np.full(len(stays), UNKNOWN)
    moved[stays], read = np.split(places, [np.count_nonzero(stays)])
    for table in ("looks", "tallies", "fates", "runs"):
        old, new = getattr(before, table), getattr(changed, table)
        left = stays[old["submission"]]
        tables[table] = {name: both(name, column[left], new[name]) for name, column in old.items()}
        rows = moved[old["submission"][left]], read[new["submission"]]
        tables[table]["submission"] = np.concatenate(rows)
    names = {name: _in_use(name, tuple(known[name]), tables.values()) for name in _NAMES}
    return TrendFacts(**tables, names=names, moment=next(_moments))


def _in_use(name: str, names: tuple[str, ...], tables: Iterable[_Columns]) -> tuple[str, ...]:
    """Return the names that a row still has, and number the rows by these."""
    having = [table for table in tables if name in table]
    used = np.zeros(len(names) + 1, dtype=bool)  # the last one stands for the unknown, as -1 does
    for table in having:
        used[table[name]] = True
    if used[:-1].all():
        return names
    recoded = np.append(np.cumsum(used[:-1]) - 1, UNKNOWN)
    for table in having:
        table[name] = recoded[table[name]]
    return tuple(compress(names, used))


@dataclass(frozen=True, slots=True)
class _Packed:
    """A table of which the rows with the same keys come as one text of numbers.

    The database puts it together and numpy takes it apart, neither of them holding up other
    threads: a tenth of the time that a million rows take as Python objects.
    """

    keys: tuple[Any, ...]
    numbers: tuple[Any, ...]

    def read(
        self, connection: Connection, codes: Mapping[str, dict[str, int]], *conditions: Any
    ) -> _Columns:
        text: ColumnElement[str] = cast(self.numbers[0], Text)
        for column in self.numbers[1:]:
            text = text.concat(" ").concat(cast(func.coalesce(column, UNKNOWN), Text))
        keys = [
            type_coerce(key, Text if key.name in codes else Integer).label(key.name)
            for key in self.keys
        ]
        groups = connection.execute(
            select(*keys, func.aggregate_strings(text, " ").label("packed"))
            .where(*conditions)
            .group_by(*keys)
        ).all()
        read = [
            np.fromstring(group.packed, dtype=np.int64, sep=" ").reshape(-1, len(self.numbers))
            for group in groups
        ]
        sizes = [len(each) for each in read]
        table = np.concatenate(read) if read else np.zeros((0, len(self.numbers)), dtype=np.int64)
        columns: _Columns = {
            column.name: np.ascontiguousarray(table[:, place])
            for place, column in enumerate(self.numbers)
        }
        for place, key in enumerate(self.keys):
            values = [group[place] for group in groups]
            columns[key.name] = np.repeat(_numbers(values, codes.get(key.name)), sizes)
        return columns


def _submissions(connection: Connection) -> Select[Any]:
    joined = submissions.outerjoin(attempts, attempts.c.submission == submissions.c.number)
    return (
        select(
            submissions.c.number,
            _day(connection).label("day"),
            submissions.c.dated_by,
            # Names as the database has them: they are few, and what AnyText does to each cell is
            # done to each name once.
            type_coerce(submissions.c.generator, Text).label("generator"),
            type_coerce(submissions.c.contract, Text).label("contract"),
            type_coerce(attempts.c.lineage, Text).label("lineage"),
            attempts.c.number.label("attempt"),
        )
        .select_from(joined)
        .where(COUNTED)
    )


def _day(connection: Connection) -> Any:
    moment = func.coalesce(submissions.c.generated_at, submissions.c.imported_at)
    if connection.dialect.name == "postgresql":
        return cast(func.floor(extract("epoch", moment) / _SECONDS_A_DAY), Integer)
    return type_coerce(moment, BigInteger) // (_SECONDS_A_DAY * 1_000_000)


def _rows(
    connection: Connection, wanted: Select[Any], codes: Mapping[str, dict[str, int]]
) -> _Columns:
    result = connection.execute(wanted)
    names = list(result.keys())
    columns: Iterable[Sequence[Any]] = list(zip(*result.all(), strict=True)) or [()] * len(names)
    return {
        name: _numbers(column, codes.get(name)) for name, column in zip(names, columns, strict=True)
    }


def _numbers(column: Sequence[Any], known: dict[str, int] | None) -> Numbers:
    """Args: known: the numbers that names have so far, which grows; None for a column of
    numbers.
    """
    if known is None:
        return np.array([UNKNOWN if each is None else each for each in column], dtype=np.int64)
    for each in dict.fromkeys(column):
        if each is not None:
            known.setdefault(each, len(known))
    coded: dict[Any, int] = {**known, None: UNKNOWN}
    return np.fromiter(map(coded.__getitem__, column), dtype=np.int64, count=len(column))


def _texts(known: Mapping[str, int]) -> tuple[str, ...]:
    decode = AnyText()
    return tuple(str(decode.process_result_value(each, None)) for each in known)  # type: ignore[arg-type]
