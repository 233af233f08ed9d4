"""Follows expressions: what is known of a value, by the kind of syntax that gives it."""

import ast
import operator
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from reviewers.facts.config_flow import access, arrays, autograd, operations, tensors
from reviewers.facts.config_flow.cells import LOOSE, TEXT, Cell, Each
from reviewers.facts.config_flow.data_values import Row, Rows
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.operations import LONGEST_LIST, LONGEST_TEXT
from reviewers.facts.config_flow.tables import STEPS, enter
from reviewers.facts.config_flow.values import (
    ANYTHING,
    PLAIN,
    UNKNOWN,
    CallScope,
    External,
    Fixed,
    PartlyKnown,
    Several,
    SomePath,
    Value,
    is_config,
    overlaid,
    unordered,
)
from reviewers.facts.world import MODULE, Assumed, where
from reviewers.steps import leave_out

_MOST_TURNS = 64  # of a comprehension
_SHORT = 8  # a range that is gone through
_DEEPEST = 8  # comprehensions within one another; real ones are three at the most
_Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def _resting(value: Value, parts: Sequence[Value]) -> Value:
    """A value that is only as sure as what it was made of."""
    why = where(parts)
    return Assumed(value, why) if why and isinstance(value, PLAIN) else value


@enter(STEPS, ast.Slice)
def _slice(follower: Follower, node: ast.Slice, scope: CallScope) -> Value:
    bounds = (node.lower, node.upper, node.step)
    return slice(*(follower.value(part, scope) if part else None for part in bounds))


@enter(STEPS, ast.Lambda)
def _function(follower: Follower, node: ast.Lambda, scope: CallScope) -> Value:
    return follower.function(node, scope)


@enter(STEPS, ast.NamedExpr)
def _named(follower: Follower, node: ast.NamedExpr, scope: CallScope) -> Value:
    value = follower.value(node.value, scope)
    follower.assign(node.target, value, scope)
    return value


@enter(STEPS, ast.JoinedStr)
def _template(follower: Follower, node: ast.JoinedStr, scope: CallScope) -> Value:
    values: list[Value] = []
    whole = True
    for part, behind in zip(node.values, (*node.values[1:], None), strict=True):
        plain = True
        if isinstance(part, ast.FormattedValue):
            # A format may show it in other words than `str` has for it.
            written, part = part, part.value
            plain = written.format_spec is None and written.conversion in (-1, ord("s"))
        value = follower.value(part, scope)
        value = access.as_text(value) if is_config(value) else value
        if not plain:
            follower.attempt(partial(operations.formatted, value, written), node, scope)
        # The root itself is nothing that is known, unless something in it is meant.
        is_folder = isinstance(behind, ast.Constant) and str(behind.value).startswith("/")
        is_path = isinstance(value, SomePath) and bool(value.parts or is_folder)
        known = isinstance(value, PLAIN) or is_path
        whole = whole and known and plain
        is_part = (known and plain) or isinstance(value, (PartlyKnown, Cell))
        values.append(value if is_part else UNKNOWN)
    if any(isinstance(value, Cell) and value.kind == TEXT for value in values):
        return Cell(TEXT)
    if whole and values and isinstance(values[0], SomePath):
        return values[0].joined("".join(map(str, values[1:])).lstrip("/"))
    text = "".join(map(operations.shown, values))[:LONGEST_TEXT]
    return text if whole else PartlyKnown(text)


@enter(STEPS, ast.BinOp)
def _operation(follower: Follower, node: ast.BinOp, scope: CallScope) -> Value:
    left, right = follower.value(node.left, scope), follower.value(node.right, scope)
    found = operated(follower, left, right, type(node.op))
    if isinstance(found, Cell):
        found.at = scope.span(node)
    return found


def operated(follower: Follower, left: Value, right: Value, kind: type[ast.operator]) -> Value:
    """`left + right` and the like."""
    if tensors.is_tensor(left) or tensors.is_tensor(right):
        found = tensors.operation(left, right, kind, autocast=follower.autocast)
        autograd.operated(found, [left, right], kind, follower.keeps_graphs)
        return found
    if tensors.is_array(left) or tensors.is_array(right):
        return arrays.operation(left, right, kind)
    for one, other in ((left, right), (right, left)):
        if tensors.is_loose(one) and isinstance(other, (int, float)):
            return one
    return operations.operation(left, right, kind)


@enter(STEPS, ast.UnaryOp)
def _of_one(follower: Follower, node: ast.UnaryOp, scope: CallScope) -> Value:
    operand = follower.value(node.operand, scope)
    if isinstance(node.op, ast.Not):
        truth = follower.truth(operand)
        return UNKNOWN if truth is None else _resting(not truth, [operand])
    if tensors.is_tensor(operand):
        found = operand.anew(scope.span(node))
        autograd.operated(found, [operand], ast.Sub, follower.keeps_graphs)
        return found
    known = isinstance(node.op, ast.USub) and isinstance(operand, PLAIN)
    return operations.done(operator.neg, operand) if known else UNKNOWN


@enter(STEPS, ast.BoolOp)
def _logic(follower: Follower, node: ast.BoolOp, scope: CallScope) -> Value:
    stops_at = isinstance(node.op, ast.Or)
    parts: list[Value] = []
    for place, part in enumerate(node.values):
        parts.append(follower.value(part, scope))
        truth = follower.truth(parts[-1])
        if truth is stops_at:
            break
        if truth is None:
            with follower.doubt():
                for other in node.values[place + 1 :]:
                    follower.value(other, scope)
            return UNKNOWN
    return _resting(parts[-1], parts)


@enter(STEPS, ast.Compare)
def _comparison(follower: Follower, node: ast.Compare, scope: CallScope) -> Value:
    left: Value = follower.value(node.left, scope)
    found: Value = True
    for kind, part in zip(node.ops, node.comparators, strict=True):
        with follower.doubt() if found is UNKNOWN else nullcontext():
            right = follower.value(part, scope)
            both = [left, right]
            if isinstance(left, External) and "." not in left.name:
                both[0] = MODULE  # what is imported where it may be missing, else is None
            first, second = (
                one.value if isinstance(one, Assumed) and isinstance(one.value, PLAIN) else one
                for one in both
            )
            compare = partial(operations.comparison, first, second, type(kind), follower.truth)
            if tensors.is_tensor(first) or tensors.is_tensor(second):
                compare = partial(_compared, first, second, type(kind))
            made = follower.attempt(compare, node, scope)
        found = UNKNOWN if found is UNKNOWN else _resting(made, both)
        if follower.truth(found) is False:
            break
        left = right
    return found


def _compared(left: Value, right: Value, kind: type[ast.cmpop]) -> Value:
    if right is None and kind in (ast.Is, ast.IsNot):
        return kind is ast.IsNot
    return tensors.comparison(left, right, kind)


@enter(STEPS, ast.IfExp)
def _choice(follower: Follower, node: ast.IfExp, scope: CallScope) -> Value:
    test = follower.value(node.test, scope)
    truth = follower.truth(test)
    taken, other = (node.body, node.orelse) if truth is not False else (node.orelse, node.body)
    if truth is None or isinstance(test, Assumed):
        with follower.doubt():
            for part in (taken, other) if truth is None else (other,):
                follower.value(part, scope)
    return UNKNOWN if truth is None else follower.value(taken, scope)


@enter(STEPS, ast.List, ast.Tuple, ast.Set)
def _items(follower: Follower, node: ast.List | ast.Tuple | ast.Set, scope: CallScope) -> Value:
    made = follower.values(node.elts, scope)
    if made is None:
        return UNKNOWN
    kind = (
        unordered if isinstance(node, ast.Set) else Fixed if isinstance(node, ast.Tuple) else list
    )
    return kind(made[:LONGEST_LIST])


@enter(STEPS, ast.Dict)
def _dict(follower: Follower, node: ast.Dict, scope: CallScope) -> Value:
    made: dict[Any, Value] = {}
    known = True
    for key, item in zip(node.keys, node.values, strict=True):
        value = follower.value(item, scope)
        name = follower.value(key, scope) if key is not None else None
        if isinstance(name, (str, int)):
            made[name] = value
        elif key is None and type(value) is dict:
            made = overlaid(made, value)
        elif (key is None and value is UNKNOWN) or isinstance(value, External):
            # It may have any keys, those before it among them.
            made = {**dict.fromkeys(made, UNKNOWN), ANYTHING: UNKNOWN}
        else:
            known = False
    return made if known else UNKNOWN


# Comprehensions, worked out item by item where there is one loop over a known list


@enter(STEPS, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
def _comprehension(follower: Follower, node: _Comprehension, scope: CallScope) -> Value:
    inner = CallScope(scope.file, scope)
    if sum(isinstance(one, _Comprehension) for one in scope.file.ancestors(node)) >= _DEEPEST:
        leave_out(f"{scope.file.path}: comprehensions within {_DEEPEST} others are not followed")
        return UNKNOWN
    if isinstance(node, ast.DictComp) and (row := _same_row(follower, node, inner)) is not None:
        return row
    for part in node.generators:
        # Once and no more: what a comprehension goes over may be one itself, and so on.
        over = follower.value(part.iter, inner)
        follower.attempt(partial(operations.iterated, over), part.iter, inner)
        if isinstance(over, Rows):
            over = Each(next(iter(over)))
        item: Value = UNKNOWN
        of = over.of if isinstance(over, Several) else None
        turns = follower.turns(over) if of is None or of[_SHORT:] else list(of)
        is_first = part is node.generators[0]
        if turns == [] and is_first:
            return _worked_out(follower, node, turns, inner)
        if len(node.generators) == 1:
            if isinstance(over, Each):
                item = over.taken()
            item = over if tensors.is_loose(over) else item
            if turns is not None and len(turns) <= _MOST_TURNS:
                follower.spend(len(turns))
                return _worked_out(follower, node, turns, inner)
        follower.assign(part.target, item, inner)
        for test in part.ifs:
            follower.value(test, inner)
    values = [follower.value(result, inner) for result in _results(node)]
    if len(node.generators) == 1 and (tensors.is_loose(over) or isinstance(node, ast.DictComp)):
        last = values[-1]
        if tensors.is_loose(last) and (tensors.is_loose(over) or isinstance(over, Each)):
            return Cell(LOOSE, device=last.device)
    is_list = not isinstance(node, ast.DictComp) and len(node.generators) == 1 and not part.ifs
    return Each(values[0], over.size) if is_list and isinstance(over, Each) else UNKNOWN


def _same_row(follower: Follower, node: ast.DictComp, scope: CallScope) -> Row | None:
    """The row of which `{key: … for key, value in row.items()}` keeps all columns."""
    match node:
        case ast.DictComp(
            key=ast.Name(id=key),
            generators=[
                ast.comprehension(
                    target=ast.Tuple(elts=[ast.Name(id=first), ast.Name()]) as target,
                    iter=ast.Call(
                        func=ast.Attribute(
                            value=ast.Name() | ast.Attribute() as owner, attr="items"
                        ),
                        args=[],
                    ),
                    ifs=[],
                )
            ],
        ) if key == first:
            row = follower.value(owner, scope)
            if not isinstance(row, Row):
                return None
            made = {}
            for name, value in row.items():
                follower.assign(target, [name, value], scope)
                made[name] = follower.value(node.value, scope)
            return row.with_values(made)
    return None


def _results(node: _Comprehension) -> Sequence[ast.expr]:
    """What a comprehension makes in each turn."""
    return (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)


def _worked_out(
    follower: Follower, node: _Comprehension, turns: list[Value], scope: CallScope
) -> Value:
    made: list[list[Value]] = []
    sure = True
    for item in turns:
        follower.spend(1)
        follower.assign(node.generators[0].target, item, scope)
        truths = [follower.truth(follower.value(test, scope)) for test in node.generators[0].ifs]
        if False not in truths:
            sure = sure and None not in truths
            made.append([follower.value(result, scope) for result in _results(node)])
    if isinstance(node, ast.DictComp):
        known = sure and all(isinstance(key, (str, int)) for key, _ in made)
        return dict(made) if known else UNKNOWN
    items = [item for (item,) in made]
    return UNKNOWN if not sure else unordered(items) if isinstance(node, ast.SetComp) else items
