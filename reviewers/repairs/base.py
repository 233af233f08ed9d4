"""What a repair is: a function from facts and a finding to proposals, which are proven before
anybody sees them (`reviewers.repairs.proof`).
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.propositions import parse
from reviewers.propositions.terms import atoms
from reviewers.records import Finding

Proposing = Callable[[Facts, Finding], Iterator["Proposal"]]


@dataclass(frozen=True, slots=True)
class Proposal:
    """One way to repair a finding, not proven yet.

    Attributes:
        intent: what it does, as an imperative sentence without a full stop.
        consequence: what else it means, for a person who chooses between ways; empty if nothing.
        asks: the question that only a person can answer, such as which model is meant; `choice` is
            the answer that these edits stand for. Empty if there is nothing to ask.
        moves: the files that get another path, with it; edits name the old one.
        is_last: whether it comes first only where no other way holds.
    """

    intent: str
    edits: tuple[Edit, ...]
    consequence: str = ""
    asks: str = ""
    choice: str = ""
    moves: tuple[tuple[str, str], ...] = ()
    is_last: bool = False


def stated(finding: Finding, predicate: str, argument: str) -> str:
    """The text that a finding gives for an argument of a predicate; empty if it says no such
    thing.
    """
    said = atoms(parse(json.loads(finding.says))) if finding.says else ()
    value = next((each.get(argument) for each in said if each.predicate == predicate), None)
    return value if isinstance(value, str) else ""


_REPAIRS: dict[str, list[Proposing]] = {}


def repairs(*rules: str) -> Callable[[Proposing], Proposing]:
    """Register a function that proposes repairs of the findings of some rules, the way that changes
    least first. It may yield nothing, and raise `CannotEdit`.
    """

    def register(propose: Proposing) -> Proposing:
        for rule in rules:
            _REPAIRS.setdefault(rule, []).append(propose)
        return propose

    return register


def registered() -> dict[str, tuple[Proposing, ...]]:
    """The functions by the rule whose findings they repair."""
    return {rule: tuple(each) for rule, each in sorted(_REPAIRS.items())}
