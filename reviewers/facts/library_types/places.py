"""Where a submission's code names its functions and sets attributes."""

import ast
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import walk

_PROBING = frozenset({"delattr", "getattr", "hasattr", "setattr"})
_ASKING = frozenset({"callable", "isinstance", "issubclass", "type"})

Mention = tuple[PythonFile, ast.expr, ast.AST]
Store = tuple[PythonFile, ast.AST]


class Places:
    """Looked up by plain name, whatever the name stands for there: what is not found is certainly
    not there.
    """

    def __init__(self, python: Mapping[str, PythonFile]) -> None:
        self._python = python
        self._asked: dict[str, frozenset[str]] = {}

    @cached_property
    def _nodes(self) -> Mapping[type[ast.AST], list[tuple[PythonFile, Any]]]:
        """The nodes that matter here, by their type."""
        kept: dict[type[ast.AST], list[tuple[PythonFile, Any]]] = {
            kind: [] for kind in (ast.Attribute, ast.Call, ast.ClassDef, ast.Constant, ast.Name)
        }
        for file in self._python.values():
            for kind, found in kept.items():
                found += ((file, node) for node in file.of(kind))
        return kept

    @cached_property
    def mentions(self) -> Mapping[str, list[Mention]]:
        """Where the name of each of the submission's functions is read, also as a text, with what
        stands around it.
        """
        names = {
            name.rpartition(".")[2] for file in self._python.values() for name in file.functions
        }
        found: dict[str, list[Mention]] = {}
        for kind, slot in ((ast.Name, "id"), (ast.Attribute, "attr"), (ast.Constant, "value")):
            for file, node in self._nodes[kind]:
                name = getattr(node, slot)
                if isinstance(name, str) and name in names:
                    found.setdefault(name, []).append((file, node, file.parents[node]))
        return found

    @cached_property
    def stores(self) -> Mapping[str, list[Store]]:
        """Every statement that may set an attribute on some object, by the attribute's name."""
        found: dict[str, list[Store]] = {}
        for file, node in self._nodes[ast.Attribute]:
            if not isinstance(node.ctx, ast.Load):
                found.setdefault(node.attr, []).append((file, file.parents[node]))
        for kind in (ast.Call, ast.ClassDef):
            for file, node in self._nodes[kind]:
                for name in _set_by(node):
                    found.setdefault(name, []).append((file, node))
        return found

    @cached_property
    def owners(self) -> Mapping[str, list[tuple[PythonFile, ast.expr]]]:
        """The objects on which the code sets an attribute, or asks for it before it reads it, by
        the attribute's name.
        """
        found: dict[str, list[tuple[PythonFile, ast.expr]]] = {}
        for file, node in self._nodes[ast.Attribute]:
            if not isinstance(node.ctx, ast.Load):
                found.setdefault(node.attr, []).append((file, node.value))
        for file, node in self._nodes[ast.Call]:
            match node:
                case ast.Call(
                    args=[owner, ast.Constant(value=str(name)), *_], func=ast.Name(id=asking)
                ) if asking in _PROBING:
                    found.setdefault(name, []).append((file, owner))
        return found

    @cached_property
    def patched(self) -> frozenset[str]:
        """Dotted names that the code itself sets, so that they no longer are what the library
        has.
        """
        return frozenset(
            f"{file.resolve(owner)}.{name}"
            for name, owners in self.owners.items()
            for file, owner in owners
            if isinstance(owner, (ast.Name, ast.Attribute))
        )

    def asked_about(self, file: PythonFile) -> Collection[str]:
        """Variables whose class the code itself asks for, so that it may differ from one branch to
        the other.
        """
        if file.path not in self._asked:
            self._asked[file.path] = frozenset(
                node.args[0].id
                for where, node in self._nodes[ast.Call]
                if where is file and isinstance(node.func, ast.Name) and node.func.id in _ASKING
                if node.args and isinstance(node.args[0], ast.Name)
            )
        return self._asked[file.path]


def _set_by(node: ast.Call | ast.ClassDef) -> Iterator[str]:
    """The attributes that a call may set on an object, or that a class gives its instances."""
    match node:
        case ast.Call(
            func=ast.Name(id="setattr" | "delattr"), args=[_, ast.Constant(value=str(name)), *_]
        ):
            yield name
        case ast.Call(func=ast.Attribute(attr=attr), args=[ast.Constant(value=str(name)), *_]):
            if attr.startswith(("register_", "add_module")):
                yield name
        case ast.ClassDef(body=body):
            for item in body:
                if isinstance(item, (Function, ast.ClassDef)):
                    yield item.name
                else:
                    yield from (
                        part.id
                        for part in walk(item)
                        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                    )
