"""Activities: what code does, as its calls show; the calls of each stand in `activities.toml`."""

import ast
from collections.abc import Iterator
from dataclasses import replace

from reviewers.facts import activities
from reviewers.facts.activities import Sight, Signs
from reviewers.facts.python_nodes import Function, walk
from reviewers.facts.reach import Piece
from reviewers.propositions.answers import Answer
from reviewers.propositions.evaluators.names import search
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World

_SHORTEST = 6  # letters of a call's name by which an own function is known
_LEAST = 4  # operations of a function that is no stub


@predicate("{scope} (has|has no) {activity}", "by activity", "src/evaluate.py", "significance_test")
def does(world: World, scope: Scope, activity: str) -> Answer:
    """True where one of the activity's calls stands in the scope, or that of an own function which
    is named like one and computes something; false where neither the scope nor what it runs has
    such a call, nor a name or text that hints at it. Of an activity that the
    table does not have it is only known that nothing hints at it. Without the library that it
    needs, names and texts are but its settings.
    """
    known = activities.seen("activities", activity)
    if known.library and known.library not in world.facts.packages:
        known = replace(known, words=())
    return search(world, scope, lambda piece: _done(world, known, piece))


def _done(world: World, known: Signs, piece: Piece) -> Iterator[Sight]:
    yield from known.in_piece(piece)
    tails = {one.rpartition(".")[2].strip("*_") for one in known.calls}
    for node in piece.nodes:
        if isinstance(node, ast.Call):
            target = world.facts.local_code.target(piece.file, node)
            if target is not None and _computes(target.function, tails):
                yield Sight(node)


def _computes(function: Function, tails: set[str]) -> bool:
    """Whether a function has the name of a call that is known, and is more than a stub."""
    is_named = any(len(tail) >= _SHORTEST and tail in function.name for tail in tails)
    work = (ast.Call, ast.BinOp, ast.Compare)
    return is_named and sum(isinstance(one, work) for one in walk(function)) >= _LEAST


@predicate(
    "{scope} (computes|never computes) {metric}", "evaluation-incomplete", "src/evaluate.py", "f1"
)
def computes(world: World, scope: Scope, metric: str) -> Answer:
    """True where a call that computes the metric stands in the scope; false where neither the
    scope nor what it runs has one, nor a name or text that hints at it.
    """
    return search(world, scope, activities.seen("metrics", metric).in_piece)


@predicate(
    "{scope} (implements|has nothing of) {component}",
    "model-or-method-missing",
    "src/model.py",
    "spectral norm",
)
def implements(world: World, scope: Scope, component: str) -> Answer:
    """Never true: a name is not the deed. False where neither the scope nor what it runs has a
    name or text that hints at the part of the method.
    """
    return search(world, scope, activities.hinted(component).in_piece)
