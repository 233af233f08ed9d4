"""The columns of tables and data sets: where code gives one, and whether anything may bring it."""

import ast
from collections.abc import Collection, Iterator

from reviewers.facts.python_file import PythonFile

# What gives columns names of its own making.
_RENAME = frozenset(
    {"add_prefix", "add_suffix", "rename", "melt", "pivot", "pivot_table", "get_dummies"}
    | {"json_normalize", "explode", "unstack", "reset_index", "DictReader"}
)
_LOADS = ("datasets.", "pandas.read", "wandb.", "torchvision.")


def gives_column(node: ast.Assign | ast.Call, column: str) -> bool:
    """Whether a statement or a call gives a table a column of a name."""
    match node:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=name))]):
            return bool(name == column)
        case ast.Call(func=ast.Attribute(attr="rename_column"), args=[_, ast.Constant(value=name)]):
            return bool(name == column)
        case ast.Call(
            func=ast.Attribute(attr="add_column" | "assign"), args=[ast.Constant(value=name), *_]
        ):
            return bool(name == column)
        case ast.Call(func=ast.Attribute(attr="DataFrame"), args=[ast.Dict(keys=keys), *_]):
            return any(isinstance(key, ast.Constant) and key.value == column for key in keys)
    return False


def may_bring(python: Collection[PythonFile], column: str) -> Iterator[str]:
    """What may bring a column in a way that no statement shows: a text or a name of the code, data
    that is loaded, a name that is made at run time.
    """
    for file in python:
        if any(one.value == column for one in file.strings) or column in _identifiers(file):
            yield f"the code speaks of `{column}`"
        for call in file.calls:
            if (call.name or "").startswith(_LOADS) or getattr(
                call.node.func, "attr", ""
            ) in _RENAME:
                yield f"`{call.name}` may bring the column"
        for node in file.of(ast.Subscript):
            if isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.JoinedStr):
                yield f"{file.path}:{node.lineno}: its name is made at run time"


def _identifiers(file: PythonFile) -> set[str]:
    """The names that code gives: of keywords, attributes and fields."""
    fields = {getattr(one.target, "id", "") for one in file.of(ast.AnnAssign)}
    return fields | {str(getattr(one, "attr", "") or getattr(one, "arg", "")) for one in file.nodes}
