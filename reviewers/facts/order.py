"""Which of two statements comes first."""

import ast

from reviewers.facts.reach import Piece

_ROUND = (ast.For, ast.While, ast.AsyncFor)


def comes_first(piece: Piece, one: ast.AST, other: ast.AST) -> bool | None:
    """Whether one statement comes before another in the block that holds both; None if they are
    in different branches, or in one statement.
    """
    mine, theirs = ([node, *piece.file.ancestors(node)] for node in (one, other))
    shared = next((node for node in mine if node in theirs), None)
    if shared is None or any(
        isinstance(node, ast.Lambda) for way in (mine, theirs) for node in way[: way.index(shared)]
    ):
        return None
    loops = [node for node in mine[mine.index(shared) :] if isinstance(node, _ROUND)]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(shared, name, None)
        if isinstance(block, list):
            at = [next((i for i, s in enumerate(block) if s in way), -1) for way in (mine, theirs)]
            if -1 not in at and at[0] != at[1]:
                # In a loop, what comes later comes before that of the next round.
                return True if at[0] < at[1] else None if loops else False
    return None
