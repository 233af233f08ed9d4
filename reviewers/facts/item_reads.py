"""Where an item of a mapping is read: `batch["labels"]`."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts.activities import Sight
from reviewers.facts.reach import Piece
from reviewers.facts.stores import code_of

ITEM = re.compile(r"(?P<held>[\w.]+)\[(?P<quote>['\"])(?P<key>[^'\"]+)(?P=quote)\]")
"""An item as code writes it."""


def item_reads(piece: Piece, held: str, key: str) -> Iterator[Sight]:
    """Where an item of a mapping is read, or may be: the mapping may have another name there."""
    for node in piece.nodes:
        whose, found = _item(node)
        is_stored = isinstance(node, ast.Constant) and isinstance(
            piece.file.parents.get(node), ast.Subscript
        )
        if found == key and not is_stored:
            is_same = whose is not None and code_of(whose) == held
            yield Sight(node, "" if is_same else "an item of this name is read")
        elif (
            isinstance(node, ast.Name | ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and code_of(node) == held
            and _item(_reading(piece, node))[1] is None
        ):
            yield Sight(node, "which items of it are read is not known")


def _item(node: ast.AST) -> tuple[ast.expr | None, str | None]:
    """What is read by a key, and the key; a text or an attribute may be the key of something."""
    match node:
        case ast.Subscript(value=held, ctx=ctx, slice=ast.Constant(value=str(key))):
            return (held, key) if isinstance(ctx, ast.Load) else (None, "")
        case ast.Call(
            func=ast.Attribute(value=held, attr="get" | "pop"),
            args=[ast.Constant(value=str(key)), *_],
        ):
            return held, key
        case ast.Constant(value=str(key)) | ast.Attribute(attr=key):
            return None, key
    return None, None


def _reading(piece: Piece, node: ast.AST) -> ast.AST:
    """What reads an item of a mapping, or the mapping itself."""
    above = piece.file.parents.get(node)
    if isinstance(above, ast.Attribute):
        above = piece.file.parents.get(above)
        return above if isinstance(above, ast.Call) else node
    return above if isinstance(above, ast.Subscript) and above.value is node else node
