"""The mark of a claim, derived from those of its parts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TypeGuard

from reviewers.propositions.answers import Answer, Part, Truth, open_
from reviewers.propositions.terms import AllOf, Atom, Because, Not, Proposition, Spot, atoms

_OPINION = "judgement"
_DEFECTS = frozenset({"fails", "empty", "raises"})
"""Predicates that tell a defect by what is there."""
_UNLINKED = "it is so, but nothing shows that the one leads to the other"


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
            that is so makes it partly so. Code that is as told proves no defect where the
            failure that it is said to bring is open (`leads_nowhere`).
    """
    if not is_finding:
        if answer.truth is Truth.FALSE:
            return Mark.PARTLY if answer.is_partly else Mark.REFUTED
        is_so = answer.truth is Truth.TRUE or _is_so_but_for_opinions(proposition, answer)
        return Mark.CONFIRMED if is_so or _is_met(proposition, answer) else Mark.UNVERIFIED
    told = list(leaves(proposition, answer))
    found = {part.answer.truth for part in told}
    head = _head(proposition, answer)
    if found >= {Truth.TRUE, Truth.FALSE}:
        return Mark.PARTLY
    if head is None or head.truth is Truth.UNKNOWN:
        return Mark.UNVERIFIED
    if head.truth is Truth.TRUE:
        return Mark.UNVERIFIED if leads_nowhere(told) else Mark.CONFIRMED
    # A cause of several parts of which one is not so may be so in what matters.
    is_whole = all(part.answer.truth is Truth.FALSE for part in head.parts)
    return Mark.REFUTED if is_whole else Mark.PARTLY


def _is_so_but_for_opinions(proposition: Proposition, answer: Answer) -> bool:
    """Whether all but the opinions is proven, and is no way in which good code may be."""
    counting = [one for one in leaves(proposition, answer) if not is_opinion(one.proposition)]
    return (
        any(atom.predicate == _OPINION for atom in atoms(proposition))
        and bool(counting)
        and all(one.answer.truth is Truth.TRUE for one in counting)
        and not all(is_neutral(one.proposition) for one in counting)
    )


def _is_met(proposition: Proposition, answer: Answer) -> bool:
    """Whether a failure that is told with its error or place is proven, which needs no reason to be
    so, and nothing told beside it is wrong.
    """
    told = list(leaves(proposition, answer))
    met = [one for one in told if is_failure(one.proposition) and one.answer.truth is Truth.TRUE]
    return bool(met) and all(one.answer.truth is not Truth.FALSE for one in told)


def leaves(proposition: Proposition, answer: Answer) -> Iterator[Part]:
    """The parts of a finding that are judged by themselves; an effect that is so is open where
    nothing shows that its cause leads to it, and it names no place of its own.
    """
    if not (isinstance(proposition, AllOf | Because) and answer.parts):
        yield Part(proposition, answer)
        return
    is_unlinked = isinstance(proposition, Because) and answer.truth is Truth.UNKNOWN
    for number, part in enumerate(answer.parts):
        for leaf in leaves(part.proposition, part.answer):
            is_bare = leaf.answer.truth is Truth.TRUE and not _is_placed(leaf.proposition)
            if is_unlinked and number and is_bare:
                leaf = replace(leaf, answer=open_(_UNLINKED))
            yield leaf


def leads_nowhere(told: Sequence[Part]) -> bool:
    """Whether all that is proven is how code or its settings are, and a failure that this brings is
    open.
    """
    proven = [part.proposition for part in told if part.answer.truth is Truth.TRUE]
    left = (part.proposition for part in told if part.answer.truth is not Truth.TRUE)
    return all(map(is_neutral, proven)) and any(
        atom.predicate == "fails" for one in left for atom in atoms(one)
    )


def is_neutral(proven: Proposition) -> bool:
    """Whether something may be so in good code: a thing that is there, or a call without certain
    arguments.
    """
    if isinstance(proven, Not):
        denied = proven.part
        return (
            isinstance(denied, Atom) and denied.predicate == "calls" and len(denied.arguments) > 2
        )
    return isinstance(proven, Atom) and proven.predicate not in _DEFECTS


def is_opinion(proposition: Proposition) -> bool:
    """Whether a part, or its denial, is nothing that code can tell."""
    inner = proposition.part if isinstance(proposition, Not) else proposition
    return isinstance(inner, Atom) and inner.predicate == _OPINION


def is_failure(said: Proposition | None) -> TypeGuard[Atom]:
    """Whether a command is said to fail with an error, in certain words, or at a line or code."""
    if not isinstance(said, Atom) or said.predicate != "fails":
        return False
    at = said.get("at")
    is_exact = isinstance(at, Spot) and (at.line is not None or bool(at.expression))
    return is_exact or said.get("error") is not None or said.get("message") is not None


def _is_placed(effect: Proposition) -> bool:
    """Whether a failure is told with where it happens or in which words, and no file alone."""
    return is_failure(effect) and (effect.get("at") or effect.get("message")) is not None


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
