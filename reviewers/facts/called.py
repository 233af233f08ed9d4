"""The functions that a piece of code certainly calls, transitively, and those that it may call."""

import ast
from collections.abc import Iterator
from itertools import takewhile

from reviewers.facts.globs import alike
from reviewers.facts.local_code import LocalCode
from reviewers.facts.reach import Piece, Reached

_BRANCHES = (ast.If, ast.IfExp, ast.Match, ast.ExceptHandler, ast.Lambda)


def called(code: LocalCode, reached: Reached) -> Iterator[Piece]:
    """The functions outside a piece of code that its calls reach, whichever way it takes."""
    further = {(piece.file.path, piece.name): piece for piece in reached.further}
    waiting = list(reached.own)
    while waiting and further:
        piece = waiting.pop()
        for node in piece.nodes:
            if not isinstance(node, ast.Call) or _may_be_left_out(piece, node):
                continue
            target = code.target(piece.file, node)
            if target is None:
                continue
            names = (one.name for one in target.file.definitions if one.node is target.function)
            if found := further.pop((target.file.path, next(names, "")), None):
                waiting.append(found)
                yield found


def _may_be_left_out(piece: Piece, node: ast.AST) -> bool:
    """Whether a branch decides whether a node of a piece is run."""
    around = takewhile(lambda one: one in piece.nodes, piece.file.ancestors(node))
    return any(isinstance(one, _BRANCHES) for one in around)


def own_method(code: LocalCode, piece: Piece, node: ast.Call, callee: str) -> bool | None:
    """Whether the method of the submission that a call reaches is the one that is meant; None if
    none is known.
    """
    last = callee.rpartition(".")[2]
    if last not in (getattr(node.func, "attr", ""), "forward") or last == callee:
        return None
    target = code.target(piece.file, node)
    return alike(target.shown, callee) if target is not None and "." in target.shown else None


def is_of_unknown(piece: Piece, func: ast.expr, callee: str) -> bool:
    """Whether a function has the last name of the callee, and is one of an object that may be it,
    or of the same library.
    """
    owner, _, last = callee.rpartition(".")
    root: ast.expr = func
    while isinstance(root, ast.Attribute):
        root = root.value
    known = piece.file.aliases.get(root.id, "") if isinstance(root, ast.Name) else ""
    is_same = isinstance(func, ast.Attribute) and func.attr == last and owner not in ("", "*")
    return is_same and known.partition(".")[0] in ("", callee.partition(".")[0])
