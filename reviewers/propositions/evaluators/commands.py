"""Commands: what stops them."""

import builtins
from fnmatch import fnmatchcase

from reviewers.propositions.answers import Answer, Witness, open_, proved
from reviewers.propositions.terms import Spot
from reviewers.propositions.vocabulary import alike
from reviewers.propositions.world import KnownFailure, World


def fails(
    world: World,
    command: str,
    error: str = "",
    at: Spot | None = None,
    run: str = "",
    mode: str = "",
    message: str = "",
    when: str = "",
) -> Answer:
    """True where a proven failure of the command fits every argument given. That nothing fails is
    never proven here, and a bare "it fails" without error, place or words is not confirmed.
    """
    if not (error or at or message):
        return open_("nothing says how or where it fails")
    if when:
        return open_(f"when `{when}` holds is not known")
    found = [
        Witness(one.place, f"{one.error}: {one.message}")
        for one in world.failures
        if one.certain or world.is_possible
        if _means(one, command)
        and (not run or one.run is None or fnmatchcase(one.run, run))
        and (not mode or one.mode is None or one.mode == mode)
        and (not error or _is_kind(one.error, error))
        and (at is None or _happens(world, one, at))
        and (not message or alike(one.message, f"*{message}*"))
    ]
    return proved(found) if found else open_("no failure that is known fits")


def _means(failure: KnownFailure, command: str) -> bool:
    """Whether a failure stops a command; the training process is part of the main one."""
    return failure.command == command or {failure.command, command} == {"main", "train"}


def _is_kind(error: str, wanted: str) -> bool:
    """Whether an error is of a kind, subclasses included."""
    if alike(error, wanted):
        return True
    one, other = getattr(builtins, error, None), getattr(builtins, wanted, None)
    return isinstance(one, type) and isinstance(other, type) and issubclass(one, other)


def _happens(world: World, failure: KnownFailure, at: Spot) -> bool:
    """Whether a failure is met at a place, or on the way there."""
    for span in (failure.place, *failure.chain):
        if at.file and not fnmatchcase(span.file, at.file):
            continue
        if at.line is not None and not (span.line or 0) <= at.line <= (span.end_line or 0):
            continue
        if not at.expression or at.expression in world.facts.code(span):
            return True
    return False
