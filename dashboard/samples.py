"""Fills an empty store with the samples behind the first pages, in a process of its own."""

import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import IO

from dashboard.server_state import is_one_of_several

# Not found by the folder in which the desk was started: that may be a submission's.
_PACKAGES = Path(__file__).parents[1]
_SCRIPT = f"import sys, runpy; sys.path.insert(0, {str(_PACKAGES)!r});" + (
    " runpy.run_module('reviewers.batch.samples', run_name='__main__')"
)
_filling: list[subprocess.Popen[str]] = []
_began = time.monotonic()
_LONGEST_SECONDS = 300.0
"""After that nobody waits for samples: some were deleted, or cannot be kept."""


def begin(url: str) -> None:
    """Begin to make and fill a SQLite store that does not exist yet, while this process loads what
    opens one; nothing happens to any other.
    """
    scheme, _, rest = url.partition(":///")
    if scheme == "sqlite" and not Path(rest.partition("?")[0]).exists():
        _start(url)


def fill(url: str) -> None:
    """Begin to fill a store that is to have samples; nothing happens to any other.

    Raises:
        AreachairError: the store cannot be opened.
    """
    from reviewers.batch.samples import lacking
    from reviewers.store import Store

    # Both would want to write the tables; who comes second waits for the samples too.
    if any(_output(each).readline() for each in _filling):
        return
    with closing(Store.open(url)) as store:
        if lacking(store):
            _start(url)


def _start(url: str) -> None:
    command = [sys.executable, "-P", "-c", _SCRIPT]
    pipe = subprocess.PIPE
    started = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    # The address may hold a password, which the list of processes would show. The input stays open:
    # it ends with us.
    assert started.stdin is not None
    started.stdin.write(f"{url}\n")
    started.stdin.flush()
    _filling.append(started)


def _output(started: subprocess.Popen[str]) -> IO[str]:
    assert started.stdout is not None
    return started.stdout


def filling() -> bool:
    """Whether samples are on their way."""
    if not is_one_of_several():
        return any(each.poll() is None for each in _filling)
    # The parent fills the store, soon after it starts us.
    from dashboard.session import store
    from reviewers.batch.samples import lacking

    return time.monotonic() - _began < _LONGEST_SECONDS and lacking(store())


def let_go() -> None:
    """Stop filling, for the end of the process; the next start goes on."""
    for each in _filling:
        each.terminate()
        each.wait()
    _filling.clear()
