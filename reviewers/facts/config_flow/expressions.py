"""Follows expressions: what is known of a value, and which keys of a configuration it reads."""

import ast
import builtins
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf

from reviewers.facts.config_flow import access, handlers, members, operations, registries
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.arguments import Commands, Namespace, Parser
from reviewers.facts.config_flow.cells import (
    NUMBER,
    TEXT,
    Batched,
    Cell,
    Each,
    item_of,
    part_of,
    settle,
)
from reviewers.facts.config_flow.comprehensions import comprehension
from reviewers.facts.config_flow.data_values import DataError, DataSet, Modelled, Row, Rows
from reviewers.facts.config_flow.operations import LONGEST_TEXT, PLAIN
from reviewers.facts.config_flow.passed import Passed
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    ConfigProblem,
    Created,
    Exit,
    External,
    Fixed,
    Instance,
    LocalClass,
    LocalFunction,
    Opened,
    PartlyKnown,
    ProblemKind,
    Process,
    Scope,
    Several,
    SomePath,
    Super,
    Unordered,
    Value,
    is_open,
    overlaid,
    unordered,
)
from reviewers.facts.placed import IntendedPath, place_of
from reviewers.facts.python_file import Function, Import, PythonFile
from reviewers.facts.world import MODULE, Assumed, Thing, assumed, where
from reviewers.records import Span

_BUILTINS = frozenset(dir(builtins))
_LONGEST_LIST = 1_000


class Expressions:
    """Values of expressions over scopes of partly known values."""

    def __init__(self, python: Mapping[str, PythonFile], yaml_files: Mapping[str, str]) -> None:
        self.python = python
        self.yaml_files = yaml_files
        self.written: dict[tuple[str, ...], Value] = {}
        self.argv: list[Value] | None = None  # the command line: the script and its words
        self.is_bare = False  # whether nothing says with which words the script is started
        self.choices: list[tuple[str, ...]] = []
        self.intended: Callable[[], DictConfig] | None = None
        self._meant: DictConfig | None = None
        self.uses_intended = False
        self.processes: list[Process] = []
        self.problems: dict[tuple[Any, ...], ConfigProblem] = {}
        self.handed_over: list[tuple[str, Value]] = []
        self.created: dict[tuple[str, Span], Created] = {}
        self.passed: dict[ast.Call, list[Passed]] = {}
        self._doubts = 0
        self.caught: list[handlers.Caught] = []  # by the `try` blocks around
        self.folder: str | None = ""  # the working directory, from the submission's root
        self.origin = ""  # that in which the process was started
        self.unsure_turns = 0  # loops around that may have no turn
        self.again = False  # whether a later turn of a loop is followed
        self.each = 0  # loops around that have a turn for each row of a batch
        # How the block that is followed may have been left before: `return`, `break`, `continue`.
        self.may_have_left: frozenset[str] = frozenset()
        self.exits: list[Exit] = []  # of the loop or function that is followed, where they may be
        self.handed = False  # whether a function is followed that was handed to something outside
        self.assuming: list[Assumed] = []  # what the way that is followed rests on
        self.asked: tuple[ast.expr, bool, Scope] | None = (
            None  # the last condition that was known, and its answer
        )
        self._modules: dict[str, Scope] = {}

    @property
    def words(self) -> Sequence[Value] | None:
        """The words of the command line after the script, as the code has left them."""
        return None if self.argv is None else self.argv[1:]

    @property
    def is_unsure(self) -> bool:
        """Whether what is done now may be left undone, or done more than once."""
        return bool(self._doubts or self.unsure_turns or any(self.caught))

    @property
    def may_be_undone(self) -> bool:
        """Whether what is changed now may be as before afterwards, or be changed more than once."""
        return self.is_unsure or bool(self.may_have_left)

    @property
    def may_not_happen(self) -> bool:
        """Whether what is done now may be left undone, though nothing goes wrong."""
        return bool(self._doubts or self.unsure_turns or self.handed or self.may_have_left)

    def call(
        self, function: LocalFunction, args: Sequence[Value], keywords: Mapping[str, Value]
    ) -> Value:
        """Follow a call of one of the submission's own functions."""
        raise NotImplementedError

    def apply(self, function: Value, args: Sequence[Value]) -> Value:
        """What a function gives for what it is handed."""
        raise NotImplementedError

    def hand(self, function: Value, args: Sequence[Value] = ()) -> None:
        """Follow a function that a library calls later."""
        raise NotImplementedError

    def _call(self, node: ast.Call, scope: Scope) -> Value:
        """Follow any call, as it is written."""
        raise NotImplementedError

    def _member(self, owner: Value, name: str) -> Value:
        """A method or attribute of an object or class of the submission."""
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

    def report(
        self, error: AccessError, node: ast.AST, scope: Scope, *, is_behind: bool = False
    ) -> ConfigProblem:
        """Keep a problem, once for each place and key; a certain one takes the place of an
        uncertain one.

        Args:
            is_behind: whether it is met with the intended configuration only.
        """
        self.spend(access.STEPS_OF_A_REFUSAL)
        line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
        here = Span(scope.file.path, line, end)
        further: tuple[Span, ...] = ()
        span, certain = here, self._is_certain(error)
        if isinstance(error, DataError):
            span = error.at or here
            further = tuple(place for place in error.further or (here,) if place != span)
            certain = certain and not error.is_doubtful
        # Of a value that the code itself raises for, the condition is told anyway.
        resting = where(self.assuming) if error.kind is not ProblemKind.RAISED else ""
        problem = ConfigProblem(
            error.kind,
            error.error,
            error.message + (f" (where {resting})" if resting else ""),
            error.key,
            span,
            certain,
            error.cause,
            further,
            is_behind or isinstance(place_of(error.cause), IntendedPath),
        )
        place = (problem.kind, span, problem.key, place_of(problem.cause))
        if place not in self.problems or (problem.certain and not self.problems[place].certain):
            self.problems[place] = problem
        return problem

    def _is_certain(self, error: AccessError) -> bool:
        """Whether the code certainly comes here, and nothing catches the error."""
        if self._doubts or any(handlers.catches(caught, error.error) for caught in self.caught):
            return False
        if self.handed and "return" in self.may_have_left:
            return False  # what it is given may well decide on that return
        ending = error.kind in (ProblemKind.RAISED, ProblemKind.REFUSED_WORDS)
        strict = ending or error.kind is ProblemKind.INVALID_VALUE
        return not (strict and (self.may_have_left or (ending and self.unsure_turns)))

    def note_created(
        self,
        owner: Value,
        key: Value,
        value: Value,
        node: ast.expr,
        scope: Scope,
        *,
        is_forced: bool = False,
    ) -> None:
        """Keep that a value which is only known at run time is about to be put under a key that is
        not there.
        """
        if (
            value is UNKNOWN
            and isinstance(owner, DictConfig)
            and isinstance(key, str)
            and not access.holds(owner, key)
        ):
            span = Span(scope.file.path, node.lineno, node.end_lineno)
            path, refused = access.path_of(owner, key), access.is_mended(owner) and not is_forced
            self.created.setdefault((path, span), Created(path, span, refused))

    def not_a_mapping(self, owner: Value, name: str, node: ast.AST, scope: Scope) -> None:
        """Report an attribute that a plain value does not have."""
        message = f"'{type(owner).__name__}' object has no attribute '{name}'"
        self.report(
            AccessError(ProblemKind.NOT_A_MAPPING, "AttributeError", message, name, owner),
            node,
            scope,
        )

    def intended_at(self, path: object) -> Value:
        """What the intended configuration has at a dotted path."""
        if self.intended is None or not isinstance(path, str):
            return UNKNOWN
        if self._meant is None:
            self._meant = self.intended()
            OmegaConf.set_struct(self._meant, False)  # it takes what the code is meant to write
            access.mark_intended(self._meant)
            self.spend(access.size(self._meant))
        found = access.read_path(self._meant, path, UNKNOWN)
        self.uses_intended = self.uses_intended or found is not UNKNOWN
        return found

    # Modules and names

    def module(self, path: str) -> Scope:
        """The scope of a module: its functions, classes and imports; other names are looked at when
        asked for.
        """
        if path in self._modules:
            return self._modules[path]
        file = self.python[path]
        scope = self._modules[path] = Scope(
            file, names={"__file__": SomePath(tuple(path.split("/")))}
        )
        for item in file.imports:
            if item.bound is not None and not item.scope:
                scope.names[item.bound] = self.imported(file, item)
        imported = frozenset(scope.names)
        argv, self.argv = self.argv, None  # what has been done to it by then is not known
        for node in file.readable.body if file.readable else ():
            if isinstance(node, Function):
                scope.names[node.name] = LocalFunction(node, scope)
            elif isinstance(node, ast.ClassDef):
                scope.names[node.name] = LocalClass(file.classes[node.name], scope)
            elif named := members.named(node):
                scope.names[named[0]] = self._constant(named[1], scope)
            elif isinstance(
                node, ast.Try | ast.If | ast.For | ast.While | ast.With | ast.AugAssign
            ):
                # What is bound here depends on what is not followed; an import is taken for what it
                # says.
                scope.names.update(
                    (name, UNKNOWN) for name in members.bound_in(node) if name not in imported
                )
        self.argv = argv
        for name, value in scope.names.items():
            if isinstance(value, Commands | Parser):
                value.is_open = True  # statements that are not followed add to it
            if type(value) is dict and (not value or self._is_filled_elsewhere(name)):
                self._fill(name, value, scope)
        return scope

    def _fill(self, name: str, value: dict[Any, Value], scope: Scope) -> None:
        """Put in what the modules of the submission put into a dictionary of a module."""
        found = registries.entries(self.python, scope.file.path, name)
        if not found:
            value[ANYTHING] = UNKNOWN
        for path, key, node in found or ():
            where = self.module(path)
            value[key] = (
                where.names.get(node, UNKNOWN) if isinstance(node, str) else self.value(node, where)
            )

    def _is_filled_elsewhere(self, name: str) -> bool:
        """Whether any code puts keys into a dictionary of a module."""
        pattern = re.compile(
            rf"\b{re.escape(name)}\s*(\[[^\]\n]*\]\s*=(?!=)|\.(update|setdefault|pop|clear)\b|\|=)"
        )
        return any(name in file.text and pattern.search(file.text) for file in self.python.values())

    def _constant(self, node: ast.expr, scope: Scope) -> Value:
        """A module's own value, where it is made of constants and paths; calls of its functions are
        not followed.
        """
        simple = (
            ast.Constant,
            ast.BinOp,
            ast.Attribute,
            ast.Name,
            ast.Call,
            ast.JoinedStr,
            ast.Subscript,
            ast.List,
            ast.Dict,
        )
        return self.value(node, scope) if isinstance(node, simple) else UNKNOWN

    def imported(self, file: PythonFile, item: Import) -> Value:
        """What an import binds: a module, function or class of the submission, or something from
        outside.
        """
        dotted = file.absolute(item)
        whole = dotted if item.name is None else f"{dotted}.{item.name}"
        if item.name is None and item.bound == item.module.partition(".")[0]:
            return External(item.bound)
        for path, other in self.python.items():
            if other.module == whole:
                return self.module(path)
            if other.module == dotted and item.name is not None:
                return self.module(path).names.get(item.name, UNKNOWN)
        return External(whole)

    def name_of(self, node: ast.expr, scope: Scope) -> str | None:
        """The dotted name of something from outside the submission that an expression stands
        for.
        """
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
        """What is known of an expression's value; every read of a configuration within it is
        made.
        """
        self.spend(1)
        # The three that most expressions are made of, before the many that are tried in turn.
        kind = type(node)
        if kind is ast.Constant:
            return node.value  # type: ignore[attr-defined]
        if kind is ast.Name:
            name = node.id  # type: ignore[attr-defined]
            found = scope.find(name)
            return found.names[name] if found else External(name) if name in _BUILTINS else UNKNOWN
        match node:
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
                operand = self.value(node.operand, scope)
                truth = self.truth(operand)
                return UNKNOWN if truth is None else _resting(not truth, [operand])
            case ast.UnaryOp():
                operand = self.value(node.operand, scope)
                if not isinstance(node.op, ast.USub):
                    return UNKNOWN
                return self.attempt(lambda: operations.negated(operand), node, scope)
            case ast.IfExp():
                return self._choice(node, scope)
            case ast.Dict():
                return self._dict(node, scope)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._items(node, scope)
            case ast.Slice():
                return slice(
                    *(
                        self.value(part, scope) if part else None
                        for part in (node.lower, node.upper, node.step)
                    )
                )
            case ast.Lambda():
                return LocalFunction(node, scope)
            case ast.NamedExpr():
                value = self.value(node.value, scope)
                self.assign(node.target, value, scope)
                return value
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
                return comprehension(self, node, scope)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, scope)
        return UNKNOWN

    def truth(self, value: Value) -> bool | None:
        """Whether a value is true; None where that is not known."""
        if (isinstance(value, dict) and ANYTHING in value) or (
            isinstance(value, list) and is_open(value)
        ):
            return None
        if isinstance(value, (*PLAIN, dict, list, tuple)):
            return bool(value)
        if isinstance(value, DictConfig | ListConfig):
            return len(value) > 0
        if isinstance(value, Assumed):
            return True if isinstance(value.value, Thing) else bool(value.value)
        if isinstance(value, Instance) and self.says_its_truth(value):
            return None
        return (
            True
            if isinstance(value, SomePath | LocalFunction | LocalClass | Instance | Several)
            else None
        )

    def says_its_truth(self, value: Instance) -> bool:
        """Whether an object has a method that says whether it is true."""
        raise NotImplementedError

    def turns(self, value: Value) -> list[Value] | None:
        """The items that a loop over the value gives; None where they are not known."""
        if isinstance(value, DictConfig):
            return access.keys(value)
        if isinstance(value, ListConfig):
            return [access.read(value, index, as_attribute=False) for index in range(len(value))]
        if isinstance(value, dict):
            return None if ANYTHING in value else list(value)
        if isinstance(value, Unordered) and len(value) > 1:
            return None
        return (
            list(value)
            if isinstance(value, list | tuple | Rows)
            and not (isinstance(value, list) and is_open(value))
            else None
        )

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        owner = self.value(node.value, scope)
        if owner is UNKNOWN:
            return UNKNOWN
        if isinstance(owner, External):
            if owner.name == "sys" and node.attr == "argv" and self.argv is not None:
                return self.argv
            return External(f"{owner.name}.{node.attr}")
        if isinstance(owner, Assumed) and isinstance(owner.value, Thing):
            name = f"{owner.value.kind}.{node.attr}"
            found = assumed(name)
            return found or UNKNOWN if node.attr == "returncode" else External(name)
        if isinstance(owner, Namespace):
            return owner.values.get(node.attr, UNKNOWN)
        if isinstance(owner, Opened):
            return owner.path if node.attr == "name" else members.Bound(owner, node.attr)
        if isinstance(owner, Commands | Parser):
            return members.Bound(owner, node.attr)
        if isinstance(owner, Scope):
            return owner.names.get(node.attr, UNKNOWN)
        if isinstance(owner, Instance | LocalClass | Super):
            return self._member(owner, node.attr)
        if isinstance(owner, SomePath):
            return members.path_attribute(owner, node.attr)
        if isinstance(owner, Modelled):
            return self._read(owner, node.attr, node, scope, as_attribute=True)
        if isinstance(owner, DictConfig):
            if hasattr(DictConfig, node.attr):
                return members.Bound(owner, node.attr)
            return self._read(owner, node.attr, node, scope, as_attribute=True)
        if type(owner) is dict and not hasattr(dict, node.attr):
            self.not_a_mapping(owner, node.attr, node, scope)
            return UNKNOWN
        if isinstance(owner, ListConfig | dict | list | tuple | Cell | Each):
            return members.Bound(owner, node.attr)
        if isinstance(owner, PLAIN):
            if hasattr(owner, node.attr):
                return members.Bound(owner, node.attr)
            self.not_a_mapping(owner, node.attr, node, scope)
            return self._of_section(owner, node, scope)
        return UNKNOWN

    def _of_section(self, owner: Value, node: ast.Attribute, scope: Scope) -> Value:
        """What an attribute of a plain value gives where the section lies there that is meant."""
        section = self.intended_at(place_of(owner))
        if not isinstance(section, DictConfig):
            return UNKNOWN
        if hasattr(DictConfig, node.attr):
            return members.Bound(section, node.attr)
        return self._read(section, node.attr, node, scope, as_attribute=True)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        owner, key = self.value(node.value, scope), self.value(node.slice, scope)
        if isinstance(owner, DataSet) and isinstance(key, Cell) and key.kind == NUMBER:
            key = 0
        if isinstance(owner, DictConfig | ListConfig | Modelled):
            return (
                self._read(owner, key, node, scope, as_attribute=False)
                if isinstance(key, str | int)
                else UNKNOWN
            )
        if isinstance(owner, dict) and isinstance(key, str | int):
            if type(owner) is dict and key not in owner and ANYTHING not in owner:
                self.report(
                    AccessError(
                        ProblemKind.INVALID_VALUE,
                        "KeyError",
                        repr(key),
                        str(key),
                        key if place_of(key) is not None else members.from_configuration(owner),
                    ),
                    node,
                    scope,
                )
            return owner.get(key, UNKNOWN)
        if isinstance(owner, members.PathParents) and isinstance(key, int):
            return owner.at(key)
        if isinstance(owner, Batched) or item_of(owner) is not None:
            return part_of(owner, key)
        if isinstance(key, slice):
            return members.cut(owner, key)
        return self.attempt(lambda: operations.item(owner, key), node, scope)

    def _read(
        self, owner: Value, key: str | int, node: ast.expr, scope: Scope, *, as_attribute: bool
    ) -> Value:
        self.spend(access.STEPS)
        try:
            return members.read(owner, key, as_attribute=as_attribute)
        except AccessError as error:
            if isinstance(error, DataError):
                # A row that is only read under a condition may well be what the condition asks for.
                if not (self._doubts and isinstance(error, DataError) and isinstance(owner, Row)):
                    self.report(error, node, scope)
                return error.instead
            error.cause = error.cause or (key if place_of(key) is not None else None)
            is_behind = isinstance(owner, DictConfig | ListConfig) and access.is_intended(owner)
            self.report(error, node, scope, is_behind=is_behind)
            return UNKNOWN if is_behind else self.intended_at(error.key)

    def _template(self, node: ast.JoinedStr, scope: Scope) -> Value:
        texts: list[str] = []
        whole, first, varies = True, None, False
        for part in node.values:
            value = (
                self.value(part.value, scope)
                if isinstance(part, ast.FormattedValue)
                else self.value(part, scope)
            )
            known = isinstance(value, PLAIN) or (isinstance(value, SomePath) and bool(value.parts))
            known = known and not (isinstance(part, ast.FormattedValue) and _is_formatted(part))
            whole = whole and known
            varies = varies or (isinstance(value, Cell) and value.kind == TEXT)
            first = value if not texts else first
            texts.append(
                str(value) if known else value.text if isinstance(value, PartlyKnown) else "{}"
            )
        if varies:
            return Cell(TEXT)
        text = "".join(texts)[:LONGEST_TEXT]
        if isinstance(first, SomePath) and whole:
            return first.joined("".join(texts[1:]).lstrip("/"))
        return text if whole else PartlyKnown(text)

    def _operation(self, node: ast.BinOp, scope: Scope) -> Value:
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        found = self.attempt(lambda: operations.operation(left, right, type(node.op)), node, scope)
        if isinstance(found, Cell):
            settle(found, Span(scope.file.path, node.lineno, node.end_lineno))
        return found

    def _logic(self, node: ast.BoolOp, scope: Scope) -> Value:
        stops_at = isinstance(node.op, ast.Or)
        value: Value = UNKNOWN
        unknown = False
        parts: list[Value] = []
        for part in node.values:
            if unknown:
                with self.doubt():
                    self.value(part, scope)
                continue
            value = self.value(part, scope)
            parts.append(value)
            truth = self.truth(value)
            if truth is stops_at:
                return _resting(value, parts)
            unknown = truth is None
        return UNKNOWN if unknown else _resting(value, parts)

    def _comparison(self, node: ast.Compare, scope: Scope) -> Value:
        left: Value = self.value(node.left, scope)
        found: Value = True
        for kind, part in zip(node.ops, node.comparators, strict=True):
            with self.doubt() if found is UNKNOWN else nullcontext():
                right = self.value(part, scope)
                made = self._compared(left, right, type(kind), node, scope)
            found = UNKNOWN if found is UNKNOWN else made
            if self.truth(found) is False:
                break
            left = right
        return found

    def _compared(
        self, left: Value, right: Value, kind: type[ast.cmpop], node: ast.Compare, scope: Scope
    ) -> Value:
        if isinstance(left, External) and "." not in left.name:
            left = MODULE  # what is imported where it may be missing, else is None
        both = [left, right]
        plain = [
            one.value if isinstance(one, Assumed) and isinstance(one.value, PLAIN) else one
            for one in both
        ]
        found = self.attempt(
            lambda: operations.comparison(plain[0], plain[1], kind, self.truth), node, scope
        )
        return _resting(found, both)

    def attempt(self, deed: Callable[[], Value], node: ast.AST, scope: Scope) -> Value:
        """Do it; where that is an error, report it and go on with an unknown value."""
        try:
            return deed()
        except AccessError as error:
            self.report(error, node, scope)
            return UNKNOWN

    def _choice(self, node: ast.IfExp, scope: Scope) -> Value:
        test = self.value(node.test, scope)
        truth = self.truth(test)
        if truth is not None:
            if isinstance(test, Assumed):
                with self.doubt():
                    self.value(node.orelse if truth else node.body, scope)
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
        if isinstance(node, ast.Set):
            return unordered(made[:_LONGEST_LIST]) if known else UNKNOWN
        kind = Fixed if isinstance(node, ast.Tuple) else list
        return kind(made[:_LONGEST_LIST]) if known else UNKNOWN

    def _dict(self, node: ast.Dict, scope: Scope) -> Value:
        made: dict[Any, Value] = {}
        known = True
        for key, item in zip(node.keys, node.values, strict=True):
            value = self.value(item, scope)
            name = self.value(key, scope) if key is not None else None
            if isinstance(name, str | int):
                made[name] = value
            elif key is None and type(value) is dict:
                made = overlaid(made, value)
            elif (key is None and value is UNKNOWN) or isinstance(value, External):
                # It may have any keys, those before it among them.
                made = {**dict.fromkeys(made, UNKNOWN), ANYTHING: UNKNOWN}
            else:
                known = False
        return made if known else UNKNOWN


def _is_formatted(part: ast.FormattedValue) -> bool:
    """Whether a template shows a value in other words than `str` has for it."""
    return part.format_spec is not None or part.conversion not in (-1, ord("s"))


def _resting(value: Value, parts: Sequence[Value]) -> Value:
    """A value that is only as sure as what it was made of."""
    why = where(parts)
    return Assumed(value, why) if why and isinstance(value, PLAIN) else value
