"""Follows expressions: what is known of a value, and which keys of a configuration it reads."""

import ast
import builtins
import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow import access, library, members
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    ConfigProblem,
    External,
    Instance,
    LocalClass,
    LocalFunction,
    ProblemKind,
    Scope,
    SomePath,
    Value,
)
from reviewers.facts.python_file import Function, Import, PythonFile
from reviewers.records import Span

_BUILTINS = frozenset(dir(builtins))
_COMPARISONS: Mapping[type[ast.cmpop], Any] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_PLAIN = (str, int, float, bool, type(None))
_LONGEST_TEXT = 10_000
_LONGEST_LIST = 1_000


class Expressions:
    """Values of expressions over scopes of partly known values."""

    def __init__(self, python: Mapping[str, PythonFile], yaml_files: Mapping[str, str]) -> None:
        self.python = python
        self.yaml_files = yaml_files
        self.problems: dict[tuple[Any, ...], ConfigProblem] = {}
        self.handed_over: list[tuple[str, Value]] = []
        self.created: dict[tuple[str, Span], None] = {}
        self._doubts = 0
        self._modules: dict[str, Scope] = {}

    def call(self, function: LocalFunction, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        """Follow a call of one of the submission's own functions."""
        raise NotImplementedError

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Bind a target."""
        raise NotImplementedError

    def spend(self, steps: int) -> None:
        """Count steps against the bound on all of the work."""
        raise NotImplementedError

    # Problems

    @contextmanager
    def doubt(self) -> Iterator[None]:
        """What is found meanwhile may not happen."""
        self._doubts += 1
        try:
            yield
        finally:
            self._doubts -= 1

    def report(self, error: AccessError, node: ast.AST, scope: Scope) -> None:
        """Keep a problem, once for each place and key; a certain one takes the place of an uncertain one."""
        line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
        span = Span(scope.file.path, line, end)
        problem = ConfigProblem(error.kind, error.error, error.message, error.key, span, self._doubts == 0)
        place = (problem.kind, span, problem.key)
        if place not in self.problems or (problem.certain and not self.problems[place].certain):
            self.problems[place] = problem

    def note_created(self, owner: Value, key: Value, value: Value, node: ast.expr, scope: Scope) -> None:
        """Keep that a value which is only known at run time is about to be put under a key that is not there."""
        if value is UNKNOWN and isinstance(owner, DictConfig) and isinstance(key, str) and not access.holds(owner, key):
            span = Span(scope.file.path, node.lineno, node.end_lineno)
            self.created.setdefault((access.path_of(owner, key), span))

    def not_a_mapping(self, owner: Value, name: str, node: ast.AST, scope: Scope) -> None:
        """Report an attribute that a plain value does not have."""
        message = f"'{type(owner).__name__}' object has no attribute '{name}'"
        self.report(AccessError(ProblemKind.NOT_A_MAPPING, "AttributeError", message, name), node, scope)

    # Modules and names

    def module(self, path: str) -> Scope:
        """The scope of a module: its functions, classes and imports; other names are looked at when asked for."""
        if path in self._modules:
            return self._modules[path]
        file = self.python[path]
        scope = self._modules[path] = Scope(file, names={"__file__": SomePath(tuple(path.split("/")))})
        for item in file.imports:
            if item.bound is not None and not item.scope:
                scope.names[item.bound] = self.imported(file, item)
        for node in file.tree.body if file.tree else ():
            if isinstance(node, Function):
                scope.names[node.name] = LocalFunction(node, scope)
            elif isinstance(node, ast.ClassDef):
                scope.names[node.name] = LocalClass(file.classes[node.name], scope)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                scope.names[node.targets[0].id] = self._constant(node.value, scope)
        return scope

    def _constant(self, node: ast.expr, scope: Scope) -> Value:
        """A module's own value, where it is made of constants and paths; calls of its functions are not followed."""
        simple = (ast.Constant, ast.BinOp, ast.Attribute, ast.Name, ast.Call, ast.JoinedStr, ast.Subscript, ast.List, ast.Dict)
        return self.value(node, scope) if isinstance(node, simple) else UNKNOWN

    def imported(self, file: PythonFile, item: Import) -> Value:
        """What an import binds: a module, function or class of the submission, or something from outside."""
        dotted = file.absolute(item)
        if item.name is None:
            return External(item.module if item.bound != item.module.partition(".")[0] else str(item.bound))
        for path, other in self.python.items():
            if other.module == dotted:
                return self.module(path).names.get(item.name, UNKNOWN)
            if other.module == f"{dotted}.{item.name}":
                return self.module(path)
        return External(f"{dotted}.{item.name}")

    def name_of(self, node: ast.expr, scope: Scope) -> str | None:
        """The dotted name of something from outside the submission that an expression stands for."""
        if isinstance(node, ast.Name):
            found = scope.find(node.id)
            value = found.names[node.id] if found else None
            if found is None and node.id in _BUILTINS:
                return node.id
            return value.name if isinstance(value, External) else None
        if isinstance(node, ast.Attribute):
            owner = self.name_of(node.value, scope)
            return f"{owner}.{node.attr}" if owner else None
        return None

    # Values

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """What is known of an expression's value; every read of a configuration within it is made."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                found = scope.find(node.id)
                return found.names[node.id] if found else External(node.id) if node.id in _BUILTINS else UNKNOWN
            case ast.Attribute():
                return self._attribute(node, scope)
            case ast.Subscript():
                return self._subscript(node, scope)
            case ast.Call():
                return self._call(node, scope)
            case ast.JoinedStr():
                return self._template(node, scope)
            case ast.BinOp():
                return self._operation(node, scope)
            case ast.BoolOp():
                return self._logic(node, scope)
            case ast.Compare():
                return self._comparison(node, scope)
            case ast.UnaryOp(op=ast.Not()):
                truth = self.truth(self.value(node.operand, scope))
                return UNKNOWN if truth is None else not truth
            case ast.UnaryOp():
                operand = self.value(node.operand, scope)
                return -operand if isinstance(node.op, ast.USub) and isinstance(operand, int | float) else UNKNOWN
            case ast.IfExp():
                return self._choice(node, scope)
            case ast.Dict():
                return self._dict(node, scope)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._items(node, scope)
            case ast.Lambda():
                return LocalFunction(node, scope)
            case ast.NamedExpr():
                value = self.value(node.value, scope)
                self.assign(node.target, value, scope)
                return value
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return self._comprehension(node, scope)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, scope)
        return UNKNOWN

    def truth(self, value: Value) -> bool | None:
        """Whether a value is true; None where that is not known."""
        if isinstance(value, dict) and ANYTHING in value:
            return None
        if isinstance(value, (*_PLAIN, dict, list, tuple)):
            return bool(value)
        if isinstance(value, DictConfig | ListConfig):
            return len(value) > 0
        return True if isinstance(value, SomePath | LocalFunction | LocalClass | Instance) else None

    def turns(self, value: Value) -> list[Value] | None:
        """The items that a loop over the value gives; None where they are not known."""
        if isinstance(value, DictConfig):
            return list(value)
        if isinstance(value, ListConfig):
            return [access.read(value, index, as_attribute=False) for index in range(len(value))]
        if isinstance(value, dict):
            return None if ANYTHING in value else list(value)
        return list(value) if isinstance(value, list | tuple | range) else None

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        owner = self.value(node.value, scope)
        if isinstance(owner, External):
            return External(f"{owner.name}.{node.attr}")
        if isinstance(owner, Scope):
            return owner.names.get(node.attr, UNKNOWN)
        if isinstance(owner, Instance):
            return self._member(owner, node.attr)
        if isinstance(owner, SomePath):
            return members.path_attribute(owner, node.attr)
        if isinstance(owner, DictConfig):
            if hasattr(DictConfig, node.attr):
                return members.Bound(owner, node.attr)
            return self._read(owner, node.attr, node, scope, as_attribute=True)
        if isinstance(owner, ListConfig | dict | list | tuple):
            return members.Bound(owner, node.attr)
        if isinstance(owner, _PLAIN):
            if hasattr(owner, node.attr):
                return members.Bound(owner, node.attr)
            self.not_a_mapping(owner, node.attr, node, scope)
        return UNKNOWN

    def _member(self, owner: Instance, name: str) -> Value:
        if name in owner.attributes:
            return owner.attributes[name]
        method = owner.cls.definition.methods.get(name)
        if method is None:
            return UNKNOWN
        bound = LocalFunction(method, owner.cls.scope, owner)
        decorators = {part.id for part in method.decorator_list if isinstance(part, ast.Name)}
        if "property" in decorators:
            return self.call(bound, [], {})
        return LocalFunction(method, owner.cls.scope) if "staticmethod" in decorators else bound

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        owner, key = self.value(node.value, scope), self.value(node.slice, scope)
        if isinstance(owner, DictConfig | ListConfig):
            return self._read(owner, key, node, scope, as_attribute=False) if isinstance(key, str | int) else UNKNOWN
        if isinstance(owner, dict) and isinstance(key, str | int):
            return owner.get(key, UNKNOWN)
        if isinstance(owner, list) and isinstance(key, int) and not isinstance(key, bool):
            return owner[key] if -len(owner) <= key < len(owner) else UNKNOWN
        if isinstance(owner, members.PathParents) and isinstance(key, int):
            return owner.at(key)
        return UNKNOWN

    def _read(self, owner: DictConfig | ListConfig, key: str | int, node: ast.expr, scope: Scope, *, as_attribute: bool) -> Value:
        try:
            return access.read(owner, key, as_attribute=as_attribute)
        except AccessError as error:
            self.report(error, node, scope)
            return UNKNOWN

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        callee = self.value(node.func, scope)
        args = [self.value(item.value if isinstance(item, ast.Starred) else item, scope) for item in node.args]
        keywords = {item.arg: self.value(item.value, scope) for item in node.keywords if item.arg}
        for item in node.keywords:
            if item.arg is None:
                keywords[ANYTHING] = self.value(item.value, scope)
        if any(isinstance(item, ast.Starred) for item in node.args):
            args, keywords[ANYTHING] = [], UNKNOWN
        if isinstance(callee, LocalFunction):
            return self.call(callee, args, keywords)
        if isinstance(callee, LocalClass):
            return self._instance(callee, args, keywords)
        if isinstance(callee, Instance):
            run = callee.cls.definition.methods.get("__call__") or callee.cls.definition.methods.get("forward")
            return self.call(LocalFunction(run, callee.cls.scope, callee), args, keywords) if run else UNKNOWN
        if isinstance(callee, External) and callee.name == "omegaconf.OmegaConf.update" and len(args) > 2:
            self.note_created(args[0], args[1], args[2], node, scope)
        try:
            return library.call(self, callee, args, keywords, node)
        except AccessError as error:
            self.report(error, node, scope)
            return library.mended(callee, args)

    def _instance(self, cls: LocalClass, args: Sequence[Value], keywords: Mapping[str, Value]) -> Instance:
        made = Instance(cls, dict(keywords) if "__init__" not in cls.definition.methods else {})
        if start := cls.definition.methods.get("__init__"):
            self.call(LocalFunction(start, cls.scope, made), args, keywords)
        return made

    def _template(self, node: ast.JoinedStr, scope: Scope) -> Value:
        texts = []
        known = True
        for part in node.values:
            value = self.value(part.value, scope) if isinstance(part, ast.FormattedValue) else self.value(part, scope)
            known = known and isinstance(value, (*_PLAIN, SomePath)) and not getattr(part, "format_spec", None)
            texts.append(str(value) if known else "")
        return "".join(texts)[:_LONGEST_TEXT] if known else UNKNOWN

    def _operation(self, node: ast.BinOp, scope: Scope) -> Value:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if isinstance(node.op, ast.Div) and isinstance(left, SomePath):
            return left.joined(str(right)) if isinstance(right, str | SomePath) else UNKNOWN
        if isinstance(node.op, ast.Add) and isinstance(left, str) and isinstance(right, str):
            return (left + right)[:_LONGEST_TEXT]
        if isinstance(node.op, ast.Add) and isinstance(left, list) and isinstance(right, list):
            return [*left, *right][:_LONGEST_LIST]
        return UNKNOWN

    def _logic(self, node: ast.BoolOp, scope: Scope) -> Value:
        stops_at = isinstance(node.op, ast.Or)
        value: Value = UNKNOWN
        unknown = False
        for part in node.values:
            if unknown:
                with self.doubt():
                    self.value(part, scope)
                continue
            value = self.value(part, scope)
            truth = self.truth(value)
            if truth is stops_at:
                return value
            unknown = truth is None
        return UNKNOWN if unknown else value

    def _comparison(self, node: ast.Compare, scope: Scope) -> Value:
        left = self.value(node.left, scope)
        rights = [self.value(part, scope) for part in node.comparators]
        if len(rights) != 1:
            return UNKNOWN
        right, kind = rights[0], type(node.ops[0])
        if kind in (ast.In, ast.NotIn):
            held = members.contains(right, left)
            return UNKNOWN if held is None else held is (kind is ast.In)
        if kind in (ast.Is, ast.IsNot):
            known = right is None and (isinstance(left, _PLAIN) or self.truth(left) is not None)
            return (left is None) is (kind is ast.Is) if known else UNKNOWN
        if isinstance(left, _PLAIN) and isinstance(right, _PLAIN) and kind in _COMPARISONS:
            try:
                return bool(_COMPARISONS[kind](left, right))
            except TypeError:
                return UNKNOWN
        return UNKNOWN

    def _choice(self, node: ast.IfExp, scope: Scope) -> Value:
        truth = self.truth(self.value(node.test, scope))
        if truth is not None:
            return self.value(node.body if truth else node.orelse, scope)
        with self.doubt():
            self.value(node.body, scope)
            self.value(node.orelse, scope)
        return UNKNOWN

    def _items(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> Value:
        made: list[Value] = []
        known = True
        for item in node.elts:
            if isinstance(item, ast.Starred):
                inner = self.turns(self.value(item.value, scope))
                known = known and inner is not None
                made += inner or []
            else:
                made.append(self.value(item, scope))
        return made[:_LONGEST_LIST] if known else UNKNOWN

    def _dict(self, node: ast.Dict, scope: Scope) -> Value:
        made: dict[Any, Value] = {}
        known = True
        for key, item in zip(node.keys, node.values, strict=True):
            value = self.value(item, scope)
            name = self.value(key, scope) if key is not None else None
            if isinstance(name, str | int):
                made[name] = value
            else:
                known = False
        return made if known else UNKNOWN

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, scope: Scope) -> Value:
        inner = Scope(scope.file, scope)
        for part in node.generators:
            self.value(part.iter, inner)
            self.assign(part.target, UNKNOWN, inner)
            for test in part.ifs:
                self.value(test, inner)
        for result in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.value(result, inner)
        return UNKNOWN
