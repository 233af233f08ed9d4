"""The other half of a review: what the rules prove and no claim says."""

from collections.abc import Iterable, Sequence

from reviewers.records import Check, Finding, Severity
from reviewers.rules import registered

_CLOSE = 3
"""Lines between a claim and a finding that may still mean the same place."""


def missed_blockers(claims: Iterable[Finding], found: Iterable[Finding]) -> frozenset[str]:
    """Return the ids of confirmed blockers in `found` that no claim covers; a refuted claim covers nothing."""
    held = [claim for claim in claims if claim.check.result is not Check.REFUTED]
    return frozenset(
        finding.id
        for finding in found
        if finding.severity is Severity.BLOCKER and finding.check.result is Check.CONFIRMED and not _covered(finding, held)
    )


def _covered(finding: Finding, claims: Sequence[Finding]) -> bool:
    rule = registered().get(finding.rule or "")
    decides = rule.decides if rule else None
    return any(_covers(claim, finding, decides) for claim in claims)


def _covers(claim: Finding, finding: Finding, decides: str | None) -> bool:
    """A claim covers a finding whose kind or category it has in the same file, near the same lines where both have some."""
    alike = claim.kind == decides if decides and claim.kind == decides else claim.category == finding.category
    if not alike or claim.category == "uncategorised":
        return False
    if claim.span is None or finding.span is None:
        return claim.kind == decides
    if claim.span.file != finding.span.file:
        return False
    if claim.kind == decides or claim.span.line is None or finding.span.line is None:
        return True
    return (
        claim.span.line - _CLOSE <= (finding.span.end_line or finding.span.line)
        and finding.span.line <= (claim.span.end_line or claim.span.line) + _CLOSE
    )
