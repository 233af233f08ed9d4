"""Follows statements: which way the code goes, and what names stand for where ways meet."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from reviewers.facts.config_flow import access, autograd, handlers, operations
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.cells import LOOSE, Cell, Count, Each
from reviewers.facts.config_flow.data_values import DataSet, Rows
from reviewers.facts.config_flow.expressions import operated
from reviewers.facts.config_flow.follower import BUILTINS, Asked, Follower
from reviewers.facts.config_flow.operations import LONGEST_LIST
from reviewers.facts.config_flow.parts import take_away
from reviewers.facts.config_flow.processes import tell_end
from reviewers.facts.config_flow.tables import STEPS, enter
from reviewers.facts.config_flow.tensors import Autocast, GradMode
from reviewers.facts.config_flow.values import (
    MORE,
    PLAIN,
    UNKNOWN,
    CallScope,
    ClickCommand,
    Device,
    External,
    Leave,
    LocalClass,
    LocalFunction,
    ProblemKind,
    Several,
    Unordered,
    Value,
    Within,
    forget,
    is_config,
    joined,
)
from reviewers.facts.placed import place_of
from reviewers.facts.python_file import Function
from reviewers.facts.python_nodes import kinds_within, names_bound, walk
from reviewers.facts.world import MODULE, Assumed

_TURNS = 64
_HOWS = ("continue", "break", "return", "raise")  # from what leads least far
# What stops the process without being a failure, or only a trial of Optuna's.
_NO_FAILURES = frozenset({"KeyboardInterrupt", "StopIteration", "SystemExit", "TrialPruned"})
_SWALLOWING = frozenset({ast.Break, ast.Continue, ast.Return})
_Block = Sequence[ast.stmt]
_Names = Mapping[str, Value]


# One after another


@enter(STEPS, ast.Expr)
def _expression(follower: Follower, node: ast.Expr, scope: CallScope) -> None:
    follower.value(node.value, scope)


@enter(STEPS, ast.Assign)
def _assign(follower: Follower, node: ast.Assign, scope: CallScope) -> None:
    value = follower.value(node.value, scope)
    for target in node.targets:
        follower.assign(target, value, scope)


@enter(STEPS, ast.AnnAssign)
def _annotated(follower: Follower, node: ast.AnnAssign, scope: CallScope) -> None:
    if node.value is not None:
        follower.assign(node.target, follower.value(node.value, scope), scope)


@enter(STEPS, ast.AugAssign)
def _augmented(follower: Follower, node: ast.AugAssign, scope: CallScope) -> None:
    added = follower.value(node.value, scope)
    # The target as an expression; names and places are the same.
    before = follower.value(node.target, scope)
    kind = type(before)
    if kind is list and isinstance(node.op, ast.Add):
        more = None if follower.may_be_undone else follower.turns(added)
        known = more is not None and len(before) < LONGEST_LIST
        before.extend(more[:LONGEST_LIST] if known and more is not None else [MORE])
        return
    operate = partial(operated, follower, before, added, type(node.op))
    found = follower.attempt(operate, node, scope)
    if isinstance(found, Cell) and isinstance(before, Cell) and before.kind != LOOSE:
        found.dtype = before.dtype  # as any tensor or array that is changed in place
    if kind in (dict, list, Unordered):
        forget(before)  # the object itself changes, also under its other names
        return
    # A loop over rows goes on counting where we take one turn.
    follower.assign(node.target, UNKNOWN if isinstance(found, Count) else found, scope)


@enter(STEPS, ast.Delete)
def _delete(follower: Follower, node: ast.Delete, scope: CallScope) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            scope.names[target.id] = UNKNOWN
        elif isinstance(target, (ast.Subscript, ast.Attribute)):
            key: Value = target.attr if isinstance(target, ast.Attribute) else UNKNOWN
            if isinstance(target, ast.Subscript):
                key = follower.value(target.slice, scope)
            owner = follower.value(target.value, scope)
            is_named = isinstance(target, ast.Attribute)
            deed = partial(take_away, follower, owner, key, as_attribute=is_named)
            follower.attempt(deed, target, scope)


@enter(STEPS, ast.FunctionDef, ast.AsyncFunctionDef)
def _define(follower: Follower, node: Function, scope: CallScope) -> None:
    function = follower.function(node, scope)
    calls = (one.func for one in node.decorator_list if isinstance(one, ast.Call))
    is_command = any(scope.file.resolve(one) == "click.command" for one in calls)
    scope.names[node.name] = ClickCommand(function) if is_command else function


@enter(STEPS, ast.ClassDef)
def _define_class(follower: Follower, node: ast.ClassDef, scope: CallScope) -> None:
    definition = scope.file.class_of.get(node)  # of two with one name, the last
    scope.names[node.name] = UNKNOWN if definition is None else LocalClass(definition, scope)


@enter(STEPS, ast.Import, ast.ImportFrom)
def _import(follower: Follower, node: ast.Import | ast.ImportFrom, scope: CallScope) -> None:
    for item in scope.file.imports:
        if item.line == node.lineno and item.bound is not None:
            scope.names[item.bound] = follower.imported(scope.file, item)


@enter(STEPS, ast.Global, ast.Nonlocal)
def _outer(follower: Follower, node: ast.Global | ast.Nonlocal, scope: CallScope) -> None:
    for name in node.names:
        around = scope.around if isinstance(node, ast.Nonlocal) else None
        while around is not None and name not in around.names:
            around = around.around
        scope.outer[name] = around or follower.module(scope.file.path)


# What leaves a block


@enter(STEPS, ast.Return)
def _return(follower: Follower, node: ast.Return, scope: CallScope) -> None:
    raise Leave("return", follower.value(node.value, scope) if node.value else None)


@enter(STEPS, ast.Break, ast.Continue)
def _leave(follower: Follower, node: ast.Break | ast.Continue, scope: CallScope) -> None:
    raise Leave("break" if isinstance(node, ast.Break) else "continue")


@enter(STEPS, ast.Raise)
def _raise(follower: Follower, node: ast.Raise, scope: CallScope) -> None:
    given = node.exc.args if isinstance(node.exc, ast.Call) else []
    said = [follower.value(part, scope) for part in given]
    named = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    # Empty where it raises again what was caught.
    error: str = getattr(named, "attr", getattr(named, "id", ""))
    if error == "SystemExit" and len(said) == 1:
        tell_end(follower, said[0], node, scope)
    if error[:1].isupper() and error not in _NO_FAILURES:
        text = operations.text_of(said[0]) if said else None
        why, cause = follower.because()
        if cause is None:
            # The first value in what is said that knows its place in the configuration.
            found = (value for one in given for _, value in follower.read_in(one, scope))
            cause = next((value for value in found if place_of(value) is not None), None)
        told = (text or "").partition("\n")[0][:200]
        refusal = AccessError(ProblemKind.RAISED, error, told, why, cause)
        problem = follower.report(refusal, node, scope)
        if problem.certain and follower.asked is not None:
            # It is told; the way goes on as with what is meant, and may well have ended here.
            follower.exits.append(Leave("return", UNKNOWN, names=scope.names))
            return
    raise Leave("raise", error=error)


@enter(STEPS, ast.Assert)
def _assert(follower: Follower, node: ast.Assert, scope: CallScope) -> None:
    if follower.truth(follower.value(node.test, scope)) is False:
        follower.asked = (node.test, False, scope)
        said = follower.value(node.msg, scope) if node.msg else ""
        text = said if isinstance(said, str) else ast.unparse(node.test)
        kind = ProblemKind.RAISED
        follower.report(
            AccessError(kind, "AssertionError", text[:200], *follower.because()), node, scope
        )
        raise Leave("raise", error="AssertionError")


# Branches


@enter(STEPS, ast.If)
def _if(follower: Follower, node: ast.If, scope: CallScope) -> None:
    value = follower.value(node.test, scope)
    truth = follower.truth(value)
    if truth is None:
        _one_of(follower, [node.body, node.orelse], scope)
        return
    taken, other = (node.body, node.orelse) if truth else (node.orelse, node.body)
    assuming = follower.assuming
    if isinstance(value, Assumed):
        names = dict(scope.names)
        _in_doubt(follower, other, scope)
        scope.names = names
        assuming = (*assuming, value)
    with follower.meanwhile(assuming=assuming):
        _taken(follower, taken, (node.test, truth, scope), scope, decides=_leaves(other))


def _taken(
    follower: Follower, block: _Block, asked: Asked, scope: CallScope, *, decides: bool = False
) -> None:
    """Follow the block that is taken; `decides`: on what comes after it too."""
    before, follower.asked = follower.asked, asked
    follower.block(block, scope)
    if follower.asked is asked and not decides:
        follower.asked = before


def _leaves(statements: _Block) -> bool:
    """Whether a block is certainly left before its end."""
    match statements[-1:]:
        case [ast.Return() | ast.Raise() | ast.Continue() | ast.Break()]:
            return True
        case [ast.If(body=body, orelse=orelse)]:
            return _leaves(body) and _leaves(orelse)
    return False


@enter(STEPS, ast.Match)
def _match(follower: Follower, node: ast.Match, scope: CallScope) -> None:
    value = follower.value(node.subject, scope)
    bound = {name for case in node.cases for name in names_bound(case.pattern)}
    fitting = [(case, _fits(case.pattern, value)) for case in node.cases]
    taken = next(((case, fit) for case, fit in fitting if fit is not False), None)
    if taken is None or (taken[1] and taken[0].guard is None):
        scope.names.update(dict.fromkeys(bound, value))
        _taken(follower, taken[0].body if taken else [], (node.subject, True, scope), scope)
        return
    scope.names.update(dict.fromkeys(bound, UNKNOWN))
    _one_of(follower, [*(case.body for case in node.cases), []], scope)


def _fits(pattern: ast.pattern, value: Value) -> bool | None:
    """Whether a pattern fits a plain value; None where that is not known, as of any other value."""
    if not isinstance(value, PLAIN):
        return None
    match pattern:
        case ast.MatchValue(value=ast.Constant(value=wanted)):
            return bool(value == wanted)
        case ast.MatchSingleton(value=wanted):
            return value is wanted
        case ast.MatchOr(patterns=parts):
            fits = [_fits(part, value) for part in parts]
            return True if True in fits else None if None in fits else False
        case ast.MatchAs(pattern=inner):
            return inner is None or _fits(inner, value)
        case ast.MatchSequence() | ast.MatchMapping():
            return False
    return None


def _one_of(
    follower: Follower,
    blocks: Sequence[_Block],
    scope: CallScope,
    ends: Sequence[_Names] = (),
    left: Sequence[Leave] = (),
) -> None:
    """Follow blocks of which one is taken, and nobody knows which, and go on where they meet, and
    meet the ways that have ended or left already; where all have left, the code is left by the one
    that leads least far.
    """
    before, ends, left = scope.names, [*ends], [*left]
    follower.spend(len(before) // 4)  # to copy and join them
    for block in blocks:
        scope.names = dict(before)
        if (leave := _in_doubt(follower, block, scope)) is None:
            ends.append(scope.names)
        else:
            left.append(_may_leave(follower, leave, scope))
    if not ends:
        raise min(left, key=lambda leave: _HOWS.index(leave.how))
    scope.names = joined(ends)


def _in_doubt(follower: Follower, block: _Block, scope: CallScope) -> Leave | None:
    """Follow a branch that may not be taken; its problems are uncertain."""
    with follower.doubt():
        try:
            follower.block(block, scope)
        except Leave as leave:
            return leave
    return None


def _may_leave(follower: Follower, leave: Leave, scope: CallScope) -> Leave:
    """Keep a way that leaves a block, if it is gone."""
    if leave.how != "raise":
        follower.exits.append(Leave(leave.how, leave.value, names=scope.names))
        follower.may_have_left |= {leave.how}
    return leave


# Loops


@enter(STEPS, ast.For, ast.AsyncFor)
def _for(follower: Follower, node: ast.For | ast.AsyncFor, scope: CallScope) -> None:
    over = follower.value(node.iter, scope)
    turns = follower.items(over, node.iter, scope)
    if isinstance(over, (Each, Several)):
        turns = [over.taken() if isinstance(over, Each) else over.item]
    is_sure = turns is not None
    is_twice = isinstance(over, Several) and over.of is not None and len(over.of[:2]) > 1
    is_once = isinstance(over, Several) and over.of is not None and not is_twice
    is_many = turns is None or len(turns) > _TURNS or isinstance(over, (Several, Each, Rows))
    is_many = is_many and not is_once
    if turns is None or len(turns) > _TURNS:
        turns = [UNKNOWN]
    begins = [partial(follower.assign, node.target, item, scope) for item in turns]
    read = [follower.value(part, scope) for part in walk(node.iter) if isinstance(part, ast.Name)]
    held = [(value, len(value)) for value in read if type(value) is list]
    with follower.meanwhile(each=follower.each + isinstance(over, (Each, DataSet))):
        _loop(
            follower, node, begins, scope, held, is_sure=is_sure, is_many=is_many, is_twice=is_twice
        )


@enter(STEPS, ast.While)
def _while(follower: Follower, node: ast.While, scope: CallScope) -> None:
    truth = follower.truth(follower.value(node.test, scope))
    begins = [] if truth is False else [lambda: None]
    is_many = truth is not False
    _loop(follower, node, begins, scope, is_sure=truth is not None, is_many=is_many)


def _loop(
    follower: Follower,
    node: ast.For | ast.AsyncFor | ast.While,
    begins: Sequence[Callable[[], None]],
    scope: CallScope,
    held: Sequence[tuple[list[Value], int]] = (),
    *,
    is_sure: bool,
    is_many: bool,
    is_twice: bool = False,
) -> None:
    """Follow the turns of a loop.

    Args:
        begins: what begins each turn.
        held: the lists that it goes over, each with its length, which a turn may change.
        is_sure: whether it is known that there is a turn, or none.
        is_many: whether one turn stands for many: it is followed once more, as any later one.
        is_twice: whether there certainly is a second turn, unless the first leaves the loop.
    """
    follower.spend(len(scope.names) // 4)
    exits, follower.exits = follower.exits, []
    left = follower.may_have_left
    ends: list[_Names] = [] if is_sure else [dict(scope.names)]
    breaks: list[_Names] = []
    follower.unsure_turns += not is_sure
    try:
        goes_on = True
        for begin in begins:
            goes_on = goes_on and _turn(follower, node.body, begin, scope, breaks)
            if goes_on and any(len(items) != length for items, length in held):
                assert not isinstance(node, ast.While)
                begins = [partial(follower.assign, node.target, UNKNOWN, scope)]
                is_many = True
                break
        if goes_on and is_many and not follower.again:
            ends.append(scope.names)
            # Without what the turns have bound, for there may be any number of them.
            unknown = scope.names.keys() & names_bound(node)
            handed_on = {name: autograd.later(scope.names[name]) for name in unknown}
            scope.names = {**scope.names, **handed_on}
            second = is_twice and not (breaks or follower.may_have_left)
            # Loops in it take one turn, or each would double the way.
            turns = follower.second_turns + second
            with follower.meanwhile(doubts=follower.doubts + 1, again=True, second_turns=turns):
                goes_on = _turn(follower, node.body, begins[0], scope, breaks)
        ends += [scope.names] if goes_on else []
    except Leave as leave:
        if not ends and not breaks:
            raise
        _may_leave(follower, leave, scope)
    finally:
        follower.unsure_turns -= not is_sure
        follower.exits = exits + follower.exits
        follower.may_have_left = left | (follower.may_have_left & {"return"})
    scope.names = joined([*ends, *breaks])
    if node.orelse:  # where no turn is left by `break`
        _one_of(follower, [node.orelse, []], scope)


def _turn(
    follower: Follower,
    body: _Block,
    begin: Callable[[], None],
    scope: CallScope,
    breaks: list[_Names],
) -> bool:
    """One turn of a loop; whether the loop may go on behind it."""
    ends: list[_Names] = []
    begin()
    try:
        follower.block(body, scope)
        ends.append(scope.names)
    except Leave as leave:
        if leave.how not in ("break", "continue"):
            raise
        (breaks if leave.how == "break" else ends).append(scope.names)
    for way in follower.exits:
        if way.how != "return":
            (breaks if way.how == "break" else ends).append(way.names)
    follower.exits = [way for way in follower.exits if way.how == "return"]
    follower.may_have_left -= {"continue"}
    scope.names = joined(ends) if ends else scope.names
    return bool(ends)


# Blocks that errors end


@enter(STEPS, ast.With, ast.AsyncWith)
def _with(follower: Follower, node: ast.With | ast.AsyncWith, scope: CallScope) -> None:
    opened = None
    autocast, defaults, grad = follower.autocast, follower.has_defaults, follower.grad
    suppressed: handlers.Caught = ()
    for item in node.items:
        value = follower.value(item.context_expr, scope)
        other = _is_other(value, item.context_expr, scope)
        autocast = value.enabled if isinstance(value, Autocast) else autocast if other else None
        grad = value.enabled if isinstance(value, GradMode) else grad if other else None
        if isinstance(value, Device):
            defaults = False
        if isinstance(value, Within):
            opened = opened if value.config is None else value.config
            suppressed += value.errors
        if item.optional_vars is not None:
            follower.assign(item.optional_vars, value, scope)
    if opened is not None:
        follower.spend(2 * access.size(opened))  # OmegaConf goes through all values to say so
    before = dict(scope.names)
    with (
        follower.meanwhile(
            caught=(*follower.caught, suppressed),
            autocast=autocast,
            grad=grad,
            has_defaults=defaults,
        ),
        access.struct_mode_off(opened) if is_config(opened) else nullcontext(),
    ):
        try:
            follower.block(node.body, scope)
        except Leave as leave:
            if not suppressed:
                raise
            if leave.how != "raise" or not handlers.catches(suppressed, leave.error):
                _may_leave(follower, leave, scope)
            scope.names = _cut_short(before, node.body, scope)
        if suppressed:
            scope.names = joined([scope.names, _cut_short(before, node.body, scope)])


def _is_other(value: Value, written: ast.expr, scope: CallScope) -> bool:
    """Whether a block's beginning certainly tells torch nothing that is not known."""
    called = scope.file.resolve(written.func) if isinstance(written, ast.Call) else None
    is_other = value is not UNKNOWN or "." in (called or "") or called in BUILTINS
    return is_other and not re.search("autocast|grad", called or "")


@enter(STEPS, ast.Try, ast.TryStar)
def _try(follower: Follower, node: ast.Try | ast.TryStar, scope: CallScope) -> None:
    if flags := _flags_of_an_import(node):
        follower.block(node.body, scope)
        follower.block(node.orelse, scope)
        for name in flags:
            scope.names[name] = Assumed(scope.names[name], MODULE.where)
        follower.block(node.finalbody, scope)
        return
    caught = tuple(name for handler in node.handlers for name in handlers.caught(handler))
    named = tuple(name for handler in node.handlers for name in handlers.named(handler))
    if any(not kinds_within(part).isdisjoint(_SWALLOWING) for part in node.finalbody):
        caught = ("BaseException",)  # what leaves `finally` itself lets no error go on
    before = dict(scope.names)
    ends: list[_Names] = []
    left: list[Leave] = []
    try:
        with follower.meanwhile(caught=(*follower.caught, caught)):
            follower.block(node.body, scope)
        with follower.meanwhile(unsure_turns=follower.unsure_turns + bool(caught)):
            follower.block(node.orelse, scope)
        ends.append(scope.names)
    except Leave as leave:
        if leave.how != "raise" or not handlers.catches(named, leave.error):
            left.append(_may_leave(follower, leave, scope) if caught else leave)
    scope.names = cut_short = _cut_short(before, node.body, scope)
    way = None
    try:
        _one_of(follower, [handler.body for handler in node.handlers], scope, ends, left)
    except Leave as leave:
        way = leave
    after = {} if way else scope.names
    if node.finalbody:
        met = joined([after, cut_short])
        scope.names = dict(met)
        follower.block(node.finalbody, scope)
        after |= {
            name: value
            for name, value in scope.names.items()
            if name not in met or met[name] is not value
        }
    scope.names = after
    if way is not None:
        raise way


def _flags_of_an_import(node: ast.Try | ast.TryStar) -> list[str]:
    """The names that only tell whether the import has succeeded around which this stands."""
    match node:
        case ast.Try(body=[ast.Import() | ast.ImportFrom(), *others], handlers=[handler]) if (
            handlers.catches(("ImportError",), next(iter(handlers.named(handler)), ""))
        ):
            bound = [*others, *node.orelse]
            told = [
                part.targets[0].id
                for part in bound
                if isinstance(part, ast.Assign)
                and isinstance(part.value, ast.Constant)
                and len(part.targets) == 1
                and isinstance(part.targets[0], ast.Name)
            ]
            return told if len(told) == len(bound) else []
    return []


def _cut_short(before: _Names, body: _Block, scope: CallScope) -> dict[str, Value]:
    """The names where an error has ended a block somewhere; a definition is there, or nothing."""
    bound = {name for part in body for name in names_bound(part)}
    made = {name: scope.names.get(name, UNKNOWN) for name in bound - before.keys()}
    once = LocalFunction | LocalClass | External | CallScope
    made = {name: value for name, value in made.items() if isinstance(value, once)}
    return {**before, **dict.fromkeys(bound, UNKNOWN), **made}
