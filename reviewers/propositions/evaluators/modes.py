"""Modes: what the code does less of in one of them."""

from reviewers.propositions.answers import Answer, denied, open_, proved
from reviewers.propositions.terms import Literal, Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World


@predicate(
    "{scope} (limits|does not limit) the {what}[ to {to}][ (exactly: {exactly})][ in mode {mode}]",
    "mode-handling",
    "code",
    "batches",
    "trial",
    2,
)
def limits(
    world: World,
    scope: Scope,
    what: str,
    mode: str = "",
    to: Literal = None,
    exactly: bool = False,
) -> Answer:
    """True where a bound of that number, set in the mode's branch, is read where the work is done,
    or, without a mode, where each loop over the thing is held to it; false where nothing in any of
    the mode's branches may be one, or the only one is higher; a lower one may be meant.
    """
    mode = mode or scope.mode or ""
    branches, bounds = world.facts.modes.get(mode), world.facts.bounds
    if branches is not None:
        found = [one for one in bounds.of(branches, what) if world.is_in(scope, one.span)]
    else:
        found = [] if mode else list(bounds.of_loops(world.reached_from(scope).own, what))
        if len({one.value for one in found}) != 1 or found[0].value is None:
            return open_(f"not every loop over {what} is held to one number that is written there")
    fitting = [one for one in found if one.reaches and _fits(one.value, to, exactly=True)]
    if fitting:
        return proved(map(world.at, (one.span for one in fitting)))
    near = [
        one
        for one in found
        if not isinstance(one.value, int | float) or _fits(one.value, to, exactly=exactly)
    ]
    if near:
        return open_(f"{near[0].span}: it is unknown whether this limits it")
    if found or branches is None:
        return denied((), (), map(world.at, (one.span for one in found)))
    return denied(["the branches of the mode"], bounds.gaps(branches, what, mode))


def _fits(value: object, to: Literal, *, exactly: bool) -> bool:
    if to is None or not isinstance(to, int | float):
        return True
    if not isinstance(value, int | float):
        return False
    return value == to if exactly else value <= to
