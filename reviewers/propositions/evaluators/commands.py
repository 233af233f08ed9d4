"""Commands: what stops them, and how files read their words."""

import ast
import builtins
from collections.abc import Iterator
from fnmatch import fnmatchcase

from reviewers.facts.entry_points import entry_points
from reviewers.facts.python_nodes import Call
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.terms import Spot
from reviewers.propositions.vocabulary import alike
from reviewers.propositions.world import KnownFailure, World
from reviewers.records import Span


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


def command_line(world: World, file: str, style: str) -> Answer:
    """True where the file reads its command line so: `positional` and `flags` (argparse, click),
    `hydra`, `key=value`; false where it is read in other ways only.
    """
    parsed = world.facts.python.get(file)
    if parsed is None:
        return open_(f"{file} is not in the submission")
    if style not in _STYLES:
        return open_(f"`{style}` is no way to read a command line that is known here")
    seen: dict[str, list[Witness]] = {}
    for call in parsed.calls:
        for found in _styles(call):
            span = Span(file, call.line, call.node.end_lineno)
            seen.setdefault(found, []).append(Witness(span, world.facts.code(span)))
    for entry in entry_points(file, parsed):
        seen.setdefault("hydra", []).append(Witness(entry.span, world.facts.code(entry.span)))
    if style in seen:
        return proved(seen[style])
    gaps = () if parsed.tree is not None else (f"{file} does not parse",)
    others = [one for witnesses in seen.values() for one in witnesses]
    hand = any(parsed.resolve(node) == "sys.argv" for node in parsed.nodes)
    if hand or not others:
        return open_("the words are taken apart by hand" if hand else "nothing reads its words")
    return denied((), gaps, others)


_STYLES = ("positional", "flags", "hydra", "key=value")


def _styles(call: Call) -> Iterator[str]:
    """The ways in which one call reads words of the command line."""
    name = call.name or ""
    first = call.node.args[0] if call.node.args else None
    method = call.node.func.attr if isinstance(call.node.func, ast.Attribute) else ""
    if method == "add_argument" and isinstance(first, ast.Constant):
        yield "flags" if str(first.value).startswith("-") else "positional"
    elif name in ("click.option", "click.argument"):
        yield "flags" if name == "click.option" else "positional"
    elif name == "omegaconf.OmegaConf.from_cli":
        yield "key=value"
