"""The work that waits for workers: handed in with one click, taken by one worker at a time under a
lease, paid from one budget. SQLite and PostgreSQL keep it in the same two tables.

Times are the database server's, since workers' clocks differ.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    text,
    union,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from reviewers.errors import StoreError
from reviewers.records import Review
from reviewers.roles import Act
from reviewers.store.columns import Moment
from reviewers.store.insert import keep_review, numbered, parts
from reviewers.store.refresh import refresh
from reviewers.store.store import Store
from reviewers.store.tables import LIVE, job_files, jobs, submissions, works

MOST_DEATHS = 3
"""Workers that may die while they have a job; then it is set aside."""

_SUSPECT = 2
"""So many workers died with it that it is done alone: it takes no others along."""

FILES_KEPT = timedelta(days=1)
"""How long the file that a job made is kept."""

_KEPT = timedelta(days=30)
_SHOWN = timedelta(minutes=15)
_MOST_TOLD = 200
_WITH_DATA = "upload", "export"
_ACTS = {
    "ask": Act.ASK,
    "read": Act.ASK,
    "rules": Act.REVIEW,
    "claims": Act.REVIEW,
    "repairs": Act.PROVE,
    "mend": Act.IMPORT,
    "upload": Act.IMPORT,
    "export": Act.EXPORT,
    "import": Act.IMPORT_PATHS,
}
"""What somebody does who hands in a task; the worker does it for them."""

_LOOK_SECONDS = 0.2
_CHANNEL = "areachair_jobs"
_SET_ASIDE = (
    f"set aside: {MOST_DEATHS} workers died while they had it, perhaps for lack of memory; retry it"
    " on a larger machine"
)
_NO_LONGER = "stopped before it was done"


class JobState(StrEnum):
    """How far a job is."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    ASIDE = "set aside"

    @property
    def live(self) -> bool:
        """Whether something is still to come."""
        return self in (JobState.WAITING, JobState.RUNNING)


_ENDED_BADLY = (JobState.FAILED, JobState.ASIDE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """What is to be done.

    Attributes:
        task: a name of `reviewers.jobs.TASKS`.
        arguments: its arguments, as JSON.
        reviewer: who is asked about the submission; it is not asked by two jobs at a time.
        about: what it is called on screen; empty for the submission's name.
        data: an uploaded file's bytes, or what an export is to hold.
    """

    task: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    submission_id: str | None = None
    reviewer: str | None = None
    about: str = ""
    data: bytes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ClaimedJob:
    """A job that a worker has."""

    number: int
    work: int
    worker: str
    task: str
    arguments: Mapping[str, Any]
    submission_id: str | None
    about: str
    most_usd: float | None
    most_tokens: int | None


@dataclass(frozen=True, slots=True)
class Job:
    """One job as it is now.

    Attributes:
        about: the submission's name, or the file's.
        progress: its last words about itself, one of them while it runs.
        problem: why it failed, or why the review that it brought has no verdict.
        usd: what it cost, as far as known.
    """

    number: int
    work: int
    task: str
    arguments: Mapping[str, Any]
    submission_id: str | None
    reviewer: str | None
    about: str
    state: JobState
    attempts: int
    worker: str | None
    at: datetime
    begun: datetime | None
    ended: datetime | None
    progress: str
    problem: str
    usd: float

    @property
    def failed(self) -> bool:
        """Whether a person has to do something about it."""
        return self.state in _ENDED_BADLY or (self.state is JobState.DONE and bool(self.problem))


@dataclass(frozen=True, slots=True)
class Work:
    """What was handed in at once.

    Attributes:
        by: the name of who handed it in.
        usd: what it cost so far, as far as known.
        counts: how many jobs are in each state; one that brought no verdict has failed.
        submissions: how many it is about.
        troubles: the first jobs that failed.
    """

    number: int
    by: str
    at: datetime
    usd: float
    tasks: tuple[str, ...]
    reviewers: tuple[str, ...]
    counts: Counter[JobState]
    submissions: int
    troubles: tuple[Job, ...]

    @property
    def live(self) -> bool:
        """Whether something is still to come."""
        return any(self.counts[state] for state in JobState if state.live)


def enqueue_jobs(
    store: Store,
    new: Sequence[NewJob],
    *,
    by: str = "",
    most_usd: float | None = None,
    most_tokens: int | None = None,
) -> int:
    """Have jobs done within one budget; return the number of the work.

    Who is being asked about a submission already is not asked again.

    Args:
        most_usd, most_tokens: what all of it may cost together; None for no limit.
    """
    with store.writing(*_acts(new)) as connection:
        now = server_time(connection, store)
        _drop_old(connection, now)
        none = dict.fromkeys(("spent_pico", "spent_tokens", "held_pico", "held_tokens"), 0)
        most_pico = None if most_usd is None else round(most_usd * _PICO)
        values = {"by": by, "at": now, "most_pico": most_pico, "most_tokens": most_tokens}
        made = connection.execute(insert(works).values(**values, **none, put_away=False))
        (number,) = made.inserted_primary_key or (None,)
        assert number is not None
        add = _unless_live(connection)
        for some in parts(range(len(new))):
            connection.execute(add, [_row(number, new[at]) for at in some])
        _announce(connection)
        return int(number)


def claim(
    store: Store, worker: str, room: Mapping[str, int], seconds: float, *, alone: bool
) -> Sequence[ClaimedJob]:
    """Take jobs that wait, or whose worker died.

    Args:
        worker: whose they are from now on.
        room: the number of jobs to take at most, by task.
        seconds: that the lease lasts.
        alone: whether the worker has nothing else to do: then one that is suspected of killing its
            workers is taken first, by itself.
    """
    with store.writing(Act.WORK) as connection:
        now = server_time(connection, store)
        _bury(connection, now)
        taken: list[int] = []
        waiting = select(jobs.c.number, jobs.c.deaths).where(jobs.c.state == JobState.WAITING)
        in_turn = waiting.order_by(jobs.c.number).with_for_update(skip_locked=True)
        sound = jobs.c.deaths < _SUSPECT
        if alone:
            # Before the others: who always finds some would never come to these.
            suspects = in_turn.where(jobs.c.task.in_([*room]), ~sound).limit(1)
            taken += connection.scalars(suspects).all()
        by_room: dict[int, list[str]] = {}
        for task, count in room.items() if not taken else ():
            by_room.setdefault(count, []).append(task)
        for count, tasks in by_room.items():
            wanted = in_turn.where(jobs.c.task.in_(tasks), sound).limit(count)
            taken += connection.scalars(wanted).all()
        if not taken:
            return ()
        mine = {"state": JobState.RUNNING, "worker": worker, "begun": now, "progress": ""}
        connection.execute(
            update(jobs)
            .where(jobs.c.number.in_(taken))
            .values(**mine, lease=now + timedelta(seconds=seconds), attempts=jobs.c.attempts + 1)
        )
        rows = connection.execute(
            select(jobs, works.c.most_pico, works.c.most_tokens)
            .with_only_columns(*_OF_CLAIM)
            .join(works)
            .where(jobs.c.number.in_(taken))
            .order_by(jobs.c.number)
        )
        return [
            ClaimedJob(
                row.number,
                row.work,
                worker,
                row.task,
                row.arguments,
                row.submission_id,
                row.about,
                None if row.most_pico is None else row.most_pico / _PICO,
                row.most_tokens,
            )
            for row in rows
        ]


def data_of(store: Store, claimed: ClaimedJob) -> bytes:
    """Return the uploaded file of a job; nothing if it has none."""
    with store.reading() as connection:
        found = connection.scalar(select(jobs.c.data).where(jobs.c.number == claimed.number))
        return found or b""


def renew(
    store: Store, worker: str, numbers: Collection[int], seconds: float | None
) -> Collection[int]:
    """Keep a worker's jobs for it; return those that it no longer has: they were cancelled, or
    given to another one.

    Args:
        seconds: that the lease lasts from now on; None only looks.
    """
    mine = and_(
        jobs.c.number.in_([*numbers]),
        jobs.c.worker == worker,
        jobs.c.state == JobState.RUNNING,
    )
    if seconds is None:
        with store.reading() as connection:
            return {*numbers} - {*connection.scalars(select(jobs.c.number).where(mine))}
    with store.writing(Act.WORK) as connection:
        until = server_time(connection, store) + timedelta(seconds=seconds)
        renewed = update(jobs).where(mine).values(lease=until).returning(jobs.c.number)
        return {*numbers} - {*connection.scalars(renewed)}


def tell(store: Store, claimed: ClaimedJob, progress: str) -> bool:
    """Say how far a job is; whether its worker has it still."""
    with store.writing(Act.WORK) as connection:
        told = update(jobs).where(*_its(claimed), jobs.c.state == JobState.RUNNING)
        return bool(connection.execute(told.values(progress=progress)).rowcount)


def finish(
    store: Store,
    claimed: ClaimedJob,
    *,
    problem: str = "",
    progress: str = "",
    failed: bool = False,
    review: Review | None = None,
) -> None:
    """End a job, and keep the review that it brought in the same transaction.

    A review is kept even if the job is no longer the worker's: it was paid for.

    Raises:
        UnknownSubmission: the store no longer has what the review is about.
    """
    with store.writing(Act.WORK) as connection:
        if review is not None and claimed.submission_id is not None:
            number = numbered(connection, claimed.submission_id)
            if keep_review(connection, number, review, store.now()):
                refresh(connection, number)
        _count_held(connection, jobs.c.number == claimed.number)
        # What was cancelled while its review was being kept is done all the same.
        came = review is not None
        over = (JobState.RUNNING, JobState.CANCELLED) if came else (JobState.RUNNING,)
        ended = update(jobs).where(*_its(claimed), jobs.c.state.in_(over))
        connection.execute(
            ended.values(
                state=JobState.FAILED if failed else JobState.DONE,
                problem=problem,
                progress=progress,
                ended=server_time(connection, store),
                lease=None,
                data=None,
            )
        )
        leave = update(jobs).where(*_its(claimed), jobs.c.state == JobState.CANCELLED)
        connection.execute(leave.values(lease=None))


def give_back(store: Store, claimed: ClaimedJob, *, most_attempts: int | None = None) -> None:
    """Let another worker have a job that this one cannot end.

    Args:
        most_attempts: after so many it has failed instead; None for no limit.
    """
    with store.writing(Act.WORK) as connection:
        own = update(jobs).where(*_its(claimed), jobs.c.state == JobState.RUNNING)
        if most_attempts is not None:
            spent = own.where(jobs.c.attempts >= most_attempts)
            connection.execute(
                spent.values(
                    state=JobState.FAILED,
                    problem=_NO_LONGER,
                    ended=server_time(connection, store),
                    lease=None,
                )
            )
        connection.execute(own.values(state=JobState.WAITING, worker=None, lease=None))
        leave = update(jobs).where(*_its(claimed), jobs.c.state == JobState.CANCELLED)
        connection.execute(leave.values(lease=None))
        _announce(connection)


def reserve(store: Store, claimed: ClaimedJob, pico: int, tokens: int) -> tuple[int, int] | None:
    """Set aside the most that a request of a job can cost.

    Returns:
        None if the budget has room for it; else the picodollars and tokens that are spent, not
        counting what requests under way may cost.

    Raises:
        StoreError: the job is no longer the worker's.
    """
    with store.writing(Act.WORK) as connection:
        mine = select(jobs.c.number).where(*_its(claimed)).with_for_update()
        if connection.scalar(mine) is None:
            raise StoreError("the job was given to another worker, since its lease had ended")
        room = [
            or_(most.is_(None), spent + held + wanted <= most)
            for most, spent, held, wanted in (
                (works.c.most_pico, works.c.spent_pico, works.c.held_pico, pico),
                (works.c.most_tokens, works.c.spent_tokens, works.c.held_tokens, tokens),
            )
        ]
        own = works.c.number == claimed.work
        fits = connection.execute(
            update(works)
            .where(own, *room)
            .values(held_pico=works.c.held_pico + pico, held_tokens=works.c.held_tokens + tokens)
        ).rowcount
        if not fits:
            spent = select(works.c.spent_pico, works.c.spent_tokens).where(own)
            row = connection.execute(spent).one()
            return row.spent_pico, row.spent_tokens
        connection.execute(
            update(jobs)
            .where(*_its(claimed))
            .values(held_pico=jobs.c.held_pico + pico, held_tokens=jobs.c.held_tokens + tokens)
        )
        return None


def settle(
    store: Store, claimed: ClaimedJob, held: tuple[int, int], spent: tuple[int, int]
) -> None:
    """Give a reservation back, and count what was spent; both in picodollars and tokens.

    What a job had reserved that was taken from its worker is counted as spent by then.
    """
    with store.writing(Act.WORK) as connection:
        mine = connection.execute(
            update(jobs)
            .where(*_its(claimed))
            .values(
                held_pico=jobs.c.held_pico - held[0],
                held_tokens=jobs.c.held_tokens - held[1],
                spent_pico=jobs.c.spent_pico + spent[0],
            )
        ).rowcount
        if mine:
            connection.execute(
                update(works)
                .where(works.c.number == claimed.work)
                .values(
                    held_pico=works.c.held_pico - held[0],
                    held_tokens=works.c.held_tokens - held[1],
                    spent_pico=works.c.spent_pico + spent[0],
                    spent_tokens=works.c.spent_tokens + spent[1],
                )
            )


def await_jobs(store: Store, tasks: Collection[str], seconds: float) -> bool:
    """Return whether there is a job of these tasks to take, after waiting for one so long."""
    deadline = time.monotonic() + seconds
    with store.listening(_CHANNEL) as news:
        while True:
            with store.reading() as connection:
                if _claimable(connection, server_time(connection, store), tasks):
                    return True
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            # A lease that ends is no news.
            news(min(left, _LOOK_SECONDS if store.is_local else 1.0))


def live_jobs(store: Store) -> int:
    """Return how many jobs wait or run."""
    with store.reading() as connection:
        counted = select(func.count()).select_from(jobs).where(text(LIVE))
        return connection.execute(counted).scalar_one()


def cancel(
    store: Store,
    *,
    work: int | None = None,
    submission_id: str | None = None,
    reviewer: str | None = None,
) -> None:
    """Stop the jobs of a work, or those of a reviewer on a submission, that are not done."""
    which = [jobs.c.work == work] if work is not None else []
    which += [jobs.c.submission_id == submission_id] if submission_id is not None else []
    which += [jobs.c.reviewer == reviewer] if reviewer is not None else []
    assert which
    with store.writing(Act.STEER) as connection:
        stopped = update(jobs).where(text(LIVE), *which)
        now = server_time(connection, store)
        connection.execute(stopped.values(state=JobState.CANCELLED, ended=now, data=None))


def retry(store: Store, work: int) -> int:
    """Have done again what failed or was set aside of a work; return how many jobs.

    What is asked anew by another work meanwhile is left alone.
    """
    again = jobs.alias()
    with store.writing(Act.STEER) as connection:
        other = exists().where(
            again.c.submission_id == jobs.c.submission_id,
            again.c.reviewer == jobs.c.reviewer,
            again.c.state.in_([state for state in JobState if state.live]),
        )
        retried = update(jobs).where(jobs.c.work == work, _failed(), ~other, _can_retry())
        count = connection.execute(
            retried.values(
                state=JobState.WAITING,
                attempts=0,
                deaths=0,
                worker=None,
                begun=None,
                ended=None,
                problem="",
                progress="",
            )
        ).rowcount
        _announce(connection)
        return count


def put_away(store: Store, work: int) -> None:
    """Show a work that has ended no longer."""
    with store.writing(Act.STEER) as connection:
        connection.execute(update(works).where(works.c.number == work).values(put_away=True))


def shown_works(store: Store, *, every: bool = False) -> Sequence[Work]:
    """Return what is under way, what ended a short time ago, and what has jobs that were set aside,
    the oldest first.

    Args:
        every: whether to include what was put away or ended longer ago.
    """
    with store.reading() as connection:
        recent = server_time(connection, store) - _SHOWN
        wanted = select(works).order_by(works.c.number)
        if not every:
            states = (JobState.WAITING, JobState.RUNNING, JobState.ASIDE)
            current = union(
                select(jobs.c.work).where(jobs.c.state.in_(states)),
                select(jobs.c.work).where(jobs.c.ended > recent),
            )
            wanted = wanted.where(works.c.number.in_(current), ~works.c.put_away)
        return [_work(connection, row) for row in connection.execute(wanted).all()]


def jobs_of(store: Store, work: int) -> Sequence[Job]:
    """Return the jobs of a work in order."""
    with store.reading() as connection:
        return _jobs(connection, _of_jobs().where(jobs.c.work == work))


def jobs_at(store: Store, submission_id: str) -> Sequence[Job]:
    """Return who is or was a short time ago asked about a submission, the last job of each."""
    with store.reading() as connection:
        recent = server_time(connection, store) - _SHOWN
        now = or_(text(LIVE), jobs.c.ended > recent)
        found = _jobs(connection, _of_jobs().where(jobs.c.submission_id == submission_id, now))
        return [*{job.reviewer: job for job in found}.values()]


def waiting_bytes(store: Store) -> int:
    """Return the bytes of all uploaded files that are still to be read."""
    with store.reading() as connection:
        size = select(func.coalesce(func.sum(func.length(jobs.c.data)), 0))
        return int(connection.execute(size.where(text(LIVE))).scalar_one())


def server_time(connection: Connection, store: Store) -> datetime:
    """Return the time by the database server's clock."""
    if connection.dialect.name == "postgresql":
        found: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
        return found
    return store.now()


_PICO = 10**12
_OF_CLAIM = (
    *(jobs.c.number, jobs.c.work, jobs.c.task, jobs.c.arguments, jobs.c.submission_id),
    *(jobs.c.about, works.c.most_pico, works.c.most_tokens),
)


def _acts(new: Sequence[NewJob]) -> Collection[Act | None]:
    return {_ACTS.get(each.task) for each in new} or {Act.STEER}


def _row(work: int, new: NewJob) -> dict[str, Any]:
    zeros = ("attempts", "deaths", "spent_pico", "held_pico", "held_tokens")
    return {
        "work": work,
        "task": new.task,
        "submission_id": new.submission_id,
        "reviewer": new.reviewer,
        "about": new.about,
        "arguments": new.arguments,
        "data": new.data,
        "state": JobState.WAITING,
        **dict.fromkeys(zeros, 0),
        "progress": "",
        "problem": "",
    }


def _unless_live(connection: Connection) -> Any:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(jobs).on_conflict_do_nothing()


def _its(claimed: ClaimedJob) -> tuple[ColumnElement[bool], ...]:
    return jobs.c.number == claimed.number, jobs.c.worker == claimed.worker


def _claimable(connection: Connection, now: datetime, tasks: Collection[str]) -> bool:
    waits = exists().where(jobs.c.state == JobState.WAITING, jobs.c.task.in_([*tasks]))
    return bool(connection.scalar(select(or_(waits, exists().where(jobs.c.lease < now)))))


def _bury(connection: Connection, now: datetime) -> None:
    """Take their jobs from workers that died. What was under way may have been charged: it counts
    as spent.
    """
    lapsed = select(jobs.c.number).where(jobs.c.lease < now)
    dead = connection.scalars(lapsed.with_for_update(skip_locked=True)).all()
    if not dead:
        return
    _count_held(connection, jobs.c.number.in_(dead))
    deaths = jobs.c.deaths + case((jobs.c.state == JobState.RUNNING, 1), else_=0)
    # The columns on the right are those from before.
    over = and_(jobs.c.state == JobState.RUNNING, deaths >= MOST_DEATHS)
    connection.execute(
        update(jobs)
        .where(jobs.c.number.in_(dead))
        .values(
            state=case(
                (over, JobState.ASIDE.value),
                (jobs.c.state == JobState.RUNNING, JobState.WAITING.value),
                else_=jobs.c.state,
            ),
            problem=case((over, _SET_ASIDE), else_=jobs.c.problem),
            ended=case((over, literal(now, Moment)), else_=jobs.c.ended),
            deaths=deaths,
            worker=None,
            lease=None,
        )
    )


def _count_held(connection: Connection, which: ColumnElement[bool]) -> None:
    """Count what jobs still hold as spent: nobody will say any more what it did cost."""
    held = select(jobs.c.number, jobs.c.work, jobs.c.held_pico, jobs.c.held_tokens).where(which)
    for row in connection.execute(held.where(jobs.c.held_tokens > 0)).all():
        connection.execute(
            update(works)
            .where(works.c.number == row.work)
            .values(
                held_pico=works.c.held_pico - row.held_pico,
                held_tokens=works.c.held_tokens - row.held_tokens,
                spent_pico=works.c.spent_pico + row.held_pico,
                spent_tokens=works.c.spent_tokens + row.held_tokens,
            )
        )
        spent = jobs.c.spent_pico + row.held_pico
        counted = update(jobs).where(jobs.c.number == row.number)
        connection.execute(counted.values(spent_pico=spent, held_pico=0, held_tokens=0))


def _drop_old(connection: Connection, now: datetime) -> None:
    kept = jobs.c.state.in_((JobState.RUNNING, JobState.DONE))
    stale = or_(~kept, jobs.c.ended < now - FILES_KEPT)
    connection.execute(
        delete(job_files).where(job_files.c.job.in_(select(jobs.c.number).where(stale)))
    )
    connection.execute(delete(jobs).where(jobs.c.ended < now - _KEPT))
    emptied = ~exists().where(jobs.c.work == works.c.number)
    connection.execute(delete(works).where(works.c.at < now - _KEPT, emptied))


def _failed() -> ColumnElement[bool]:
    no_verdict = and_(jobs.c.state == JobState.DONE, jobs.c.problem != "")
    return or_(jobs.c.state.in_(_ENDED_BADLY), no_verdict)


def _can_retry() -> ColumnElement[bool]:
    """What was handed in with a job, an upload's file, is gone once it was read."""
    return or_(jobs.c.task.not_in(_WITH_DATA), jobs.c.data.is_not(None))


def _announce(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_notify(_CHANNEL, "")))


def _of_jobs() -> Select[Any]:
    name = func.coalesce(submissions.c.name, "").label("name")
    shown = [column for column in jobs.c if column.name != "data"]
    return (
        select(*shown, name, works.c.at)
        .join(works, works.c.number == jobs.c.work)
        .join(submissions, submissions.c.id == jobs.c.submission_id, isouter=True)
        .order_by(jobs.c.number)
    )


def _jobs(connection: Connection, wanted: Select[Any]) -> list[Job]:
    return [
        Job(
            row.number,
            row.work,
            row.task,
            row.arguments,
            row.submission_id,
            row.reviewer,
            row.about or row.name,
            JobState(row.state),
            row.attempts,
            row.worker,
            row.at,
            row.begun,
            row.ended,
            row.progress,
            row.problem,
            row.spent_pico / _PICO,
        )
        for row in connection.execute(wanted)
    ]


def _work(connection: Connection, row: Any) -> Work:
    own = jobs.c.work == row.number
    sound = and_(_failed(), jobs.c.state != JobState.ASIDE)
    state = case((sound, JobState.FAILED.value), else_=jobs.c.state)
    counts = connection.execute(select(state, func.count()).where(own).group_by(state))
    number = func.count(jobs.c.submission_id.distinct())
    return Work(
        number=row.number,
        by=row.by,
        at=row.at,
        usd=row.spent_pico / _PICO,
        tasks=tuple(_each_of(connection, jobs.c.task, own)),
        reviewers=tuple(_each_of(connection, jobs.c.reviewer, own)),
        counts=Counter({JobState(name): count for name, count in counts}),
        submissions=connection.execute(select(number).where(own)).scalar_one(),
        troubles=tuple(_jobs(connection, _of_jobs().where(own, _failed()).limit(_MOST_TOLD))),
    )


def _each_of(
    connection: Connection, column: ColumnElement[Any], own: ColumnElement[bool]
) -> Iterator[str]:
    """The values of a column in the order in which they first stand there."""
    first = select(column).where(own, column.is_not(None)).group_by(column)
    yield from connection.scalars(first.order_by(func.min(jobs.c.number)))
