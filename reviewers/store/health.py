"""Whether a store is well: each check says in a sentence what it found, and what to do."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter

from rich.filesize import decimal
from sqlalchemy import func, make_url, select, text

from reviewers.errors import StoreError
from reviewers.records import counted
from reviewers.roles import Act
from reviewers.store.copying import damage_in
from reviewers.store.engine import shut_places
from reviewers.store.inbox import InboxQuery, inbox, progress
from reviewers.store.insert import hold_everything
from reviewers.store.rollups import recount, wrong_sums
from reviewers.store.store import Store
from reviewers.store.tables import decisions, submissions
from reviewers.store.trends import TrendsQuery, by_category, looked_at

_LEAST_SPACE = 1_000_000_000  # bytes that a store needs to go on growing
_SLOW = timedelta(milliseconds=500)
_APART = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was looked at and found; `remedy` is what to do, None where all is well."""

    what: str
    found: str
    remedy: str | None = None


def examine(store: Store, url: str) -> Iterator[Diagnosis]:
    """Yield the checks of an opened store one by one; the longest ones come last."""
    path = _file(url)
    if path is not None:
        yield from (_permissions(path), _space(path))
    yield _clock(store)
    yield from _speed(store)
    yield _counts(store)
    yield _integrity(store)


def _file(url: str) -> Path | None:
    parsed = make_url(url)
    is_file = parsed.get_backend_name() == "sqlite" and parsed.database
    return Path(str(parsed.database)) if is_file else None


def _permissions(path: Path) -> Diagnosis:
    if shut := shut_places(path):
        return Diagnosis(
            "permissions",
            f"{shut[0]} cannot be written: the store can be read, and nothing is kept",
            "make it writable, or move it",
        )
    if path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH):
        return Diagnosis(
            "permissions", "others on this machine can read the store", f"chmod 600 {path}"
        )
    return Diagnosis("permissions", "the store can be written, and by its owner only")


def _space(path: Path) -> Diagnosis:
    beside = (path.with_name(path.name + ending) for ending in ("", "-wal", "-shm"))
    size = sum(each.stat().st_size for each in beside if each.exists())
    free = shutil.disk_usage(path.parent).free
    found = f"the store takes {decimal(size)}, {decimal(free)} are free"
    short = free < max(_LEAST_SPACE, size)
    return Diagnosis("space", found, "make room: a backup needs as much again" if short else None)


def _clock(store: Store) -> Diagnosis:
    with store.reading() as connection:
        latest = connection.scalar(select(func.max(submissions.c.imported_at)))
        decided = connection.scalar(select(func.max(decisions.c.at)))
        there = (
            connection.scalar(text("SELECT clock_timestamp()"))
            if connection.dialect.name == "postgresql"
            else None
        )
    now = datetime.now(UTC)
    if there is not None and abs(there - now) > _APART:
        apart = abs(there - now)
        return Diagnosis(
            "clock",
            f"this machine and the database differ by {apart.total_seconds() / 60:.0f} minutes",
            "let both follow a time server",
        )
    ahead = [at for at in (latest, decided) if at is not None and at > now + _APART]
    if ahead:
        return Diagnosis(
            "clock",
            f"a record is from {max(ahead):%Y-%m-%d %H:%M} UTC, which is not yet",
            "set the clock of the machine that wrote it; the record stays as it is",
        )
    return Diagnosis("clock", "no record is from the future")


def _speed(store: Store) -> Iterator[Diagnosis]:
    asked: dict[str, Callable[[], object]] = {
        "the inbox": lambda: inbox(store, InboxQuery()),
        "the inbox' progress": lambda: progress(store),
        "a search": lambda: inbox(store, InboxQuery(text="loss")),
        "the trends": lambda: by_category(looked_at(store, TrendsQuery())),
    }
    slow = []
    for what, ask in asked.items():
        began = perf_counter()
        ask()
        took = timedelta(seconds=perf_counter() - began)
        if took > _SLOW:
            slow.append(f"{what} took {took.total_seconds():.1f} s")
    if slow:
        yield Diagnosis(
            "speed",
            "; ".join(slow),
            "look for what else the disk or the server does; with many people, use PostgreSQL",
        )
    else:
        yield Diagnosis("speed", f"none of {len(asked)} questions took over 0.5 s")


def _counts(store: Store) -> Diagnosis:
    with store.reading() as connection:
        wrong = wrong_sums(connection)
    if not wrong:
        return Diagnosis("counts", "what is counted along is what comes out when counted anew")
    found = f"{counted(wrong, 'count')} differed from what comes out when counted anew"
    try:
        with store.writing(Act.UPKEEP) as connection:
            hold_everything(connection)
            recount(connection)
    except StoreError as error:
        return Diagnosis("counts", found, f"{error}; then ask again")
    return Diagnosis("counts", f"{found}, and were set right")


def _integrity(store: Store) -> Diagnosis:
    damage = damage_in(store)
    if damage:
        remedy = "stop every areachair, and restore the newest backup that is whole"
        return Diagnosis("integrity", f"the store is damaged: {damage[0]}", remedy)
    return Diagnosis("integrity", "no row is damaged or points at one that is missing")
