"""A worker: takes jobs from a store, does them, and keeps its lease on them meanwhile."""

import asyncio
import logging
import os
import secrets
import socket
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from inspect import isawaitable, iscoroutinefunction

from reviewers import settings
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.factory import Servers
from reviewers.errors import AreachairError, StoreError, UnknownSubmission
from reviewers.jobs.budget import StoredBudget
from reviewers.jobs.configuration_log import files_stamp, note_files
from reviewers.jobs.limits import StoredQuota
from reviewers.jobs.tasks import TASKS, Bench, JobResult, Stopped
from reviewers.store import Store
from reviewers.store.job_files import keep_file
from reviewers.store.jobs import (
    ClaimedJob,
    await_jobs,
    claim,
    data_of,
    finish,
    give_back,
    live_jobs,
    renew,
    tell,
)

LEASE_SECONDS = 60.0
_RENEWALS = 4  # for each lease
_LOOK_SECONDS = 0.5
_PAUSE_SECONDS = 0.25
_MOST_ATTEMPTS = 3
_PAUSES = 0.5, 2.0, 8.0
_log = logging.getLogger(__name__)


class Worker:
    """Does jobs of a store, to be run in an event loop of its own.

    Args:
        lease: seconds after which others take its jobs if it dies.
        patience: seconds that jobs under way are given to end when it is stopped.
        servers: opens what connects to models.
    """

    def __init__(
        self,
        store: Store,
        *,
        lease: float = LEASE_SECONDS,
        patience: float = 2.0,
        servers: Callable[[], Servers] | None = None,
    ) -> None:
        self.name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._store = store
        self._lease = lease
        self._patience = patience
        self._open = servers or partial(_servers, store)
        self._turns: dict[ReviewerConfig, asyncio.Semaphore] = {}
        self._running: dict[ClaimedJob, asyncio.Task[None]] = {}
        self._stopping = threading.Event()
        self._over = threading.Event()
        self._wake: Callable[[], object] = lambda: None
        self._noted: object = None

    def stop(self) -> None:
        """Take no more jobs, and end soon; any thread may call it."""
        self._stopping.set()
        self._wake()

    async def run(self, *, until_done: bool = False) -> None:
        """Do jobs until stopped.

        Args:
            until_done: whether to end once no job waits or runs, here or elsewhere.
        """
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        self._wake = lambda: loop.call_soon_threadsafe(stopped.set)
        if self._stopping.is_set():
            stopped.set()
        self._servers = self._open()
        await asyncio.to_thread(self._note_files)
        keeper = threading.Thread(target=self._keep_leases, args=(loop,), daemon=True)
        keeper.start()
        try:
            await self._work(stopped, until_done)
            await self._end()
        finally:
            self._over.set()
            await self._servers.close()
            await asyncio.to_thread(keeper.join)

    async def _work(self, stopped: asyncio.Event, until_done: bool) -> None:
        news: asyncio.Task[bool] | None = None
        stop = asyncio.create_task(stopped.wait())
        while not stopped.is_set():
            room = self._room()
            if room and news is None:
                news = asyncio.create_task(self._look(room))
            waited = {stop, *self._running.values(), *([news] if news else [])}
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if news is None or not news.done():
                continue
            there, news = news.result(), None
            if there and not stopped.is_set():
                await self._take()
            elif until_done and not self._running and not live_jobs(self._store):
                break
        stop.cancel()
        if news is not None:
            await news

    def _note_files(self) -> None:
        """Log how the reviewers' file is, where it was changed since this worker looked."""
        if (stamp := files_stamp()) != self._noted:
            with suppress(StoreError):
                note_files(self._store)
                self._noted = stamp

    async def _look(self, room: Mapping[str, int]) -> bool:
        """Whether there is something to take; a store that does not answer is asked again."""
        try:
            return await asyncio.to_thread(await_jobs, self._store, [*room], _LOOK_SECONDS)
        except StoreError as error:
            _log.warning("%s", error)
            await asyncio.sleep(_LOOK_SECONDS)
            return False

    def _room(self) -> Mapping[str, int]:
        """How many jobs of each task it can take; those with the same limit share it."""
        lanes = Counter(TASKS[each.task].at_once for each in self._running)
        left = {name: task.at_once - lanes[task.at_once] for name, task in TASKS.items()}
        return {name: count for name, count in left.items() if count > 0}

    async def _take(self) -> None:
        try:
            taken = await asyncio.to_thread(
                claim,
                self._store,
                self.name,
                self._room(),
                self._lease,
                alone=not self._running,
            )
        except StoreError as error:
            _log.warning("%s", error)
            taken = ()
        if taken:
            await asyncio.to_thread(self._note_files)
        for each in taken:
            going = asyncio.create_task(self._do(each))
            self._running[each] = going
            going.add_done_callback(partial(self._ended, each))
        if not taken:
            # Another worker was faster, or what waits has to be done alone.
            await asyncio.sleep(_PAUSE_SECONDS)

    def _ended(self, claimed: ClaimedJob, going: asyncio.Task[None]) -> None:
        self._running.pop(claimed, None)
        if not going.cancelled() and (error := going.exception()):
            # Its lease ends, and somebody else takes it.
            _log.error("job %s could not be ended", claimed.number, exc_info=error)

    async def _do(self, claimed: ClaimedJob) -> None:
        try:
            done = await self._done(claimed)
        except asyncio.CancelledError:
            give_back(self._store, claimed)
            raise
        except Stopped:
            give_back(self._store, claimed)
            return
        except StoreError as error:
            _log.warning("job %s: %s", claimed.number, error)
            await asyncio.to_thread(give_back, self._store, claimed, most_attempts=_MOST_ATTEMPTS)
            return
        except AreachairError as error:
            done = JobResult(problem=str(error), failed=True)
        except Exception as error:  # noqa: BLE001  the named boundary: a defect of ours is one job's failure
            _log.error("job %s stopped with an error", claimed.number, exc_info=error)
            done = JobResult(
                problem=f"stopped with an error ({type(error).__name__}); please report it",
                failed=True,
            )
        await self._finish(claimed, done)

    async def _finish(self, claimed: ClaimedJob, done: JobResult) -> None:
        """End a job; a store that does not answer is asked again, since answers are paid for."""
        for pause in (*_PAUSES, None):
            try:
                await asyncio.to_thread(
                    finish,
                    self._store,
                    claimed,
                    problem=done.problem,
                    progress=done.words,
                    failed=done.failed,
                    review=done.review,
                )
            except UnknownSubmission as error:
                done = JobResult(problem=str(error), failed=True)
            except StoreError as error:
                if pause is None:
                    raise
                _log.warning("job %s: %s", claimed.number, error)
                await asyncio.sleep(pause)
            else:
                return

    async def _done(self, claimed: ClaimedJob) -> JobResult:
        def told(progress: str) -> None:
            if not tell(self._store, claimed, progress):
                raise Stopped("stopped")

        task = TASKS[claimed.task]
        bench = Bench(
            store=self._store,
            submission_id=claimed.submission_id or "",
            about=claimed.about,
            data=partial(data_of, self._store, claimed),
            keep=partial(keep_file, self._store, claimed),
            servers=self._servers,
            budget=StoredBudget(self._store, claimed),
            turn=self._turn,
            tell=told,
        )
        found: JobResult | Awaitable[JobResult]
        if iscoroutinefunction(task.run):
            found = task.run(bench, **claimed.arguments)
        else:
            found = await asyncio.to_thread(task.run, bench, **claimed.arguments)
        return await found if isawaitable(found) else found

    def _turn(self, config: ReviewerConfig) -> asyncio.Semaphore:
        return self._turns.setdefault(config, asyncio.Semaphore(config.concurrency))

    def _keep_leases(self, loop: asyncio.AbstractEventLoop) -> None:
        """Renew leases in time, and stop what was cancelled; on a thread of its own, since a busy
        loop would lose them.
        """
        turns = max(1, int(self._lease / _RENEWALS / _LOOK_SECONDS))
        turn = 0
        pause = min(_LOOK_SECONDS, self._lease / _RENEWALS)
        while not self._over.wait(pause):
            turn += 1
            mine = {each.number: each for each in [*self._running]}
            if not mine:
                continue
            try:
                lost = renew(self._store, self.name, mine, None if turn % turns else self._lease)
            except StoreError as error:
                _log.warning("%s", error)
                continue
            for number in lost:
                if going := self._running.get(mine[number]):
                    loop.call_soon_threadsafe(going.cancel)

    async def _end(self) -> None:
        if self._running:
            await asyncio.wait([*self._running.values()], timeout=self._patience)
        left = [*self._running.values()]
        for each in left:
            each.cancel()
        await asyncio.gather(*left, return_exceptions=True)


def _servers(store: Store) -> Servers:
    quota = partial(StoredQuota, store)
    return Servers(settings.abilities_file(), settings.replies_folder(), quota=quota)
