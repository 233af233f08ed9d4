"""The line above a submission: the way back, its name, the progress, and the next one."""

from typing import Any

from dashboard.dates import age_of
from dashboard.parts.component import load
from dashboard.parts.plain import one_line
from reviewers.exports.wording import attempt_words
from reviewers.records import OWN_GENERATOR
from reviewers.store.inbox import InboxPage
from reviewers.store.submission import SubmissionRecord

# The same for every submission, so that going on to the next one does not empty the line.
_KEY = "head"
_mount = load("submission_head")


def submission_head(
    record: SubmissionRecord,
    *,
    back: str,
    onward: str | None,
    scope: str,
    here: InboxPage | None,
    decided: tuple[int, int],
    attempts: int | None = None,
    beside: tuple[str | None, str | None] = (None, None),
    across: tuple[str, str] | None = None,
    leads_on: bool = False,
    lineages: bool = False,
) -> None:
    """Draw the line.

    Args:
        back: address of the inbox as it was left.
        onward: address of the next submission without a decision; None if there is no other.
        scope: what the list is that `onward` goes through, in words.
        here: that list, as far as it is counted; None if it is everything.
        decided: how many submissions are decided in all, and how many there are.
        attempts: how many attempts at its experiment are known.
        beside: addresses of the attempt before and of the one after it; None if there is none.
        across: the other way to look at the submission, which the key v leads to: words, address.
        leads_on: whether that is what to do next.
        lineages: whether the list has a row a lineage, so that `onward` leads to the next one.
    """
    submission = record.submission
    data: dict[str, Any] = {
        "back": back,
        "name": one_line(submission.name),
        "about": one_line(about(record, attempts), 160),
        "age": age_of(record.submission.generated, record.imported_at),
        "onward": onward,
        "beside": beside,
        "across": across,
        "leads_on": leads_on,
        "lineages": lineages,
        "scope": scope,
        "here": here and {"decided": here.decided, "total": here.total, "more": here.more},
        "all": {"decided": decided[0], "total": decided[1]},
    }
    _mount(key=_KEY, data=data)


def about(record: SubmissionRecord, attempts: int | None = None) -> str:
    """Return the attempt number and lineage, as far as they are known, and whether it is ours."""
    submission = record.submission
    number = submission.attempt
    of = f" of {attempts}" if number and attempts is not None and attempts >= number else ""
    attempt = "" if number is None else f"{attempt_words(number)}{of}"
    is_ours = submission.generator == OWN_GENERATOR
    ours = "repaired by areachair, counted nowhere" if is_ours else ""
    return " · ".join(filter(None, [ours, attempt, submission.lineage]))
