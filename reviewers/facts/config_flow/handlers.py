"""The exceptions that an `except` clause swallows: it neither raises again nor ends the process."""

import ast
import builtins
from collections.abc import Sequence
from functools import cache

from omegaconf import errors

Caught = tuple[str, ...]  # names of exceptions
_EVERYTHING: Caught = ("BaseException",)
ENDING = frozenset({"exit", "sys.exit", "os._exit", "quit"})


def caught(handler: ast.ExceptHandler) -> Caught:
    """The exceptions that a handler catches for good: that neither go on nor end the process."""
    return () if _stops(handler.body) else named(handler)


def named(handler: ast.ExceptHandler) -> Caught:
    """The exceptions that a handler names."""
    return _EVERYTHING if handler.type is None else names(handler.type)


def names(node: ast.expr) -> Caught:
    """The exceptions that an expression names; everything where it names none."""
    listed = node.elts if isinstance(node, ast.Tuple) else [node]
    found = [
        part.attr if isinstance(part, ast.Attribute) else part.id
        for part in listed
        if isinstance(part, (ast.Attribute, ast.Name))
    ]
    return tuple(found) if len(found) == len(listed) else _EVERYTHING


def catches(given: Caught, error: str) -> bool:
    """Whether an exception is, or may be, among those that are caught."""
    return any(_is_a(error, name) for name in given)


@cache
def _is_a(error: str, name: str) -> bool:
    raised, wanted = _known(error), _known(name)
    if (error, name) == ("SystemExit", "Exception"):
        return False
    if name in ("Exception", "BaseException") or error == name:
        return True
    if raised is None:
        return True  # a class of which the parents are not known
    return (
        issubclass(raised, wanted) if wanted is not None else "Config" in name or "Missing" in name
    )


def _known(name: str) -> type[BaseException] | None:
    found = getattr(errors, name, None) or getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def _suppresses(item: ast.withitem) -> bool:
    return "suppress" in ast.unparse(item)


def _stops(body: Sequence[ast.stmt]) -> bool:
    """Whether a block certainly raises, or ends the process."""
    for node in body:
        match node:
            case ast.Raise():
                return True
            case ast.Expr(value=ast.Call(func=called)) if ast.unparse(called) in ENDING:
                return True
            case ast.If() if _stops(node.body) and _stops(node.orelse):
                return True
            case ast.With() if _stops(node.body) and not any(map(_suppresses, node.items)):
                return True
            case ast.Return() | ast.Break() | ast.Continue():
                return False
    return False
