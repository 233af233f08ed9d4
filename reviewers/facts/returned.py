"""Uses of a result that must fail, because the submission's own function certainly returns None or
a tuple of another length.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts.local_code import LocalCode, Target
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import own_nodes, walk

_SAME_VALUE = frozenset(
    {"torch.no_grad", "torch.inference_mode", "torch.enable_grad", "staticmethod", "classmethod"}
)
_ENDS = frozenset({"sys.exit", "os._exit", "exit", "quit", "os.execv", "os.execvp"})


@dataclass(frozen=True, slots=True)
class Misuse:
    """A use of what an own function returns, at which Python raises.

    Attributes:
        node: what is done with it.
        returns: the function's `return` statements; none if it has none.
    """

    node: ast.expr
    call: ast.Call
    target: Target
    error: str
    message: str
    returns: tuple[ast.Return, ...]


def misuses(code: LocalCode, file: PythonFile) -> Iterator[Misuse]:
    """Yield the uses in a file that fail whatever the function does."""
    for call in file.calls:
        target = code.target(file, call.node)
        returned = _returned(target) if target else None
        if target is None or returned is None:
            continue
        sizes = {_size(one) for one in returned} or {None}
        for node, use in _uses(file, call.node):
            failures = [_failure(size, node, use) for size in sizes]
            if all(failures) and failures[0] is not None:
                yield Misuse(node, call.node, target, *failures[0], tuple(returned))


def _returned(target: Target) -> list[ast.Return] | None:
    """The `return` statements of a function; None if they do not show what it gives."""
    function = target.function
    if isinstance(function, ast.AsyncFunctionDef) or function.name == "__init__":
        return None
    names = {target.file.resolve(part) for part in _called(function.decorator_list)}
    if not names <= _SAME_VALUE:
        return None
    found: list[ast.Return] = []
    for node in own_nodes(function):
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return None
        if isinstance(node, ast.Return):
            found.append(node)
    if not all(isinstance(_size(one), int) or _is_nothing(one) for one in found):
        return None
    has_value = any(not _is_nothing(one) for one in found)
    return found if has_value or not _never_ends(target) else None


def _called(decorators: list[ast.expr]) -> list[ast.expr]:
    return [part.func if isinstance(part, ast.Call) else part for part in decorators]


def _never_ends(target: Target) -> bool:
    """Whether a function without a value may do nothing but raise, or run for ever."""
    last = target.function.body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return target.file.resolve(last.value.func) in _ENDS
    return isinstance(last, (ast.Raise, ast.While, ast.If, ast.Try, ast.With, ast.Match))


def _is_nothing(node: ast.Return) -> bool:
    return node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)


def _size(node: ast.Return) -> int | None:
    """The length of the tuple that is returned; None if it is not a tuple, or its length is
    open.
    """
    value = node.value
    if isinstance(value, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in value.elts):
        return len(value.elts)
    return None


def _uses(file: PythonFile, call: ast.Call) -> Iterator[tuple[ast.expr, ast.AST]]:
    """What is done with the value of a call: a node that has it, and the node around that one."""
    parent = file.parents[call]
    yield call, parent
    match parent:
        case ast.Assign(targets=[ast.Name() as name]) | ast.AnnAssign(target=ast.Name() as name):
            used = [node for node in file.of(ast.Name) if node.id == name.id]
            for one in used:
                if (
                    isinstance(one.ctx, ast.Load)
                    and file.scopes is not None
                    and file.scopes.bindings(one) == (name,)
                    and not is_asked_about(file, one)
                ):
                    yield one, file.parents[one]


def is_asked_about(file: PythonFile, name: ast.Name) -> bool:
    """Whether a condition around a use asks for the value first."""
    tests = (
        around.test if isinstance(around, (ast.If, ast.IfExp, ast.While)) else around
        for around in file.ancestors(name)
        if isinstance(around, (ast.If, ast.IfExp, ast.While, ast.BoolOp))
    )
    return any(
        isinstance(part, ast.Name) and part.id == name.id for test in tests for part in walk(test)
    )


def _failure(size: int | None, node: ast.expr, use: ast.AST) -> tuple[str, str] | None:
    """What Python says to a use of a tuple of this length, or of None; None if it takes it."""
    target = use.targets[0] if isinstance(use, ast.Assign) and use.value is node else None
    if isinstance(use, ast.For) and use.iter is node and size is None:
        return "TypeError", "'NoneType' object is not iterable"
    if isinstance(target, (ast.Tuple, ast.List)):
        starred = any(isinstance(one, ast.Starred) for one in target.elts)
        wanted = len(target.elts) - starred
        if size is None:
            return "TypeError", "cannot unpack non-iterable NoneType object"
        if size < wanted:
            least = "at least " if starred else ""
            return "ValueError", (
                f"not enough values to unpack (expected {least}{wanted}, got {size})"
            )
        if size > wanted and not starred:
            return "ValueError", f"too many values to unpack (expected {wanted})"
        return None
    kind = "NoneType" if size is None else "tuple"
    match use:
        case ast.Attribute(attr=attr) if not hasattr(None if size is None else (), attr):
            return "AttributeError", f"'{kind}' object has no attribute '{attr}'"
        case ast.Subscript(value=value) if value is node and size is None:
            return "TypeError", "'NoneType' object is not subscriptable"
        case ast.Subscript(value=value, slice=ast.Constant(value=str())) if value is node:
            return "TypeError", "tuple indices must be integers or slices, not str"
        case ast.Subscript(value=value, slice=ast.Constant(value=int() as at)) if (
            value is node and size is not None and at >= size
        ):
            return "IndexError", "tuple index out of range"
    return None
