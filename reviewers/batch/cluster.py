"""Bundles reviewed by a Dask cluster that somebody started: each is read by the machine that
reviews it, so that all must see the same folder.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from reviewers.batch.bundles import UNKNOWN_ORIGIN, Origin, Reviewed, Unread, review_bundle
from reviewers.errors import AreachairError
from reviewers.panel import DEFAULT_REVIEWERS
from reviewers.panel.version import own_version

_AHEAD = 4
"""Bundles for each thread of the cluster that are handed out at a time."""

_KILLED = "its reviewers were killed several times, perhaps for lack of memory; review it alone"


def review_on_cluster(
    address: str,
    paths: Iterable[Path],
    reviewers: Sequence[str] = DEFAULT_REVIEWERS,
    origin: Origin = UNKNOWN_ORIGIN,
) -> Iterator[Reviewed | Unread]:
    """Yield what happened to each submission, in the order of the paths, as `review_bundles` does.
    What a machine that is lost had in hand is done by another one.

    Args:
        address: of the scheduler, such as `tcp://node1:8786`.

    Raises:
        AreachairError: Dask is not installed, the cluster does not answer, it has no worker, or
            its machines have another areachair.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise AreachairError("--dask needs Dask: pip install 'areachair[dask]'") from None
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError) as error:
        raise AreachairError(
            f"the Dask cluster {address[:100]} does not answer ({type(error).__name__}); start one"
            " with `dask scheduler` and `dask worker`"
        ) from None
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise AreachairError(f"the Dask cluster {address[:100]} has no worker; start some")
        if {*client.run(own_version).values()} != {own_version()}:
            raise AreachairError("the cluster's machines have another areachair; install this one")
        waiting: deque[tuple[Path, Any]] = deque()

        def next_result() -> list[Reviewed | Unread]:
            path, future = waiting.popleft()
            try:
                items: list[Reviewed | Unread] = future.result()
            except KilledWorker:
                return [Unread(path, f"{path}: {_KILLED}", _KILLED)]
            return items

        names = tuple(reviewers)
        for path in paths:
            told = path.resolve(), names, origin
            waiting.append((path, client.submit(review_bundle, *told, pure=False)))
            if len(waiting) >= _AHEAD * threads:
                yield from next_result()
        while waiting:
            yield from next_result()
