"""Which statements give a name its value."""

import ast
from collections.abc import Iterator

from reviewers.facts.reach import Piece


def code_of(node: ast.AST) -> str:
    """A node as one line of code, at most 200 characters."""
    return " ".join(ast.unparse(node).split())[:200]


def stores(piece: Piece, name: str) -> Iterator[tuple[ast.AST, ast.expr | None]]:
    """The statements that give a name a value, with the value where it is written as such."""
    for node in piece.nodes:
        match node:
            case ast.Assign(targets=targets, value=value):
                for one in targets:
                    yield from ((node, given) for given in _part(one, value, name))
            case ast.AnnAssign(target=one, value=ast.expr() as value) if code_of(one) == name:
                yield node, value
            case ast.AugAssign(target=one) if code_of(one) == name:
                yield node, None
            case ast.For(target=one) if names(one, name):
                yield node, None
            case ast.NamedExpr(target=one, value=value) if code_of(one) == name:
                yield node, value
            case ast.arg(arg=argument) if argument == name:
                yield node, None
            case ast.withitem(optional_vars=ast.expr() as one) if names(one, name):
                yield node.context_expr, None


def _part(target: ast.expr, value: ast.expr, name: str) -> Iterator[ast.expr | None]:
    if code_of(target) == name:
        yield value
    elif isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            for one, given in zip(target.elts, value.elts, strict=True):
                yield from _part(one, given, name)
        elif names(target, name):
            yield None


def names(target: ast.expr, name: str) -> bool:
    """Whether a target has a name among those that it gives a value."""
    return any(isinstance(one, ast.expr) and code_of(one) == name for one in ast.walk(target))
