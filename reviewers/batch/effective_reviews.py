"""A submission's reviews with people's rulings applied to fact checks and severities, and the
blockers each one missed.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from reviewers.matching.defects import Comparisons
from reviewers.matching.missed import missed_blockers
from reviewers.matching.rows import MergedFinding, merged
from reviewers.panel.changes import Changes, changes
from reviewers.records import Check, DryRun, Finding, Review, Severity
from reviewers.rubric.choice import contract_of
from reviewers.store.groupings import Grouped, is_measured
from reviewers.store.human_input import HumanInput, is_own
from reviewers.store.submission import StoredReview, SubmissionRecord
from reviewers.store.triage import proven_findings


@dataclass(frozen=True)
class Judged:
    """What follows from a submission's reviews and what people said of the findings, and from
    nothing else; with thousands of findings it takes a second, so sessions share it.

    Attributes:
        stored: by the reviewer's name on screen, in the order of the record.
        mildest: the mildest severity with which the contract calls a submission not ready.
        grouped: what the store keeps of comparing them; passed over if it is of others.
    """

    stored: Mapping[str, StoredReview]
    said: HumanInput
    mildest: Severity
    grouped: Grouped | None = field(default=None, compare=False)

    @cached_property
    def reviews(self) -> Mapping[str, Review]:
        """Each review with people's rulings and comments applied."""
        return {name: self.said.ruled(stored.review) for name, stored in self.stored.items()}

    @property
    def rows(self) -> tuple[MergedFinding, ...]:
        """Every defect once."""
        return self._derived[0]

    @property
    def missed(self) -> Mapping[str, tuple[Finding, ...]]:
        """As `EffectiveReviews.missed`."""
        return self._derived[1]

    @cached_property
    def _derived(self) -> tuple[tuple[MergedFinding, ...], Mapping[str, tuple[Finding, ...]]]:
        """Both at once: what is compared of thousands of findings is read once, and not kept."""
        known = Comparisons()
        findings = {name: review.findings for name, review in sorted(self.reviews.items())}
        kept = self.grouped
        if kept is not None and kept.is_of(findings, self._proven):
            missed = {name: self._all_of(ids) for name, ids in kept.missed.items()}
            return merged(findings, self.mildest, known, kept.rows), missed
        return merged(findings, self.mildest, known), {
            name: self.missed_in(review, known)
            for name, review in self.reviews.items()
            if is_measured(review)
        }

    @cached_property
    def _proven(self) -> tuple[Finding, ...]:
        return proven_findings(self.reviews.values(), self.said) or ()

    def missed_in(self, review: Review, known: Comparisons | None = None) -> tuple[Finding, ...]:
        """As `EffectiveReviews.missed_in`."""
        return self._all_of(missed_blockers(review.findings, self._proven, known=known))

    def _all_of(self, ids: Collection[str]) -> tuple[Finding, ...]:
        return tuple(finding for finding in self._proven if finding.id in ids)


@dataclass(frozen=True)
class EffectiveReviews:
    """The reviews of one submission."""

    record: SubmissionRecord
    judged: Judged

    @property
    def stored(self) -> Mapping[str, StoredReview]:
        """By the reviewer's name on screen, in the order of the record."""
        return self.judged.stored

    @property
    def reviews(self) -> Mapping[str, Review]:
        """Each review with people's rulings and comments applied."""
        return self.judged.reviews

    @property
    def dry_run(self) -> DryRun | None:
        """The dry run; None if they have not looked."""
        found = (stored.review.dry_run for stored in self.stored.values())
        return next(filter(None, found), None)

    @property
    def missed(self) -> Mapping[str, tuple[Finding, ...]]:
        """Blockers, proven by the rules or found by persons, that a model with a verdict does not
        name, by its name on screen.
        """
        return self.judged.missed

    def ruled(self, review: Review) -> Review:
        """Return a review with people's rulings and comments applied."""
        return self.judged.said.ruled(review)

    def missed_in(self, review: Review) -> tuple[Finding, ...]:
        """Return the blockers, proven by the rules or found by persons, that a review does not
        name.
        """
        return self.judged.missed_in(review)

    def to_show(self, name: str) -> tuple[Review, tuple[Finding, ...]] | None:
        """Return the review to contradict with evidence and the blockers it missed; None if no
        evidence contradicts it.

        What only a person saw is not evidence that a model could be held to, and is left out. A
        rebuttal that failed leaves the initial review to be shown again; one that came is final.
        """
        stored = self.stored[name]
        first = (
            stored.before
            if stored.review.verdict is None
            else stored.review
            if stored.review.revises is None
            else None
        )
        if first is None or first.request is None or first.verdict is None:
            return None
        review = self.ruled(first)
        missed = self._unnamed_proofs(review)
        return (review, missed) if missed or review.count(Check.REFUTED) else None

    def changes(self, name: str) -> Changes | None:
        """Return what a rebuttal changed; None if there was none."""
        before = self.stored[name].before
        if before is None:
            return None
        before = self.ruled(before)
        return changes(before, self.reviews[name], self._unnamed_proofs(before))

    def _unnamed_proofs(self, review: Review) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.missed_in(review) if not is_own(finding))


def effective_reviews(
    record: SubmissionRecord, judged: Callable[[Judged], Judged] = lambda made: made
) -> EffectiveReviews:
    """Return the reviews of a submission as they count.

    Args:
        judged: gives one that says the same and may have been looked into before.
    """
    stored = dict(zip(record.names, record.reviews, strict=True))
    mildest = contract_of(record.submission).contract.mildest
    return EffectiveReviews(record, judged(Judged(stored, record.said, mildest, record.grouped)))
