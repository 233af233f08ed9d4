"""Follows a function or script of the submission from a start, and says what was met on the way."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from omegaconf import DictConfig

from reviewers.facts.config_flow import (  # noqa: F401  they fill the tables
    access,
    builtin_calls,
    config_calls,
    data_calls,
    expressions,
    files,
    library_calls,
    parsers,
    parts,
    processes,
    statements,
    tensor_calls,
    transforms,
)
from reviewers.facts.config_flow.calls import follow_call
from reviewers.facts.config_flow.files import OUTPUTS
from reviewers.facts.config_flow.follower import Awaited, Exhausted, Follower, Trace, is_guard
from reviewers.facts.config_flow.values import (
    UNKNOWN,
    CallScope,
    Leave,
    ProblemKind,
    Value,
)
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import names_bound
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
    follower.folder = follower.origin = origin
    entry = python[path].functions[function]
    follower.awaited = Awaited(entry, config, OUTPUTS if moved else origin, intended)
    trace = _followed(follower, path, main_body(python[path]) or [])
    given = entry.args.args
    value = follower.entry.names.get(given[0].arg) if follower.entry and given else None
    return replace(trace, final=value if isinstance(value, DictConfig) else None)


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
    body = main_body(python[path])
    if not body and (words is None or python[path].readable is None):
        return None
    follower = Follower(python, yaml_files, environ)
    follower.argv = None if words is None else [path, *words]
    follower.written, follower.is_bare = dict(written or {}), is_bare
    follower.folder, follower.is_hydras = folder, False
    return _followed(follower, path, body or [])


def evaluated(python: Mapping[str, PythonFile], path: str, node: ast.expr) -> Value:
    """The value of an expression at the top of a module, where it does not change there."""
    follower, file = Follower(python, SubmittedFiles({})), python[path]
    blocks = (one for one in file.ancestors(node) if isinstance(one, ast.stmt))
    bound = {name: UNKNOWN for block in blocks for name in names_bound(block)}
    try:
        return follower.value(node, CallScope(file, follower.module(path), bound))
    except (Exhausted, RecursionError, Leave):
        return UNKNOWN


def main_body(file: PythonFile) -> list[ast.stmt] | None:
    """What a file says is done where it is started as a script; None where it says nothing."""
    body = file.readable.body if file.readable else ()
    return next((node.body for node in body if is_guard(node)), None)


def _followed(follower: Follower, path: str, body: Sequence[ast.stmt]) -> Trace:
    """Follow a module, what it does as a script, and what Hydra calls, if that is still to come."""
    complete = True
    known = access.RESOLVERS.set(_resolvers(follower.python))
    try:
        scope = follower.module(path)
        follower.block(body, scope)
        if follower.awaited is not None:
            follow_call(follower, follower.function(follower.awaited.function, scope), [], {})
    except (Exhausted, RecursionError):  # the latter: a list that holds itself
        complete = False
        leave_out(f"{path}: the configuration is not followed to the end, it takes too many steps")
    except Leave:
        pass  # the code itself stops with an error of its own
    finally:
        access.RESOLVERS.reset(known)
    by_place = follower.problems.values()
    return replace(
        follower.trace,
        problems=tuple(one for one in by_place if one.kind is not ProblemKind.DATA),
        data_problems=tuple(one for one in by_place if one.kind is ProblemKind.DATA),
        complete=complete,
        steps=follower.taken,
    )


def _resolvers(python: Mapping[str, PythonFile]) -> frozenset[str] | None:
    """The names of OmegaConf's resolvers that the code registers; None where others may be."""
    found: set[str] = set()
    for file in python.values():
        if "_resolver" not in file.text:
            continue
        for call in file.calls_of(".register_new_resolver", ".register_resolver"):
            given = [*call.node.args[:1], *(k.value for k in call.node.keywords if k.arg == "name")]
            match given:
                case [ast.Constant(value=str(name))]:
                    found.add(name)
                case _:
                    return None
    return frozenset(found)
