"""A worker in this process, for tests of what is handed in."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from reviewers.jobs.worker import Worker
from reviewers.store import Store


@contextmanager
def working(store: Store) -> Iterator[Worker]:
    """Do a store's jobs on a thread of its own; what is under way at the end is given back."""
    worker = Worker(store, patience=0.0)
    thread = threading.Thread(target=lambda: asyncio.run(worker.run()))
    thread.start()
    try:
        yield worker
    finally:
        worker.stop()
        thread.join()
