"""Modules of the submission, which are followed as an import runs them."""

import ast
import re
from collections.abc import Mapping
from typing import TypeGuard

from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    CallScope,
    SomePath,
    Value,
    external,
)
from reviewers.facts.python_file import Import, PythonFile


def module(follower: Follower, path: str) -> CallScope:
    """The scope of a module, whose statements are followed when it is first asked for; what stands
    under its guard is left out.
    """
    if path in follower.modules:
        return follower.modules[path]
    file = follower.python[path]
    names = {"__file__": SomePath((*path.split("/"),))}
    scope = follower.modules[path] = CallScope(file, names=names)
    body = file.readable.body if file.readable else ()
    with follower.meanwhile(importing=True, exits=[], may_have_left=frozenset(), asked=None):
        follower.block([node for node in body if not is_guard(node)], scope)
    for item in file.imports:
        # One that may fail is taken for what it says.
        if item.bound and not item.scope and scope.names.get(item.bound, UNKNOWN) is UNKNOWN:
            scope.names[item.bound] = imported(follower, file, item)
    for name, value in scope.names.items():
        if type(value) is dict and (not value or _is_filled(follower.python, name)):
            value[ANYTHING] = UNKNOWN
    return scope


def is_guard(node: ast.stmt) -> TypeGuard[ast.If]:
    """Whether a statement says what is done where the file is started as a script."""
    return isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)


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
