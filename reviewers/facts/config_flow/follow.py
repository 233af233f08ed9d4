"""Follows a function or script of the submission from a start, and says what was met on the way."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from omegaconf import DictConfig

from reviewers.facts.config_flow import (  # noqa: F401  they fill the tables
    access,
    builtin_calls,
    compose_calls,
    config_calls,
    data_calls,
    expressions,
    files,
    modules,
    parsers,
    parts,
    processes,
    statements,
)
from reviewers.facts.config_flow.calls import follow_call
from reviewers.facts.config_flow.files import OUTPUTS
from reviewers.facts.config_flow.follower import Exhausted, Follower, Trace
from reviewers.facts.config_flow.values import (
    UNKNOWN,
    Leave,
    LocalFunction,
    ProblemKind,
    Value,
)
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.submitted_files import SubmittedFiles
from reviewers.steps import leave_out


def follow(
    python: Mapping[str, PythonFile],
    path: str,
    function: str,
    config: DictConfig,
    yaml_files: SubmittedFiles,
    *,
    words: Sequence[str] = (),
    moved: bool = False,
    environ: Value = UNKNOWN,
    intended: Callable[[], DictConfig] | None = None,
    origin: str = "",
) -> Trace:
    """Follow a function of the submission that is called with a configuration.

    Args:
        path, function: file and qualified name of the function.
        yaml_files: the submission's YAML texts by path, for `OmegaConf.load`.
        words: those of the command line, which Hydra leaves in `sys.argv`.
        moved: Hydra has changed into a folder of its own before.
        environ: the variables of the process.
        origin: the folder in which the process was started, from the submission's root.
        intended: gives the configuration whose values are taken where a read of the real one fails.
    """
    follower = Follower(python, yaml_files, environ)
    follower.argv = [path, *words] if words else None
    before, behind = _around(python[path], function)
    if before:
        follower.folder = follower.origin = origin
        trace = _followed(follower, path, _as_function(before), [])
        if not trace.complete or any(problem.certain for problem in trace.problems):
            return trace
    follower.intended = intended
    follower.origin, follower.folder = origin, OUTPUTS if moved else origin
    trace = _followed(follower, path, python[path].functions[function], [config])
    is_left = follower.is_left or not trace.complete
    if not behind or is_left or any(problem.certain for problem in trace.problems):
        return trace
    return replace(_followed(follower, path, _as_function(behind), []), final=trace.final)


def _around(file: PythonFile, function: str) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """What a script does under its guard before it calls a function, and after that."""

    def calls_it(node: ast.stmt) -> bool:
        names = (part.id for part in ast.walk(node) if isinstance(part, ast.Name))
        return function in names

    body = main_body(file) or []
    before = list(takewhile(lambda node: not calls_it(node), body))
    done = [node for node in before if not isinstance(node, ast.Pass)]
    return done, body[len(before) + 1 :]


def _as_function(body: list[ast.stmt]) -> ast.FunctionDef:
    nothing = ast.arguments([], [], None, [], [], None, [])
    return ast.FunctionDef("__main__", nothing, body, [], None, lineno=body[0].lineno)


def follow_script(
    python: Mapping[str, PythonFile],
    path: str,
    yaml_files: SubmittedFiles,
    words: Sequence[Value] | None = None,
    written: Mapping[tuple[str, ...], Value] | None = None,
    *,
    is_bare: bool = False,
    folder: str = "",
    environ: Value = UNKNOWN,
) -> Trace | None:
    """Follow what stands under `if __name__ == "__main__"`, or at the top of a script that is known
    to be started; None where no such thing exists.

    Args:
        words: the values of its command line after the script; None where they are not known.
        written: what other processes have written before, by path.
        is_bare: whether more words may be given, without which it does not start.
        folder: the working directory from the submission's root.
        environ: the variables of the process.
    """
    body = main_body(python[path]) or (top_of(python[path]) if words is not None else None)
    if not body:
        return None
    follower = Follower(python, yaml_files, environ)
    follower.argv = None if words is None else [path, *words]
    follower.written, follower.is_bare = dict(written or {}), is_bare
    follower.folder = folder
    return _followed(follower, path, _as_function(body), [])


def evaluated(python: Mapping[str, PythonFile], path: str, node: ast.expr) -> Value:
    """The value of an expression at the top of a module."""
    follower = Follower(python, SubmittedFiles({}))
    try:
        return follower.value(node, modules.module(follower, path))
    except (Exhausted, RecursionError, Leave):
        return UNKNOWN


def top_of(file: PythonFile) -> list[ast.stmt]:
    """What a module does when it is imported, its definitions aside."""
    apart = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    body = file.readable.body if file.readable else []
    return [node for node in body if not isinstance(node, apart)]


def main_body(file: PythonFile) -> list[ast.stmt] | None:
    """What a file says is done where it is started as a script; None where it says nothing."""
    for node in file.readable.body if file.readable else ():
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            return node.body
    return None


def _followed(follower: Follower, path: str, function: Function, args: Sequence[Value]) -> Trace:
    entry = LocalFunction(function, modules.module(follower, path))
    complete = True
    known = access.RESOLVERS.set(modules.resolvers(follower.python))
    try:
        follow_call(follower, entry, args, {})
    except (Exhausted, RecursionError):  # the latter: a list that holds itself
        complete = False
        leave_out(f"{path}: the configuration is not followed to the end, it takes too many steps")
    except Leave:
        follower.is_left = True  # the code itself stops with an error of its own
    finally:
        access.RESOLVERS.reset(known)
    by_place = follower.problems.values()
    return replace(
        follower.trace,
        problems=tuple(one for one in by_place if one.kind is not ProblemKind.DATA),
        data_problems=tuple(one for one in by_place if one.kind is ProblemKind.DATA),
        complete=complete,
        final=_final(follower, entry),
        steps=follower.taken,
    )


def _final(follower: Follower, entry: LocalFunction) -> DictConfig | None:
    """What the first name of the first function that was called stands for now."""
    given = entry.node.args.args
    value = follower.entry.names.get(given[0].arg) if follower.entry and given else None
    return value if isinstance(value, DictConfig) else None
