"""Claims about everything else: a confirmed blocker that the review does not name speaks against
them.
"""

import re

from reviewers.claims.checks.base import Answer, Case, check, remark
from reviewers.records import Check, Severity

_PRAISES = re.compile(
    r"\b(?:satisf\w+|met|compl(?:y|ies|ete|iant)|correct\w*|fine|ok|okay|good|fulfil\w*|implemented|works?|run|"
    r"runs|without (?:further|any) (?:issues|problems|errors)|no (?:other|further)"
    r" (?:issues|problems|errors|"
    r"defects|violations))\b"
)
_DENIES = re.compile(r"\b(?:not|n't|never|rely|relies|depends?|unless|fails?)\b|n't\b")


@check("sweeping")
def sweeping(case: Case) -> Answer:
    """ "All other criteria are met" is false where the rules prove a blocker of a kind that the
    review does not speak of.
    """
    if not _PRAISES.search(case.said) or _DENIES.search(case.said):
        return None
    for finding in case.found:
        if (
            finding.severity is Severity.BLOCKER
            and finding.check.result is Check.CONFIRMED
            and finding.category not in case.categories
        ):
            where = f"{finding.span}: " if finding.span else ""
            return remark(f"{where}{finding.message}", finding.span)
    return None
