"""Imports uploaded bundles on a background thread, which goes on if the browser disconnects."""

import logging
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import WeakSet

from reviewers.batch import Unread
from reviewers.batch.importing import import_read
from reviewers.bundles import open_bundles
from reviewers.errors import AreachairError
from reviewers.records import Submission
from reviewers.store import Store

_log = logging.getLogger(__name__)
_ODD = re.compile(r"[^\w.-]+")


class ImportState(StrEnum):
    """How far a file is."""

    WAITING = "waiting"
    READING = "reading"
    READ = "read"
    KNOWN = "already known"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Sent:
    """One uploaded file: `said` is its result, or why it was refused."""

    name: str
    state: ImportState = ImportState.WAITING
    said: str = ""


_imports: "WeakSet[ImportJob]" = WeakSet()


def waiting_bytes() -> int:
    """Return the bytes of all files that browsers sent and that are still to be read."""
    return sum(len(data) for job in [*_imports] for data in job.waiting)


class ImportJob:
    """Several files, read one after the other; nothing of a broken one is kept."""

    def __init__(self, store: Store, files: Sequence[tuple[str, bytes]]) -> None:
        self._store = store
        self._data = [data for _, data in files]
        _imports.add(self)
        self._sent = [Sent(name) for name, _ in files]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def sent(self) -> tuple[Sent, ...]:
        """The files in their current state."""
        return tuple(self._sent)

    @property
    def waiting(self) -> tuple[bytes, ...]:
        """The contents of the files that are still to be read."""
        return tuple(self._data)

    @property
    def live(self) -> bool:
        """Whether something is still to be read."""
        return self._thread.is_alive()

    def wait(self) -> None:
        """Return once all files are read."""
        self._thread.join()

    def _run(self) -> None:
        try:
            self._read_all()
        finally:
            # Whatever ended the thread, no file is left as if it were still being read.
            for at, sent in enumerate(self._sent):
                if sent.state in {ImportState.WAITING, ImportState.READING}:
                    self._sent[at] = Sent(
                        sent.name, ImportState.REFUSED, "the import stopped here; upload it again"
                    )

    def _read_all(self) -> None:
        for at, data in enumerate(self._data):
            name = self._sent[at].name
            self._sent[at] = Sent(name, ImportState.READING)
            self._data[at] = b""
            try:
                self._sent[at] = self._read(name, data)
            except AreachairError as error:
                self._sent[at] = Sent(name, ImportState.REFUSED, str(error))
            except Exception as error:  # noqa: BLE001  the named boundary: one file of several
                _log.warning("%r could not be read", name, exc_info=True)
                words = f"could not be reviewed ({type(error).__name__}); please report this file"
                self._sent[at] = Sent(name, ImportState.REFUSED, words)

    def _read(self, name: str, data: bytes) -> Sent:
        new = known = 0
        refused: list[str] = []
        remarks: list[str] = []
        source = Path(name), partial(uploaded_bundles, name, data)
        for item, was_new in import_read(self._store, [source]):
            if isinstance(item, Unread):
                refused.append(item.reason)
            else:
                new += was_new
                known += not was_new
                remarks += item.submission.remarks
        words = [f"{new} new or changed"] * bool(new) + [f"{known} already known"] * bool(known)
        words += refused[:1] + remarks[:1]
        state = ImportState.READ if new else ImportState.KNOWN if known else ImportState.REFUSED
        return Sent(name, state, ", ".join(words))


def uploaded_bundles(name: str, data: bytes) -> tuple[Submission, ...]:
    """Return the submissions of an uploaded file.

    Raises:
        BundleError: it cannot be read.
    """
    with TemporaryDirectory(prefix="areachair-") as folder:
        path = Path(folder) / (
            _ODD.sub("_", Path(name.replace("\\", "/")).name)[-100:].lstrip(".") or "upload"
        )
        path.write_bytes(data)
        return tuple(
            replace(submission, source=f"uploaded {name}") for submission in open_bundles(path)
        )
