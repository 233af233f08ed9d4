"""Whether any command comes to code at all."""

from collections.abc import Iterator

from reviewers.facts.occurrences import occurrences
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.terms import Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World, shown
from reviewers.records import counted


@predicate(
    "{thing} of {scope} (is|is never) reached by any command",
    "by file",
    "src/model.py",
    "resize_token_embeddings",
)
def reached(world: World, scope: Scope, thing: str) -> Answer:
    """True where the starts that were followed come to the code, or call the function, in the
    scope's mode and run, if it has them; false where each was followed to its end and passes it
    by, or nothing names the function.
    """
    places = list(_places(world, scope, thing))
    if not places:
        return open_(f"`{thing}` does not stand in {scope}")
    asked = {"run": scope.run or "", "mode": scope.mode or ""}
    told = [
        (one, world.facts.arrivals.comes_to(one.span.file, one.span.line or 1, **asked))
        for one in places
    ]
    if met := [one for one, comes in told if comes]:
        return proved(met)
    gaps = [
        f"{one.span}: whether a start comes there is not known"
        for one, comes in told
        if comes is None and not world.facts.arrivals.is_never_named(one.span.file, one.span.line)
    ]
    gaps += world.facts.reach.everything.gaps if None in (comes for _, comes in told) else ()
    return denied(
        [f"the starts of {counted(len(world.facts.failures.processes), 'command')}"], gaps, places
    )


def _places(world: World, scope: Scope, thing: str) -> Iterator[Witness]:
    """Where a thing stands; of a function, its first statement."""
    last = thing.removesuffix("()").rpartition(".")[2]
    for file in world.python_in(scope):
        for name, node in file.functions.items():
            if name == thing or name.rpartition(".")[2] == last:
                yield shown(file, node.body[0])
    for piece in world.reached_from(scope).own:
        yield from (shown(piece.file, node) for node in occurrences(piece, thing))
