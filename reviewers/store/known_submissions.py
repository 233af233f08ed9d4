"""What the store already knows about a submission, so that it is not reviewed again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select

from reviewers.records import Submission, failure_lines
from reviewers.store.rows import answer_values, recorded_slot
from reviewers.store.store import Store
from reviewers.store.tables import answers, reviews, submissions
from reviewers.store.triage import RULES


@dataclass(frozen=True, slots=True)
class KnownSubmission:
    """A submission of which the store has all that an import would add.

    Attributes:
        failed: the reviewers that gave no verdict, each with the reason.
    """

    submission: Submission
    failed: tuple[tuple[str, str], ...]

    @property
    def failures(self) -> tuple[str, ...]:
        """One line for each reviewer that gave no verdict."""
        return failure_lines(self.submission, self.failed)


def known(store: Store, submission: Submission, version: str) -> KnownSubmission | None:
    """Return what is known of a submission; None if its own reviews are to be made.

    They are where the store lacks the submission, an answer that it brings along, its generator's
    name or its date, and where another version of our own code made the static review or checked an
    answer.
    """
    with store.reading() as connection:
        wanted = select(submissions).where(submissions.c.id == submission.id)
        row = connection.execute(wanted).one_or_none()
        if row is None or _is_filled_in(submission, row):
            return None
        current = connection.execute(
            select(reviews.c.slot, reviews.c.reviewer, reviews.c.failure, reviews.c.number)
            .where(reviews.c.submission == row.number, reviews.c.current)
            .where(reviews.c.version == version)
            .order_by(reviews.c.reviewer, reviews.c.number)
        ).all()
        if RULES not in {each.reviewer for each in current}:
            return None
        kept = connection.scalars(
            select(answers.c.digest).where(answers.c.submission == row.number)
        ).all()
    brought = {answer_values(answer)["digest"] for answer in submission.recorded}
    slots = {recorded_slot(answer.raw) for answer in submission.recorded}
    if not (brought <= set(kept) and slots <= {each.slot for each in current}):
        return None
    own = [each for each in current if each.reviewer == RULES or each.slot in slots]
    return KnownSubmission(
        submission,
        tuple((each.reviewer, each.failure) for each in own if each.failure is not None),
    )


def _is_filled_in(submission: Submission, row: Row[Any]) -> bool:
    """Whether a submission says of itself what the store does not know."""
    said = (
        (submission.generator, row.generator),
        (submission.generated, row.dated_by),
        (submission.base, row.base),
        (True, row.contract),
    )
    return any(own is not None and kept is None for own, kept in said)
