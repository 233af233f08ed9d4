"""The files that jobs made for people: kept in parts, so that a worker of any machine can write one
and any process of the desk can send it, a part in memory at a time.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hmac import compare_digest

from sqlalchemy import Connection, delete, func, insert, select, text

from reviewers.errors import StoreError
from reviewers.roles import Act
from reviewers.store.jobs import FILES_KEPT, ClaimedJob, JobState, server_time
from reviewers.store.store import Store
from reviewers.store.tables import LIVE, job_files, jobs

PART_BYTES = 2**20
"""Of one part, at most."""


@dataclass(frozen=True, slots=True)
class JobFile:
    """A file that is whole.

    Attributes:
        name: under which a browser saves it.
        key: who knows it may have the file.
        until: when it is dropped.
    """

    job: int
    name: str
    key: str
    size: int
    until: datetime


def keep_file(store: Store, claimed: ClaimedJob, pieces: Iterable[bytes]) -> int:
    """Keep what a job makes, part by part, in the place of what an earlier attempt left; return its
    bytes.

    Raises:
        StoreError: the job is no longer the worker's.
    """
    with _still_mine(store, claimed) as connection:
        connection.execute(delete(job_files).where(job_files.c.job == claimed.number))
    size = 0
    for part, data in enumerate(_parts(pieces)):
        size += len(data)
        with _still_mine(store, claimed) as connection:
            values = {"job": claimed.number, "part": part, "data": data}
            connection.execute(insert(job_files).values(values))
    return size


@contextmanager
def _still_mine(store: Store, claimed: ClaimedJob) -> Iterator[Connection]:
    """Write while the job is the worker's."""
    mine = select(jobs.c.number).where(
        jobs.c.number == claimed.number,
        jobs.c.worker == claimed.worker,
        jobs.c.state == JobState.RUNNING,
    )
    with store.writing(Act.WORK) as connection:
        if connection.scalar(mine.with_for_update()) is None:
            raise StoreError("the job was stopped, or given to another worker")
        yield connection


def files_of(store: Store, owner: str) -> tuple[JobFile, ...]:
    """Return the whole files that jobs made for somebody, the newest first.

    Args:
        owner: as the jobs' argument `owner` has it.
    """
    return tuple(file for theirs, file in _files(store) if theirs == owner)


def exports_under_way(store: Store, owner: str) -> int:
    """Return how many jobs that make a file for somebody wait or run."""
    wanted = select(jobs.c.arguments).where(jobs.c.task == "export", text(LIVE))
    with store.reading() as connection:
        return sum(told.get("owner") == owner for told in connection.scalars(wanted))


def file_of(store: Store, key: str) -> JobFile | None:
    """Return the file with this key; None if there is none, or its time is over."""
    asked = key.encode(errors="replace")  # it may be any text
    found = (file for _, file in _files(store) if compare_digest(file.key.encode(), asked))
    return next(found, None)


def _files(store: Store) -> list[tuple[str, JobFile]]:
    """All whole files, each with its owner."""
    size = func.sum(func.length(job_files.c.data))
    made = (
        select(jobs.c.number, jobs.c.about, jobs.c.ended, jobs.c.arguments, size.label("size"))
        .join(job_files, job_files.c.job == jobs.c.number)
        .where(jobs.c.state == JobState.DONE)
        .group_by(jobs.c.number)
        .order_by(jobs.c.number.desc())
    )
    with store.reading() as connection:
        now = server_time(connection, store)
        return [
            (
                row.arguments["owner"],
                JobFile(row.number, row.about, row.arguments["key"], int(row.size), until),
            )
            for row in connection.execute(made)
            if (until := row.ended + FILES_KEPT) > now
        ]


def parts_of(store: Store, job: int) -> Iterator[bytes]:
    """Yield a file, each part in a transaction of its own: who downloads slowly holds none."""
    part = 0
    wanted = select(job_files.c.data).where(job_files.c.job == job)
    while True:
        with store.reading() as connection:
            data = connection.scalar(wanted.where(job_files.c.part == part))
        if data is None:
            return
        yield data
        part += 1


def _parts(pieces: Iterable[bytes]) -> Iterator[bytes]:
    held = bytearray()
    for piece in pieces:
        held += piece
        while len(held) >= PART_BYTES:
            yield bytes(held[:PART_BYTES])
            del held[:PART_BYTES]
    if held:
        yield bytes(held)
