"""What is meant by code that a claim quotes or only outlines: names, and arguments of calls."""

import ast
import re
from collections.abc import Iterable, Iterator

from reviewers.facts.globs import alternatives, is_outline, names_like
from reviewers.facts.occurrences import occurrences
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of, stores

_ARGUMENT = re.compile(r"([\w.*]+)\((\d+|[A-Za-z_]\w*)\)$")


def stored_names(piece: Piece, wanted: str) -> Iterable[str]:
    """The names that a piece of code gives a value and that are meant, each once."""
    if not is_outline(wanted):
        return [wanted] if any(True for _ in stores(piece, wanted)) else []
    given = {
        node.arg if isinstance(node, ast.arg) else code_of(node)
        for node in piece.nodes
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store))
    }
    return sorted(one for one in given if names_like(one, wanted))


def values_meant(piece: Piece, expr: str) -> Iterator[ast.AST]:
    """What an expression may be: all that is stored under its name, else itself; `f(0)` and
    `f(name)` are an argument of a call.
    """
    if expr in ("return value", "return"):
        yield from (one.value for one in piece.nodes if isinstance(one, ast.Return) and one.value)
        return
    for said in alternatives(expr):
        held = [
            given or node
            for name in stored_names(piece, said)
            for node, given in stores(piece, name)
        ]
        yield from held or _written(piece, said)


def _written(piece: Piece, said: str) -> Iterator[ast.expr]:
    plain = [one for one in occurrences(piece, said) if isinstance(one, ast.expr)]
    yield from plain
    argument = _ARGUMENT.match(said)
    for call in occurrences(piece, argument[1]) if argument and not plain else ():
        if isinstance(call, ast.Call) and argument:
            named = [one.value for one in call.keywords if one.arg == argument[2]]
            at = int(argument[2]) if argument[2].isdecimal() else len(call.args)
            yield from named or call.args[at : at + 1]
