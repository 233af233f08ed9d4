"""What all trends are counted from: the derived tables as columns of numbers in memory, read once
and kept while the store stays.

A million tallies are some fifty megabytes, and any question to them takes milliseconds, whatever it
filters by. What is kept is told from what the store holds by a stamp of cheap counts. A small store
is read anew at once; while a large one is, what was kept stands in for it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count
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
from sqlalchemy.exc import SQLAlchemyError

from reviewers.store.columns import AnyText
from reviewers.store.tables import (
    attempts,
    chips,
    commits,
    fates,
    outcomes,
    own_findings,
    relations,
    remarks,
    reviews,
    rulings,
    run_configs,
    standings,
    submissions,
    tallies,
)

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
UNKNOWN = -1
_SECONDS_A_DAY = 86_400
_LARGE = 20_000
"""Submissions that take too long to be read anew while somebody waits."""
_PATIENCE = 0.4
"""Seconds in which a large store may be read anew after all."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The columns of one moment.

    Attributes:
        submissions: `number`, `day` (of import, UTC, from 1970), `generator`, `lineage`, `attempt`;
            a row each, by number.
        looks: `submission`, `reviewer`, `confirmed`, `refuted`, `unverified`, `blockers`, `missed`:
            a row for each current review with a verdict.
        tallies: `submission`, `reviewer`, `category`, `criterion`, `confirmed`, `refuted`,
            `unverified`.
        fates: `submission`, `position`, `reviewer`, `category`, `fate`.
        runs: `submission`, `model`, `dataset`.
        names: what the numbers in a column of names stand for, by column.
        moment: no other columns that this process reads have the same number.
        late: whether the store has changed since, and is being read anew.

    In all but the first table, `submission` is a row of the first. What is unknown is -1.
    """

    submissions: Mapping[str, Numbers]
    looks: Mapping[str, Numbers]
    tallies: Mapping[str, Numbers]
    fates: Mapping[str, Numbers]
    runs: Mapping[str, Numbers]
    names: Mapping[str, tuple[str, ...]]
    moment: int
    late: bool = False

    def code(self, column: str, name: str) -> int:
        """Return the number that stands for a name; one that no row has where it is not known."""
        names = self.names[column]
        return names.index(name) if name in names else UNKNOWN - 1


_Stamp = tuple[Any, ...]
_Columns = dict[str, Numbers]
_CHECKS = ("confirmed", "refuted", "unverified")
_NAMES = ("reviewer", "category", "generator", "lineage", "model", "dataset", "fate")


@dataclass(slots=True)
class _Kept:
    lock: threading.Lock
    stamp: _Stamp = ()
    facts: Facts | None = None
    renewing: threading.Thread | None = None


_kept: WeakKeyDictionary[Engine, _Kept] = WeakKeyDictionary()
_guard = threading.Lock()
_moments = count(1)


def facts(connection: Connection) -> Facts:
    """Return the columns of what this connection sees, or, of a large store that has changed, those
    of a moment before.

    The first call reads them: some two seconds for a million tallies.
    """
    with _guard:
        kept = _kept.setdefault(connection.engine, _Kept(threading.Lock()))
    stamp = _stamp(connection)
    with kept.lock:
        if kept.facts is None or (
            kept.stamp != stamp and len(kept.facts.submissions["number"]) < _LARGE
        ):
            kept.facts, kept.stamp = _read(connection), stamp
        if kept.stamp == stamp:
            return kept.facts
        if kept.renewing is None or not kept.renewing.is_alive():
            kept.renewing = threading.Thread(
                target=_renew, args=(kept, connection.engine), daemon=True
            )
            kept.renewing.start()
        renewing = kept.renewing
    renewing.join(_PATIENCE)
    with kept.lock:
        return kept.facts if kept.stamp == stamp else replace(kept.facts, late=True)


def _renew(kept: _Kept, engine: Engine) -> None:
    # A store that is closed meanwhile needs no columns.
    with suppress(SQLAlchemyError), engine.connect() as connection, connection.begin():
        stamp, read = _stamp(connection), _read(connection)
        with kept.lock:
            kept.facts, kept.stamp = read, stamp


def _stamp(connection: Connection) -> _Stamp:
    """Counts that differ whenever what is read here may: people's words are inserted only, reviews
    change sides.
    """
    said = [
        select(func.count()).select_from(table)
        for table in (rulings, own_findings, remarks, relations, outcomes, commits)
    ]
    held = select(func.count(submissions.c.generator)).where(submissions.c.generator.is_not(None))
    asked = [
        select(func.count()).select_from(submissions),
        held,
        select(func.min(standings.c.version)),
        *said,
    ]
    current = select(func.count(), func.sum(reviews.c.number)).where(reviews.c.current)
    row = connection.execute(select(*(each.scalar_subquery() for each in asked))).one()
    return (*row, *connection.execute(current).one())


def _read(connection: Connection) -> Facts:
    codes: dict[str, dict[str, int]] = {name: {} for name in _NAMES}
    held = _rows(connection, _submissions(connection), codes)
    order = np.argsort(held["number"], kind="stable")
    held = {name: column[order] for name, column in held.items()}
    looks = _Packed(
        (chips.c.reviewer,),
        (chips.c.submission, *(chips.c[name] for name in (*_CHECKS, "blockers", "missed"))),
    )
    found = _Packed(
        (tallies.c.reviewer, tallies.c.category, tallies.c.criterion),
        (tallies.c.submission, *(tallies.c[name] for name in _CHECKS)),
    )
    happened = _Packed(
        (fates.c.reviewer, fates.c.category, fates.c.fate), (fates.c.submission, fates.c.position)
    )
    runs = _Packed((run_configs.c.model, run_configs.c.dataset), (run_configs.c.submission,))
    return Facts(
        submissions=held,
        looks=_placed(looks.read(connection, codes, chips.c.verdict.is_not(None)), held["number"]),
        tallies=_placed(found.read(connection, codes), held["number"]),
        fates=_placed(happened.read(connection, codes), held["number"]),
        runs=_placed(runs.read(connection, codes), held["number"]),
        names={column: _texts(known) for column, known in codes.items()},
        moment=next(_moments),
    )


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
    return select(
        submissions.c.number,
        _day(connection).label("day"),
        # Names as the database has them: they are few, and what AnyText does to each cell is done
        # to each name once.
        type_coerce(submissions.c.generator, Text).label("generator"),
        type_coerce(attempts.c.lineage, Text).label("lineage"),
        attempts.c.number.label("attempt"),
    ).select_from(joined)


def _day(connection: Connection) -> Any:
    moment = submissions.c.imported_at
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


def _placed(columns: _Columns, numbers: Numbers) -> _Columns:
    """Put the submission's row in the place of its number."""
    return {**columns, "submission": np.searchsorted(numbers, columns["submission"])}


def _texts(known: Mapping[str, int]) -> tuple[str, ...]:
    decode = AnyText()
    return tuple(str(decode.process_result_value(each, None)) for each in known)  # type: ignore[arg-type]
