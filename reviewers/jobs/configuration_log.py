"""Logs what the files of reviewers and keys are, which people change on disk: their names and a
hash, never what may be secret.
"""

import hashlib
import socket
from pathlib import Path

from reviewers import settings
from reviewers.backends.configured import load
from reviewers.errors import ReviewerError
from reviewers.records import counted
from reviewers.store import Store
from reviewers.store.authors import Signer
from reviewers.store.change_log import note_configuration

_SHOWN = 12


def files_stamp() -> tuple[tuple[int, int, int], ...]:
    """Return what differs once one of the files was changed."""
    return tuple(map(file_stamp, (settings.reviewers_file(), settings.keys_file())))


def file_stamp(path: Path) -> tuple[int, int, int]:
    """Return what differs once a file was changed; zeros if it cannot be looked at."""
    try:
        state = path.stat()
    except OSError:
        return 0, 0, 0
    return state.st_mtime_ns, state.st_size, state.st_ino


def note_files(store: Store, author: str | Signer | None = None) -> None:
    """Log both files of this machine where they are not what the log says last.

    Args:
        author: who changed them; None if that is not known.

    Raises:
        StoreError: the store cannot be written.
    """
    machine = socket.gethostname()
    for path, about in (
        (settings.reviewers_file(), _reviewers(settings.reviewers_file())),
        (settings.keys_file(), ""),
    ):
        digest = _digest(path)
        now = None if digest is None else f"{about}{digest}"
        note_configuration(store, f"{path.name} on {machine}", now, author)


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return f"sha256 {hashlib.file_digest(file, 'sha256').hexdigest()[:_SHOWN]}"
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"cannot be read ({error.strerror or error})"


def _reviewers(path: Path) -> str:
    try:
        known = load(path)
    except ReviewerError:
        return "not valid; "
    names = ", ".join(each.name for each in known.reviewers) or "no reviewers"
    usd, tokens = known.budget.usd, known.budget.tokens
    limits = [f"${usd:g}"] if usd is not None else []
    limits += [counted(tokens, "token")] if tokens is not None else []
    budget = f"budget of a click {' and '.join(limits)}" if limits else "no budget"
    return f"{names}; {budget}; "
