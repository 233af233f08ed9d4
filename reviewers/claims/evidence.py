"""From what the code says to a proposition to a fact check: what a person needs to verify it in
seconds.
"""

import json
from collections.abc import Sequence

from reviewers.propositions import (
    Answer,
    Mark,
    Proposition,
    Truth,
    World,
    evaluate,
    mark,
    sentence,
    to_json,
)
from reviewers.propositions.marks import is_opinion, leads_nowhere, leaves
from reviewers.propositions.terms import AllOf
from reviewers.records import NOTHING_PROVES, Check, FactCheck, Misreading, Statement

OPEN = FactCheck(Check.UNVERIFIED, NOTHING_PROVES)
LONGEST = 300
"""Characters of evidence that are shown."""
OPPOSITE = {Check.CONFIRMED: Check.REFUTED, Check.REFUTED: Check.CONFIRMED}
_MOST_SHOWN = 3
_CHECKS = {
    Truth.TRUE: Check.CONFIRMED,
    Truth.FALSE: Check.REFUTED,
    Truth.UNKNOWN: Check.UNVERIFIED,
}


def answered(
    proposition: Proposition,
    world: World,
    *,
    is_finding: bool,
    beside: Sequence[Proposition] = (),
) -> tuple[FactCheck, tuple[Statement, ...], tuple[str, ...]]:
    """Return what the code says to a proposition, to each of its parts where it has several, and
    what was looked at; opinions do not count.

    Args:
        beside: what stands beside it, of which it may be the effect.
    """
    answer = evaluate(proposition, world)
    if beside and answer.truth is Truth.UNKNOWN:
        together = evaluate(AllOf((*beside, proposition)), world).parts
        answer = together[-1].answer if len(together) > len(beside) else answer
    parts = [(part.proposition, _told(part.answer)) for part in leaves(proposition, answer)]
    counting = [check for each, check in parts if not is_opinion(each)] or [parts[0][1]]
    marked = mark(proposition, answer, is_finding=is_finding)
    result = Check.UNVERIFIED if marked is Mark.PARTLY else Check(marked)
    told = tuple(
        Statement(sentence(each), check, says=json.dumps(to_json(each))) for each, check in parts
    )
    return judged_together(counting, result), told if len(told) > 1 else (), answer.looked_at


def has_open_failure(proposition: Proposition, world: World) -> bool:
    """Whether what is proven of a claim is only how the code is, and that it fails is open."""
    return leads_nowhere(list(leaves(proposition, evaluate(proposition, world))))


def _told(answer: Answer) -> FactCheck:
    result = _CHECKS[answer.truth]
    if result is Check.UNVERIFIED:
        said = "; ".join((NOTHING_PROVES, *answer.gaps[:_MOST_SHOWN]))
        return FactCheck(result, said[:LONGEST])
    seen = [f"{witness.span}: {witness.said}" for witness in answer.witnesses[:_MOST_SHOWN]]
    if more := len(answer.witnesses) - len(seen):
        seen.append(f"and {more} more")
    if not seen:
        seen = [f"checked: {', '.join(answer.looked_at[:_MOST_SHOWN])}"]
    span = answer.witnesses[0].span if answer.witnesses else None
    why = Misreading.MISREAD_CODE if result is Check.REFUTED else None
    return FactCheck(result, "; ".join(seen)[:LONGEST], span, why)


def judged_together(checks: Sequence[FactCheck], result: Check | None = None) -> FactCheck:
    """Return what the code says to a whole of which it says this to the parts.

    Args:
        result: what they come to. None: the first part is the head; the whole is confirmed with it
            where no part is refuted, and refuted with it where no part is confirmed; some so and
            others not leaves it open.
    """
    head, results = checks[0], [check.result for check in checks]
    if len(checks) == 1 and result in (None, head.result):
        return head
    if result is None:
        is_open = OPPOSITE.get(head.result, head.result) in results
        result = Check.UNVERIFIED if is_open else head.result
    tally = f"{results.count(Check.CONFIRMED)} of {len(results)} parts confirmed"
    if wrong := results.count(Check.REFUTED):
        tally += f", {wrong} refuted"
    span = head.span or next((check.span for check in checks if check.span), None)
    misreading = head.misreading if result is Check.REFUTED else None
    return FactCheck(result, f"{tally}; {head.evidence}", span, misreading)
