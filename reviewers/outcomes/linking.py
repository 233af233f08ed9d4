"""Who had predicted a failure, or a fix that was needed: findings that name the same error at the
same place or cause.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from reviewers.outcomes.category import ENVIRONMENT, category_of
from reviewers.outcomes.evidence import (
    ComparableFinding,
    Foretold,
    OutcomeNearness,
    Subject,
    nearness,
)
from reviewers.outcomes.failure import RunFailure
from reviewers.outcomes.fix import Fix, subject_of_fix
from reviewers.outcomes.keys import named_key
from reviewers.records import Check, Finding, Severity, Span


class Fate(StrEnum):
    """What became of a failure in one reviewer's eyes."""

    PREDICTED = "predicted"
    MISSED = "missed"
    NOT_REACHABLE = "not-reachable"  # no reading of the code could have told it


@dataclass(frozen=True, slots=True)
class LinkedFailure:
    """A failure or a fix, and what each reviewer had said of it.

    Attributes:
        category: of the rubric, `environment` or `uncategorised`. It never comes from a finding:
            shares by category would then count what was predicted under its category, and what was
            missed under none.
        reachable: False where the machine, the network or an account was at fault.
        findings: ids of the findings that predict it, by reviewer; empty for one who has none.
    """

    category: str
    reachable: bool
    findings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def fate(self, reviewer: str) -> Fate:
        """What the failure is for a reviewer; who predicted the unreachable did predict it.

        Raises:
            KeyError: this reviewer gave no review.
        """
        if self.findings[reviewer]:
            return Fate.PREDICTED
        return Fate.MISSED if self.reachable else Fate.NOT_REACHABLE


def link(
    failure: RunFailure,
    span: Span | None,
    findings: Mapping[str, Sequence[Finding]],
    dismissed: Collection[str] = (),
) -> LinkedFailure:
    """Return who had predicted a failure.

    Args:
        span: its place in the submission, as `place_of` gives it.
        findings: those of every reviewer who gave a verdict; a reviewer that failed is no reviewer
            of this submission.
        dismissed: ids of findings that a person dismissed.
    """
    category = category_of(failure, span)
    return _linked(
        Subject.of_failure(failure, span, category, named_key(failure)), findings, dismissed
    )


def link_fix(
    fix: Fix, findings: Mapping[str, Sequence[Finding]], dismissed: Collection[str] = ()
) -> LinkedFailure:
    """Return who had predicted a fix: findings at the lines that it changed and of the kind of its
    change.
    """
    return _linked(subject_of_fix(fix), findings, dismissed)


def _linked(
    subject: Subject, findings: Mapping[str, Sequence[Finding]], dismissed: Collection[str]
) -> LinkedFailure:
    by_reviewer = {
        reviewer: tuple(
            finding.id
            for finding in given
            if finding.id not in dismissed and _predicts(finding, subject)
        )
        for reviewer, given in findings.items()
    }
    return LinkedFailure(subject.category, subject.category != ENVIRONMENT, by_reviewer)


def _predicts(finding: Finding, subject: Subject) -> bool:
    """Whether a finding says what came about; a refuted one says nothing."""
    if finding.check.result is Check.REFUTED:
        return False
    said = ComparableFinding.of(finding)
    near = nearness(said, subject)
    foretold = Foretold.of(said, subject)
    if finding.severity is Severity.MINOR:
        # A minor finding lets the submission pass as ready: it predicts only what it says in so
        # many words.
        return near >= OutcomeNearness.SAME_FILE and foretold.error and foretold.names
    if subject.is_fix:
        return _predicts_fix(near, foretold)
    return _predicts_failure(near, foretold)


def _predicts_failure(near: OutcomeNearness, foretold: Foretold) -> bool:
    """By error, names, kind and wording; the farther away the finding lies, the more of them have
    to agree.

    Many defects show far from where they lie: who told the very message meant this one.
    """
    if foretold.quoted and (foretold.error or foretold.kin):
        return True
    if near >= OutcomeNearness.SAME_PLACE:
        # Reviewers often guess a wrong error for the right defect: then the kind or the words have
        # to agree as well.
        fitting = not foretold.other_error or foretold.kin or foretold.wording >= 60
        named = foretold.names and fitting
        of_its_kind = (
            near is OutcomeNearness.SAME_LINES and foretold.category and not foretold.other_error
        )
        return foretold.error or named or of_its_kind or foretold.wording >= 75
    if near is OutcomeNearness.SAME_FILE and foretold.names and (foretold.error or foretold.kin):
        return True
    return (
        foretold.names
        and foretold.kin
        and (foretold.full_name or foretold.error or foretold.wording >= 70)
    )


def _predicts_fix(near: OutcomeNearness, foretold: Foretold) -> bool:
    """Who mends a defect changes its lines: the place says most, what the change is about
    decides.

    A defect can also be mended elsewhere than where it shows: another data set's name in a run
    config. Then kind and name agree.
    """
    if near is OutcomeNearness.SAME_LINES and foretold.nothing_else_known:
        return True
    if near >= OutcomeNearness.SAME_PLACE:
        return foretold.category or foretold.names or foretold.error or foretold.wording >= 60
    if (
        near is OutcomeNearness.SAME_FILE
        and foretold.whole_file
        and (foretold.category or (foretold.names and foretold.kin))
    ):
        return True
    return foretold.category and foretold.names and foretold.full_name
