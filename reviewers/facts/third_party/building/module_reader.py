"""Reads one module: every name it binds, and whether it may bind names that cannot be found
statically.
"""

import ast
import warnings
from typing import Any

from reviewers.facts.third_party.building.class_reader import ClassReader
from reviewers.facts.third_party.building.dynamic import find_dynamic
from reviewers.facts.third_party.building.functions import nature, read_function
from reviewers.facts.third_party.building.getattr_reader import answered
from reviewers.facts.third_party.building.records import Alias, Maybe, Module, Value
from reviewers.facts.third_party.building.scope import ModuleScope, blocks, bound_names, constant
from reviewers.facts.third_party.building.strings import Strings
from reviewers.facts.third_party.building.values import read_value

_TYPE_ALIAS: Any = getattr(ast, "TypeAlias", None)  # the `type` statement of Python 3.12


def read_module(
    name: str,
    source: str,
    *,
    is_package: bool = False,
    stub: bool = False,
    understood: bool = False,
) -> Module:
    """Read a module without running it.

    Args:
        name: its dotted name.
        stub: the source is a `.pyi`.
        understood: a person has read its dynamic parts and vouches that every name they make is
            spelled in its source.

    Returns:
        What was read; a module that does not parse is open and empty.
    """
    found = Module(name, is_package)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        found.open_up(f"does not parse: {error}")
        return found
    _Reader(found, tree, stub=stub).read()
    if understood and found.open:
        found.open = False
        for node in ast.walk(tree):
            text = constant(node) if isinstance(node, ast.expr) else None
            if text is not None and text.isidentifier() and text not in found.items:
                found.add(text, Maybe())
    return found


class _Reader:
    def __init__(self, found: Module, tree: ast.Module, *, stub: bool) -> None:
        self.found = found
        self.tree = tree
        self.stub = stub
        self.scope = ModuleScope(found.name, found.is_package, tree)
        self.strings = Strings(tree)
        self.classes = ClassReader(self.scope, self.strings, stub=stub)
        self.exported: set[str] | None = None
        self.exported_is_static = True
        self.exporting: list[ast.stmt] = []
        self.empty: set[str] = set()

    def read(self) -> None:
        self._body(self.tree.body)
        find_dynamic(self.found, self.tree, self.scope, self.strings)
        for name in self.empty:
            if name not in self.found.items:
                self.found.add(name, Value())
        self.found.alters_exports = any(
            _alters_exports_elsewhere(node) for node in ast.walk(self.tree)
        )
        if self.exported is not None and self.exported_is_static and self._exports_are_plain():
            self.found.exported = frozenset(self.exported)
        self.found.computes_exports = self.found.exported is None and any(
            isinstance(node, ast.Name) and node.id == "__all__" and isinstance(node.ctx, ast.Store)
            for node in ast.walk(self.tree)
        )

    def _exports_are_plain(self) -> bool:
        """Whether `__all__` is changed at the top of the module only, where every change was
        read.
        """
        plain = {id(part) for node in self.exporting for part in ast.walk(node)}
        return all(
            id(node) in plain
            for node in ast.walk(self.tree)
            if (
                isinstance(node, ast.Name)
                and node.id == "__all__"
                and isinstance(node.ctx, ast.Store)
            )
            or (isinstance(node, ast.Call) and _changes_exports(node))
            or (isinstance(node, ast.Global) and "__all__" in node.names)
        )

    def _body(self, body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
                self.exporting.append(node)
            match node:
                case ast.Import():
                    for alias in node.names:
                        bound = alias.asname or alias.name.partition(".")[0]
                        self.found.add(bound, Alias(alias.name if alias.asname else bound))
                case ast.ImportFrom() if node.module != "__future__":
                    self._import(node)
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self._function(node)
                case ast.ClassDef(name="__getattr__"):
                    for child in node.body:
                        if isinstance(child, ast.FunctionDef):
                            self.found.add(child.name, Value())
                case ast.ClassDef():
                    self.found.add(
                        node.name, self.classes.read(node, f"{self.found.name}.{node.name}")
                    )
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._assign(target, value)
                case (
                    ast.AnnAssign(target=ast.Name(id="__all__"), value=value)
                    | ast.AugAssign(target=ast.Name(id="__all__"), value=value)
                ):
                    self._export(value)
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation):
                    self.found.add(name, Value(self.scope.types(annotation)))
                case ast.For(target=target) | ast.AsyncFor(target=target):
                    self._bind(bound_names(target))
                case ast.With(items=items) | ast.AsyncWith(items=items):
                    self._bind(
                        [
                            name
                            for item in items
                            if item.optional_vars
                            for name in bound_names(item.optional_vars)
                        ]
                    )
                case ast.Expr(
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Name(id="__all__"), attr=attr), args=args
                    )
                ):
                    self._change_exports(attr, args)
                case _ if _TYPE_ALIAS is not None and isinstance(node, _TYPE_ALIAS):
                    self._bind(
                        [
                            part.id
                            for part in ast.walk(node)
                            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
                        ]
                    )
            for inner in blocks(node):
                self._body(inner)

    def _bind(self, names: list[str]) -> None:
        for name in names:
            self.found.add(name, Value())

    def _import(self, node: ast.ImportFrom) -> None:
        source = self.scope.absolute(node)
        for alias in node.names:
            if alias.name == "*":
                self.found.stars.append(source)
            else:
                self.found.add(alias.asname or alias.name, Alias(f"{source}.{alias.name}"))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if node.name == "__getattr__" and isinstance(node, ast.FunctionDef):
            answer = answered(node, self.scope, self.strings)
            if answer.names is None:
                self.found.open_up("__getattr__")
            for name in sorted(answer.names or ()):
                self.found.add(
                    name, Alias(answer.imports[name]) if name in answer.imports else Maybe()
                )
            self.found.stars.extend(answer.delegates)
            return
        item = read_function(node, self.scope, stub=self.stub)
        if item is not None:
            self.found.add(node.name, item)
        if isinstance(node, ast.FunctionDef):
            acts = nature(node)
            if acts:
                self.found.natures[node.name] = acts

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        names = bound_names(target)
        if "__getattr__" in names:
            self._attach(value)
        if isinstance(target, ast.Name):
            if target.id == "__all__":
                self.exported, self.exported_is_static = None, True
                self._export(value)
                return
            items = [
                item
                for item in read_value(value, self.scope)
                if item != Alias(f"{self.found.name}.{target.id}")
            ]
            for item in items:
                self.found.add(target.id, item)
            if not items:
                self.empty.add(target.id)
        else:
            self._bind(
                [name for name in names if name not in {"__getattr__", "__dir__", "__all__"}]
            )
            self.exported_is_static &= "__all__" not in names

    def _attach(self, value: ast.expr) -> None:
        """Understand `__getattr__, __dir__, __all__ = lazy.attach(__name__, submodules,
        attributes)` and its kin.
        """
        called = (
            self.scope.dotted(value.func).rpartition(".")[2] if isinstance(value, ast.Call) else ""
        )
        if called == "attach_stub":
            self.found.lazy = True
        elif isinstance(value, ast.Call) and called in {"attach", "_attach", "relative_import"}:
            self.found.lazy = True
            for argument in [*value.args, *(keyword.value for keyword in value.keywords)]:
                self._attach_names(argument)
        else:
            self.found.open_up("__getattr__ is assigned")

    def _attach_names(self, argument: ast.expr) -> None:
        if isinstance(argument, ast.Name) and argument.id == "__name__":
            return
        tables = (
            [argument]
            if isinstance(argument, (ast.Dict, ast.List, ast.Set))
            else self._tables(argument)
        )
        for table in tables:
            keys = table.keys if isinstance(table, ast.Dict) else table.elts
            values: list[ast.expr] = table.values if isinstance(table, ast.Dict) else []
            self._bind([text.rpartition(".")[2] for key in keys if (text := constant(key))])
            self._bind(
                [
                    text
                    for listed in values
                    for part in ast.walk(listed)
                    if isinstance(part, ast.expr) and (text := constant(part))
                ]
            )
        if not tables and not (isinstance(argument, ast.Constant) and argument.value is None):
            self.found.open_up("lazy names are computed")

    def _tables(self, argument: ast.expr) -> list[ast.Dict | ast.List | ast.Set]:
        if not isinstance(argument, ast.Name):
            return []
        return [
            node.value
            for node in ast.walk(self.tree)
            if isinstance(node, (ast.Assign, ast.AnnAssign))
            and isinstance(node.value, (ast.Dict, ast.List, ast.Set))
            and any(
                isinstance(target, ast.Name) and target.id == argument.id
                for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            )
        ]

    def _export(self, value: ast.expr | None) -> None:
        names = (
            None
            if value is None
            else self.strings(value)
            if not isinstance(value, ast.Name)
            else None
        )
        if names is None:
            self.exported_is_static = False
        else:
            self.exported = (self.exported or set()) | names

    def _change_exports(self, attr: str, args: list[ast.expr]) -> None:
        if attr == "remove":
            return
        if attr == "append" and args and (text := constant(args[0])) is not None:
            self.exported = (self.exported or set()) | {text}
        elif attr == "extend" and args:
            self._export(args[0])
        else:
            self.exported_is_static = False


def _changes_exports(node: ast.Call) -> bool:
    return (
        isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "__all__"
    )


def _alters_exports_elsewhere(node: ast.AST) -> bool:
    """Whether code fills the `__all__` of some other module, as registering decorators do; a lazy
    module fills its own.
    """
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=owner, attr="__all__"), attr=attr)
        ):
            return attr in {"append", "extend", "add", "insert"} and not _is_self(owner)
        case ast.Attribute(value=owner, attr="__all__", ctx=ast.Store()):
            return not _is_self(owner)
    return False


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"
