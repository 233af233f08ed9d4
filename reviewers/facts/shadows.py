"""Names that hold a plain value where the code means a module, a library's function or a
builtin.
"""

import ast
import builtins
import copy
import glob
import io
import json
import logging
import math
import os
import random
import re
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import own_nodes, walk
from reviewers.facts.scopes import Binding
from reviewers.facts.third_party import Index

_STANDARD: dict[str, ModuleType] = {
    module.__name__: module
    for module in (copy, glob, json, logging, math, os, random, re, statistics, time)
}
# Objects that are asked for items by text, and have many methods besides.
_TABLES = ("pandas.DataFrame", "pandas.Series", "datasets.Dataset", "datasets.DatasetDict")
_PLAIN: tuple[type, ...] = (bool, bytes, dict, float, int, list, set, str, tuple)
_MADE: dict[str, type] = {
    **{kind.__name__: kind for kind in _PLAIN},
    **{"len": int, "open": io.TextIOWrapper, "sorted": list},
    **{"time.time": float, "time.perf_counter": float, "collections.defaultdict": dict},
    **{"glob.glob": list, "os.listdir": list, "os.path.join": str},
}
_TEXT_METHODS: dict[str, type] = {
    **{"split": list, "splitlines": list},
    **dict.fromkeys(("join", "lower", "strip", "upper"), str),
}
_ITEMS: dict[str, type] = {"range": int, "enumerate": int, "glob.glob": str, "os.listdir": str}


@dataclass(frozen=True, slots=True)
class Shadowed:
    """A use that Python refuses, since the name stands for a value.

    Attributes:
        node: the name where it is used.
        bound: what gives it the value.
        meant: what it stands for elsewhere.
        kind: the value's type; None for a mapping whose type is not known.
        attribute: what is asked of it; empty if it is called.
    """

    node: ast.Name
    bound: Binding
    meant: str
    kind: type | None
    attribute: str


def shadowed_uses(file: PythonFile, index: Index) -> Iterator[Shadowed]:
    """Yield each use of a name that something local hides, where the value cannot be meant."""
    scopes = file.scopes
    if scopes is None:
        return
    mappings: set[tuple[Binding, ...]] | None = None
    for node in file.of(ast.Name):
        if not isinstance(node.ctx, ast.Load):
            continue
        around = file.parents.get(node)
        attribute = around.attr if isinstance(around, ast.Attribute) else ""
        is_called = isinstance(around, ast.Call) and around.func is node
        hidden = file.aliases.get(node.id) if _is_imported(file, node.id) else None
        if hidden is None and is_called and hasattr(builtins, node.id):
            hidden = node.id
        if hidden is None or not (attribute or is_called):
            continue
        bound = scopes.meant(node)
        if not bound or any(isinstance(one, ast.alias) for one in bound):
            continue
        kinds = [_kind(file, one) for one in bound]
        if all(kinds) and not any((attribute or "__call__") in dir(kind) for kind in kinds):
            yield Shadowed(node, bound[0], hidden, kinds[0], attribute)
        elif attribute and len(bound) == 1 and _is_meant(index, hidden, attribute):
            mappings = _asked_by_text(file) if mappings is None else mappings
            if bound not in mappings:
                continue
            yield Shadowed(node, bound[0], hidden, None, attribute)


def _is_imported(file: PythonFile, name: str) -> bool:
    bound = file.scopes.module.bindings.get(name, ()) if file.scopes else ()
    return any(isinstance(one, ast.alias) for one in bound)


def _is_meant(index: Index, module: str, attribute: str) -> bool:
    """Whether a module has an attribute that no mapping or table has."""
    tables = (index.attribute_exists(table, attribute).presence.states for table in _TABLES)
    if attribute in dir(dict) or any(states[-1] for states in tables):
        return False
    if module in _STANDARD:
        return hasattr(_STANDARD[module], attribute)
    return index.exists(f"{module}.{attribute}").newest is True


def _asked_by_text(file: PythonFile) -> set[tuple[Binding, ...]]:
    """What gives a value to the names that the code asks for items by a text: no module has any."""
    return {
        file.scopes.meant(node.value)
        for node in file.of(ast.Subscript)
        if isinstance(node.value, ast.Name)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
        and file.scopes is not None
    }


def _kind(file: PythonFile, binding: Binding) -> type | None:
    """The type of the value that a binding gives; None if it is not known."""
    if isinstance(binding, ast.arg):
        return _annotated(binding.annotation)
    match file.parents.get(binding):
        case ast.Assign(targets=[target], value=value) if target is binding:
            return _type(file, value)
        case ast.AnnAssign(value=ast.expr() as value):
            return _type(file, value)
        case ast.For(iter=iterated) | ast.comprehension(iter=iterated):
            return _item(file, iterated) if _is_whole(file, binding) else None
        case ast.Tuple(elts=[first, *_]) as pair if first is binding:
            outer = file.parents.get(pair)
            over = outer.iter if isinstance(outer, (ast.For, ast.comprehension)) else None
            named = isinstance(over, ast.Call) and file.resolve(over.func) == "enumerate"
            return int if named else None
        case ast.withitem(context_expr=value):
            return io.TextIOWrapper if _type(file, value) is io.TextIOWrapper else None
    return None


def _is_whole(file: PythonFile, binding: Binding) -> bool:
    around = file.parents.get(binding)
    return isinstance(around, (ast.For, ast.comprehension)) and around.target is binding


def _annotated(node: ast.expr | None) -> type | None:
    name = ast.unparse(node.value if isinstance(node, ast.Subscript) else node) if node else ""
    return next((kind for kind in _PLAIN if name.lower() == kind.__name__), None)


def _type(file: PythonFile, node: ast.expr) -> type | None:
    match node:
        case ast.Constant(value=value):
            return type(value) if isinstance(value, _PLAIN) else None
        case ast.JoinedStr():
            return str
        case ast.List() | ast.ListComp():
            return list
        case ast.Dict() | ast.DictComp():
            return dict
        case ast.Set() | ast.SetComp():
            return set
        case ast.Tuple():
            return tuple
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if _type(file, owner) is str:
            return _TEXT_METHODS.get(attr)
        case ast.Call(func=func):
            name = file.resolve(func) or ""
            is_own = isinstance(func, ast.Name) and file.scopes and file.scopes.bindings(func)
            return None if is_own and "." not in name else _MADE.get(name)
    return None


def _item(file: PythonFile, node: ast.expr) -> type | None:
    """The type of what a loop runs over."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items) if items:
            kinds = {_type(file, item) for item in items}
            return kinds.pop() if len(kinds) == 1 else None
        case ast.Call(func=ast.Name(id="sorted"), args=[inner, *_]):
            return _item(file, inner)
        case ast.Call(func=func):
            name = file.resolve(func) or ""
            return _ITEMS.get(name) if name != "enumerate" else tuple
    return None


def endless_call(file: PythonFile, function: Function) -> ast.Call | None:
    """The call by which a function calls itself before anything can end it."""
    scopes = file.scopes
    if scopes is None or function.decorator_list or isinstance(function, ast.AsyncFunctionDef):
        return None
    own = own_nodes(function)
    itself = {
        node
        for node in own
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and scopes.meant(node.func) == (function,)
    }
    if not itself or any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own):
        return None
    for statement in function.body:
        for call in _certain_calls(statement):
            if call in itself:
                return call
        if any(isinstance(part, (ast.Return, ast.Raise)) for part in walk(statement)):
            return None
    return None


def _certain_calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls that a statement makes whatever the values in it."""
    match node:
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.Expr() | ast.Return():
            waiting: list[ast.AST] = [node]
        case ast.For(iter=first) | ast.If(test=first) | ast.While(test=first):
            waiting = [first]
        case ast.With(items=items):
            waiting = [*items]
        case _:
            return
    while waiting:
        part = waiting.pop()
        match part:
            case ast.Lambda():
                continue
            case ast.BoolOp():
                waiting.append(part.values[0])
            case ast.IfExp():
                waiting.append(part.test)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                waiting.append(part.generators[0].iter)
            case _:
                if isinstance(part, ast.Call):
                    yield part
                waiting += ast.iter_child_nodes(part)
