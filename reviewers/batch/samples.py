"""The samples: a small history of three experiments, which a first visit finds in its store.

The packed history holds what a store cannot work out (the code, what reviewers, people and runs
said); the rules and the fact checks are this areachair's own.
"""

import json
import lzma
import os
import sys
import threading
from collections.abc import Mapping
from contextlib import closing
from functools import cache, partial
from pathlib import Path

from reviewers import settings
from reviewers.batch.bundles import Unread, useful_jobs
from reviewers.batch.importing import import_read
from reviewers.bundles.submission_json import SCHEMA, read_submission_json
from reviewers.errors import StoreError
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.aside import counts
from reviewers.store.inbox import progress
from reviewers.store.restore import import_lines

_NAME = Path("the samples' history")


@cache
def samples() -> Mapping[str, tuple[str, ...]]:
    """Return the lines of each sample by its id, in the order of the history."""
    with lzma.open(settings.sample_history(), "rt", encoding="utf-8") as packed:
        lines = packed.readlines()
    parts: dict[str, tuple[str, ...]] = {}
    first = ""
    for line in lines:
        value = json.loads(line)
        if value["schema"] == SCHEMA:
            first = line
        else:
            parts[value["of"]] = (*parts.get(value["of"], (first,)), line)
    return parts


def lacking(store: Store) -> bool:
    """Whether a store is to have samples, or reviews of them, that it lacks: one that was empty
    when they came, and from which nobody set them aside.
    """
    now = counts(store, samples())
    is_theirs = now.kept > 0 or progress(store)[1] == 0
    return is_theirs and not now.aside and now.reviewed < len(samples())


def keep_samples(store: Store) -> None:
    """Keep the samples, then review them while other processes go first; nothing happens to a store
    that is not to have them.

    Raises:
        AreachairError: one of the processes was killed, or the store refuses a write.
    """
    if not lacking(store):
        return
    import_lines(store, (line for lines in samples().values() for line in lines), str(_NAME))
    if hasattr(os, "nice"):  # not on Windows
        os.nice(10)
    sources = ((_NAME, partial(_read, lines[0])) for lines in samples().values())
    for item, _ in import_read(store, sources, jobs=useful_jobs(len(samples()))):
        if isinstance(item, Unread):
            raise StoreError(item.problem)


def _read(line: str) -> tuple[Submission, ...]:
    return (read_submission_json(json.loads(line), str(_NAME), exact=True),)


def _main() -> None:
    """Fill the store whose address is the first line of the input, after a line that says that it
    is open; end where the input ends.
    """
    url = sys.stdin.readline().rstrip("\n")
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        store = Store.open(url)
    except StoreError:
        return  # the desk opens it as well, and says what is wrong
    with closing(store):
        print("open", flush=True)
        keep_samples(store)


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    _main()
