"""Fills an empty store with the samples behind the first pages, in a process of its own."""

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from reviewers.errors import AreachairError

# Not found by the folder in which the desk was started: that may be a submission's.
_PACKAGES = Path(__file__).parents[1]
_SCRIPT = f"import sys, runpy; sys.path.insert(0, {str(_PACKAGES)!r});" + (
    " runpy.run_module('reviewers.batch.samples', run_name='__main__')"
)
_looking: list[threading.Thread] = []
_filling: list[subprocess.Popen[str]] = []


def fill() -> None:
    """Begin to fill the store of this desk if it is to have samples; nothing happens to any other.

    Returns at once: what it takes to look at the store takes a second to import.
    """
    thread = threading.Thread(target=_look, daemon=True)
    _looking.append(thread)
    thread.start()


def _look() -> None:
    from dashboard import session
    from dashboard.server_state import store_url
    from reviewers.batch.samples import lacking

    # What is wrong with the store, the page itself says.
    with suppress(AreachairError):
        if lacking(session.store()):
            command = [sys.executable, "-P", "-c", _SCRIPT]
            started = subprocess.Popen(command, stdin=subprocess.PIPE, text=True)
            # The address may hold a password, which the list of processes would show. The input
            # stays open: it ends with us.
            assert started.stdin is not None
            started.stdin.write(f"{store_url()}\n")
            started.stdin.flush()
            _filling.append(started)


def filling() -> bool:
    """Whether samples are on their way, or may be."""
    is_open = any(each.is_alive() for each in _looking)
    return is_open or any(each.poll() is None for each in _filling)


def let_go() -> None:
    """Stop filling, for the end of the process; the next start goes on."""
    for each in _filling:
        each.terminate()
        each.wait()
    _filling.clear()
