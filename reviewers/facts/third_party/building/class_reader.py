"""Reads a class definition: bases, members, the attributes its methods set, and what its
constructor takes.
"""

import ast
from collections.abc import Callable, Iterator

from reviewers.facts.third_party.building.fields import DATACLASS, read_fields
from reviewers.facts.third_party.building.functions import read_function
from reviewers.facts.third_party.building.getattr_reader import answered
from reviewers.facts.third_party.building.records import Alias, Class, Decorator, Item, Maybe, Value
from reviewers.facts.third_party.building.scope import ModuleScope, blocks, bound_names, constant
from reviewers.facts.third_party.building.strings import Strings
from reviewers.facts.third_party.building.values import named_tuple, read_value

_TRANSPARENT = frozenset(
    {
        "functools.total_ordering", "enum.unique", "typing.final", "typing.runtime_checkable",
        "typing_extensions.final",
        "typing_extensions.runtime_checkable", "typing_extensions.deprecated", "warnings.deprecated",  # noqa: E501
        "typing.dataclass_transform", "typing_extensions.dataclass_transform", "sklearn.utils.deprecated",  # noqa: E501
        "sklearn.utils.deprecation.deprecated", "numpy._utils.set_module", "numpy.set_module",
        "typing.no_type_check",
    }
)  # fmt: skip
_FIELD_LIBRARIES = ("attr.", "attrs.", "pydantic.")
_REGISTRARS = frozenset(
    {
        "register_buffer",
        "register_parameter",
        "add_module",
        "register_module",
        "register_prior",
        "register_constraint",
        "add_state",
    }
)
# nn.Module answers from its own registries, and every registration is read like an assignment.
CLOSED_GETATTR = frozenset({"torch.nn.modules.module.Module"})


class ClassReader:
    """Reads the classes of one module."""

    def __init__(self, scope: ModuleScope, strings: Strings, *, stub: bool) -> None:
        self.scope = scope
        self.strings = strings
        self.stub = stub

    def read(self, node: ast.ClassDef, owner: str) -> Class:
        """Read a class definition.

        Args:
            owner: the dotted name of the class itself.
        """
        found = Class(
            metaclass=next(
                (
                    self.scope.dotted(word.value) or "?"
                    for word in node.keywords
                    if word.arg == "metaclass"
                ),
                "",
            )
        )
        bases = []
        for base in node.bases:
            made = named_tuple(base, self.scope)
            if made is not None:
                bases.append("builtins.tuple")
                found.fields, found.opaque_constructor = made.fields, made.opaque_constructor
                found.members.update(made.members)
            else:
                bases.append(
                    "?" if isinstance(base, ast.Starred) else self.scope.dotted(base) or "?"
                )
        found.bases = tuple(bases)
        self._decorate(node, found)
        self._body(node.body, found, owner)
        if "typing.NamedTuple" in bases:
            found.fields = read_fields(node, self.scope)
        return found

    def _decorate(self, node: ast.ClassDef, found: Class) -> None:
        decorators = []
        for expression in node.decorator_list:
            called = isinstance(expression, ast.Call)
            dotted = self.scope.dotted(
                expression.func if isinstance(expression, ast.Call) else expression
            )
            if dotted == DATACLASS:
                words = expression.keywords if isinstance(expression, ast.Call) else []
                if not any(word.arg == "init" for word in words):
                    found.fields = read_fields(
                        node, self.scope, kw_only=any(word.arg == "kw_only" for word in words)
                    )
            elif dotted.startswith(_FIELD_LIBRARIES):
                found.opaque_constructor = True
            elif dotted not in _TRANSPARENT:
                decorators.append(Decorator(dotted, called))
        found.decorators = tuple(decorators)

    def _body(self, body: list[ast.stmt], found: Class, owner: str) -> None:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    self._method(node, found, owner)
                case ast.ClassDef():
                    self._add(found, node.name, [self.read(node, f"{owner}.{node.name}")])
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        self._assign(target, value, found, owner)
                case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                    bound: list[Item] = [Value(self.scope.types(annotation, owner))]
                    if value is None and not self.stub:
                        found.attributes.setdefault(name, []).extend(bound)
                    else:
                        self._add(found, name, bound)
                case ast.Import() | ast.ImportFrom():
                    for alias in node.names:
                        self._add(found, alias.asname or alias.name.partition(".")[0], [Value()])
                        found.open_class |= alias.name == "*"
                case ast.For(target=target):
                    for name in bound_names(target):
                        self._add(found, name, [Value()])
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found.open_class |= any(_writes_namespace(part) for part in ast.walk(node))
            for inner in blocks(node):
                self._body(inner, found, owner)

    def _assign(self, target: ast.expr, value: ast.expr, found: Class, owner: str) -> None:
        if not isinstance(target, ast.Name):
            for name in bound_names(target):
                self._add(found, name, [Value()])
            return
        if target.id == "__slots__":
            for name in self.strings(value) or ():
                found.attributes.setdefault(name, []).append(Value())
            return
        if target.id in {"__getattr__", "__getattribute__"}:
            found.open_instance = True
        if isinstance(value, ast.Name) and value.id in found.members:
            self._add(found, target.id, [Alias(f"{owner}.{value.id}")])
        else:
            self._add(
                found,
                target.id,
                read_value(value, self.scope, frozenset(found.members), method=True) or [Value()],
            )

    def _method(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, found: Class, owner: str
    ) -> None:
        item = read_function(node, self.scope, stub=self.stub, owner=owner)
        if item is not None:
            self._add(found, node.name, [item])
        if (
            node.name in {"__getattr__", "__getattribute__"}
            and isinstance(node, ast.FunctionDef)
            and owner not in CLOSED_GETATTR
        ):
            answer = answered(node, self.scope, self.strings)
            found.open_instance |= answer.names is None or bool(answer.delegates)
            for name in answer.names or ():
                found.attributes.setdefault(name, []).append(Maybe())
        arguments = [*node.args.posonlyargs, *node.args.args]
        if arguments and not any(
            isinstance(word, ast.Name) and word.id == "staticmethod" for word in node.decorator_list
        ):
            shared = node.name == "__init_subclass__" or any(
                isinstance(word, ast.Name) and word.id == "classmethod"
                for word in node.decorator_list
            )
            self._attributes(node, arguments[0].arg, found, owner, of_class=shared)

    def _attributes(
        self,
        method: ast.FunctionDef | ast.AsyncFunctionDef,
        me: str,
        found: Class,
        owner: str,
        *,
        of_class: bool,
    ) -> None:
        """Collect what a method sets on its own object (or class)."""
        into = found.members if of_class else found.attributes
        types = {
            argument.arg: self.scope.types(argument.annotation, owner)
            for argument in [*method.args.posonlyargs, *method.args.args, *method.args.kwonlyargs]
        }
        for part in ast.walk(method):
            for target, value, annotation in _bindings(part):
                if (
                    isinstance(target, ast.Attribute)
                    and isinstance(target.value, ast.Name)
                    and target.value.id == me
                ):
                    into.setdefault(target.attr, []).append(
                        Value(self._type(value, annotation, types, owner))
                    )
            names = _set_by_call(part, me, method.name, self.strings)
            if names is None:
                found.open_class |= of_class
                found.open_instance = True
            else:
                for name, sure in names:
                    into.setdefault(name, []).append(
                        Value(self._registered(part)) if sure else Maybe()
                    )

    def _type(
        self, value: ast.expr | None, annotation: ast.expr | None, types: dict[str, str], owner: str
    ) -> str:
        if annotation is not None:
            return self.scope.types(annotation, owner)
        if isinstance(value, ast.Name):
            return types.get(value.id, "")
        if isinstance(value, ast.Call):
            items = read_value(value, self.scope)
            return items[0].type if items and isinstance(items[0], Value) else ""
        return ""

    def _registered(self, part: ast.AST) -> str:
        if isinstance(part, ast.Call) and len(part.args) > 1 and isinstance(part.args[1], ast.Call):
            return self._type(part.args[1], None, {}, "")
        return ""

    @staticmethod
    def _add(found: Class, name: str, items: list[Item]) -> None:
        known = found.members.setdefault(name, [])
        known.extend(item for item in items if item not in known)


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None, ast.expr | None]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                if isinstance(target, (ast.Tuple, ast.List)):
                    for element in target.elts:
                        yield (
                            (element.value if isinstance(element, ast.Starred) else element),
                            None,
                            None,
                        )
                else:
                    yield target, value, None
        case ast.AnnAssign(target=target, annotation=annotation, value=value):
            yield target, value, annotation
        case (
            ast.AugAssign(target=target)
            | ast.For(target=target)
            | ast.withitem(optional_vars=ast.expr() as target)
        ):
            for element in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
                yield element, None, None


def _set_by_call(
    node: ast.AST, me: str, method: str, strings: Strings
) -> list[tuple[str, bool]] | None:
    """Names that a call sets on the object: (name, surely); None if any name may be set."""

    def mine(expression: ast.expr) -> bool:
        return isinstance(expression, ast.Name) and expression.id == me

    def named(expression: ast.expr) -> list[tuple[str, bool]] | None:
        text = constant(expression)
        if text is not None:
            return [(text, True)]
        possible = strings(expression) if isinstance(expression, ast.Name) else None
        return None if possible is None else [(name, False) for name in sorted(possible)]

    restores = method == "__setstate__"  # unpickling brings back what other methods have set
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[target, name, *_]) if mine(target):
            return named(name)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="object" | "type"), attr="__setattr__"),
            args=[target, name, *_],
        ) if mine(target):
            return [] if method == "__setattr__" else named(name)
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__setattr__"),
            args=[name, *_],
        ):
            return [] if method == "__setattr__" else named(name)
        case ast.Call(func=ast.Attribute(value=target, attr=attr), args=[name, *_]) if (
            attr in _REGISTRARS and mine(target)
        ):
            return [] if method == attr else named(name)
        case ast.Call(func=ast.Attribute(value=target, attr="__setattr__"), args=[name, *_]) if (
            mine(target)
        ):
            return [] if method == "__setattr__" else named(name)
        case ast.Call(func=ast.Attribute(value=namespace, attr="update" | "setdefault")) if (
            _own_dict(namespace, mine)
        ):
            return [] if restores else None
        case ast.Assign(targets=[ast.Subscript(value=namespace, slice=key)]) if _own_dict(
            namespace, mine
        ):
            text = constant(key)
            return None if text is None else [(text, True)]
        case ast.Assign(targets=[target]) if _own_dict(target, mine):
            return [] if restores else None
    return []


def _own_dict(node: ast.expr, mine: Callable[[ast.expr], bool]) -> bool:
    match node:
        case (
            ast.Attribute(value=target, attr="__dict__")
            | ast.Call(func=ast.Name(id="vars"), args=[target])
        ):
            return mine(target)
    return False


def _writes_namespace(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="exec" | "locals" | "vars"), args=args):
            return not args or (isinstance(node.func, ast.Name) and node.func.id == "exec")
    return False
