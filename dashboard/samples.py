"""Fills an empty store with the samples behind the first pages, in a process of its own."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

from reviewers.batch.samples import lacking
from reviewers.store import Store

# Not found by the folder in which the desk was started: that may be a submission's.
_PACKAGES = Path(__file__).parents[1]
_SCRIPT = f"import sys, runpy; sys.path.insert(0, {str(_PACKAGES)!r});" + (
    " runpy.run_module('reviewers.batch.samples', run_name='__main__')"
)
_filling: list[subprocess.Popen[str]] = []


def fill(url: str) -> None:
    """Begin to fill a store that is to have samples; nothing happens to any other.

    Raises:
        AreachairError: the store cannot be opened.
    """
    with closing(Store.open(url)) as store:
        if lacking(store):
            command = [sys.executable, "-P", "-c", _SCRIPT]
            started = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
            # The address may hold a password, which the list of processes would show. The input
            # stays open: it ends with us.
            assert started.stdin is not None
            started.stdin.write(f"{url}\n")
            started.stdin.flush()
            _filling.append(started)


def filling() -> bool:
    """Whether samples are on their way."""
    return any(each.poll() is None for each in _filling)


def let_go() -> None:
    """Stop filling, for the end of the process; the next start goes on."""
    for each in _filling:
        each.terminate()
        each.wait()
    _filling.clear()
