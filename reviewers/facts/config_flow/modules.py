"""Modules of the submission: their names and their imports."""

import ast
import re
from collections.abc import Iterator, Mapping

from reviewers.facts.config_flow import handlers
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.parsers import Parser
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    CallScope,
    ClickCommand,
    LocalClass,
    LocalFunction,
    SomePath,
    Value,
    external,
)
from reviewers.facts.python_file import Function, Import, PythonFile
from reviewers.facts.world import MODULE, Assumed


def module(follower: Follower, path: str) -> CallScope:
    """The scope of a module: its functions, classes and imports, and its own values; calls of its
    functions are not followed.
    """
    if path in follower.modules:
        return follower.modules[path]
    file = follower.python[path]
    scope = follower.modules[path] = CallScope(
        file, names={"__file__": SomePath((*path.split("/"),))}
    )
    for item in file.imports:
        if item.bound is not None and not item.scope:
            scope.names[item.bound] = imported(follower, file, item)
    imports = frozenset(scope.names)
    # What has been done to the command line by then is not known.
    with follower.meanwhile(argv=None):
        for node in file.readable.body if file.readable else ():
            if isinstance(node, Function):
                scope.names[node.name] = _function(node, scope)
            elif isinstance(node, ast.ClassDef):
                scope.names[node.name] = LocalClass(file.classes[node.name], scope)
            elif bound := _bound(node):
                name, value = bound
                scope.names[name] = follower.value(value, scope)
            elif isinstance(
                node, ast.Try | ast.If | ast.For | ast.While | ast.With | ast.AugAssign
            ):
                # What is bound here depends on what is not followed; an import is taken for what it
                # says.
                scope.names |= dict.fromkeys({*_bound_in(node)} - imports, UNKNOWN)
                scope.names |= _told_by_imports(node)
    for name, value in scope.names.items():
        if isinstance(value, Parser) and _is_touched(file, name):
            value.is_open = True
        if type(value) is dict and (not value or _is_filled(follower.python, name)):
            value[ANYTHING] = UNKNOWN
    return scope


def _function(node: Function, scope: CallScope) -> LocalFunction | ClickCommand:
    function = LocalFunction(node, scope)
    calls = (one.func for one in node.decorator_list if isinstance(one, ast.Call))
    is_command = any(scope.file.resolve(one) == "click.command" for one in calls)
    return ClickCommand(function) if is_command else function


def _is_touched(file: PythonFile, name: str) -> bool:
    """Whether statements that are not followed do something with a module's name."""
    blocks = ast.Expr | ast.Try | ast.If | ast.For | ast.While | ast.With
    return any(
        isinstance(part, ast.Name) and part.id == name
        for node in (file.readable.body if file.readable else ())
        if isinstance(node, blocks) and "__main__" not in ast.unparse(node)
        for part in ast.walk(node)
    )


def imported(follower: Follower, file: PythonFile, item: Import) -> Value:
    """What an import binds: a module, function or class of the submission, or something from
    outside.
    """
    dotted = file.absolute(item)
    whole = dotted if item.name is None else f"{dotted}.{item.name}"
    if item.name is None and item.bound == item.module.partition(".")[0]:
        return external(item.bound)
    if whole in follower.by_module:
        return module(follower, follower.by_module[whole])
    if dotted in follower.by_module and item.name is not None:
        return module(follower, follower.by_module[dotted]).names.get(item.name, UNKNOWN)
    return external(whole)


def _bound(node: ast.stmt) -> tuple[str, ast.expr] | None:
    """The one name that a statement gives a value, and the value."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            return name, value
    return None


def _bound_in(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module binds, if need be within its blocks."""
    if not (isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)):
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id


def _told_by_imports(node: ast.stmt) -> Mapping[str, Value]:
    """The constants that say of an import, in a `try` around it, that it has succeeded."""
    match node:
        case ast.Try(body=[ast.Import() | ast.ImportFrom(), *others], handlers=[handler]) if (
            handlers.catches(("ImportError",), next(iter(handlers.named(handler)), ""))
        ):
            bound = [one for part in (*others, *node.orelse) if (one := _bound(part))]
            return {
                name: Assumed(value.value, MODULE.where)
                for name, value in bound
                if isinstance(value, ast.Constant)
            }
    return {}


def _is_filled(python: Mapping[str, PythonFile], name: str) -> bool:
    """Whether any code puts keys into a dictionary of a module."""
    pattern = re.compile(
        rf"\b{re.escape(name)}\s*(\[[^\]\n]*\]\s*=(?!=)|\.(update|setdefault|pop|clear)\b|\|=)"
    )
    return any(name in file.text and pattern.search(file.text) for file in python.values())


def resolvers(python: Mapping[str, PythonFile]) -> frozenset[str] | None:
    """The names of OmegaConf's resolvers that the code registers anywhere; None where it may
    register others.
    """
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
