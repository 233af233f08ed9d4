"""What checking the claims of one review gave; apart from the checks, which take long to load."""

from collections.abc import Sequence
from dataclasses import dataclass

from reviewers.records import Check, FactCheck, Finding


@dataclass(frozen=True, slots=True)
class ClaimsReport:
    """The claims of one review.

    Attributes:
        findings: one for each claim, in the order of the text; ids are unique among them.
        partial: what was not looked at to the end, a line each; empty where all was.
        timed_out: the time ran out, so that another run may tell more.
    """

    findings: tuple[Finding, ...] = ()
    partial: tuple[str, ...] = ()
    timed_out: bool = False


def judged_together(checks: Sequence[FactCheck], result: Check | None = None) -> FactCheck:
    """What the code says to a whole of which it says this to the parts.

    Args:
        result: what they come to. None: the first part is the head; the whole is confirmed with it
            where no part is refuted, and refuted with it where no part is confirmed; some so and
            others not leaves it open.
    """
    head, results = checks[0], [check.result for check in checks]
    if len(checks) == 1 and result in (None, head.result):
        return head
    if result is None:
        against = {Check.CONFIRMED: Check.REFUTED, Check.REFUTED: Check.CONFIRMED}.get(head.result)
        result = Check.UNVERIFIED if against is None or against in results else head.result
    tally = f"{results.count(Check.CONFIRMED)} of {len(results)} parts proved"
    if wrong := results.count(Check.REFUTED):
        tally += f", {wrong} not so"
    span = head.span or next((check.span for check in checks if check.span), None)
    misreading = head.misreading if result is Check.REFUTED else None
    return FactCheck(result, f"{tally}; {head.evidence}", span, misreading)
