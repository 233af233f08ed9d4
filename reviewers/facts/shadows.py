"""Names that hold a plain value where the code means a module, a library's function or a
builtin.
"""

import ast
import builtins
import copy
import glob
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

from reviewers.facts.plain_types import Types
from reviewers.facts.python_file import PythonFile
from reviewers.facts.scopes import Binding
from reviewers.facts.third_party import Index

_STANDARD: dict[str, ModuleType] = {
    module.__name__: module
    for module in (copy, glob, json, logging, math, os, random, re, statistics, time)
}
# Objects that are asked for items by text, and have many methods besides.
_TABLES = ("pandas.DataFrame", "pandas.Series", "datasets.Dataset", "datasets.DatasetDict")


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
    types = Types(file)
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
        kinds = [_kind(file, types, one) for one in bound]
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


def _kind(file: PythonFile, types: Types, binding: Binding) -> type | None:
    """The type of the value that an assignment gives; None if it is not known, or None itself."""
    match file.parents.get(binding):
        case (
            ast.Assign(targets=[target], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ) if target is binding:
            kind = types.of(value)
            return None if kind is type(None) else kind
    return None
