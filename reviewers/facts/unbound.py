"""Names that may have no value where they are read, since some path does not assign them."""

import ast
from collections.abc import Iterator, Sequence

from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import walk

_BRANCHES = (ast.If, ast.For, ast.While, ast.Try, ast.Match, ast.AsyncFor)


def perhaps_unbound(file: PythonFile) -> Iterator[str]:
    """The names that are read outside the only branch or loop that assigns them, or after they are
    deleted.
    """
    places: dict[tuple[str, str], tuple[list[set[ast.AST]], list[set[ast.AST]]]] = {}
    for node in file.of(ast.Delete, ast.Name):
        if isinstance(node, ast.Delete):
            yield "del"
        if isinstance(node, ast.Name):
            is_read = isinstance(node.ctx, ast.Load)
            around = set[ast.AST](
                one
                for one in file.ancestors(node)
                if isinstance(one, _BRANCHES) and (is_read or not _gives_else(one, node))
            )
            known = places.setdefault((file.scope_at(node.lineno), node.id), ([], []))
            known[is_read].append(around)
    for (_, name), (stored, loaded) in places.items():
        if stored and all(stored) and not all(any(s <= one for s in stored) for one in loaded):
            yield name


def _gives_else(branch: ast.AST, node: ast.Name) -> bool:
    """Whether the other branches assign the name as well, or leave the function or loop."""
    match branch:
        case ast.If(body=body, orelse=other):
            is_in_body = any(node in walk(one) for one in body)
            return _gives(other if is_in_body else body, node.id)
        case ast.Try(body=body, handlers=handlers):
            is_in_body = any(node in walk(one) for one in body)
            return is_in_body and all(_gives(one.body, node.id) for one in handlers)
    return False


def _gives(block: Sequence[ast.stmt], name: str) -> bool:
    """Whether a block assigns a name on every path that continues after it."""
    for one in block:
        match one:
            case ast.Raise() | ast.Return() | ast.Continue() | ast.Break():
                return True
            case ast.Assign(targets=targets) if any(
                isinstance(part, ast.Name) and part.id == name
                for target in targets
                for part in walk(target)
            ):
                return True
            case ast.If(body=body, orelse=other) if _gives(body, name) and _gives(other, name):
                return True
    return False
