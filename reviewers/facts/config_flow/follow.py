"""Follows statements: what a function of the submission does to the configurations that it is given."""

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from omegaconf import DictConfig, ListConfig, open_dict

from reviewers.facts.config_flow import access
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.expressions import Expressions
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    ConfigProblem,
    Instance,
    LocalFunction,
    Scope,
    Value,
)
from reviewers.facts.python_file import Function, PythonFile
from reviewers.records import Span

_STEPS = 20_000  # statements; the longest real submission takes about 2,000
_DEPTH = 12
_TURNS = 64
_SWALLOWING = frozenset(
    {"Exception", "BaseException", "AttributeError", "KeyError", "FileNotFoundError", "OSError", "TypeError", "ValueError"}
)


class _Leave(Exception):
    """The code that is followed leaves a block."""

    def __init__(self, how: str, value: Value = None) -> None:
        super().__init__(how)
        self.how = how
        self.value = value


class _Exhausted(Exception):
    """The code is longer than we follow."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What following one entry function gave.

    Attributes:
        problems: in the order in which they would be met; after each, the way goes on as if it had been mended.
        complete: False where the code was longer than we follow.
        final: the configuration that the entry function's first name stands for in the end; None where that is not known.
        created: keys that were not there and are given a value that is only known at run time, and where.
        handed_over: the arguments of each call outside the submission that was given known texts (`subprocess.run`, …).
    """

    problems: tuple[ConfigProblem, ...]
    complete: bool
    final: DictConfig | None
    created: tuple[tuple[str, Span], ...]
    handed_over: tuple[tuple[str, Value], ...]


def follow(
    python: Mapping[str, PythonFile], path: str, function: str, config: DictConfig, yaml_files: Mapping[str, str]
) -> Trace:
    """Follow a function of the submission that is called with a configuration.

    Args:
        path, function: file and qualified name of the function.
        yaml_files: the submission's YAML texts by path, for `OmegaConf.load`.
    """
    return _followed(_Follower(python, yaml_files), path, python[path].functions[function], [config])


def follow_script(python: Mapping[str, PythonFile], path: str, yaml_files: Mapping[str, str]) -> Trace | None:
    """Follow what stands under `if __name__ == "__main__"`; None where there is nothing of the kind."""
    tree = python[path].tree
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
            nothing = ast.arguments([], [], None, [], [], None, [])
            whole = ast.FunctionDef("__main__", nothing, node.body, [], None, lineno=node.lineno)
            return _followed(_Follower(python, yaml_files), path, whole, [])
    return None


def _followed(follower: "_Follower", path: str, function: Function, args: Sequence[Value]) -> Trace:
    entry = LocalFunction(function, follower.module(path))
    complete = True
    try:
        follower.call(entry, args, {})
    except (_Exhausted, RecursionError):  # the latter: a list that holds itself
        complete = False
    except _Leave:
        complete = True  # the code itself stops with an error of its own
    return Trace(
        tuple(follower.problems.values()), complete, follower.final(entry), tuple(follower.created), tuple(follower.handed_over)
    )


class _Follower(Expressions):
    """Runs statements over scopes of partly known values."""

    def __init__(self, python: Mapping[str, PythonFile], yaml_files: Mapping[str, str]) -> None:
        super().__init__(python, yaml_files)
        self._steps = 0
        self._active: list[ast.AST] = []
        self._entry: Scope | None = None
        self._returning: dict[ast.AST, bool] = {}

    # Calls of the submission's own functions

    def call(self, function: LocalFunction, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        """Follow a call; one that is already under way, or too deep, gives an unknown value."""
        node = function.node
        if node in self._active or len(self._active) >= _DEPTH:
            return UNKNOWN
        scope = Scope(function.scope.file, function.scope)
        self._entry = self._entry or scope
        self._bind(scope, function, args, keywords)
        self._active.append(node)
        try:
            if isinstance(node, ast.Lambda):
                return self.value(node.body, scope)
            self.block(node.body, scope)
        except _Leave as leave:
            if leave.how == "raise":
                raise
            return leave.value
        finally:
            self._active.pop()
        return UNKNOWN if self._returned_in_doubt(node) else None

    def final(self, entry: LocalFunction) -> DictConfig | None:
        """What the first name of the first function that was called stands for now."""
        given = entry.node.args.args
        value = self._entry.names.get(given[0].arg) if self._entry and given else None
        return value if isinstance(value, DictConfig) else None

    def _returned_in_doubt(self, node: Function) -> bool:
        """Whether some way through the function returns or yields a value that we did not go."""
        if node not in self._returning:
            self._returning[node] = any(isinstance(part, ast.Return | ast.Yield | ast.YieldFrom) for part in ast.walk(node))
        return self._returning[node]

    def _bind(self, scope: Scope, function: LocalFunction, args: Sequence[Value], keywords: Mapping[str, Value]) -> None:
        given = function.node.args
        positional = [argument.arg for argument in (*given.posonlyargs, *given.args)]
        every = [*positional, *(argument.arg for argument in given.kwonlyargs)]
        defaults = dict(zip(positional[len(positional) - len(given.defaults) :], given.defaults, strict=True))
        defaults |= {argument.arg: value for argument, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value}
        for name in every:
            certain = name in defaults and ANYTHING not in keywords
            scope.names[name] = self.value(defaults[name], function.scope) if certain else UNKNOWN
        values = [function.owner, *args] if function.owner is not None else list(args)
        scope.names.update(zip(positional, values, strict=False))
        scope.names.update({name: value for name, value in keywords.items() if name in every})
        for extra in (given.vararg, given.kwarg):
            if extra is not None:
                scope.names[extra.arg] = UNKNOWN

    # Statements

    def spend(self, steps: int) -> None:
        """Count work that was or will be done; there is an end to it."""
        self._steps += steps
        if self._steps > _STEPS:
            raise _Exhausted

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Follow statements one after another."""
        for statement in statements:
            self.spend(1)
            follow_one = self._kinds.get(type(statement))
            if follow_one is not None:
                follow_one(self, statement, scope)

    def _expression(self, node: ast.Expr, scope: Scope) -> None:
        self.value(node.value, scope)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        value = self.value(node.value, scope)
        for target in node.targets:
            self.assign(target, value, scope)

    def _annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)

    def _augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        self.value(node.value, scope)
        if isinstance(node.target, ast.Name):
            scope.names[node.target.id] = UNKNOWN
        else:
            self.value(_loading(node.target), scope)
            self.assign(node.target, UNKNOWN, scope)

    def _return(self, node: ast.Return, scope: Scope) -> None:
        raise _Leave("return", self.value(node.value, scope) if node.value else None)

    def _raise(self, node: ast.Raise, scope: Scope) -> None:
        raise _Leave("raise")

    def _break(self, node: ast.stmt, scope: Scope) -> None:
        raise _Leave("break")

    def _continue(self, node: ast.stmt, scope: Scope) -> None:
        raise _Leave("continue")

    def _delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope.names[target.id] = UNKNOWN

    def _define(self, node: Function, scope: Scope) -> None:
        scope.names[node.name] = LocalFunction(node, scope)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        for item in scope.file.imports:
            if item.line == node.lineno and item.bound is not None:
                scope.names[item.bound] = self.imported(scope.file, item)

    def _if(self, node: ast.If, scope: Scope) -> None:
        truth = self.truth(self.value(node.test, scope))
        if truth is not None:
            self.block(node.body if truth else node.orelse, scope)
            return
        before = dict(scope.names)
        left = [self._in_doubt(branch, scope) for branch in (node.body, node.orelse)]
        for name, value in scope.names.items():
            if before.get(name, UNKNOWN) is not value:
                scope.names[name] = UNKNOWN
        if all(left):
            # Whatever the condition, the block is left; how is only certain where both ways agree.
            raise left[0] if left[0] is not None and left[0].how != "return" else _Leave("return", UNKNOWN)

    def _in_doubt(self, statements: Sequence[ast.stmt], scope: Scope) -> _Leave | None:
        """Follow a branch that may not be taken; its problems are uncertain."""
        with self.doubt():
            try:
                self.block(statements, scope)
            except _Leave as leave:
                return leave
        return None

    def _for(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        turns = self.turns(self.value(node.iter, scope))
        for item in [UNKNOWN] if turns is None else turns[:_TURNS]:
            self.assign(node.target, item, scope)
            if not self._turn(node.body, scope):
                break
        self.block(node.orelse, scope)

    def _while(self, node: ast.While, scope: Scope) -> None:
        if self.truth(self.value(node.test, scope)) is not False:
            self._turn(node.body, scope)

    def _turn(self, body: Sequence[ast.stmt], scope: Scope) -> bool:
        """One turn of a loop; whether the loop goes on."""
        try:
            self.block(body, scope)
        except _Leave as leave:
            if leave.how not in ("break", "continue"):
                raise
            return leave.how == "continue"
        return True

    def _with(self, node: ast.With | ast.AsyncWith, scope: Scope) -> None:
        opened = None
        for item in node.items:
            call = item.context_expr
            name = self.name_of(call.func, scope) if isinstance(call, ast.Call) else None
            value = self.value(call, scope)
            if name in ("omegaconf.open_dict", "omegaconf.read_write") and isinstance(call, ast.Call) and call.args:
                opened = self.value(call.args[0], scope)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, scope)
        if isinstance(opened, DictConfig | ListConfig):
            with open_dict(opened):
                self.block(node.body, scope)
        else:
            self.block(node.body, scope)

    def _try(self, node: ast.Try | ast.TryStar, scope: Scope) -> None:
        swallowing = any(_swallows(handler) for handler in node.handlers)
        with self.doubt() if swallowing else _sure():
            self.block(node.body, scope)
        for handler in node.handlers:
            self._in_doubt(handler.body, scope)
        self.block(node.orelse, scope)
        self.block(node.finalbody, scope)

    def _match(self, node: ast.Match, scope: Scope) -> None:
        self.value(node.subject, scope)
        for case in node.cases:
            self._in_doubt(case.body, scope)

    # Assignment

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Bind a name, or write into a configuration or object."""
        match target:
            case ast.Name():
                scope.names[target.id] = value
            case ast.Tuple() | ast.List():
                items = self.turns(value)
                known = items is not None and len(items) == len(target.elts)
                for index, part in enumerate(target.elts):
                    self.assign(part, items[index] if known and items is not None else UNKNOWN, scope)
            case ast.Starred():
                self.assign(target.value, UNKNOWN, scope)
            case ast.Attribute():
                owner = self.value(target.value, scope)
                if isinstance(owner, Instance):
                    owner.attributes[target.attr] = value
                elif isinstance(owner, DictConfig):
                    self._write(owner, target.attr, value, target, scope)
                elif isinstance(owner, str | int | float) and not isinstance(owner, bool):
                    self.not_a_mapping(owner, target.attr, target, scope)
            case ast.Subscript():
                owner, key = self.value(target.value, scope), self.value(target.slice, scope)
                if isinstance(owner, DictConfig | ListConfig) and isinstance(key, str | int):
                    self.note_created(owner, key, value, target, scope)
                    self._write(owner, key, value, target, scope)
                elif isinstance(owner, dict):
                    owner[key if isinstance(key, str | int) else ANYTHING] = value

    def _write(self, owner: DictConfig | ListConfig, key: str | int, value: Value, node: ast.expr, scope: Scope) -> None:
        self.spend(access.size(value) // 2)
        try:
            access.write(owner, key, value, as_attribute=isinstance(node, ast.Attribute))
        except AccessError as error:
            self.report(error, node, scope)
            with open_dict(owner):
                try:
                    access.write(owner, key, value, as_attribute=isinstance(node, ast.Attribute))
                except AccessError:
                    return

    _kinds: Mapping[type[ast.stmt], Callable[..., None]] = {
        ast.Expr: _expression,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.Return: _return,
        ast.Raise: _raise,
        ast.Break: _break,
        ast.Continue: _continue,
        ast.Delete: _delete,
        ast.FunctionDef: _define,
        ast.AsyncFunctionDef: _define,
        ast.Import: _import,
        ast.ImportFrom: _import,
        ast.If: _if,
        ast.For: _for,
        ast.AsyncFor: _for,
        ast.While: _while,
        ast.With: _with,
        ast.AsyncWith: _with,
        ast.Try: _try,
        ast.TryStar: _try,
        ast.Match: _match,
    }


@contextmanager
def _sure() -> Iterator[None]:
    yield


def _swallows(handler: ast.ExceptHandler) -> bool:
    """Whether the handler catches what OmegaConf raises and does not raise again."""
    if any(isinstance(part, ast.Raise) for part in ast.walk(handler)):
        return False
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    named = [part for part in caught if isinstance(part, ast.Attribute | ast.Name)]
    names = {part.attr if isinstance(part, ast.Attribute) else part.id for part in named}
    return handler.type is None or bool(names & _SWALLOWING) or any("Config" in name or "Missing" in name for name in names)


def _loading(target: ast.Attribute | ast.Subscript) -> ast.expr:
    """The same place, read."""
    if isinstance(target, ast.Attribute):
        return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
