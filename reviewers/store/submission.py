"""What the submission screen asks: one submission with everything that was said of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from reviewers.errors import UnknownSubmission
from reviewers.records import Review, Ruling, Submission, Verdict
from reviewers.store.asked import answered
from reviewers.store.keep import HEX
from reviewers.store.refresh import current_reviews
from reviewers.store.rows import submission_of
from reviewers.store.standing import missed_ids
from reviewers.store.store import Store
from reviewers.store.tables import decisions, rulings, submissions

_SHORTEST_BEGINNING = 8


@dataclass(frozen=True, slots=True)
class StoredReview:
    """A current review with the time at which it came.

    Attributes:
        before: the review that this one looked at again; None for a first look.
    """

    review: Review
    at: datetime
    before: Review | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """One record of a person's verdict; None withdraws the one before."""

    verdict: Verdict | None
    reason: str
    author: str
    at: datetime


@dataclass(frozen=True, slots=True)
class FindingRuling:
    """One record of a person's word on a finding."""

    finding_id: str
    ruling: Ruling
    reason: str
    author: str
    at: datetime


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """One submission with everything that was said of it.

    Attributes:
        reviews: the current review of each reviewer, recorded ones first (one an answer), then by name.
        decisions: newest first; the first is the one that counts.
        rulings: newest first; the first for a finding id is the one that counts.
        missed: ids of the rules' confirmed blockers that no LLM claim covers; empty where no LLM reviewer gave a verdict,
            or the rules did not.
    """

    submission: Submission
    imported_at: datetime
    reviews: tuple[StoredReview, ...]
    decisions: tuple[Decision, ...]
    rulings: tuple[FindingRuling, ...]
    missed: frozenset[str]

    @property
    def decision(self) -> Decision | None:
        """The decision that counts; None where there is none or the last one withdrew it."""
        return self.decisions[0] if self.decisions and self.decisions[0].verdict is not None else None

    @property
    def ruling_of(self) -> Mapping[str, FindingRuling]:
        """The ruling that counts, by finding id; withdrawn ones are left out."""
        newest: dict[str, FindingRuling] = {}
        for ruling in self.rulings:
            newest.setdefault(ruling.finding_id, ruling)
        return {id: ruling for id, ruling in newest.items() if ruling.ruling is not Ruling.WITHDRAWN}


def load_submission(store: Store, submission_id: str) -> SubmissionRecord:
    """Return one submission by its id or an unambiguous beginning of at least 8 characters.

    Raises:
        UnknownSubmission: there is none, or several begin so.
    """
    with store.reading() as connection:
        number = _number(connection, submission_id.strip().lower())
        row = connection.execute(select(submissions).where(submissions.c.number == number)).one()
        reviews = tuple(
            StoredReview(review, kept.at, _before(connection, number, review))
            for review, kept in current_reviews(connection, number)
        )
        ruled = _rulings(connection, row.id)
        newest = {ruling.finding_id: ruling.ruling for ruling in reversed(ruled)}
        return SubmissionRecord(
            submission=submission_of(connection, number),
            imported_at=row.imported_at,
            reviews=reviews,
            decisions=_decisions(connection, row.id),
            rulings=ruled,
            missed=missed_ids([stored.review for stored in reviews], newest) or frozenset(),
        )


def _before(connection: Connection, number: int, review: Review) -> Review | None:
    return answered(connection, number, review.reviewer, review.revises) if review.revises else None


def _number(connection: Connection, beginning: str) -> int:
    if len(beginning) < _SHORTEST_BEGINNING or not HEX.fullmatch(beginning):
        raise UnknownSubmission(
            f"{beginning[:64]!r} is no submission's id: that has at least {_SHORTEST_BEGINNING} characters of 0 to 9 and a to f"
        )
    # "g" sorts after every id with this beginning.
    begins_so = submissions.c.id.between(beginning, beginning + "g")
    found = connection.scalars(select(submissions.c.number).where(begins_so).limit(2)).all()
    if not found:
        raise UnknownSubmission(f"the store holds no submission {beginning!r}")
    if len(found) > 1:
        raise UnknownSubmission(f"several submissions begin with {beginning!r}; give more of the id")
    number: int = found[0]
    return number


def _decisions(connection: Connection, submission_id: str) -> tuple[Decision, ...]:
    wanted = select(decisions).where(decisions.c.submission_id == submission_id).order_by(decisions.c.number.desc())
    return tuple(
        Decision(None if row.verdict is None else Verdict(row.verdict), row.reason, row.author, row.at)
        for row in connection.execute(wanted)
    )


def _rulings(connection: Connection, submission_id: str) -> tuple[FindingRuling, ...]:
    wanted = select(rulings).where(rulings.c.submission_id == submission_id).order_by(rulings.c.number.desc())
    return tuple(
        FindingRuling(row.finding_id, Ruling(row.ruling), row.reason, row.author, row.at) for row in connection.execute(wanted)
    )
