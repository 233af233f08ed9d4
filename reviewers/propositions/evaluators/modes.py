"""Modes: what the code does less of in one of them."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts.stores import code_of
from reviewers.facts.trial_mode import ModeBranches
from reviewers.propositions.answers import Answer, Witness, denied, open_, proved
from reviewers.propositions.evaluators.config import plain_key
from reviewers.propositions.terms import Literal, Scope
from reviewers.propositions.vocabulary import predicate
from reviewers.propositions.world import World, shown
from reviewers.records import Span

# What the bound of a thing is called in code.
_NAMES = {
    "epochs": r"epoch",
    "trials": r"(n|num|max)_?trials|^trials$",
    "batches": r"batch(?!_?size)|loader|_steps|max_steps",
    "steps": r"step",
    "samples": r"sample|subset|limit|size",
}
# What is called like a bound and sets how often, or how fast, something is done.
_NO_BOUND = re.compile(r"eval|log|save|interval|every|warm|accum|patience|optuna", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound that is set in a mode; its value is None where it is not known."""

    name: str
    value: object
    witness: Witness
    reaches: bool


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
    """True where a bound of that number, set in the mode's branch, is read where the work is done;
    false where nothing in any of the mode's branches may be one, or the only one is higher; a lower
    one may be meant.
    """
    mode = mode or scope.mode or ""
    branches = world.facts.modes.get(mode)
    if branches is None:
        return open_("a bound outside a mode's branch is not looked for")
    found = [one for one in _bounds(world, branches, what) if world.is_in(scope, one.witness.span)]
    fitting = [one for one in found if one.reaches and _fits(one.value, to, exactly=True)]
    if fitting:
        return proved(one.witness for one in fitting)
    near = [
        one
        for one in found
        if not isinstance(one.value, int | float) or _fits(one.value, to, exactly=exactly)
    ]
    if near:
        return open_(f"{near[0].witness.span}: it is unknown whether this limits it")
    if found:
        return denied((), (), [one.witness for one in found])
    return denied(["the branches of the mode"], _gaps(world, branches, what, mode))


def _fits(value: object, to: Literal, *, exactly: bool) -> bool:
    if to is None or not isinstance(to, int | float):
        return True
    if not isinstance(value, int | float):
        return False
    return value == to if exactly else value <= to


def _pattern(what: str) -> re.Pattern[str]:
    return re.compile(_NAMES.get(what, re.escape(what)), re.IGNORECASE)


def _bounds(world: World, branches: ModeBranches, what: str) -> Iterator[_Bound]:
    pattern = _pattern(what)
    for setting in branches.settings:
        name = plain_key(setting.target)
        last = name.rpartition(".")[2]
        if pattern.search(last) and not (what in ("batches", "steps") and _NO_BOUND.search(last)):
            reaches = _is_read(world, setting.span, name)
            yield _Bound(name, setting.value, world.at(setting.span), reaches)
    for cut in branches.cuts(pattern, of_data=what == "batches"):
        witness = shown(cut.file, cut.node)
        is_kept = isinstance(cut.node, ast.IfExp) and cut.name.isidentifier()
        is_kept = is_kept and isinstance(cut.file.parents.get(cut.node), ast.Assign)
        reaches = not is_kept or _is_read(world, witness.span, cut.name)
        yield _Bound(cut.name, cut.value, witness, reaches)


def _is_read(world: World, at: Span, name: str) -> bool:
    """Whether anything reads what is set: as a key of the configuration, or as a name."""
    reads = world.facts.config_reads.reads
    if any(read.reads(name) and read.span != at for read in reads):
        return True
    file = world.facts.python[at.file]
    return any(
        isinstance(node, ast.Name | ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and code_of(node).endswith(name)
        for node in file.nodes
    )


def _is_of_mode(
    world: World, branches: ModeBranches, call: ast.Call, function: ast.AST, what: str
) -> bool:
    """Whether a function that the mode's branch calls may bound a thing: it speaks of it, and is
    called in no other mode, or gets what speaks of it.
    """
    pattern = _pattern(what)
    given = [*call.args, *call.keywords]
    if any(pattern.search(code_of(one)) or isinstance(one, ast.Constant) for one in given):
        return True
    inside = {one for _, node, _ in branches.parts for one in ast.walk(node)}
    is_common = any(
        other not in inside
        and (found := world.facts.local_code.target(file, other)) is not None
        and found.function is function
        for file in world.facts.python.values()
        for other in file.of(ast.Call)
    )
    return not is_common and pattern.search(ast.unparse(function)) is not None


def _gaps(world: World, branches: ModeBranches, what: str, mode: str) -> Iterator[str]:
    """Why a bound may be there that was not seen."""
    if not branches.is_readable:
        yield "not every file can be read"
    for file, node, _ in branches.parts:
        if isinstance(node, ast.IfExp) and not isinstance(node.body, ast.Constant | ast.JoinedStr):
            yield f"{file.path}:{node.lineno}: another value in the mode may bound it"
        for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
            target = world.facts.local_code.target(file, call)
            if target is not None and _is_of_mode(world, branches, call, target.function, what):
                yield f"{file.path}:{call.lineno}: what it calls may bound it"
    for file in world.facts.python.values():
        for node in file.nodes:
            if isinstance(node, ast.Dict) and any(
                isinstance(key, ast.Constant) and key.value == mode for key in node.keys
            ):
                yield f"{file.path}:{node.lineno}: a table by modes may bound it"
    if what == "batches" and branches.limits_batches:
        yield "something in the mode's branches may shorten an epoch"
    elif what == "epochs" and branches.limits_epochs:
        yield "something in the mode's branches may mean fewer epochs"
    elif what not in ("batches", "epochs"):
        pattern = _pattern(what)
        for file, node, _ in branches.parts:
            if pattern.search(code_of(node)):
                yield f"{file.path} may bound it in the mode"
