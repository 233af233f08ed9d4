"""Removes what a blinded person may not see: only the submission's files, its context and their own
records remain.
"""

from dataclasses import replace

from dashboard.attempt_comparison import Attempts
from reviewers.store.submission import SubmissionRecord


def redact(record: SubmissionRecord, author: str) -> SubmissionRecord:
    """Return a record without the input of reviewers and other people.

    Args:
        author: the id of who judges.
    """
    mine = tuple(own for own in record.own if own.author.id == author)
    ids = {own.finding.id for own in mine}
    return replace(
        record,
        reviews=(),
        decisions=tuple(decision for decision in record.decisions if decision.author.id == author),
        own=mine,
        rulings=tuple(
            ruling
            for ruling in record.rulings
            if ruling.author.id == author and ruling.finding_id in ids
        ),
        remarks=tuple(
            remark
            for remark in record.remarks
            if remark.author.id == author and remark.finding_id in ids
        ),
    )


def redact_attempts(attempts: Attempts, author: str) -> Attempts:
    """Return a comparison of the code only, because findings of an earlier attempt hint at those of
    this one.
    """
    if (beside := attempts.comparison) is None:
        return attempts
    return replace(
        attempts,
        comparison=replace(
            beside, before=redact(beside.before, author), since={}, gone=(), unheard=()
        ),
    )


def redaction_words(record: SubmissionRecord, *, seen: bool) -> str:
    """Say what is hidden and why, without revealing any verdict.

    Args:
        seen: whether the person has opened it before with all that is hidden now.
    """
    reviews = len(record.reviews)
    count = {0: "there is no review yet", 1: "one review is hidden"}
    said = count.get(reviews, f"{reviews} reviews are hidden")
    then = (
        (
            "You have opened this submission without blind mode before, so your verdict will"
            " not count as blind."
        )
        if seen
        else "Your verdict will be recorded as blind."
    )
    return (
        f"Blind mode is on: {said}, and other people's verdicts are hidden until you decide. {then}"
    )
