"""What can be handed in to workers: one function for each task of `reviewers.jobs.tasks`, whose
arguments are spelled here and there and nowhere else.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reviewers.backends.configured import ReviewerConfig
from reviewers.jobs.names import (
    ASK,
    CLAIMS,
    EXPORT,
    FIRST,
    IMPORT,
    MEND,
    REPAIRS,
    RULES,
    UPLOAD,
)
from reviewers.store.jobs import NewJob
from reviewers.store.repairs import chosen_key


@dataclass(frozen=True, slots=True)
class Ask:
    """Who is to be asked about a submission, and what.

    Attributes:
        task: `ASK`, or `READ` to have it read the claims of all reviews.
        look: of `ASK`, the first or a second one.
        fresh: whether to ask even where an answer is kept; who answered this very question already
            is always asked afresh.
        unless_answered: whether to leave out who gave a verdict on this very question already.
    """

    submission_id: str
    config: ReviewerConfig
    task: str = ASK
    look: str = FIRST
    fresh: bool = False
    unless_answered: bool = False

    def job(self, *, made_up: bool) -> NewJob:
        """Return the job.

        Args:
            made_up: whether the reviewer may be one that is not configured, such as
                `openai:MODEL`.
        """
        arguments = {"reviewer": self.config.name, "made_up": made_up}
        if self.task == ASK:
            arguments |= {
                "look": self.look,
                "fresh": self.fresh,
                "unless_answered": self.unless_answered,
            }
        return NewJob(
            task=self.task,
            submission_id=self.submission_id,
            reviewer=self.config.name,
            arguments=arguments,
        )


def rules_job(submission_id: str) -> NewJob:
    """Have the rules run on a submission again."""
    return NewJob(task=RULES, submission_id=submission_id, reviewer=RULES)


def claims_job(submission_id: str) -> NewJob:
    """Have all claims on a submission checked again."""
    return NewJob(task=CLAIMS, submission_id=submission_id, reviewer=CLAIMS)


def repairs_job(submission_id: str, taken: Mapping[str, str] | None = None) -> NewJob:
    """Have the repairs of a submission proven and kept.

    Args:
        taken: only these, by finding id, each in the way that `way_key` names; None for all.
    """
    return _repairing(REPAIRS, submission_id, taken)


def mend_job(submission_id: str, taken: Mapping[str, str] | None = None) -> NewJob:
    """Have the repaired version of a submission stored and reviewed as its next attempt.

    Args:
        taken: as in `repairs_job`.
    """
    return _repairing(MEND, submission_id, taken)


def repairs_asker(task: str, taken: Mapping[str, str] | None) -> str:
    """Return by what such a job is known among those about a submission, so that the same is not
    done twice at a time.
    """
    return f"{task}:{chosen_key(taken)[:12]}"


def _repairing(task: str, submission_id: str, taken: Mapping[str, str] | None) -> NewJob:
    return NewJob(
        task=task,
        submission_id=submission_id,
        reviewer=repairs_asker(task, taken),
        arguments={"taken": None if taken is None else dict(taken)},
    )


def import_job(path: str) -> NewJob:
    """Import what lies at a path of the worker's machine."""
    return NewJob(task=IMPORT, about=path, arguments={"paths": [path]})


def upload_job(name: str, data: bytes) -> NewJob:
    """Import an uploaded file."""
    return NewJob(task=UPLOAD, about=name, data=data)


class ExportedAs(StrEnum):
    """How submissions are exported; each is one file."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"
    SARIF = "sarif"

    @property
    def is_tables(self) -> bool:
        """Whether it is several tables, in an archive."""
        return self in (ExportedAs.CSV, ExportedAs.PARQUET)


def export_job(ids: Sequence[str], kind: ExportedAs, name: str, owner: str) -> NewJob:
    """Export submissions into a file that is kept for a day.

    Args:
        name: of the file, without its ending.
        owner: the id of who may have it; empty where nobody has one.
    """
    ending = "zip" if kind.is_tables else "gz"
    return NewJob(
        task=EXPORT,
        about=f"{name}.{kind}.{ending}",
        arguments={"kind": kind, "owner": owner, "key": secrets.token_urlsafe(24)},
        data="\n".join(ids).encode(),
    )
