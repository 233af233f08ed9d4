"""Worker processes: a few of this machine, started again when one dies, ended with their parent."""

import asyncio
import logging
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from reviewers.batch.bundles import begin_process, start_method
from reviewers.jobs.scratch import sweep
from reviewers.jobs.worker import LEASE_SECONDS, Worker
from reviewers.store import Store

_PAUSE_SECONDS = 1.0
"""Before a process is started again that died as soon."""

_END_SECONDS = 2.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WorkOptions:
    """How workers work.

    Attributes:
        processes: each does one job of those that take processor time and many that ask models.
        lease, patience: as of `Worker`.
        until_done: whether to end once no job waits or runs.
    """

    processes: int = 1
    lease: float = LEASE_SECONDS
    patience: float = _END_SECONDS
    until_done: bool = False


class _Stop(Exception):
    """A signal asks to end."""


def work(url: str, options: WorkOptions, until: Any = None) -> None:
    """Run workers on a store until stopped by SIGINT or SIGTERM.

    Args:
        until: a file; its end stops them, too.
    """

    def stop(*_: object) -> None:
        raise _Stop

    before = {each: signal.signal(each, stop) for each in (signal.SIGINT, signal.SIGTERM)}
    running: dict[BaseProcess, float] = {}
    try:
        for _ in range(options.processes):
            running[_started(url, options)] = time.monotonic()
        while running:
            ready = wait([*(each.sentinel for each in running), *([until] if until else [])])
            if until in ready and not until.readline():
                return
            for ended in [each for each in running if each.sentinel in ready]:
                ended.join()
                begun = running.pop(ended)
                if options.until_done and ended.exitcode == 0:
                    continue
                _log.warning("a worker ended (%s); another one begins", ended.exitcode)
                if time.monotonic() - begun < _PAUSE_SECONDS:
                    time.sleep(_PAUSE_SECONDS)
                running[_started(url, options)] = time.monotonic()
    except _Stop:
        pass
    finally:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        _end([*running], options.patience + _END_SECONDS)
        for number, handler in before.items():
            signal.signal(number, handler)


def _end(running: Sequence[BaseProcess], patience: float) -> None:
    for each in running:
        each.terminate()
    deadline = time.monotonic() + patience
    for each in running:
        each.join(max(0.0, deadline - time.monotonic()))
        if each.exitcode is None:
            each.kill()
            each.join()


def _started(url: str, options: WorkOptions) -> BaseProcess:
    process: BaseProcess = start_method().Process(  # type: ignore[attr-defined]
        target=_serve, args=(url, options), daemon=True
    )
    process.start()
    return process


def _serve(url: str, options: WorkOptions) -> None:
    """Be one worker, until SIGTERM or SIGINT."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    begin_process()
    sweep()

    async def run(worker: Worker) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, worker.stop)
        await worker.run(until_done=options.until_done)

    with closing(Store.open(url)) as store:
        worker = Worker(store, lease=options.lease, patience=options.patience)
        asyncio.run(run(worker))


def _main() -> None:
    url = sys.stdin.readline().rstrip("\n")
    work(url, WorkOptions(), until=sys.stdin)


if __name__ == "__main__":
    _main()
