"""What checking the claims of one review gave; apart from the checks, which take long to load."""

from dataclasses import dataclass

from reviewers.records import Finding


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
