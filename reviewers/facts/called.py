"""Which functions a piece of code certainly calls, step by step."""

import ast
from collections.abc import Iterator
from itertools import takewhile

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
