"""The other half of a review: what the rules prove and no claim says."""

from collections.abc import Iterable

from reviewers.matching.defects import ComparedFinding, may_mean
from reviewers.records import Check, Finding, Severity


def missed_blockers(
    claims: Iterable[Finding], found: Iterable[Finding], mildest: Severity = Severity.BLOCKER
) -> frozenset[str]:
    """Return the ids of confirmed blockers in `found` that no claim covers; a refuted claim covers
    nothing.

    Args:
        mildest: the mildest severity that stops a submission, where that is not a blocker's.
    """
    held = [ComparedFinding(claim) for claim in claims if claim.check.result is not Check.REFUTED]
    return frozenset(
        finding.id
        for finding in found
        if finding.severity.rank <= mildest.rank
        and finding.check.result is Check.CONFIRMED
        and not any(may_mean(claim, ComparedFinding(finding)) for claim in held)
    )
