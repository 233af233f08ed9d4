"""The other half of a review: what the rules prove and no claim says."""

import re
from collections.abc import Iterable

from reviewers.claims.defect_keys import predicate_of, say_the_same
from reviewers.records import Check, Finding, Severity, Span
from reviewers.rubric import UNCATEGORISED

_NAME = re.compile(r"\b\w+(?:\.\w+)+\b|\b\w+_\w+\b")
_CLOSE = 3
"""Lines between a claim and a finding that may still mean the same place."""


def missed_blockers(
    claims: Iterable[Finding], found: Iterable[Finding], mildest: Severity = Severity.BLOCKER
) -> frozenset[str]:
    """Return the ids of confirmed blockers in `found` that no claim covers; a refuted claim covers
    nothing.

    Args:
        mildest: the mildest severity that stops a submission, where that is not a blocker's.
    """
    held = [claim for claim in claims if claim.check.result is not Check.REFUTED]
    return frozenset(
        finding.id
        for finding in found
        if finding.severity.rank <= mildest.rank
        and finding.check.result is Check.CONFIRMED
        and not any(covers(claim, finding) for claim in held)
    )


def covers(claim: Finding, finding: Finding) -> bool:
    """Whether a claim, or one of its parts, may mean what a rule found; who asks has to leave out
    refuted claims.

    Where both say it as propositions, these tell that it does. Else it has its predicate or
    category in the same file, near the same lines where both have some, or the code bears it out on
    the very line and it names the same thing.
    """
    return say_the_same(claim, finding) or any(
        _covers(part, finding)
        for part in claim.statements
        if part.check.result is not Check.REFUTED or not claim.parts
    )


def _covers(claim: Finding, finding: Finding) -> bool:
    if (
        claim.check.result is Check.CONFIRMED
        and _on_its_line(claim, finding)
        and _names(claim) & _names(finding)
    ):
        return True
    says = predicate_of(claim)
    says_it = says is not None and says == predicate_of(finding)
    # What nobody has read is filed by what it names, and that may be of another category.
    is_unread = claim.kind is None
    names_it = is_unread and bool(_names(claim) & _names(finding))
    is_alike = claim.category == finding.category != UNCATEGORISED
    if not (says_it or names_it or is_alike):
        return False
    places = [span for span in (claim.span, claim.check.span) if span is not None]
    if finding.span is None or not places:
        return says_it or is_unread
    return any(_near(span, finding.span) for span in places)


def _on_its_line(claim: Finding, finding: Finding) -> bool:
    if finding.span is None or finding.span.line is None:
        return False
    lines = {(span.file, span.line) for span in (claim.span, claim.check.span) if span is not None}
    return (finding.span.file, finding.span.line) in lines


def _names(finding: Finding) -> frozenset[str]:
    """The last parts of names in its message that no word of prose has: `batch_limit` of
    `training.batch_limit`.
    """
    return frozenset(name.rpartition(".")[2] for name in _NAME.findall(finding.message))


def _near(said: Span, found: Span) -> bool:
    is_whole = said.line is None or found.line is None
    return said.file == found.file if is_whole else said.is_near(found, _CLOSE)
