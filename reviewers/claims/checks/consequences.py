"""Claims that only say what follows: nothing follows from what the code disproves."""

import re

from reviewers.claims.checks.base import Answer, Case, check, refuted
from reviewers.claims.checks.imports import NEVER_EVALUATED
from reviewers.records import Check, Misreading

_ENDS = re.compile(
    r"\bcrash\w*|\bstops?\b|\babort\w*|\bbreaks?\b|\bmalfunction\w*|\b(?:will|would|to|therefore|thus|also)"
    r" fail\b|\bfails\b|"
    r"\b(?:cannot|can not|none of the \w+ can|never) (?:be"
    r" )?(?:run|imported|start\w*|execut\w+)|\bnot even import\b|"
    r"\b\w*(?:error|exception)\b|\bcannot"
    r" (?:run|import|start|resolve)\b|\bimpossible\b|\bunusable\b"
)
_UNSURE = re.compile(
    r"\b(?:may|might|could|possibly|likely|perhaps|probably|also|other|further|another)\b"
)
_WHOLE = frozenset(
    [
        "syntax",
        "relative-import",
        "missing-module",
        "undefined-name",
        "misnamed-file",
        "nonexistent-api",
    ]
)
_MOST_WORDS = 24


@check("not_following")
def not_following(case: Case) -> Answer:
    """ "This stops the program" is false where the defect just named does not exist."""
    if (
        not case.claim.points_back
        or not _ENDS.search(case.said)
        or _UNSURE.search(case.said)
        or len(case.said.split()) > _MOST_WORDS
    ):
        return None
    if set(case.claim.own.names) - set(case.claim.own.errors) or case.claim.own.quotes:
        return None
    if not case.earlier:
        return None
    claim, answer = case.earlier[0]
    disproved = answer.result is Check.REFUTED and claim.kind.id in _WHOLE
    if not disproved and NEVER_EVALUATED not in answer.evidence:
        return None
    if any(answer.span is None or path != answer.span.file for path in case.claim.own.files):
        return None
    return refuted(
        f"It follows from nothing: {answer.evidence}",
        answer.span,
        answer.misreading or Misreading.MISREAD_CODE,
    )
