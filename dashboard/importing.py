"""What becomes of the files that a browser sent: a job each, which goes on if the browser
disconnects.
"""

from dataclasses import dataclass
from enum import StrEnum

from reviewers.jobs.names import NEW
from reviewers.store import Store
from reviewers.store.jobs import Job, JobState, jobs_of


class ImportState(StrEnum):
    """How far a file is."""

    WAITING = "waiting"
    READING = "reading"
    READ = "read"
    KNOWN = "already known"
    REFUSED = "refused"

    @property
    def live(self) -> bool:
        """Whether it is still to be read."""
        return self in (ImportState.WAITING, ImportState.READING)


@dataclass(frozen=True, slots=True)
class Sent:
    """One uploaded file: `said` is its result, or why it was refused."""

    name: str
    state: ImportState = ImportState.WAITING
    said: str = ""


def sent(store: Store, work: int) -> tuple[Sent, ...]:
    """Return the files of one upload in their current state."""
    return tuple(_sent(job) for job in jobs_of(store, work))


def _sent(job: Job) -> Sent:
    match job.state:
        case JobState.WAITING:
            return Sent(job.about)
        case JobState.RUNNING:
            return Sent(job.about, ImportState.READING)
        case JobState.DONE:
            state = ImportState.READ if NEW in job.progress else ImportState.KNOWN
            return Sent(job.about, state, job.progress)
        case JobState.CANCELLED:
            return Sent(job.about, ImportState.REFUSED, "cancelled; upload it again")
        case _:
            return Sent(job.about, ImportState.REFUSED, job.problem)
