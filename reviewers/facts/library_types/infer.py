"""Follows assignments, parameters, attributes and calls back to what libraries return."""

import ast
import re
from collections.abc import Callable

from reviewers.facts.library_types.classes import NOTHING, Arguments, Classes, Found, Types, joined
from reviewers.facts.library_types.places import Places
from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import Function, PythonFile
from reviewers.facts.python_nodes import (
    given_for,
    is_spread,
    own_nodes,
    positional,
    root_of,
    with_defaults,
)
from reviewers.facts.third_party import Index
from reviewers.steps import fact

_STEPS = 100  # for one question; also bounds the recursion
_PLAIN_BASES = frozenset(
    {"object", "abc.ABC", "typing.Generic", "torch.nn.Module", "torch.utils.data.Dataset"}
)
_SETTINGS = re.compile(
    r"self$|(self\.)?_?\w*(cfg|conf|args|opt)\w*\b"
)  # what is written there is not an object of a library
_TRIAL = frozenset({"optuna.Trial"})


class LibraryTypes:
    """Answers only what holds whichever way the code takes.

    Args:
        passed: the arguments that a call is known to get in the runs, for functions whose result
            depends on them.
    """

    def __init__(self, code: LocalCode, index: Index, passed: Arguments = lambda _: ()) -> None:
        self.code = code
        self.index = index
        self.classes = Classes(index, passed)
        self.places = Places(self.code.python)
        self._answers: dict[ast.expr, Types] = {}
        self._known: dict[tuple[ast.AST, ...], Found] = {}
        self._open: list[tuple[ast.AST, ...]] = []
        self._steps = 0

    def of(self, file: PythonFile, node: ast.expr) -> Types:
        """The classes of which an expression's value is one; empty if that is not known."""
        if node not in self._answers:
            self._steps = 0
            self._answers[node] = self._value(file, node) or NOTHING
        return self._answers[node]

    def outside(self, file: PythonFile, node: ast.expr) -> str | None:
        """The dotted name in an indexed library that an expression certainly stands for."""
        first = root_of(node)
        if not isinstance(first, ast.Name) or first.id not in file.aliases or file.scopes is None:
            return None
        dotted = file.resolve(node)
        if dotted is None or self.index.distribution_of(dotted) is None:
            return None
        bound = file.scopes.bindings(first)
        if dotted in self.places.patched:
            return None
        return (
            dotted
            if bound
            and len({_imported(file, one) for one in bound}) == 1
            and _imported(file, bound[0])
            else None
        )

    def may_have(self, file: PythonFile, owner: ast.expr, attribute: str) -> bool:
        """Whether the code itself may give an object an attribute that its class lacks, or asks for
        it before it reads it.
        """
        kinds, shown = self.of(file, owner), ast.unparse(owner)
        for where, other in self.places.owners.get(attribute, ()):
            others = self.of(where, other)
            if ast.unparse(other) == shown or others & kinds:
                return True
            if not others and not _SETTINGS.match(ast.unparse(other)):
                return True
        return False

    def _value(self, file: PythonFile, node: ast.expr | None) -> Found:
        self._steps += 1
        if self._steps > _STEPS:
            return None
        match node:
            case ast.Constant(value=None):
                return NOTHING
            case ast.Name():
                return self._name(file, node)
            case ast.Attribute():
                return self._attribute(file, node)
            case ast.Call():
                return self._call(file, node)
            case ast.Subscript(value=owner, slice=ast.Constant(value=str())):
                return self._of_each(
                    file, owner, lambda kind: self.classes.method(kind, "__getitem__")
                )
            case ast.IfExp(body=body, orelse=orelse):
                return joined(self._value(file, part) for part in (body, orelse))
            case ast.NamedExpr(value=value):
                return self._value(file, value)
        return None

    def _of_each(self, file: PythonFile, owner: ast.expr, step: Callable[[str], Found]) -> Found:
        """What a step leads to from each class that an object may have."""
        kinds = self._value(file, owner)
        return None if kinds is None else joined(map(step, kinds))

    def _once(self, key: tuple[ast.AST, ...], find: Callable[[], Found]) -> Found:
        """What is already being looked for adds nothing to itself."""
        if key in self._known:
            return self._known[key]
        if key in self._open:
            return NOTHING
        self._open.append(key)
        try:
            found = find()
        finally:
            self._open.pop()
        # Below another question the answer may lack what that one is about to add; only what is
        # open stays open.
        if not self._open or (found is None and self._steps <= _STEPS):
            self._known[key] = found
        return found

    # Names

    def _name(self, file: PythonFile, name: ast.Name) -> Found:
        bound = file.bindings(name)
        if not bound or name.id in self.places.asked_about(file):
            return None
        return self._once(bound, lambda: joined(self._binding(file, one) for one in bound))

    def _binding(self, file: PythonFile, binding: ast.AST) -> Found:
        if isinstance(binding, ast.arg):
            return self._argument(file, binding)
        match file.parents.get(binding):
            case ast.Assign(targets=targets, value=value) if binding in targets:
                return self._value(file, value)
            case ast.AnnAssign(value=ast.expr() as value):
                return self._value(file, value)
            case ast.NamedExpr(value=value):
                return self._value(file, value)
            case ast.withitem(context_expr=value, optional_vars=target) if target is binding:
                return self._of_each(
                    file, value, lambda kind: self.classes.method(kind, "__enter__")
                )
            case ast.Delete():
                return NOTHING
        return None

    def _annotated(self, file: PythonFile, annotation: ast.expr | None) -> Found:
        match annotation:
            case ast.Constant(value=None):
                return NOTHING
            case ast.Name() | ast.Attribute():
                name = self.outside(file, annotation)
                found = self.classes.annotated(name) if name else None
                return None if found and found & self._extended else found
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                return joined(self._annotated(file, part) for part in (left, right))
            case ast.Subscript(
                value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner
            ):
                return self._annotated(file, inner)
        return None

    @fact
    def _extended(self) -> Types:
        """The classes of libraries of which the submission has subclasses, with which an annotation
        would agree too.
        """
        bases = {
            base
            for file in self.code.python.values()
            for cls in file.classes.values()
            for base in cls.bases
            if base
        }
        found = [self.classes.annotated(base) for base in bases if self.index.distribution_of(base)]
        return joined(kinds for kinds in found if kinds) or NOTHING

    # Parameters

    def _argument(self, file: PythonFile, argument: ast.arg) -> Found:
        function = file.parents[file.parents[argument]]
        if not isinstance(function, (Function, ast.Lambda)):
            return None
        filled = positional(function)
        if argument not in filled and argument not in function.args.kwonlyargs:
            return None
        if filled[0:1] == [argument] and self._is_objective(file, function):
            return _TRIAL
        given = self._given(function, argument) if isinstance(function, Function) else None
        # The annotation of a parameter that nobody fills in sight is its author's word.
        return given or self._annotated(file, argument.annotation)

    def _is_objective(self, file: PythonFile, function: Function | ast.Lambda) -> bool:
        """Whether Optuna alone calls a function."""
        if "optuna" not in file.packages:
            return False
        if isinstance(function, ast.Lambda):
            return _objective(file.parents.get(function)) is function
        named = [
            mention
            for mention in self.places.mentions.get(function.name, ())
            if isinstance(mention[1], ast.Name)
        ]
        return bool(named) and all(
            where is file and _objective(around) is node for where, node, around in named
        )

    def _given(self, function: Function, argument: ast.arg) -> Found:
        """What all calls give a parameter; open where the function is also handed on, or some call
        is not understood.
        """
        parts: list[Found] = []
        for where, node, call in self.places.mentions.get(function.name, ()):
            target = (
                self.code.target(where, call)
                if isinstance(call, ast.Call) and call.func is node
                else None
            )
            if target is None or not isinstance(call, ast.Call):
                return None
            if target.function is not function:
                continue
            if is_spread(call):
                return None
            value = given_for(call, function, argument, bound=target.bound)
            parts.append(
                self._value(where, value) if value is not None else _default(function, argument)
            )
        return joined(parts) if parts else None

    # Attributes and calls

    def _attribute(self, file: PythonFile, node: ast.Attribute) -> Found:
        if (name := self.outside(file, node)) is not None:
            return self.classes.value(name)
        if isinstance(node.value, ast.Name) and (kind := self.code.own_class(file, node.value)):
            stores = self.places.stores.get(node.attr, [])
            if not stores or not set(self.code.lineage(kind)[1]) <= _PLAIN_BASES:
                return None
            return self._once(
                tuple(place for _, place in stores),
                lambda: joined(self._stored(*store) for store in stores),
            )
        return self._of_each(file, node.value, lambda kind: self.classes.member(kind, node.attr))

    def _stored(self, file: PythonFile, place: ast.AST) -> Found:
        match place:
            case (
                ast.Assign(targets=[ast.Attribute()], value=value)
                | ast.AnnAssign(value=ast.expr() as value)
            ):
                return self._value(file, value)
        return None

    def _call(self, file: PythonFile, call: ast.Call) -> Found:
        if (name := self.outside(file, call.func)) is not None:
            return self.classes.made(name, call)
        match call.func:
            case ast.Attribute(value=owner, attr=attr):
                return self._of_each(
                    file, owner, lambda kind: self.classes.method(kind, attr, call)
                )
            case ast.Name():
                target = self.code.target(file, call)
                if target and isinstance(target.function, ast.FunctionDef) and not target.bound:
                    return self._results(target.file, target.function)
        return None

    def _results(self, file: PythonFile, function: ast.FunctionDef) -> Found:
        returned = [
            node
            for node in own_nodes(function)
            if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom))
        ]
        if function.decorator_list or not all(isinstance(node, ast.Return) for node in returned):
            return None
        return self._once(
            (function,),
            lambda: joined(
                self._value(file, node.value) if node.value else NOTHING for node in returned
            ),
        )


def _imported(file: PythonFile, binding: ast.AST) -> str | None:
    """What the import statement that binds a name imports, as text; None for any other binding."""
    if not isinstance(binding, ast.alias):
        return None
    statement = file.parents[binding]
    return f"{statement.module if isinstance(statement, ast.ImportFrom) else ''} {binding.name}"


def _objective(call: ast.AST | None) -> ast.expr | None:
    """The function that a call hands to Optuna."""
    match call:
        case ast.Call(func=ast.Attribute(attr="optimize"), args=[function, *_]):
            return function
        case ast.Call(func=ast.Attribute(attr="optimize"), keywords=words):
            return next((word.value for word in words if word.arg == "func"), None)
    return None


def _default(function: Function, argument: ast.arg) -> Found:
    """The class of a parameter's default: known where that is None, which has none."""
    found = dict(with_defaults(function.args)).get(argument)
    return NOTHING if isinstance(found, ast.Constant) and found.value is None else None
