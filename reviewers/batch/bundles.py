"""Reviews many bundles in one run; one that cannot be read or reviewed is reported and does not
affect the others.
"""

import gc
import logging
import multiprocessing
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import ParamSpec, TypeVar

from reviewers.bundles import open_bundles
from reviewers.bundles.dating import dated
from reviewers.errors import AreachairError, BundleError
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.readers.from_file import FileReader
from reviewers.records import (
    ContractSource,
    DatedBy,
    GivenContract,
    Review,
    Submission,
    failure_lines,
)

_log = logging.getLogger(__name__)
KILLED = "a process that reviews was killed, perhaps for want of memory; try --jobs 1"
_Made = TypeVar("_Made")
_Given = ParamSpec("_Given")
_FEWEST_BUNDLES = 4  # for one process; fewer are done before another one has begun


@dataclass(frozen=True, slots=True)
class Origin:
    """What a person says of the bundles that are read.

    Attributes:
        generator: who generated them, if they do not say so themselves.
        date: when they were generated, whatever they say themselves.
        contract: TOML of the contract by which they are judged, whatever they say themselves.
        reader: claims of theirs with how they are read.
    """

    generator: str | None = None
    date: datetime | None = None
    contract: str | None = None
    reader: FileReader | None = None


UNKNOWN_ORIGIN = Origin()


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One submission with what the reviewers said.

    Attributes:
        of_base: what they said of the base code that it brings along; empty where nobody was asked.
    """

    submission: Submission
    reviews: tuple[Review, ...]
    of_base: tuple[Review, ...] = ()

    @property
    def failures(self) -> tuple[str, ...]:
        """One line for each reviewer that gave no verdict, and one where nobody gave a review."""
        if not self.reviews:
            return (
                f"{self.submission.source}: it was not reviewed, since it has no recorded answer",
            )
        failed = [(each.reviewer, each.failure) for each in self.reviews if each.failure]
        return failure_lines(self.submission, failed)


@dataclass(frozen=True, slots=True)
class Unread:
    """A bundle of which nothing was kept.

    Attributes:
        problem: why, in one line that names the bundle.
        reason: the same without the name.
    """

    path: Path
    problem: str
    reason: str

    @property
    def failures(self) -> tuple[str, ...]:
        """The problem, as the one line that there is."""
        return (self.problem,)


def useful_jobs(bundles: int) -> int:
    """How many processes make so many bundles go faster: one for each processor that we may use, if
    it gets a few of them.
    """
    processors = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(processors, bundles // _FEWEST_BUNDLES))


def review_bundles(
    paths: Iterable[Path],
    reviewers: Sequence[str] = DEFAULT_REVIEWERS,
    jobs: int = 1,
    origin: Origin = UNKNOWN_ORIGIN,
) -> Iterator[Reviewed | Unread]:
    """Yield what happened to each submission, in the order of the paths; a bundle with an
    unreadable part is unread as a whole.

    Args:
        jobs: processes that share the work; with one, all is done in this one.

    Raises:
        AreachairError: one of the processes was killed.
    """

    collect_less()
    with processes(jobs) as pool:
        begun = (pool.submit(review_bundle, path, reviewers, origin) for path in paths)
        for items in in_turn(begun, jobs):
            yield from items


@contextmanager
def processes(jobs: int) -> Iterator[Executor]:
    """Give so many processes that do what is submitted; with one job this process does it at once.

    Raises:
        AreachairError: one of them was killed.
    """
    if jobs == 1:
        yield _Here()
        return
    pool = ProcessPoolExecutor(jobs, start_method(), initializer=begin_process)
    try:
        yield pool
    except BrokenProcessPool:
        raise AreachairError(KILLED) from None
    finally:
        pool.shutdown(cancel_futures=True)


class _Here(Executor):
    """Does what is submitted before it returns."""

    def submit(
        self, task: Callable[_Given, _Made], /, *given: _Given.args, **named: _Given.kwargs
    ) -> Future[_Made]:
        done: Future[_Made] = Future()
        done.set_result(task(*given, **named))
        return done


def in_turn(begun: Iterable[Future[_Made]], jobs: int) -> Iterator[_Made]:
    """Yield the results in the order in which the work was begun, and begin little more than the
    processes have to do.
    """
    waiting: deque[Future[_Made]] = deque()
    for each in begun:
        waiting.append(each)
        while waiting and (len(waiting) > 2 * jobs or waiting[0].done()):
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def collect_less() -> None:
    """Have Python look for garbage less often in this process: trees are many small objects, and
    half of the time went there. Costs some 50 MB a process against Python's own habit.
    """
    gc.freeze()  # what is loaded by now stays loaded
    gc.set_threshold(500_000, 20, 100)


def begin_process() -> None:
    """Make this process one that works for another, and ends with it."""
    collect_less()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A process that waits for work would wait for ever once its parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def start_method() -> BaseContext:
    """Forked processes start warm; beside other threads, and outside Linux, forking is not safe,
    and they start again.
    """
    forks = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if forks else "spawn")


def review_bundle(
    path: Path, reviewers: Sequence[str], origin: Origin = UNKNOWN_ORIGIN
) -> list[Reviewed | Unread]:
    """Return what happened to each submission of one bundle, judged by the contract that its origin
    names; without reviewers they are only read.
    """
    found = guarded(
        path,
        lambda: [
            Reviewed(each, own_reviews(each, reviewers, origin.reader) if reviewers else ())
            for each in (with_origin(opened, origin) for opened in open_bundles(path))
        ],
    )
    return [found] if isinstance(found, Unread) else [*found]


def guarded(path: Path, work: Callable[[], _Made]) -> _Made | Unread:
    """Return what the work gives, or why the bundle, which errors call by its path, gives
    nothing.
    """
    try:
        return work()
    except BundleError as error:
        return Unread(path, str(error), error.problem)
    except AreachairError:
        raise
    except Exception as error:  # noqa: BLE001  the named boundary: one submission in a batch
        _log.warning("%s could not be reviewed", path, exc_info=True)
        reason = f"could not be reviewed ({type(error).__name__}); please report this bundle"
        return Unread(path, f"{path}: {reason}", reason)


def own_reviews(
    submission: Submission, reviewers: Sequence[str], reader: FileReader | None = None
) -> tuple[Review, ...]:
    """Return what these of our own reviewers say."""
    from reviewers.panel.review import (
        review_all,
    )  # takes a second to load, which reading alone need not wait for

    return review_all(submission, reviewers, reader)


def with_origin(submission: Submission, origin: Origin) -> Submission:
    """Return a submission with what a person says of its origin."""
    if origin.date is not None:
        submission = dated(replace(submission, generated=None), origin.date, DatedBy.GIVEN)
    if origin.generator is not None and submission.generator is None:
        submission = replace(submission, generator=origin.generator)
    if origin.contract is not None:
        given = GivenContract(ContractSource.OPTION, origin.contract)
        submission = replace(submission, contract=given)
    return submission
