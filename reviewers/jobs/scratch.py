"""Temporary folders of jobs; those that a killed process left are removed by the next one."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "areachair-job-"
_LOCK = ".held"


@contextmanager
def scratch() -> Iterator[Path]:
    """Give a folder that is removed at the end, or after the death of this process."""
    sweep()
    made = Path(tempfile.mkdtemp(prefix="areachair-new-"))
    # It gets the name that is looked for once it is held.
    folder = made.with_name(made.name.replace("areachair-new-", _PREFIX))
    try:
        with (made / _LOCK).open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            made.rename(folder)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(made, ignore_errors=True)


def sweep() -> None:
    """Remove the folders whose processes died."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            # The system lets go of a dead process's locks.
            held = os.open(folder / _LOCK, os.O_WRONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(held)
