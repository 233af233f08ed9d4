"""Who is being asked about a submission, as the store's jobs say it: every browser there shows the
same, whichever process asks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dashboard import session
from reviewers.errors import ReviewerError
from reviewers.jobs.names import CHECKING, KEEPING, MEND, REPAIRS, SECOND
from reviewers.store import Store
from reviewers.store.jobs import Job, JobState, jobs_at


class PanelState(StrEnum):
    """How far a reviewer is."""

    WAITING = "waiting"
    ASKING = "asking"
    CHECKING = "checking"
    KEEPING = "keeping"
    ARRIVED = "arrived"  # its review is in the store, be it a verdict or a failure
    FAILED = "failed"  # nothing is in the store, and `AskedReviewer.problem` says why
    CANCELLED = "cancelled"

    @property
    def live(self) -> bool:
        """Whether something is still to come."""
        return self not in {PanelState.ARRIVED, PanelState.FAILED, PanelState.CANCELLED}


@dataclass(frozen=True, slots=True)
class AskedReviewer:
    """The current state of one reviewer in a panel.

    Attributes:
        again: whether it is shown the evidence against its review, instead of asked for a first
            look.
        seconds: from being asked to the end; None while it lasts.
        problem: why it failed; empty if it did not.
        words: what it has to say of the end, if anything.
    """

    reviewer: str
    model: str
    started: datetime
    again: bool = False
    state: PanelState = PanelState.WAITING
    seconds: float | None = None
    problem: str = ""
    words: str = ""


def asked_about(store: Store, submission_id: str) -> tuple[AskedReviewer, ...]:
    """Return what is or was recently done about a submission: reviewers that are asked, and jobs
    about its repairs, which are no reviewers (`reviewers_among`).
    """
    return tuple(_asked(job) for job in jobs_at(store, submission_id) if job.reviewer)


def reviewers_among(asked: Sequence[AskedReviewer]) -> tuple[AskedReviewer, ...]:
    """Leave out the jobs about repairs, which nobody is asked for."""
    return tuple(each for each in asked if each.reviewer.partition(":")[0] not in (REPAIRS, MEND))


def live(asked: Sequence[AskedReviewer]) -> bool:
    """Whether somebody is still to answer."""
    return any(each.state.live for each in asked)


_STATES = {
    JobState.WAITING: PanelState.WAITING,
    JobState.DONE: PanelState.ARRIVED,
    JobState.CANCELLED: PanelState.CANCELLED,
    JobState.FAILED: PanelState.FAILED,
    JobState.ASIDE: PanelState.FAILED,
}
_UNDER_WAY = {CHECKING: PanelState.CHECKING, KEEPING: PanelState.KEEPING}


def _asked(job: Job) -> AskedReviewer:
    running = _UNDER_WAY.get(job.progress, PanelState.ASKING)
    name = job.reviewer or ""
    return AskedReviewer(
        name,
        _model(name),
        job.at,
        job.arguments.get("look") == SECOND,
        _STATES.get(job.state, running),
        (job.ended - job.at).total_seconds() if job.ended else None,
        job.problem,
        job.progress,
    )


def _model(name: str) -> str:
    if name == "rules":
        return "static checks"
    try:
        return session.configuration().find(name).model
    except ReviewerError:
        return name
