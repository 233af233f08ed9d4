"""Works out which names a `__getattr__` can return: a finite set, or all of them."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from reviewers.facts.third_party.building.scope import ModuleScope, constant
from reviewers.facts.third_party.building.strings import Names

_NOTHING: frozenset[str] = frozenset()
_OWN_LOOKUPS = frozenset({"__getattr__", "__getattribute__"})


@dataclass
class Answered:
    """What a `__getattr__` answers.

    Attributes:
        names: the names it can return, None for any.
        delegates: dotted modules whose attributes it hands on.
        imports: names that it answers with what it imports then, and where that lives.
    """

    names: Names
    delegates: list[str] = field(default_factory=list)
    imports: dict[str, str] = field(default_factory=dict)


def answered(
    node: ast.FunctionDef, scope: ModuleScope, strings: Callable[[ast.expr], Names]
) -> Answered:
    """Follow the name parameter through the body; what is not understood lets every name pass.

    Args:
        strings: the strings a collection expression can hold, None if that is not known.
    """
    args = [*node.args.posonlyargs, *node.args.args]
    if not args:
        return Answered(None)
    reader = _Reader(args[-1].arg, scope, strings)
    rest = reader.block(node.body, None)
    return Answered(_union(reader.returned, rest), reader.delegates, reader.answers)


def _union(first: Names, second: Names) -> Names:
    return None if first is None or second is None else first | second


class _Reader:
    def __init__(
        self, parameter: str, scope: ModuleScope, strings: Callable[[ast.expr], Names]
    ) -> None:
        self.parameter = parameter
        self.scope = scope
        self.strings = strings
        self.returned: Names = _NOTHING
        self.delegates: list[str] = []
        self.own_answers: set[str] = set()
        self.imported: dict[str, str] = {}
        self.answers: dict[str, str] = {}

    def block(self, body: list[ast.stmt], possible: Names) -> Names:
        """Run statements for the names that can reach them; the names that fall out at the end."""
        for node in body:
            if possible is not None and not possible:
                return possible
            possible = self._statement(node, possible)
        return possible

    def _statement(self, node: ast.stmt, possible: Names) -> Names:
        match node:
            case ast.Raise():
                return _NOTHING
            case ast.Return(value=value):
                self._return(value, possible)
                return _NOTHING
            case ast.ImportFrom(names=names):
                source = self.scope.absolute(node)
                self.imported.update(
                    {alias.asname or alias.name: f"{source}.{alias.name}" for alias in names}
                )
            case ast.Import(names=names):
                self.imported.update({alias.asname: alias.name for alias in names if alias.asname})
            case ast.If(test=test, body=body, orelse=orelse):
                yes, no = self._narrow(test, possible)
                return _union(self.block(body, yes), self.block(orelse, no))
            case ast.Try():
                return self._try(node, possible)
            case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                self.block(body, possible)
                return self.block(orelse, possible)
            case ast.With(body=body):
                return self.block(body, possible)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._is_own_lookup(value):
                self.own_answers.add(name)
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="getattr"), args=[module, given, *_]),
            ) if self._is_parameter(given) and self._delegate(module):
                self.own_answers.add(name)
        return possible

    def _try(self, node: ast.Try, possible: Names) -> Names:
        inside = possible
        for child in node.body:
            for part in ast.walk(child):
                match part:
                    case ast.Subscript(value=collection, slice=index, ctx=ast.Load()) if (
                        self._is_parameter(index)
                    ):
                        keys = self.strings(collection)
                        if keys is not None:
                            inside = keys if inside is None else inside & keys
        rest = self.block(node.body, inside)
        rest = self.block(node.orelse, rest)
        for handler in node.handlers:
            rest = _union(rest, self.block(handler.body, possible))
        return self.block(node.finalbody, rest)

    def _return(self, value: ast.expr | None, possible: Names) -> None:
        if value is not None and (
            self._is_own_lookup(value)
            or (isinstance(value, ast.Name) and value.id in self.own_answers)
        ):
            return
        match value:
            case ast.Call(func=ast.Name(id="getattr"), args=[module, given, *_]) if (
                self._is_parameter(given) and possible is None
            ):
                if self._delegate(module):
                    return
        self.returned = _union(self.returned, possible)
        if (
            isinstance(value, ast.Name)
            and value.id in self.imported
            and possible is not None
            and len(possible) == 1
        ):
            self.answers[next(iter(possible))] = self.imported[value.id]

    def _delegate(self, module: ast.expr) -> bool:
        dotted = self.scope.dotted(module)
        if dotted and isinstance(module, (ast.Name, ast.Attribute)) and self._is_imported(module):
            self.delegates.append(dotted)
            return True
        return False

    def _is_imported(self, module: ast.expr) -> bool:
        while isinstance(module, ast.Attribute):
            module = module.value
        return isinstance(module, ast.Name) and not self.scope.names.get(
            module.id, self.scope.module
        ).startswith(f"{self.scope.module}.{module.id}")

    def _is_parameter(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id == self.parameter

    def _is_own_lookup(self, value: ast.expr) -> bool:
        """Whether an expression only finds what is there anyway."""
        match value:
            case ast.Subscript(value=ast.Call(func=ast.Name(id="globals" | "vars")), slice=index):
                return self._is_parameter(index)
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id="self"), attr="__dict__"), slice=index
            ):
                return self._is_parameter(index)
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=attr)
            ) if attr in _OWN_LOOKUPS:
                return True
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="object" | "self"), attr="__getattribute__")
            ):
                return True
            case ast.Call(
                func=func, args=[ast.JoinedStr(values=[*_, ast.Constant(value="."), last]), *_]
            ):
                submodule = isinstance(last, ast.FormattedValue) and self._is_parameter(last.value)
                return (
                    submodule
                    and self.scope.dotted(func) == "importlib.import_module"
                    and self._is_below(value)
                )
        return False

    def _is_below(self, imported: ast.Call) -> bool:
        """Whether what is imported is a submodule of this very module, by `.name` or by its full
        name.
        """
        match imported.args:
            case [ast.JoinedStr(values=[_, _]), ast.Name(id="__name__" | "__package__")]:
                return True
            case [ast.JoinedStr(values=[ast.FormattedValue(value=ast.Name(id="__name__")), _, _])]:
                return True
        return False

    def _narrow(self, test: ast.expr, possible: Names) -> tuple[Names, Names]:
        match test:
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yes, no = self._narrow(operand, possible)
                return no, yes
            case ast.BoolOp(op=ast.And(), values=values):
                yes = possible
                for value in values:
                    yes, _ = self._narrow(value, yes)
                return yes, possible
            case ast.BoolOp(op=ast.Or(), values=values):
                either: Names = _NOTHING
                no = possible
                for value in values:
                    found, no = self._narrow(value, no)
                    either = _union(either, found)
                return either, no
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compare(left, op, right, possible)
            case ast.Call(func=ast.Attribute(value=value, attr="startswith"), args=[prefix]) if (
                self._is_parameter(value)
            ):
                if (constant(prefix) or "").startswith("_"):
                    return _NOTHING, possible
        return possible, possible

    def _compare(
        self, left: ast.expr, op: ast.cmpop, right: ast.expr, possible: Names
    ) -> tuple[Names, Names]:
        members: Names = None
        if isinstance(op, (ast.Eq, ast.NotEq)):
            text = (
                constant(right)
                if self._is_parameter(left)
                else constant(left)
                if self._is_parameter(right)
                else None
            )
            members = None if text is None else frozenset({text})
        elif isinstance(op, (ast.In, ast.NotIn)) and self._is_parameter(left):
            members = _NOTHING if _is_globals(right) else self.strings(right)
        if members is None:
            return possible, possible
        inside = members if possible is None else possible & members
        outside = None if possible is None else possible - members
        return (outside, inside) if isinstance(op, (ast.NotEq, ast.NotIn)) else (inside, outside)


def _is_globals(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"globals", "dir"}
    )
