"""Many bundles in one go: one that cannot be read or reviewed is reported and takes no other with
it.
"""

import gc
import logging
import multiprocessing
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing.context import BaseContext
from pathlib import Path

from reviewers.bundles import open_bundles
from reviewers.errors import AreachairError, BundleError
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.records import Review, Submission
from reviewers.store import Store

_log = logging.getLogger(__name__)
KILLED = "a process that reviews was killed, perhaps for want of memory; try --jobs 1"
_FEWEST_BUNDLES = 4  # for one process; fewer are done before another one has begun


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One submission with what the reviewers said."""

    submission: Submission
    reviews: tuple[Review, ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """One line for each reviewer that gave no verdict, and one where nobody gave a review."""
        if not self.reviews:
            return (
                f"{self.submission.source}: nobody reviewed it; it brings no recorded answer along",
            )
        return tuple(
            f"{self.submission.source}: {review.reviewer}: {review.failure}"
            for review in self.reviews
            if review.failure
        )


@dataclass(frozen=True, slots=True)
class Unread:
    """A bundle of which nothing was kept, with the reason in one line."""

    path: Path
    problem: str


def useful_jobs(bundles: int) -> int:
    """How many processes make so many bundles go faster: one for each processor that we may use, if
    it gets a few of them.
    """
    processors = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    return max(1, min(processors, bundles // _FEWEST_BUNDLES))


def review_bundles(
    paths: Iterable[Path], reviewers: Sequence[str] = DEFAULT_REVIEWERS, jobs: int = 1
) -> Iterator[Reviewed | Unread]:
    """Yield what became of each submission, in the order of the paths; a bundle with an unreadable
    part is unread as a whole.

    Args:
        jobs: processes that share the work; with one, all is done in this one.

    Raises:
        AreachairError: one of the processes was killed.
    """

    collect_less()
    if jobs == 1:
        for path in paths:
            yield from review_bundle(path, reviewers)
        return
    pool = ProcessPoolExecutor(jobs, start_method(), initializer=begin_process)
    try:
        waiting: deque[Future[list[Reviewed | Unread]]] = deque()
        for path in paths:
            waiting.append(pool.submit(review_bundle, path, reviewers))
            if len(waiting) > 2 * jobs:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool:
        raise AreachairError(KILLED) from None
    finally:
        pool.shutdown(cancel_futures=True)


def collect_less() -> None:
    """Have Python look for garbage less often in this process: trees are many small objects, and
    half of the time went there.
    """
    gc.freeze()  # what is loaded by now stays loaded
    gc.set_threshold(50_000, 10, 10)


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
    and they start anew.
    """
    forks = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if forks else "spawn")


def review_bundle(path: Path, reviewers: Sequence[str]) -> list[Reviewed | Unread]:
    """Return what became of each submission of one bundle; without reviewers they are only read."""
    return review_read(path, lambda: open_bundles(path), reviewers)


def review_read(
    path: Path, read: Callable[[], Iterable[Submission]], reviewers: Sequence[str]
) -> list[Reviewed | Unread]:
    """Return what became of each submission that `read` gives; `path` is what the errors name."""
    try:
        return [
            Reviewed(each, _own_reviews(each, reviewers) if reviewers else ()) for each in read()
        ]
    except BundleError as error:
        return [Unread(path, str(error))]
    except AreachairError:
        raise
    except Exception as error:  # noqa: BLE001  the named boundary: one submission in a batch
        _log.warning("%s could not be reviewed", path, exc_info=True)
        return [
            Unread(
                path,
                f"{path}: could not be reviewed ({type(error).__name__}); please report this"
                " bundle",
            )
        ]


def _own_reviews(submission: Submission, reviewers: Sequence[str]) -> tuple[Review, ...]:
    from reviewers.panel.review import (
        review_all,
    )  # takes a second to load, which reading alone need not wait for

    return review_all(submission, reviewers)


def made_by(item: Reviewed, generator: str | None) -> Reviewed:
    """Return a submission with who generated it, where somebody says so; what the bundle itself
    says goes first.
    """
    if generator is None or item.submission.generator is not None:
        return item
    return Reviewed(replace(item.submission, generator=generator), item.reviews)


def import_bundles(
    store: Store, paths: Iterable[Path], generator: str | None = None
) -> Iterator[tuple[Reviewed | Unread, bool]]:
    """Review each bundle, keep it, and yield it with whether anything of it was new; unread ones
    are never new.
    """
    for each in review_bundles(paths):
        item = made_by(each, generator) if isinstance(each, Reviewed) else each
        yield item, isinstance(item, Reviewed) and store.add(item.submission, item.reviews)
