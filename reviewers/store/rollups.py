"""Counts of the whole store, kept in the transaction that changes what they count.

What a submission adds to each count is kept beside it (`rollup_parts`). After a change it is worked
out again, and the difference is added to the sums (`rollups`) when the transaction ends: so the
sums' rows, which all writers share, are locked only for as long as the end takes, and always in the
same order.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Insert, bindparam, delete, insert, select
from sqlalchemy.dialects import postgresql, sqlite

from reviewers.store.insert import parts
from reviewers.store.rollup_counts import Key, Part, parts_of
from reviewers.store.tables import ROLLUP_SUMS, rollup_parts, rollups, submissions

_WIDTH = len(ROLLUP_SUMS)
CHANGES: Key = ("changes",)
"""The key under which it is counted how often any other sum changed."""

_Sums = dict[Key, list[int]]
_pending: WeakKeyDictionary[Connection, _Sums] = WeakKeyDictionary()


def count_anew(connection: Connection, numbers: Collection[int]) -> None:
    """Put what these submissions add to the counts in the place of what they added before, within
    the transaction that changed something about them; `settle` changes the sums.
    """
    for few in parts(sorted(numbers)):
        before = _kept(connection, few)
        now = {number: part for number, part in parts_of(connection, few).items() if part}
        changed = [number for number in few if before.get(number) != now.get(number)]
        _replace(connection, changed, before, now)


def forget(connection: Connection, numbers: Collection[int]) -> None:
    """Take away what submissions add that are about to be deleted."""
    for few in parts(sorted(numbers)):
        _replace(connection, few, _kept(connection, few), {})


def settle(connection: Connection) -> None:
    """Change the sums by what changed in this transaction, which ends after that."""
    changed = {key: by for key, by in _pending.pop(connection, {}).items() if any(by)}
    if not changed:
        return
    _add(connection, {**changed, CHANGES: [1] + [0] * (_WIDTH - 1)})
    # Of what is deleted no name stays.
    empty = [_id(key) for key, by in changed.items() if min(by) < 0]
    for few in parts(sorted(empty)):
        nothing = (rollups.c[name] == 0 for name in ROLLUP_SUMS)
        connection.execute(delete(rollups).where(rollups.c.id.in_(few), *nothing))


def sums(connection: Connection, what: str) -> Iterator[tuple[Any, ...]]:
    """Yield the keys that begin with a word, without it, each followed by the list of its sums."""
    wanted = select(rollups.c.key, *(rollups.c[name] for name in ROLLUP_SUMS))
    for key, *numbers in connection.execute(wanted.where(rollups.c.what == what)):
        yield (*key, numbers)


def changes(connection: Connection) -> int:
    """Return a number that is another one whenever a sum is."""
    wanted = select(rollups.c.n1).where(rollups.c.id == _id(CHANGES))
    return connection.scalar(wanted) or 0


def part_of(connection: Connection, submission_id: str, what: str) -> Iterator[tuple[Any, ...]]:
    """Yield what one submission adds, as `sums` does."""
    number = select(submissions.c.number).where(submissions.c.id == submission_id).scalar_subquery()
    told = connection.scalar(select(rollup_parts.c.told).where(rollup_parts.c.submission == number))
    for key, numbers in _part(told or ()).items():
        if key[0] == what:
            yield (*key[1:], _wide(numbers))


def recount(connection: Connection) -> None:
    """Work the sums out of the parts."""
    found, (made,) = _summed(connection), (changes(connection),)
    connection.execute(delete(rollups))
    _add(connection, {**found, CHANGES: [made + 1] + [0] * (_WIDTH - 1)})


def wrong_sums(connection: Connection) -> int:
    """Return how many sums are not those of the parts; it reads all of them."""
    found = {_id(key): tuple(by) for key, by in _summed(connection).items()}
    its = (rollups.c[name] for name in ROLLUP_SUMS)
    rows = connection.execute(select(rollups.c.id, *its).where(rollups.c.id != _id(CHANGES)))
    return len({*found.items()} ^ {(id, tuple(by)) for id, *by in rows})


def _kept(connection: Connection, numbers: Sequence[int]) -> Mapping[int, Part]:
    wanted = select(rollup_parts).where(rollup_parts.c.submission.in_(numbers))
    return {row.submission: _part(row.told) for row in connection.execute(wanted)}


def _replace(
    connection: Connection,
    numbers: Sequence[int],
    before: Mapping[int, Part],
    now: Mapping[int, Part],
) -> None:
    if not numbers:
        return
    pending = _pending.setdefault(connection, defaultdict(lambda: [0] * _WIDTH))
    for factor, those in ((-1, before), (1, now)):
        for number in numbers:
            for key, by in those.get(number, {}).items():
                total = pending[key]
                for place, each in enumerate(by):
                    total[place] += factor * each
    connection.execute(delete(rollup_parts).where(rollup_parts.c.submission.in_(numbers)))
    rows = [{"submission": each, "told": _told(now[each])} for each in numbers if each in now]
    if rows:
        connection.execute(insert(rollup_parts), rows)


def _summed(connection: Connection) -> _Sums:
    found: _Sums = defaultdict(lambda: [0] * _WIDTH)
    told = connection.execute(select(rollup_parts.c.told), execution_options={"yield_per": 500})
    for part in told.scalars():
        for key, by in _part(part).items():
            total = found[key]
            for place, each in enumerate(by):
                total[place] += each
    return {key: by for key, by in found.items() if any(by)}


def _add(connection: Connection, changed: Mapping[Key, Iterable[int]]) -> None:
    rows = [
        {"id": _id(key), "what": key[0], "key": key[1:], **dict(zip(ROLLUP_SUMS, by, strict=True))}
        for key, by in changed.items()
    ]
    made = _insert(connection).values({each.name: bindparam(each.name) for each in rollups.c})
    connection.execute(made, sorted(rows, key=lambda row: str(row["id"])))


def _insert(connection: Connection) -> Insert:
    if connection.dialect.name == "postgresql":
        added = postgresql.insert(rollups)
        plus = {name: rollups.c[name] + added.excluded[name] for name in ROLLUP_SUMS}
        return added.on_conflict_do_update(index_elements=["id"], set_=plus)
    kept = sqlite.insert(rollups)
    plus = {name: rollups.c[name] + kept.excluded[name] for name in ROLLUP_SUMS}
    return kept.on_conflict_do_update(index_elements=["id"], set_=plus)


def _id(key: Key) -> str:
    return hashlib.sha256(
        json.dumps(key, ensure_ascii=False).encode("utf-8", "surrogatepass")
    ).hexdigest()


def _told(part: Part) -> list[list[Any]]:
    """A part as JSON has it: the keys in one order, each followed by its numbers."""
    return [[*key, list(by)] for key, by in sorted(part.items(), key=repr)]


def _part(told: Iterable[Sequence[Any]]) -> Part:
    return {tuple(key): tuple(by) for *key, by in told}


def _wide(numbers: Sequence[int]) -> list[int]:
    return [*numbers, *[0] * (_WIDTH - len(numbers))]
