"""Statements about a submission's code in a closed vocabulary, and what the code says to them.

A claim is read into a proposition elsewhere; here no English is read, only written.
"""

from collections.abc import Sequence

from reviewers.facts import Facts
from reviewers.propositions.answers import Answer, Part, Truth, Witness
from reviewers.propositions.json_schema import schema
from reviewers.propositions.laws import shipped_laws
from reviewers.propositions.logic import judge
from reviewers.propositions.marks import Mark, mark
from reviewers.propositions.parameters import InvalidReading
from reviewers.propositions.reading import parse, to_json
from reviewers.propositions.registry import PREDICATES
from reviewers.propositions.show import lines, sentence
from reviewers.propositions.terms import Proposition
from reviewers.propositions.world import World
from reviewers.records import Failure

__all__ = [
    "PREDICATES",
    "Answer",
    "InvalidReading",
    "Mark",
    "Part",
    "Proposition",
    "Truth",
    "Witness",
    "World",
    "evaluate",
    "lines",
    "mark",
    "parse",
    "schema",
    "sentence",
    "to_json",
]


def evaluate(
    proposition: Proposition, facts: Facts | World, failures: Sequence[Failure] = ()
) -> Answer:
    """What the code says to a proposition.

    Args:
        facts: of the submission; a `World` of several questions keeps what one found for the next.
        failures: what is known to stop a documented command, in the order of a run.
    """
    world = facts if isinstance(facts, World) else World(facts, failures)
    return judge(proposition, world, PREDICATES, shipped_laws())
