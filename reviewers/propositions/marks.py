"""The mark of a claim: what its parts together come to."""

from collections.abc import Iterator
from enum import StrEnum

from reviewers.propositions.answers import Answer, Truth
from reviewers.propositions.terms import AllOf, Atom, Because, Proposition

_OPINION = "judgement"


class Mark(StrEnum):
    """What is shown beside a claim."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    PARTLY = "partly"
    UNVERIFIED = "unverified"


def mark(proposition: Proposition, answer: Answer, *, is_finding: bool = False) -> Mark:
    """The mark of a claim by what the code says to it.

    Args:
        is_finding: whether it is a whole finding of a reviewer, with its reasons and consequences:
            then its head decides, which is its first part, or the cause of a `because` (its effect
            where the cause is open and the effect a failure proven at its place); parts that
            are open stay open, an opinion does not count, and a part that is false beside one
            that is so makes it partly so.
    """
    if not is_finding:
        if answer.truth is Truth.FALSE:
            return Mark.PARTLY if answer.is_partly else Mark.REFUTED
        return Mark.CONFIRMED if answer.truth is Truth.TRUE else Mark.UNVERIFIED
    found = {part.truth for part in leaves(proposition, answer)}
    head = _head(proposition, answer)
    if found >= {Truth.TRUE, Truth.FALSE}:
        return Mark.PARTLY
    if head is None or head.truth is Truth.UNKNOWN:
        return Mark.UNVERIFIED
    if head.truth is Truth.TRUE:
        return Mark.CONFIRMED
    # A cause of several parts of which one is not so may be so in what matters.
    is_whole = all(part.answer.truth is Truth.FALSE for part in head.parts)
    return Mark.REFUTED if is_whole else Mark.PARTLY


def leaves(proposition: Proposition, answer: Answer) -> Iterator[Answer]:
    """The answers to the parts of a finding, each by itself; opinions are left out."""
    if isinstance(proposition, AllOf | Because) and answer.parts:
        for part in answer.parts:
            yield from leaves(part.proposition, part.answer)
    elif not (isinstance(proposition, Atom) and proposition.predicate == _OPINION):
        yield answer


def _is_placed(effect: Proposition) -> bool:
    """Whether a failure is told with its error, and where or in which words."""
    return (
        isinstance(effect, Atom)
        and effect.predicate == "fails"
        and effect.get("error") is not None
        and (effect.get("at") is not None or effect.get("message") is not None)
    )


def _head(proposition: Proposition, answer: Answer) -> Answer | None:
    """The answer to what a finding says first."""
    match proposition:
        case Because(_, effect) if answer.parts:
            cause, then = (part.answer for part in answer.parts)
            # What is proven to fail with its error, at its place, needs no reason to be so.
            is_proven = cause.truth is Truth.UNKNOWN and then.truth is Truth.TRUE
            return then if is_proven and _is_placed(effect) else cause
        case AllOf():
            heads = (_head(part.proposition, part.answer) for part in answer.parts)
            return next((head for head in heads if head is not None), None)
        case Atom(predicate="judgement"):
            return None
    return answer
