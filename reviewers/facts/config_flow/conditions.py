"""Which way a condition sends the code, and how to tell a person why."""

import ast
from collections.abc import Sequence

from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.values import PLAIN, CallScope, Value
from reviewers.facts.placed import place_of

_MOST_SHOWN = 2
_READ = (ast.Name, ast.Attribute, ast.Subscript)


def because(follower: Follower) -> tuple[str, Value]:
    """The values that the last condition asked for which decided the way, as far as they are plain,
    and the first of them that knows its place in the configuration.
    """
    if follower.asked is None:
        return "", None
    test, answer, scope = follower.asked
    shown: dict[str, str] = {}
    cause: Value = None
    for part in ast.walk(test):
        if isinstance(part, _READ) and isinstance(part.ctx, ast.Load):
            found = follower.value(part, scope)
            if isinstance(found, PLAIN) and len(shown) < _MOST_SHOWN:
                shown[ast.unparse(part)[:80]] = repr(found)[:80]
                cause = found if cause is None and place_of(found) is not None else cause
    if shown:
        return " and ".join(f"`{name}` is {text}" for name, text in shown.items()), cause
    return f"`{ast.unparse(test)[:80]}` is {answer}", None


def named(follower: Follower, parts: Sequence[ast.expr], scope: CallScope) -> Value:
    """The first value in some expressions that knows its place in the configuration."""
    nodes = (node for part in parts for node in ast.walk(part))
    read = (node for node in nodes if isinstance(node, ast.Name | ast.Subscript))
    found = (follower.value(node, scope) for node in read)
    return next((one for one in found if place_of(one) is not None), None)


def leaves(statements: Sequence[ast.stmt]) -> bool:
    """Whether a block is certainly left before its end."""
    match statements[-1:]:
        case [ast.Return() | ast.Raise() | ast.Continue() | ast.Break()]:
            return True
        case [ast.If(body=body, orelse=orelse)]:
            return leaves(body) and leaves(orelse)
    return False


def raised(node: ast.Raise) -> str:
    """The name of the exception that a statement raises; empty where it raises again what was
    caught.
    """
    named = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if isinstance(named, ast.Attribute):
        return named.attr
    return named.id if isinstance(named, ast.Name) else ""
