"""Who predicted a failure or a needed fix; `reviewers.matching` decides."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from reviewers.matching.defects import ComparedFinding
from reviewers.matching.run_events import RunEvent, may_mean, spells_out
from reviewers.matching.words import Words, words_of
from reviewers.outcomes.category import ENVIRONMENT, category_of
from reviewers.outcomes.failure import Form, RunFailure
from reviewers.outcomes.fix import Fix, categories_of_fix, category_of_fix
from reviewers.outcomes.keys import named_key
from reviewers.outcomes.outcome import Outcome, fix_of
from reviewers.outcomes.reading import read_failure
from reviewers.records import Check, Finding, Severity, Span
from reviewers.rubric import UNCATEGORISED

_OF_PACKAGES = frozenset({"ImportError", "ModuleNotFoundError"})
"""Errors that name packages and what is in them: hardly anything else has these names."""
_MOST_LINES = 400
"""Changed lines that are read for names; who rewrites more says little of one defect."""


class Fate(StrEnum):
    """What happened to a failure in one reviewer's eyes."""

    PREDICTED = "predicted"
    MISSED = "missed"
    NOT_REACHABLE = "not-reachable"  # no reading of the code could have predicted it


@dataclass(frozen=True, slots=True)
class LinkedFailure:
    """A failure or a fix, and what each reviewer had said of it.

    Attributes:
        category: of the rubric, `environment` or `uncategorised`. It never comes from a finding:
            shares by category would then count what was predicted under its category, and what was
            missed under none.
        reachable: False if the machine, the network or an account was at fault.
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
        findings: those of every reviewer who gave a verdict; a reviewer that failed is not a
            reviewer of this submission.
        dismissed: ids of findings that a person dismissed.
    """
    category = category_of(failure, span)
    happened = RunEvent(
        ((span, True),) if span else (),
        frozenset({category} - {UNCATEGORISED}),
        _words_of_failure(failure),
    )
    return _linked(category, happened, findings, dismissed)


def link_fix(
    fix: Fix, findings: Mapping[str, Sequence[Finding]], dismissed: Collection[str] = ()
) -> LinkedFailure:
    """Return who had predicted a fix: findings at the lines that it changed and of the kind of its
    change.
    """
    category = category_of_fix(fix)
    happened = RunEvent(
        tuple((span, True) for span in fix.spans),
        categories_of_fix(fix),
        _words_of_fix(fix),
    )
    return _linked(category, happened, findings, dismissed)


def link_outcome(
    outcome: Outcome, findings: Mapping[str, Sequence[Finding]]
) -> LinkedFailure | None:
    """Return who had predicted an outcome as it was kept, None if nothing failed or its output
    told of nothing: the reviews on a submission may change after its run.

    Args:
        findings: those of every reviewer who gave a verdict, a person's rulings counted in.
    """
    if outcome.source != "run":
        return link_fix(fix_of(outcome), findings)
    failure = _failure_of(outcome)
    span = outcome.spans[0] if outcome.spans else None
    return link(failure, span, findings) if failure is not None else None


def _failure_of(outcome: Outcome) -> RunFailure | None:
    """The failure of a run as far as it was kept, with its calls where the excerpt shows them."""
    if outcome.error is None:
        return None
    read = read_failure(outcome.excerpt, outcome.exit_code)
    if read is not None and (read.type, read.message) == (outcome.error, outcome.message):
        return read
    return RunFailure(outcome.error, outcome.message or "", form=outcome.form or Form.TRACEBACK)


def _linked(
    category: str,
    happened: RunEvent,
    findings: Mapping[str, Sequence[Finding]],
    dismissed: Collection[str],
) -> LinkedFailure:
    by_reviewer = {
        reviewer: tuple(
            finding.id
            for finding in given
            if finding.id not in dismissed and _predicts(finding, happened)
        )
        for reviewer, given in findings.items()
    }
    return LinkedFailure(category, category != ENVIRONMENT, by_reviewer)


def _predicts(finding: Finding, happened: RunEvent) -> bool:
    """Whether a finding says what came about; a refuted one says nothing. A minor one lets the
    submission pass as ready: it predicts only what it spells out.
    """
    if finding.check.result is Check.REFUTED:
        return False
    asked = spells_out if finding.severity is Severity.MINOR else may_mean
    return asked(ComparedFinding(finding), happened)


def _words_of_failure(failure: RunFailure) -> Words:
    """The message with the key that it names and the error that its cause led to."""
    outer = failure.outer
    key = named_key(failure)
    told = [failure.message, f"`{key}`" if key else "", outer.message if outer else ""]
    words = words_of("\n".join(filter(None, told)))
    return replace(
        words,
        errors=words.errors | {failure.name} | ({outer.name} if outer else set()),
        telling=words.names if failure.name in _OF_PACKAGES else words.telling,
    )


def _words_of_fix(fix: Fix) -> Words:
    """What is known of the reason, with the names that were put in or taken out."""
    words = words_of(fix.words)
    before, after = (
        words_of("\n".join(lines[:_MOST_LINES])).names for lines in (fix.removed, fix.added)
    )
    return replace(words, names=words.names | (before ^ after if fix.added else before))
