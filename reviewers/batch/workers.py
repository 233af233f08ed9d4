"""Worker processes for CPU-bound checks, so that answers keep arriving while claims are checked.

Each submission stays with one process, which knows its facts by then.
"""

import asyncio
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from reviewers.batch.bundles import (
    KILLED,
    Origin,
    Reviewed,
    Unread,
    begin_process,
    review_bundle,
    start_method,
)
from reviewers.claims.report import ClaimsReport
from reviewers.errors import AreachairError
from reviewers.panel.reply import ModelAnswer
from reviewers.records import Submission

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess, SpawnProcess


class Workers:
    """So many processes; to be made before an event loop and its threads run, since they are forked
    where that is safe.

    None of them outlives this process, however that ends.
    """

    def __init__(self, count: int) -> None:
        self._all = [_Worker() for _ in range(count)]
        self._of: dict[str, _Worker] = {}
        self._turn = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._all:
            worker.stop()

    async def review_bundle(
        self, path: Path, reviewers: Sequence[str], origin: Origin
    ) -> list[Reviewed | Unread]:
        """Return what happened to each submission of a bundle; without reviewers they are only
        read.

        Raises:
            AreachairError: the process was killed.
        """
        worker = self._all[self._turn]
        self._turn = (self._turn + 1) % len(self._all)
        items: list[Reviewed | Unread] = await worker.do(
            review_bundle, path, tuple(reviewers), origin
        )
        self._of |= {item.submission.id: worker for item in items if isinstance(item, Reviewed)}
        return items

    async def check(self, submission: Submission, answer: ModelAnswer) -> ClaimsReport:
        """Return the answer's claims as checked findings, and what was not looked at to the end.

        Raises:
            AreachairError: a check stopped with an error, or the process was killed.
        """
        found: ClaimsReport = await self.work(_check, submission, answer)
        return found

    async def work(self, task: Callable[..., Any], submission: Submission, *values: Any) -> Any:
        """Return what a task makes of a submission, where its facts are known.

        Raises:
            AreachairError: the task raised it, or the process was killed.
        """
        worker = self._of.get(submission.id, self._all[0])
        return await worker.do(task, submission, *values)


def _check(submission: Submission, answer: ModelAnswer) -> ClaimsReport:
    from reviewers.panel.checking import (
        check,
    )  # takes a second to load, which only these processes spend

    return check(submission, answer)


class _Worker:
    """One process that does one thing after the other."""

    def __init__(self) -> None:
        context = start_method()
        self._ours, theirs = context.Pipe()
        self._process: ForkProcess | SpawnProcess = context.Process(  # type: ignore[attr-defined]
            target=_serve, args=(theirs,), daemon=True
        )
        self._process.start()
        theirs.close()
        self._free = asyncio.Lock()

    async def do(self, task: Callable[..., Any], *values: Any) -> Any:
        """Return what the task returns.

        Raises:
            AreachairError: the task raised it, or the process was killed.
        """
        async with self._free:
            # Not to be given up half-way: the answer to an abandoned question would be taken for
            # that to the next one.
            going = asyncio.ensure_future(asyncio.to_thread(self._ask, task, values))
            try:
                value, problem = await asyncio.shield(going)
            except asyncio.CancelledError:
                await asyncio.wait([going])
                raise
        if problem is not None:
            raise AreachairError(problem)
        return value

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self._process.terminate()
        self._process.join()
        self._ours.close()

    def _ask(self, task: Callable[..., Any], values: tuple[Any, ...]) -> tuple[Any, str | None]:
        try:
            self._ours.send((task, values))
            answer: tuple[Any, str | None] = self._ours.recv()
        except (EOFError, OSError):
            return None, KILLED
        return answer


def _serve(connection: Connection) -> None:
    """Do what comes until nobody is there any more."""
    begin_process()
    while True:
        try:
            task, values = connection.recv()
        except (EOFError, OSError, KeyboardInterrupt):
            return
        answer: tuple[Any, str | None]
        try:
            answer = task(*values), None
        except AreachairError as error:
            answer = None, str(error)
        except KeyboardInterrupt:
            return
        connection.send(answer)
