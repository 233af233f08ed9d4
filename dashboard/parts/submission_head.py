"""The line above a submission: the way back, what it is, how far the work has come, the way on."""

from typing import Any

from dashboard.parts.component import load
from dashboard.parts.plain import one_line
from reviewers.store.submission import SubmissionRecord

_mount = load("submission_head")


def submission_head(record: SubmissionRecord, *, back: str, onward: str | None, decided: tuple[int, int], key: str) -> None:
    """Draw the line.

    Args:
        back: address of the inbox as it was left.
        onward: address of the next submission without a decision; None where there is no other.
        decided: how many submissions are decided, and how many there are.
    """
    submission = record.submission
    data: dict[str, Any] = {
        "back": back,
        "name": one_line(submission.name),
        "about": one_line(about(record), 160),
        "imported": record.imported_at.isoformat(),
        "onward": onward,
        "decided": decided[0],
        "total": decided[1],
    }
    _mount(key=key, data=data)


def about(record: SubmissionRecord) -> str:
    """Say which generation of which experiment it is, as far as that is known."""
    submission = record.submission
    attempt = f"attempt {submission.attempt}" if submission.attempt is not None else ""
    return " of ".join(filter(None, [attempt, submission.lineage]))
