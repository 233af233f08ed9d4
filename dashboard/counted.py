"""A submission's reviews as they count: people's rulings in the place of fact checks, and what each of them missed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from reviewers.claims.missed import missed_blockers
from reviewers.panel.changes import Changes, changes
from reviewers.records import Check, Finding, Review
from reviewers.store.standing import RULES, ruled
from reviewers.store.submission import StoredReview, SubmissionRecord


@dataclass(frozen=True)
class Counted:
    """The reviews of one submission.

    Attributes:
        stored: by the reviewer's name on screen, in the order of the record.
    """

    record: SubmissionRecord
    stored: Mapping[str, StoredReview]

    @cached_property
    def reviews(self) -> Mapping[str, Review]:
        """Each review with the rulings counted in."""
        return {name: self.ruled(stored.review) for name, stored in self.stored.items()}

    @cached_property
    def missed(self) -> Mapping[str, tuple[Finding, ...]]:
        """Proven blockers that a model with a verdict does not name, by its name on screen."""
        return {
            name: self.missed_in(review)
            for name, review in self.reviews.items()
            if review.reviewer != RULES and review.verdict is not None
        }

    @cached_property
    def _proven(self) -> tuple[Finding, ...]:
        by_rules = (review for review in self.reviews.values() if review.reviewer == RULES and review.verdict is not None)
        return tuple(finding for review in by_rules for finding in review.findings)

    def ruled(self, review: Review) -> Review:
        """Return a review with the rulings counted in."""
        return ruled(review, {id: ruling.ruling for id, ruling in self.record.ruling_of.items()})

    def missed_in(self, review: Review) -> tuple[Finding, ...]:
        """Return the proven blockers that a review does not name."""
        ids = missed_blockers(review.findings, self._proven)
        return tuple(finding for finding in self._proven if finding.id in ids)

    def to_show(self, name: str) -> tuple[Review, tuple[Finding, ...]] | None:
        """Return the review that evidence can be shown against, with what it missed; None where nothing speaks against it.

        A second look that failed leaves the first one to be shown again; one that came is final.
        """
        stored = self.stored[name]
        first = stored.before if stored.review.verdict is None else stored.review if stored.review.revises is None else None
        if first is None or first.request is None or first.verdict is None:
            return None
        review = self.ruled(first)
        missed = self.missed_in(review)
        return (review, missed) if missed or review.count(Check.REFUTED) else None

    def changes(self, name: str) -> Changes | None:
        """Return what a second look changed; None where there was none."""
        before = self.stored[name].before
        if before is None:
            return None
        before = self.ruled(before)
        return changes(before, self.reviews[name], self.missed_in(before))


def counted(record: SubmissionRecord) -> Counted:
    """Return the reviews of a submission as they count."""
    return Counted(record, dict(zip(record.names, record.reviews, strict=True)))
