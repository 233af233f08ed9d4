"""Reads the right side of an assignment: an alias, a function, a named tuple, or just a value."""

import ast

from reviewers.facts.third_party.building.functions import parameters
from reviewers.facts.third_party.building.records import Alias, Class, Function, Item, Value
from reviewers.facts.third_party.building.scope import ModuleScope, constant

_NAMED_TUPLES = frozenset({"collections.namedtuple", "typing.NamedTuple"})


def read_value(
    node: ast.expr | None,
    scope: ModuleScope,
    hidden: frozenset[str] = frozenset(),
    *,
    method: bool = False,
) -> list[Item]:
    """What a name bound to this expression may refer to; empty for None, which only stands in
    for something else.

    Args:
        hidden: names that are rebound locally.
        method: the name is bound in a class body, so that a lambda is a method.
    """
    match node:
        case None | ast.Constant(value=None):
            return []
        case ast.Name() | ast.Attribute():
            dotted = scope.dotted(node, hidden)
            return [Alias(dotted)] if dotted else [Value()]
        case ast.IfExp(body=body, orelse=orelse):
            return [
                *read_value(body, scope, hidden, method=method),
                *read_value(orelse, scope, hidden, method=method),
            ]
        case ast.Lambda(args=args):
            return [Function("i" if method else "f", parameters(args))]
        case ast.Call(func=func):
            dotted = scope.dotted(func, hidden)
            fields = named_tuple(node, scope)
            if fields is not None:
                return [fields]
            if method and dotted in {"builtins.staticmethod", "builtins.classmethod"}:
                return [Value()]
            if method and dotted == "builtins.property":
                return [Function("p", "")]
            return [
                Value(dotted if dotted.rpartition(".")[2][:1].isupper() and "." in dotted else "")
            ]
    return [Value()]


def named_tuple(node: ast.expr, scope: ModuleScope) -> Class | None:
    """The class that `namedtuple("X", …)` makes."""
    if not (
        isinstance(node, ast.Call)
        and scope.dotted(node.func) in _NAMED_TUPLES
        and len(node.args) >= 2
    ):
        return None
    listed = node.args[1]
    text = constant(listed)
    names: list[str] | None = None
    if text is not None:
        names = text.replace(",", " ").split()
    elif isinstance(listed, (ast.List, ast.Tuple)):
        texts = [
            constant(
                element.elts[0] if isinstance(element, ast.Tuple) and element.elts else element
            )
            for element in listed.elts
        ]
        names = None if None in texts else [name for name in texts if name is not None]
    if names is None:
        return Class(
            bases=("builtins.tuple",), open_class=True, open_instance=True, opaque_constructor=True
        )
    defaulted = any(keyword.arg in {"defaults", "rename"} for keyword in node.keywords)
    made = Class(bases=("builtins.tuple",), fields=",".join(names), opaque_constructor=defaulted)
    made.members = {name: [Function("p", "")] for name in names}
    for method in ("_make", "_asdict", "_replace", "_fields", "_field_defaults"):
        made.members[method] = [Value()]
    return made
