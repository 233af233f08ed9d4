"""The other half of a review: what the rules prove and no claim says."""

from collections.abc import Sequence

from reviewers.matching.defects import Comparisons
from reviewers.matching.rows import merged
from reviewers.records import Check, Finding, Severity


def missed_blockers(
    claims: Sequence[Finding],
    found: Sequence[Finding],
    mildest: Severity = Severity.BLOCKER,
    known: Comparisons | None = None,
) -> frozenset[str]:
    """Return the ids of confirmed blockers in `found` with no claim in their row; a refuted claim
    covers nothing.

    Args:
        mildest: the mildest severity that stops a submission, where that is not a blocker's.
        known: as for `merged`.
    """
    held = [claim for claim in claims if claim.check.result is not Check.REFUTED]
    return frozenset(
        mention.finding.id
        for row in merged({"claims": held, "found": found}, known=known)
        if "claims" not in row.mentions
        for mention in row.mentions["found"]
        if mention.decides(mildest)
    )
