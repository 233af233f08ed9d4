"""What takes its time: the one way to have models asked, about a submission or a whole list, and
what became of it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from dashboard import session, signing
from dashboard.panels import Ask, AskedReviewer, Batch, PanelState
from reviewers.errors import AreachairError
from reviewers.store import Store

MOST = 20_000
"""Questions that one click may ask."""


class JobState(StrEnum):
    """How far one question to one reviewer is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Job:
    """One reviewer asked about one submission.

    Attributes:
        about: the submission's name; empty until its turn comes.
        problem: why it failed.
    """

    submission_id: str
    reviewer: str
    state: JobState
    about: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """What one click asked for.

    Attributes:
        by: the name of who asked.
        usd: what the answers cost so far, as far as known.
    """

    number: int
    by: str
    jobs: tuple[Job, ...]
    usd: float

    @property
    def counts(self) -> Counter[JobState]:
        """How many jobs are in each state."""
        return Counter(job.state for job in self.jobs)

    @property
    def live(self) -> bool:
        """Whether something is still to come."""
        return bool(self.counts[JobState.QUEUED] + self.counts[JobState.RUNNING])


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
    signer = signing.signer()
    budget = session.configuration().budget
    return session.panels().start(store, asks, budget, signer.name if signer else "")


def works() -> Sequence[Work]:
    """Return what is under way or ended a short time ago, the oldest first."""
    return [_work(batch) for batch in session.panels().batches()]


def cancel(number: int) -> None:
    """Stop what has not been answered yet; answers that came stay."""
    session.panels().cancel_batch(number)


def _work(batch: Batch) -> Work:
    jobs = tuple(
        Job(id, name, _state(asked), asked.about, asked.problem)
        for (id, name), asked in batch.asked.items()
    )
    usd = sum(asked.usd for asked in batch.asked.values() if asked.usd is not None)
    return Work(batch.number, batch.by, jobs, usd)


def _state(asked: AskedReviewer) -> JobState:
    match asked.state:
        case PanelState.WAITING:
            return JobState.QUEUED
        case PanelState.CANCELLED:
            return JobState.CANCELLED
        case PanelState.FAILED:
            return JobState.FAILED
        case PanelState.ARRIVED:
            return JobState.FAILED if asked.problem else JobState.DONE
        case _:
            return JobState.RUNNING
