"""Modules of the submission: their names, their imports, and what is put into a dictionary of one
while modules are imported, such as the names of a registry, as far as they all stand in the code.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.parsers import Commands, Parser
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
from reviewers.steps import spend

_MOST = 8  # functions that put something into one dictionary
_CHANGING = frozenset({"clear", "pop", "popitem", "setdefault", "update"})


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
            elif _adds_options(node, scope):
                follower.value(node.value, scope)
            elif isinstance(
                node, ast.Try | ast.If | ast.For | ast.While | ast.With | ast.AugAssign
            ):
                # What is bound here depends on what is not followed; an import is taken for what it
                # says.
                scope.names |= dict.fromkeys({*_bound_in(node)} - imports, UNKNOWN)
    scope.names |= _applications(scope)
    for name, value in scope.names.items():
        if isinstance(value, Commands | Parser) and _is_touched(file, name):
            value.is_open = True  # statements that are not followed add to it
        if type(value) is dict and (not value or _is_filled_elsewhere(follower.python, name)):
            _fill(follower, name, value, scope)
    return scope


def _function(node: Function, scope: CallScope) -> LocalFunction | ClickCommand:
    function = LocalFunction(node, scope)
    calls = (one.func for one in node.decorator_list if isinstance(one, ast.Call))
    is_command = any(scope.file.resolve(one) == "click.command" for one in calls)
    return ClickCommand(function, "click") if is_command else function


def _applications(scope: CallScope) -> dict[str, Value]:
    """The typer applications of a module that have one command."""
    file, found = scope.file, {}
    made = [
        bound for node in (file.readable.body if file.readable else ()) if (bound := _bound(node))
    ]
    for name, value in made:
        if not isinstance(value, ast.Call) or file.resolve(value.func) != "typer.Typer":
            continue
        decorated = [
            (function, ast.unparse(one))
            for function, node in file.functions.items()
            for one in node.decorator_list
            if ast.unparse(one).startswith(f"{name}.")
        ]
        if len(decorated) == 1 and decorated[0][1].startswith(f"{name}.command"):
            function = scope.names.get(decorated[0][0])
            if isinstance(function, LocalFunction):
                found[name] = ClickCommand(function, "typer")
    return found


def _adds_options(node: ast.stmt, scope: CallScope) -> TypeGuard[ast.Expr]:
    """Whether a statement of a module does something with a parser of its own: calls a method, or
    hands it to a function.
    """
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    names = (part for part in ast.walk(node.value) if isinstance(part, ast.Name))
    return any(isinstance(scope.names.get(name.id), Commands | Parser) for name in names)


def _is_touched(file: PythonFile, name: str) -> bool:
    """Whether something is done with a module's name under a condition or in a loop, its guard
    aside.
    """
    blocks = ast.Try | ast.If | ast.For | ast.While | ast.With
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


def _fill(follower: Follower, name: str, value: dict[Any, Value], scope: CallScope) -> None:
    """Put in what the modules of the submission put into a dictionary of a module."""
    found = _entries(follower.python, scope.file.path, name)
    if not found:
        value[ANYTHING] = UNKNOWN
    for path, key, node in found or ():
        home = module(follower, path)
        value[key] = (
            home.names.get(node, UNKNOWN) if isinstance(node, str) else follower.value(node, home)
        )


def _is_filled_elsewhere(python: Mapping[str, PythonFile], name: str) -> bool:
    """Whether any code puts keys into a dictionary of a module."""
    pattern = re.compile(
        rf"\b{re.escape(name)}\s*(\[[^\]\n]*\]\s*=(?!=)|\.(update|setdefault|pop|clear)\b|\|=)"
    )
    return any(name in file.text and pattern.search(file.text) for file in python.values())


# Registries


def _entries(
    python: Mapping[str, PythonFile], home: str, name: str
) -> list[tuple[str, str, ast.expr | str]] | None:
    """The keys that are put into a dictionary: with the file that does it, and the value, or the
    name of the class or function of that file that is registered; None where others may be.
    """
    found: list[tuple[str, str, ast.expr | str]] = []
    using = {path: file for path, file in python.items() if name in file.text}
    if sum(_binds(file, name) for file in using.values()) != 1:
        return None
    inside = 0  # functions that put something in
    for path, file in using.items():
        spend(len(file.nodes))
        for node in file.nodes:
            match node:
                case ast.Assign(targets=[ast.Subscript(value=owner, slice=key)], value=value) if (
                    _is(owner, name)
                ):
                    inside += not isinstance(file.parents.get(node), ast.Module)
                    put = _put(python, path, node, key, value) if inside <= _MOST else None
                    if put is None:
                        return None
                    found += put
                case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()) if _is(owner, name):
                    if not isinstance(file.parents.get(node), ast.Assign):
                        return None
                case ast.AugAssign(target=owner) if _is(owner, name):
                    return None
                case ast.Attribute(value=owner, attr=method) if _is(owner, name):
                    if method in _CHANGING:
                        return None
    return found


def _is(node: ast.expr, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (
        isinstance(node, ast.Attribute) and node.attr == name
    )


def _binds(file: PythonFile, name: str) -> int:
    """How often a file's names are bound to a value, wherever they stand."""
    return sum(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in file.nodes
    )


def _put(
    python: Mapping[str, PythonFile], path: str, node: ast.Assign, key: ast.expr, value: ast.expr
) -> list[tuple[str, str, ast.expr | str]] | None:
    """What one statement puts in: of a module its own key; in a function, those that it is given
    as a decorator.
    """
    file = python[path]
    around = [part for part in file.ancestors(node) if not isinstance(part, ast.Module)]
    if not around:
        written = key.value if isinstance(key, ast.Constant) else None
        return [(path, written, value)] if isinstance(written, str) else None
    if not all(isinstance(part, Function) for part in around):
        return None
    outer = around[-1]
    assert isinstance(outer, Function)
    given = [argument.arg for argument in (*outer.args.posonlyargs, *outer.args.args)]
    found: list[tuple[str, str, ast.expr | str]] = []
    for where, definition, used in _decorated(python, outer.name):
        if definition is None:
            return None
        text: object = None
        match key, used:
            case ast.Name(id=name), ast.Call() if name in given:
                words = {word.arg: word.value for word in used.keywords}
                at = given.index(name)
                passed = used.args[at] if at < len(used.args) else words.get(name)
                text = passed.value if isinstance(passed, ast.Constant) else None
            case ast.Attribute(value=ast.Name(id=name), attr="__name__"), _ if (
                name in given and not isinstance(used, ast.Call)
            ):
                text = definition
        if not isinstance(text, str):
            return None
        found.append((where, text, definition))
    return found


def _decorated(
    python: Mapping[str, PythonFile], name: str
) -> Iterator[tuple[str, str | None, ast.expr]]:
    """What a function decorates at the top of modules, with the decorator; None in place of a name
    where it is used otherwise.
    """
    for path, file in python.items():
        if name not in file.text:
            continue
        spend(len(file.nodes) // 10)
        for node in file.nodes:
            if not isinstance(node, ast.Name | ast.Attribute) or not _is(node, name):
                continue
            used: ast.expr = node
            parent = file.parents.get(node)
            if isinstance(parent, ast.Call) and parent.func is node:
                used, parent = parent, file.parents.get(parent)
            is_decorator = isinstance(parent, ast.ClassDef | Function) and (
                used in parent.decorator_list and parent in (file.tree.body if file.tree else ())
            )
            named = parent.name if isinstance(parent, ast.ClassDef | Function) else None
            yield path, named if is_decorator else None, used


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
