"""How many there are of something."""

from collections.abc import Iterator

from reviewers.facts.counting import changes, counted, definitions, sites
from reviewers.facts.yaml_config import values_at
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.evaluators.config import values_in
from reviewers.propositions.terms import Literal, Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World, shown, whole

_DEFINED = ("classes", "functions", "methods")
_Counted = tuple[Witness, int | None]


@predicate(
    "in {scope}, {thing} (counts|does not count) {to}", "by file", "src/preprocess.py", "TASKS", 20
)
def counts(world: World, scope: Scope, thing: str, to: Literal) -> Answer:
    """True where there are just so many: entries of a list or table that the code writes down, or
    of a key of a YAML or TOML file; calls, told as `name()`; `classes`, `functions` or `methods`;
    false where there is another number. What grows, or is called in a loop, is open.
    """
    if isinstance(to, bool) or not isinstance(to, int):
        return open_(f"`{to}` is not a whole number")
    gaps: list[str] = []
    found = list(_found(world, scope, thing, gaps))
    if not found:
        return open_(*gaps, f"`{thing}` is not written down in {scope}")
    gaps += [f"{one.span}: how many these are is not known" for one, many in found if many is None]
    places = [one for one, _ in found]
    if thing.endswith("()") or thing in _DEFINED:
        is_so = sum(many or 0 for _, many in found) == to
    elif len(found) > 1:
        return open_(f"`{thing}` is given a value at {len(found)} places")
    else:
        is_so = found[0][1] == to
    if gaps:
        return open_(*gaps)
    return proved(places) if is_so else denied((), (), places)


def _found(world: World, scope: Scope, thing: str, gaps: list[str]) -> Iterator[_Counted]:
    if scope.file.endswith((".yaml", ".yml", ".toml")):
        for path in world.paths(scope.file):
            for held in values_at(values_in(world, path), thing.split(".")):
                many = len(held) if isinstance(held, list | dict) else None
                yield Witness(whole(path), f"{thing} has {many} entries"), many
        return
    reached = world.reached_from(scope)
    gaps += [f"{one.path} does not parse" for one in world.python_in(scope) if one.tree is None]
    if thing in _DEFINED:
        for file in world.python_in(scope):
            for node in definitions(file, thing, scope.name):
                yield shown(file, node, f"{thing}: {getattr(node, 'name', '')}"), 1
    elif thing.endswith("()"):
        gaps += reached.gaps
        for piece, node, is_once in sites(reached.own, thing.removesuffix("()")):
            yield shown(piece.file, node), 1 if is_once else None
    else:
        gaps += changes(world.facts.python.values(), thing)
        for piece, node, many in counted(reached.own, thing):
            yield shown(piece.file, node, f"`{thing}` has {many} entries"), many
