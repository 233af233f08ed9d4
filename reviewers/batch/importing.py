"""Imports bundles into the store: known submissions are not reviewed again, and new ones are
committed about fifty at a time.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from functools import partial
from pathlib import Path

from reviewers.batch.bundles import (
    UNKNOWN_ORIGIN,
    Origin,
    Reviewed,
    Unread,
    collect_less,
    guarded,
    in_turn,
    own_reviews,
    processes,
    with_origin,
)
from reviewers.bundles import open_bundles
from reviewers.errors import StoreError
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.panel.version import own_version
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.contracts import judged_as_kept
from reviewers.store.known_submissions import KnownSubmission, known

_MOST_AT_ONCE = 50
_LONGEST_WAIT = 1.0

Read = Callable[[], Iterable[Submission]]
Imported = Reviewed | KnownSubmission | Unread


def import_bundles(
    store: Store,
    paths: Iterable[Path],
    origin: Origin = UNKNOWN_ORIGIN,
    jobs: int = 1,
    fresh: bool = False,
) -> Iterator[tuple[Imported, bool]]:
    """Keep what lies at these paths; as `import_read` does."""
    collect_less()
    sources = ((path, partial(open_bundles, path)) for path in paths)
    return import_read(store, sources, origin, jobs, fresh)


def import_read(
    store: Store,
    sources: Iterable[tuple[Path, Read]],
    origin: Origin = UNKNOWN_ORIGIN,
    jobs: int = 1,
    fresh: bool = False,
) -> Iterator[tuple[Imported, bool]]:
    """Review what the store does not know yet, keep it, and yield each submission with whether
    anything of it was new, in the order of the sources.

    What is yielded is in the store permanently. What is not is there as a whole or not at all, so
    that an import that was killed is repeated.

    Args:
        sources: what errors name, and what reads the submissions there.
        origin: what a person says of them.
        jobs: processes that review; with one, all is done in this one.
        fresh: whether to review again what is known.

    Raises:
        AreachairError: one of the processes was killed, or the store refuses a write.
    """
    batch: list[Imported] = []
    begun = time.monotonic()
    with processes(jobs) as pool:
        for item in in_turn(_begun(store, sources, origin, pool, fresh), jobs):
            batch.append(item)
            if len(batch) >= _MOST_AT_ONCE or time.monotonic() - begun > _LONGEST_WAIT:
                yield from _kept(store, batch)
                batch, begun = [], time.monotonic()
        yield from _kept(store, batch)


def _begun(
    store: Store,
    sources: Iterable[tuple[Path, Read]],
    origin: Origin,
    pool: Executor,
    fresh: bool,
) -> Iterator[Future[Imported]]:
    reviewed: set[str] = set()  # base code, which many attempts bring along
    for path, read in sources:
        found = guarded(path, partial(_all_of, read))
        if isinstance(found, Unread):
            yield _done(found)
            continue
        for submission in found:
            named = judged_as_kept(store, with_origin(submission, origin))
            base = named.base if named.base and named.base.id not in reviewed else None
            if base is not None:
                reviewed.add(base.id)
                base = base if fresh or known(store, base, own_version()) is None else None
            kept = None if fresh or base else known(store, named, own_version())
            yield pool.submit(_reviewed, named, base) if kept is None else _done(kept)


def _all_of(read: Read) -> tuple[Submission, ...]:
    return tuple(read())


def _reviewed(submission: Submission, base: Submission | None) -> Imported:
    return guarded(
        Path(submission.source),
        lambda: Reviewed(
            submission,
            own_reviews(submission, DEFAULT_REVIEWERS),
            () if base is None else own_reviews(base, DEFAULT_REVIEWERS),
        ),
    )


def _done(item: Imported) -> Future[Imported]:
    done: Future[Imported] = Future()
    done.set_result(item)
    return done


def _kept(store: Store, batch: list[Imported]) -> Iterator[tuple[Imported, bool]]:
    new = _added(store, [item for item in batch if isinstance(item, Reviewed)])
    for item in batch:
        yield item, isinstance(item, Reviewed) and next(new)


def _added(store: Store, reviewed: list[Reviewed]) -> Iterator[bool]:
    added = [(item.submission, item.reviews) for item in reviewed]
    bases = [(item.submission.base, item.of_base) for item in reviewed if item.of_base]
    first = [(base, reviews) for base, reviews in bases if base is not None]
    try:
        together = store.add_many([*first, *added]) if added else []
    except StoreError:
        # What it refuses is met again here, and those before it are in the store by then.
        for each in first:
            store.add(*each)
        yield from (store.add(*each) for each in added)
    else:
        yield from together[len(first) :]
