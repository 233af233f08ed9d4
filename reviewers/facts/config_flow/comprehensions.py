"""List comprehensions over a known list, worked out item by item."""

import ast

from reviewers.facts.config_flow.cells import Each
from reviewers.facts.config_flow.data_values import Row, Rows
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.values import UNKNOWN, Scope, Several, Value, unordered

_LONGEST = 64
_SHORT = 8  # a range that is gone through


Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def comprehension(follower: Follower, node: Comprehension, scope: Scope) -> Value:
    """The list that a comprehension with one loop makes; unknown for any other, of which every part
    is looked at once.
    """
    inner = Scope(scope.file, scope)
    results = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    if isinstance(node, ast.DictComp) and (row := _same_row(follower, node, inner)) is not None:
        return row
    for part in node.generators:
        # Once and no more: what a comprehension goes over may be one itself, and so on.
        over = follower.value(part.iter, inner)
        if isinstance(over, Rows):
            over = Each(next(iter(over)))
        if isinstance(over, Each) and len(node.generators) == 1:
            return _of_each(follower, node, over, inner)
        if len(node.generators) == 1:
            of = over.of if isinstance(over, Several) else None
            turns = follower.turns(over) if of is None or of[_SHORT:] else list(of)
            if turns and len(turns) <= _LONGEST:
                follower.spend(len(turns))
                return _worked_out(follower, node, turns, inner)
        follower.assign(part.target, UNKNOWN, inner)
        for test in part.ifs:
            follower.value(test, inner)
    for result in results:
        follower.value(result, inner)
    return UNKNOWN


def _same_row(follower: Follower, node: ast.DictComp, scope: Scope) -> Row | None:
    """The row of which `{key: … for key, value in row.items()}` keeps all columns."""
    match node:
        case ast.DictComp(
            key=ast.Name(id=key),
            generators=[
                ast.comprehension(
                    target=ast.Tuple(elts=[ast.Name(id=first), ast.Name()]),
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
                follower.assign(node.generators[0].target, [name, value], scope)
                made[name] = follower.value(node.value, scope)
            return row.with_values(made)
    return None


def _of_each(follower: Follower, node: Comprehension, over: Each, scope: Scope) -> Value:
    """What a comprehension makes of a list with an item for each row."""
    part = node.generators[0]
    follower.assign(part.target, over.taken(), scope)
    for test in part.ifs:
        follower.value(test, scope)
    if isinstance(node, ast.DictComp):
        follower.value(node.key, scope)
        follower.value(node.value, scope)
        return UNKNOWN
    made = follower.value(node.elt, scope)
    return UNKNOWN if part.ifs else Each(made, over.size)


def _worked_out(follower: Follower, node: Comprehension, turns: list[Value], scope: Scope) -> Value:
    made: list[Value] = []
    entries: dict[Value, Value] = {}
    sure = True
    for item in turns:
        follower.spend(1)
        follower.assign(node.generators[0].target, item, scope)
        truths = [follower.truth(follower.value(test, scope)) for test in node.generators[0].ifs]
        if False in truths:
            continue
        sure = sure and None not in truths
        if isinstance(node, ast.DictComp):
            key = follower.value(node.key, scope)
            sure = sure and isinstance(key, str | int)
            entries[key if isinstance(key, str | int) else None] = follower.value(node.value, scope)
        else:
            made.append(follower.value(node.elt, scope))
    if not sure:
        return UNKNOWN
    if isinstance(node, ast.DictComp):
        return entries
    return unordered(made) if isinstance(node, ast.SetComp) else made
