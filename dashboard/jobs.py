"""What takes its time is handed in here and done by workers: models asked about a submission or a
whole list, rules, uploads. The desk has one worker of its own, a process that begins with the first
job; `areachair work` is more of them.
"""

import subprocess
import threading
import time
from collections.abc import Mapping, Sequence

from dashboard import session, signing
from dashboard.server_state import reach
from reviewers.cli.serving import Audience
from reviewers.errors import AreachairError
from reviewers.jobs.handing_in import (
    Ask,
    ExportedAs,
    export_job,
    mend_job,
    repairs_job,
    rules_job,
    upload_job,
)
from reviewers.jobs.names import COMMAND
from reviewers.store import Store
from reviewers.store.job_files import exports_under_way
from reviewers.store.jobs import NewJob, Work, enqueue_jobs, live_jobs, shown_works

MOST = 20_000
"""Questions that one click may ask."""

MOST_EXPORTS = 3
"""Exports of one person under way: whoever may read may export."""

_SECONDS_TO_END = 5.0
_OFTEN, _OLDEST_SECONDS = 20, 5.0
_looked: dict[str, tuple[float, float, Sequence[Work]]] = {}


def enqueue(store: Store, asks: Sequence[Ask]) -> int:
    """Have reviewers asked, within the one budget that is configured for a click; return at once
    with the number of the work.

    A reviewer that is being asked about a submission already is not asked again.

    Raises:
        ReviewerError: the file of reviewers cannot be read.
        AreachairError: there are too many.
    """
    if len(asks) > MOST:
        raise AreachairError(f"{len(asks):,} questions are more than the {MOST:,} of one click")
    made_up = reach() is Audience.ALONE
    budget = session.configuration().budget
    return _handed_in(
        store,
        [ask.job(made_up=made_up) for ask in asks],
        budget.usd,
        budget.tokens,
    )


def run_rules(store: Store, submission_id: str) -> int:
    """Have the rules run on a submission again; return the number of the work."""
    return _handed_in(store, [rules_job(submission_id)])


def prove_repairs(store: Store, submission_id: str, taken: Mapping[str, str] | None) -> int:
    """Have the repairs of a submission proven, or those that people took of them; return the number
    of the work.
    """
    return _handed_in(store, [repairs_job(submission_id, taken)])


def mend(store: Store, submission_id: str, taken: Mapping[str, str] | None) -> int:
    """Have the repaired version of a submission stored as its next attempt; return the number of
    the work.
    """
    return _handed_in(store, [mend_job(submission_id, taken)])


def import_files(store: Store, files: Sequence[tuple[str, bytes]]) -> int:
    """Have uploaded files imported, given by name and content; return the number of the work."""
    return _handed_in(store, [upload_job(name, data) for name, data in files])


def export(store: Store, ids: Sequence[str], kind: ExportedAs, owner: str) -> int:
    """Have submissions exported for somebody; return the number of the work.

    Raises:
        AreachairError: too many of theirs are under way.
    """
    if exports_under_way(store, owner) >= MOST_EXPORTS:
        raise AreachairError(
            f"{MOST_EXPORTS} exports of yours are under way: wait until one of them is done"
        )
    name = f"areachair-{store.now():%Y-%m-%d-%H%M}"
    return _handed_in(store, [export_job(ids, kind, name, owner)])


def works(store: Store) -> Sequence[Work]:
    """Return what is under way or ended a short time ago, the oldest first; of long lists it is up
    to some seconds old, so that many browsers cost no more than one.
    """
    at, took, found = _looked.get(store.place, (0.0, 0.0, ()))
    begun = time.monotonic()
    if begun - at > min(_OFTEN * took, _OLDEST_SECONDS):
        found = shown_works(store)
        _looked[store.place] = begun, time.monotonic() - begun, found
    return found


def look_again() -> None:
    """Forget how far works were, after this process changed something."""
    _looked.clear()


class _OwnWorker:
    """The worker that a served desk has; none where pages are drawn without a server."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._url: str | None = None
        self._process: subprocess.Popen[str] | None = None

    def serve(self, url: str) -> None:
        """Work on a store from now on; begin at once if jobs were left behind."""
        self._url = url
        if live_jobs(session.store()):
            self.begin()

    def begin(self) -> None:
        """Start the process unless it runs."""
        with self._lock:
            if self._url is None or (self._process and self._process.poll() is None):
                return
            self._process = subprocess.Popen([*COMMAND], stdin=subprocess.PIPE, text=True)
            assert self._process.stdin is not None
            self._process.stdin.write(f"{self._url}\n")
            self._process.stdin.flush()

    def end(self) -> None:
        """Stop it; what it did not end is done after the next start."""
        with self._lock:
            self._url = None
            if self._process is None or self._process.stdin is None:
                return
            self._process.stdin.close()
            try:
                self._process.wait(_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None


own_worker = _OwnWorker()


def _handed_in(
    store: Store,
    new: Sequence[NewJob],
    most_usd: float | None = None,
    most_tokens: int | None = None,
) -> int:
    signer = signing.signer()
    by = signer.name if signer else ""
    number = enqueue_jobs(store, new, by=by, most_usd=most_usd, most_tokens=most_tokens)
    look_again()
    own_worker.begin()
    return number
