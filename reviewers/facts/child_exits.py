"""What becomes of the exit code of a script that another one starts, and of what it says."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from reviewers.facts.config_flow.processes import PYTHON, STARTING
from reviewers.facts.python_file import Call, PythonFile
from reviewers.facts.python_nodes import walk
from reviewers.records import Span
from reviewers.steps import spend

_MOST = 64  # starts in one file
_RAISING = ("subprocess.check_call", "subprocess.check_output")
_ASKING = ("check_returncode", "returncode")
_STREAMS = ("stderr", "output", "stdout", "communicate")
_CAUGHT = re.compile(r"\b(CalledProcessError|SubprocessError|Exception|BaseException)\b")
_LOGGING = frozenset(
    {"critical", "debug", "error", "exception", "info", "print", "print_exc", "warning", "write"}
)


@dataclass(frozen=True, slots=True)
class Child:
    """A script of the submission that a call starts.

    Attributes:
        span: the call; where a pool makes it, what hands it to the pool.
        script: the file that is started.
        dropped: why nobody sees that it fails; empty where somebody may.
        hidden: why nobody sees what it says of that; empty where somebody may.
    """

    span: Span
    script: str
    dropped: str
    hidden: str


def children(python: Mapping[str, PythonFile]) -> Iterator[Child]:
    """Each start of a script by another one, in the order of the text."""
    scripts = {
        re.compile(rf"(^|[\s/]){re.escape(name)}(\s|$)"): path
        for path, file in python.items()
        for name in (path, file.module)
        if "/" in path
    }
    for path, file in python.items():
        for call in islice(file.calls_of(*STARTING), _MOST):
            spend(len(file.nodes))
            if _is_other_program(call.node):
                continue
            texts = list(_texts(file, call.node))
            found = (name for pattern, name in scripts.items() if any(map(pattern.search, texts)))
            script = next((name for name in found if name != path), None)
            if script is not None and not _leaves_open(call):
                unasked = _unasked(file, call) if not _raises(call) else _swallowed(file, call)
                span = Span(path, call.line, call.node.end_lineno)
                pool = _pool(file, call) if _raises(call) and not unasked else None
                if pool is not None:
                    span = Span(path, pool.line, pool.node.end_lineno)
                    unasked = "the pool keeps its error, and nothing asks for the result"
                yield Child(span, script, unasked, _hidden(file, call))


def _is_other_program(call: ast.Call) -> bool:
    """Whether the command line begins with a program that is not Python: `git add src/train.py`."""
    given = call.args[0] if call.args else None
    if isinstance(given, ast.List | ast.Tuple) and given.elts:
        given = given.elts[0]
    said = given.value if isinstance(given, ast.Constant) else None
    words = said.split() if isinstance(said, str) else []
    return bool(words) and not any(map(PYTHON.search, words))


def _texts(file: PythonFile, node: ast.AST, depth: int = 1) -> Iterator[str]:
    """The texts in an expression, and in what its names are bound to."""
    for part in walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.Name) and depth:
            for value in _bound(file, part.id):
                yield from _texts(file, value, depth - 1)


def _bound(file: PythonFile, name: str) -> Iterator[ast.expr]:
    for node in file.of(ast.Assign, ast.AnnAssign):
        if node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                yield node.value


def _leaves_open(call: Call) -> bool:
    """Whether it is only known at run time what becomes of an exit code."""
    check = call.keyword("check")
    return any(word.arg is None for word in call.node.keywords) or not (
        check is None or isinstance(check, ast.Constant)
    )


def _raises(call: Call) -> bool:
    check = call.keyword("check")
    return call.name in _RAISING or (isinstance(check, ast.Constant) and check.value is True)


def _unasked(file: PythonFile, call: Call) -> str:
    """Why nothing asks how the process ended."""
    told = "nothing looks at its exit code"
    if call.name == "subprocess.Popen":
        asked = any(_asks(file, node) for node in file.of(ast.Attribute))
        return "" if asked else told
    parent = file.parents.get(call.node)
    if isinstance(parent, ast.Expr):
        return told
    bound = parent.targets[0] if isinstance(parent, ast.Assign) else None
    if call.name != "subprocess.run" or not isinstance(bound, ast.Name):
        return ""
    uses = [
        file.parents.get(node)
        for node in file.of(ast.Name)
        if node.id == bound.id and isinstance(node.ctx, ast.Load)
        if file.scope_at(node.lineno) == call.scope
    ]
    read = [use.attr if isinstance(use, ast.Attribute) else "" for use in uses]
    return told if all(name in _STREAMS for name in read) else ""


def _asks(file: PythonFile, node: ast.Attribute) -> bool:
    if node.attr in _ASKING:
        return True
    call = file.parents.get(node)
    is_used = isinstance(call, ast.Call) and not isinstance(file.parents.get(call), ast.Expr)
    return node.attr in ("poll", "wait") and is_used


def _swallowed(file: PythonFile, call: Call) -> str:
    """Which handler takes the error and only speaks of it."""
    inner: ast.AST = call.node
    for outer in file.ancestors(call.node):
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            break
        if isinstance(outer, ast.Try) and inner in outer.body:
            for handler in outer.handlers:
                kinds = ast.unparse(handler.type) if handler.type else "BaseException"
                if _CAUGHT.search(kinds):
                    only = all(map(_only_speaks, handler.body))
                    return f"line {handler.lineno} takes its error and goes on" if only else ""
        inner = outer
    return ""


def _only_speaks(node: ast.stmt) -> bool:
    if isinstance(node, ast.Pass | ast.Continue):
        return True
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    called = node.value.func
    return getattr(called, "attr", getattr(called, "id", "")) in _LOGGING


def _pool(file: PythonFile, call: Call) -> Call | None:
    """Where a pool gets the function that starts the process, and is never asked for a result."""
    if any(
        node.attr in ("result", "exception", "get")
        for node in file.of(ast.Attribute)
        if isinstance(file.parents.get(node), ast.Call)
    ):
        return None
    for handed in file.calls_of(".submit", ".apply_async"):
        given = handed.node.args[0] if handed.node.args else None
        if isinstance(given, ast.Name) and given.id == call.scope:
            return handed
    return None


def _hidden(file: PythonFile, call: Call) -> str:
    """How what the process says of its failure is kept from everybody."""
    stream = call.keyword("stderr")
    where = file.resolve(stream) if stream is not None else None
    captured = call.keyword("capture_output")
    if where == "subprocess.DEVNULL":
        return "stderr=DEVNULL throws away what it says"
    is_kept = where == "subprocess.PIPE" or (
        isinstance(captured, ast.Constant) and captured.value is True
    )
    shown = any(node.attr in ("stderr", "communicate") for node in file.of(ast.Attribute))
    return "its stderr is kept in a pipe, and nothing shows it" if is_kept and not shown else ""
