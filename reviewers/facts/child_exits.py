"""What a script does with the exit code and the output of a script that it starts."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from reviewers.facts.config_flow.processes import PYTHON, STARTING
from reviewers.facts.python_file import Call, Function, PythonFile
from reviewers.facts.python_nodes import walk
from reviewers.records import Span
from reviewers.steps import spend

_MOST = 64  # starts in one file
_RAISING = ("subprocess.check_call", "subprocess.check_output")
_ASKING = ("returncode",)
_WAITING = ("poll", "wait")
_IGNORED, _SHOWN = "nothing looks at its exit code", "its exit code is only shown"
_DEEPEST = 8  # uses of a value within one another
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
        others = (other for name, other in python.items() if name != path)
        codes = _Codes(file, frozenset(one.name or "" for other in others for one in other.imports))
        for call in islice(file.calls_of(*STARTING), _MOST):
            spend(len(file.nodes))
            if _is_other_program(call.node):
                continue
            texts = list(_texts(file, call.node))
            found = (name for pattern, name in scripts.items() if any(map(pattern.search, texts)))
            script = next((name for name in found if name != path), None)
            if script is not None and not _leaves_open(call):
                unasked = codes.unasked(call) if not _raises(call) else _swallowed(file, call)
                span = Span(path, call.line, call.node.end_lineno)
                pool = _pool(file, call) if _raises(call) and not unasked else None
                if pool is not None:
                    span = Span(path, pool.line, pool.node.end_lineno)
                    unasked = "the pool keeps its error, and nothing asks for the result"
                yield Child(span, script, unasked, _hidden(file, call))


def _is_other_program(call: ast.Call) -> bool:
    """Whether the command line begins with a program that is not Python: `git add src/train.py`."""
    given = call.args[0] if call.args else None
    if isinstance(given, (ast.List, ast.Tuple)) and given.elts:
        given = given.elts[0]
    said = given.value if isinstance(given, ast.Constant) else None
    words = said.split() if isinstance(said, str) else []
    return bool(words) and not any(map(PYTHON.search, words))


def _texts(file: PythonFile, node: ast.AST, depth: int = 1) -> Iterator[str]:
    """The texts in an expression, and in what its names are bound to, or its parameters given."""
    for part in walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.Name) and depth:
            for value in (*_bound(file, part.id), *_given(file, part)):
                yield from _texts(file, value, depth - 1)


def _bound(file: PythonFile, name: str) -> Iterator[ast.expr]:
    for node in file.of(ast.Assign, ast.AnnAssign):
        if node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                yield node.value


def _given(file: PythonFile, name: ast.Name) -> Iterator[ast.expr]:
    """What the calls of a function give for all its parameters, where a name is one of them."""
    bound = file.scopes.bindings(name) if file.scopes else ()
    for parameter in bound:
        function = (
            file.parents.get(file.parents[parameter]) if isinstance(parameter, ast.arg) else None
        )
        for call in file.calls if isinstance(function, Function) else ():
            if isinstance(function, Function) and _name(call.node.func) == function.name:
                yield from call.node.args
                yield from (word.value for word in call.node.keywords)


def _leaves_open(call: Call) -> bool:
    """Whether it is only known at run time what happens to an exit code."""
    check = call.keyword("check")
    return any(word.arg is None for word in call.node.keywords) or not (
        check is None or isinstance(check, ast.Constant)
    )


def _raises(call: Call) -> bool:
    check = call.keyword("check")
    return call.name in _RAISING or (isinstance(check, ast.Constant) and check.value is True)


@dataclass(frozen=True, slots=True)
class _Codes:
    """What happens to exit codes in one file.

    Attributes:
        shared: the names of its functions that other files import.
    """

    file: PythonFile
    shared: frozenset[str]

    def unasked(self, call: Call) -> str:
        """Why nothing is done about how the process ended; empty where something may be."""
        read: Sequence[ast.AST] = [call.node]
        if call.name == "subprocess.Popen":
            asked = [node for node in self.file.of(ast.Attribute) if node.attr in _ASKING]
            waited = [node for node in self.file.of(ast.Attribute) if node.attr in _WAITING]
            read = [*asked, *map(self.file.parents.__getitem__, waited)]
        return _worst([self._outcome(node, 0) for node in read])

    def _outcome(self, node: ast.AST, depth: int) -> str:
        """Why nothing is done about the exit code that an expression gives, or is an attribute
        of; empty where something may be.
        """
        parent = self.file.parents.get(node)
        if depth > _DEEPEST:
            return ""
        match parent:
            case ast.Expr():
                return _IGNORED
            case ast.Attribute(attr=name):
                if name in _STREAMS:
                    return _IGNORED
                return self._outcome(parent, depth + 1) if name in _ASKING else ""
            case ast.Call(func=called) if called is not node:
                return _SHOWN if _name(called) in _LOGGING else ""
            case (
                ast.Compare()
                | ast.BoolOp()
                | ast.UnaryOp()
                | ast.FormattedValue()
                | ast.JoinedStr()
            ):
                return self._outcome(parent, depth + 1)
            case ast.If(test=test) if test is node:
                only = all(map(_only_speaks, (*parent.body, *parent.orelse)))
                return _SHOWN if only else ""
            case ast.Assign(targets=[ast.Name(id=name)]):
                scope = self.file.scope_at(parent.lineno)
                uses = [
                    use
                    for use in self.file.of(ast.Name)
                    if use.id == name and isinstance(use.ctx, ast.Load)
                    if self.file.scope_at(use.lineno) == scope
                ]
                return _worst([self._outcome(use, depth + 1) for use in uses])
            case ast.Return():
                return self._returned(parent, depth)
        return ""

    def _returned(self, node: ast.Return, depth: int) -> str:
        """The same of what a function returns, where all of its calls are in sight."""
        around = self.file.ancestors(node)
        inner = next((one for one in around if isinstance(one, (Function, ast.Lambda))), None)
        if not isinstance(inner, Function):
            return ""
        if any("hydra.main" in ast.unparse(one) for one in inner.decorator_list):
            return "Hydra drops what its function returns"
        uses = [one for one in self.file.of(ast.Name) if one.id == inner.name]
        calls = [one for one in map(self.file.parents.get, uses) if isinstance(one, ast.Call)]
        known = calls and len(calls) == len(uses) and inner.name not in self.shared
        return _worst([self._outcome(one, depth + 1) for one in calls]) if known else ""


def _worst(outcomes: Sequence[str]) -> str:
    """One outcome for several uses: where one of them asks, something may be done."""
    told = (one for one in outcomes if one != _IGNORED)
    return next(told, _IGNORED) if "" not in outcomes else ""


def _swallowed(file: PythonFile, call: Call) -> str:
    """Which handler takes the error and only mentions it."""
    inner: ast.AST = call.node
    for outer in file.ancestors(call.node):
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
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
    if isinstance(node, (ast.Pass, ast.Continue)):
        return True
    if isinstance(node, ast.Return):
        return node.value is None
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    return _name(node.value.func) in _LOGGING


def _name(called: ast.expr) -> str:
    """The last name of what is called."""
    return getattr(called, "attr", getattr(called, "id", ""))


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
