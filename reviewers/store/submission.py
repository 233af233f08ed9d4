"""Queries of the submission page: one submission with everything recorded about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from reviewers.errors import DeletedSubmission, UnknownSubmission
from reviewers.offers import Offers
from reviewers.records import Finding, Review, Ruling, Severity, Submission, Verdict
from reviewers.store.authors import Author, signed_rows
from reviewers.store.deletion import deletions_in
from reviewers.store.groupings import Grouped, grouped_of
from reviewers.store.human_input import HumanInput, OwnFinding, Remark, own_in, remarks_in
from reviewers.store.insert import HEX
from reviewers.store.kept_answers import answered
from reviewers.store.readers import PersonsReading, read_by_people
from reviewers.store.refresh import current_reviews
from reviewers.store.repairs import offers_in
from reviewers.store.rows import shown_submission
from reviewers.store.store import Store
from reviewers.store.tables import decisions, groupings, rulings, submissions
from reviewers.store.triage import VERSION, ReviewChip, missed_ids, names_on_screen

_SHORTEST_PREFIX = 8


@dataclass(frozen=True, slots=True)
class StoredReview:
    """A current review with the time at which it came.

    Attributes:
        before: the initial review that this one, a rebuttal, revises; None for an initial review.
    """

    review: Review
    at: datetime
    before: Review | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """One record of a person's verdict; None withdraws the one before.

    Attributes:
        blind: whether the person had not seen what others say of the submission; None if that
            is not known.
    """

    verdict: Verdict | None
    reason: str
    author: Author
    at: datetime
    blind: bool | None = None


@dataclass(frozen=True, slots=True)
class FindingRuling:
    """One record of a person's word on a finding; `blind` as in `Decision`."""

    finding_id: str
    ruling: Ruling
    reason: str
    author: Author
    at: datetime
    blind: bool | None = None


@dataclass(frozen=True, slots=True)
class SubmissionRecord:
    """One submission with everything that was said of it.

    Attributes:
        reviews: the current review of each reviewer, recorded ones first (one an answer), then by
            name.
        decisions: newest first; the first is the one that counts.
        rulings: newest first; the first for a finding id is the one that counts.
        own: findings of persons as they were written, the oldest first; whether they count,
            `ruling_of` says.
        remarks: comments and changed severities, newest first; the first severity for a finding id
            is the one that counts.
        read_by_people: how persons read claims, the oldest first; of each person's the newest
            counts.
        grouped: which findings are one defect; None where comparing them takes no time.
        offers: the proven repairs; None where nobody asked for them, or none are kept.
    """

    submission: Submission
    imported_at: datetime
    reviews: tuple[StoredReview, ...]
    decisions: tuple[Decision, ...]
    rulings: tuple[FindingRuling, ...]
    own: tuple[OwnFinding, ...] = ()
    remarks: tuple[Remark, ...] = ()
    read_by_people: tuple[PersonsReading, ...] = ()
    grouped: Grouped | None = None
    offers: Offers | None = None

    @property
    def decision(self) -> Decision | None:
        """The decision that counts; None if there is none or the last one withdrew it."""
        return (
            self.decisions[0] if self.decisions and self.decisions[0].verdict is not None else None
        )

    @property
    def missed(self) -> frozenset[str]:
        """Ids of confirmed blockers, of the rules or of persons, that no LLM claim covers; empty if
        no LLM reviewer gave a verdict, or neither the rules did nor a person found anything.
        """
        # Of thousands of findings it takes seconds, and no screen shows it.
        return missed_ids([stored.review for stored in self.reviews], self.said) or frozenset()

    @property
    def ruling_of(self) -> Mapping[str, FindingRuling]:
        """The ruling that counts, by finding id; withdrawn ones are left out."""
        newest: dict[str, FindingRuling] = {}
        for ruling in self.rulings:
            newest.setdefault(ruling.finding_id, ruling)
        return {
            id: ruling for id, ruling in newest.items() if ruling.ruling is not Ruling.WITHDRAWN
        }

    @property
    def severity_of(self) -> Mapping[str, Severity]:
        """The severity that a person gave, by finding id; where it is the finding's own again, it
        is left out.
        """
        own: dict[str, set[Severity]] = defaultdict(set)
        for finding in self.findings:
            own[finding.id].add(finding.severity)
        return {id: given for id, given in self._severities.items() if own[id] != {given}}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings of all current reviews and of persons, as they were written."""
        by_reviewers = (finding for stored in self.reviews for finding in stored.review.findings)
        return (*by_reviewers, *(own.finding for own in self.own))

    @property
    def said(self) -> HumanInput:
        """What people said of the findings, as it counts."""
        rulings = {id: ruling.ruling for id, ruling in self.ruling_of.items()}
        filed = {
            remark.finding_id: remark.category
            for remark in reversed(self.remarks)
            if remark.category is not None
        }
        return HumanInput(rulings, self._severities, self.own, filed)

    @property
    def _severities(self) -> Mapping[str, Severity]:
        return {
            remark.finding_id: remark.severity
            for remark in reversed(self.remarks)
            if remark.severity is not None
        }

    @property
    def names(self) -> tuple[str, ...]:
        """What to call each review's reviewer."""
        return names_on_screen([stored.review.reviewer for stored in self.reviews])


def record_of(
    submission: Submission,
    reviews: Sequence[Review],
    at: datetime,
    offers: Offers | None = None,
) -> SubmissionRecord:
    """Return the record of what no store keeps, on which nobody has said a word."""
    return SubmissionRecord(
        submission=submission,
        imported_at=at,
        reviews=tuple(StoredReview(review, at) for review in reviews),
        decisions=(),
        rulings=(),
        offers=offers,
    )


def find_submission(store: Store, prefix: str) -> str:
    """Return the whole id of the submission with this prefix.

    Raises:
        UnknownSubmission: there is none, or the prefix is ambiguous.
    """
    with store.reading() as connection:
        return identified(connection, prefix)[1]


def load_submission(
    store: Store, submission_id: str, *, repairs_by: str | None = None
) -> SubmissionRecord:
    """Return one submission by its id or an unambiguous prefix of at least 8 characters.

    Args:
        repairs_by: the version of our code whose repairs are wanted; None for no repairs.

    Raises:
        UnknownSubmission: there is none, or the prefix is ambiguous.
    """
    with store.reading() as connection:
        number = number_of(connection, submission_id)
        row = connection.execute(select(submissions).where(submissions.c.number == number)).one()
        reviews = tuple(
            StoredReview(review, kept.at, _before(connection, number, review))
            for review, kept in current_reviews(connection, number)
        )
        return SubmissionRecord(
            submission=shown_submission(connection, number),
            imported_at=row.imported_at,
            reviews=reviews,
            decisions=decisions_in(connection, row.id)[::-1],
            rulings=rulings_in(connection, row.id)[::-1],
            own=own_in(connection, row.id),
            remarks=remarks_in(connection, row.id)[::-1],
            read_by_people=read_by_people(connection, row.id),
            grouped=_grouped(connection, number),
            offers=offers_in(connection, number, row.id, repairs_by) if repairs_by else None,
        )


def _grouped(connection: Connection, number: int) -> Grouped | None:
    its = (groupings.c.submission == number) & (groupings.c.version == VERSION)
    told = connection.scalar(select(groupings.c.told).where(its))
    return None if told is None else grouped_of(told)


def _before(connection: Connection, number: int, review: Review) -> Review | None:
    return answered(connection, number, review.reviewer, review.revises) if review.revises else None


def chip_of(kept: dict[str, Any]) -> ReviewChip:
    """Return a review in short as a standing keeps it."""
    return ReviewChip(
        **{**kept, "verdict": None if kept["verdict"] is None else Verdict(kept["verdict"])}
    )


def number_of(connection: Connection, prefix: str) -> int:
    """Return the number of a submission; as `identified`."""
    return identified(connection, prefix)[0]


def identified(connection: Connection, prefix: str) -> tuple[int, str]:
    """Return the number and the whole id of a submission by its id or an unambiguous prefix of at
    least 8 characters.

    Raises:
        UnknownSubmission: there is none, or the prefix is ambiguous.
    """
    prefix = prefix.strip().lower()
    if len(prefix) < _SHORTEST_PREFIX or not HEX.fullmatch(prefix):
        raise UnknownSubmission(
            f"{prefix[:64]!r} is not a submission's id: that has at least {_SHORTEST_PREFIX}"
            " characters of 0 to 9 and a to f"
        )
    # "g" sorts after every id with this prefix.
    has_prefix = submissions.c.id.between(prefix, prefix + "g")
    wanted = select(submissions.c.number, submissions.c.id).where(has_prefix).limit(2)
    found = connection.execute(wanted).all()
    if not found and (gone := deletions_in(connection, prefix)):
        raise DeletedSubmission(str(gone[0]))
    if not found:
        raise UnknownSubmission(f"the store has no submission {prefix!r}")
    if len(found) > 1:
        raise UnknownSubmission(
            f"several submission ids begin with {prefix!r}; give more of the id"
        )
    return found[0].number, found[0].id


def decisions_in(connection: Connection, submission_id: str) -> tuple[Decision, ...]:
    """Return all decisions on a submission, the oldest first."""
    return tuple(
        Decision(row.verdict and Verdict(row.verdict), row.reason, author, row.at, row.blind)
        for row, author in signed_rows(connection, decisions, submission_id)
    )


def rulings_in(connection: Connection, submission_id: str) -> tuple[FindingRuling, ...]:
    """Return all rulings on findings of a submission, the oldest first."""
    return tuple(
        FindingRuling(row.finding_id, Ruling(row.ruling), row.reason, author, row.at, row.blind)
        for row, author in signed_rows(connection, rulings, submission_id)
    )
