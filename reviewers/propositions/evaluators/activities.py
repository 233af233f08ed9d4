"""Activities: what code does, as its calls show; the calls of each stand in `activities.toml`."""

from dataclasses import replace

from reviewers.facts import activities
from reviewers.propositions.answers import Answer
from reviewers.propositions.evaluators.names import search
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World


@predicate("{scope} (has|has no) {activity}", "by activity", "src/evaluate.py", "significance_test")
def does(world: World, scope: Scope, activity: str) -> Answer:
    """True where one of the activity's calls stands in the scope; false where neither the scope
    nor what it runs has such a call, nor a name or text that hints at it. Of an activity that the
    table does not have it is only known that nothing hints at it. Without the library that it
    needs, names and texts are but its settings.
    """
    known = activities.seen("activities", activity)
    if known.library and not _is_imported(world, known.library):
        known = replace(known, words=())
    return search(world, scope, known.in_piece)


def _is_imported(world: World, library: str) -> bool:
    imports = (item for file in world.facts.python.values() for item in file.imports)
    return any(item.module.partition(".")[0] == library for item in imports)


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
