"""What is certain about the submission's own functions and classes: which one a call reaches, and
the type of an object and of its attributes.
"""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.local_modules import LocalClass, lineage
from reviewers.facts.python_file import ClassDefinition, Function, PythonFile
from reviewers.facts.python_nodes import Call, own_nodes, positional, walk
from reviewers.facts.torch_names import MODULE, MODULE_ATTRIBUTES, RETURNS_ITSELF
from reviewers.steps import fact

_SAME_SIGNATURE = frozenset(
    {
        "torch.no_grad",
        "torch.inference_mode",
        "torch.enable_grad",
        "functools.lru_cache",
        "functools.cache",
        "lru_cache",
        "cache",
    }
    | {
        "staticmethod",
        "classmethod",
        "abc.abstractmethod",
        "abstractmethod",
        "typing.override",
        "contextlib.contextmanager",
    }
)
# Bases that add no attribute that code would read without defining it.
_BARE = frozenset(
    {
        "object",
        "abc.ABC",
        "torch.utils.data.Dataset",
        "torch.utils.data.dataset.Dataset",
        "typing.Generic",
    }
)
_MAX_CALLS = 5

Lineage = tuple[list[LocalClass], list[str | None]]
_REGISTER = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})


@dataclass(frozen=True, slots=True)
class Target:
    """The function of the submission that a call certainly reaches.

    Attributes:
        shown: its name in Python's own errors.
        bound: whether Python fills in the first parameter.
    """

    file: PythonFile
    function: Function
    shown: str
    bound: bool


class LocalCode:
    """Answers only what holds whatever happens at run time; None means that it is open."""

    def __init__(self, python: Mapping[str, PythonFile]) -> None:
        self.python = {path: file for path, file in python.items() if file.readable}
        self._modules = {file.module: file for file in self.python.values()}
        self._lineages: dict[ast.ClassDef, Lineage] = {}
        self._members: dict[ast.ClassDef, frozenset[str] | None] = {}
        self._families: dict[ast.ClassDef, frozenset[ast.ClassDef]] = {}
        self._targets: dict[ast.Call, Target | None] = {}
        self._types: dict[ast.expr, LocalClass | None] = {}

    def target(self, file: PythonFile, call: ast.Call) -> Target | None:
        """The local function that a call reaches; for a class its `__init__`, for a network its
        `forward`.
        """
        if call not in self._targets:
            self._targets[call] = self._target(file, call)
        return self._targets[call]

    def _target(self, file: PythonFile, call: ast.Call) -> Target | None:
        match call.func:
            case ast.Name() as name:
                found = self.definition(file, name)
                if found is None:
                    kind = self._variable(file, name)
                    return (
                        self._method(kind, "forward", "forward")
                        if kind and self._is_network(kind)
                        else None
                    )
                where, node = found
                if isinstance(node, ast.ClassDef):
                    return self._constructor(where, node)
                return (
                    Target(where, node, node.name, False) if _keeps_signature(where, node) else None
                )
            case ast.Attribute(value=owner, attr=attr):
                kinds = self.types_of(file, owner)
                if len(kinds) == 1 and self._defines(kinds[0], attr):
                    return self._method(kinds[0], attr, attr)
                part = self.type_of(file, call.func)
                return (
                    self._method(part, "forward", "forward")
                    if part and self._is_network(part)
                    else None
                )
            case _:
                return None

    def own_class(self, file: PythonFile, name: ast.Name) -> LocalClass | None:
        """The class in whose method a name is the first parameter, conventionally `self`."""
        bound = file.bindings(name)
        if len(bound) != 1 or not isinstance(bound[0], ast.arg):
            return None
        method = file.parents[file.parents[bound[0]]]
        if not isinstance(method, Function) or not _keeps_signature(file, method, instance=True):
            return None
        arguments = positional(method)
        if (
            not arguments
            or arguments[0] is not bound[0]
            or method.name in ("__new__", "__init_subclass__", "__class_getitem__")
        ):
            return None
        return (file, file.class_of[method]) if method in file.class_of else None

    def type_of(self, file: PythonFile, node: ast.expr) -> LocalClass | None:
        """The local class of which `self`, a variable or an attribute certainly holds an
        instance.
        """
        if node not in self._types:
            self._types[node] = self._type_of(file, node)
        return self._types[node]

    def _type_of(self, file: PythonFile, node: ast.expr) -> LocalClass | None:
        match node:
            case ast.Name():
                return self.own_class(file, node) or self._variable(file, node)
            case ast.Attribute(value=ast.Name() as owner, attr=attr) if own := self.own_class(
                file, owner
            ):
                return self._attribute(own, attr)
            case ast.Attribute(value=owner, attr=attr):
                kinds = self.types_of(file, owner)
                return self._field(kinds[0], attr) if len(kinds) == 1 else None
            case _:
                return None

    def types_of(self, file: PythonFile, node: ast.expr) -> tuple[LocalClass, ...]:
        """The local classes of which an expression holds an instance, where it holds anything but
        None; of a variable also where several assignments or the items of a list give it.
        """
        kind = self.type_of(file, node)
        if kind is not None or not isinstance(node, ast.Name) or file.scopes is None:
            return () if kind is None else (kind,)
        found: list[LocalClass] = []
        for bound in file.scopes.bindings(node):
            value = self._bound_value(file, bound)
            if isinstance(value, ast.Constant) and value.value is None:
                continue
            if (made := self._instance(file, value)) is None:
                return ()
            found.append(made)
        return tuple(found)

    def _bound_value(self, file: PythonFile, bound: ast.AST) -> ast.expr | None:
        """What a binding gives a name: the value of an assignment, or an item of a list that one
        assignment makes and nothing else is put into.
        """
        match file.parents.get(bound):
            case ast.Assign(targets=[target], value=value) if target is bound:
                return value
            case ast.Tuple(elts=targets) as several:
                match file.parents.get(several):
                    case ast.Assign(value=ast.Tuple(elts=values)) if len(values) == len(targets):
                        return next(
                            (one for one, own in zip(values, targets, strict=True) if own is bound),
                            None,
                        )
            case (
                ast.For(target=target, iter=ast.Name() as items)
                | ast.comprehension(target=target, iter=ast.Name() as items)
            ) if target is bound and file.scopes is not None:
                made = [file.parents.get(one) for one in file.scopes.bindings(items)]
                is_kept = not re.search(
                    rf"\b{items.id}\s*(\.(append|extend|insert)\b|\[.*\]\s*=|\+=)", file.text
                )
                match made:
                    case [ast.Assign(targets=[ast.Name()], value=ast.ListComp(elt=elt))] if is_kept:
                        return elt
        return None

    def _attribute(self, kind: LocalClass, name: str) -> LocalClass | None:
        """The class of an attribute that one statement of a constructor sets and nothing else
        does.
        """
        init = kind[1].methods.get("__init__")
        stores = self._stored_in(self._family(kind), name)
        if len(stores) != 1 or stores[0] not in (init.body if init else ()):
            return None
        return (
            self._instance(kind[0], stores[0].value) if isinstance(stores[0], ast.Assign) else None
        )

    def _field(self, kind: LocalClass, name: str) -> LocalClass | None:
        """The class of a data class's field, which has no other value than its type says."""
        file, part = kind
        if not part.node.decorator_list or self._stored_in(self._family(kind), name):
            return None
        for item in part.node.body:
            match item:
                case ast.AnnAssign(
                    target=ast.Name(id=own), annotation=ast.Name() as annotation, value=None
                ) if own == name:
                    found = self.definition(file, annotation)
                    cls = found[0].class_of.get(found[1]) if found else None
                    return (found[0], cls) if found and cls else None
        return None

    def _variable(self, file: PythonFile, name: ast.Name, depth: int = 0) -> LocalClass | None:
        """The class that a variable's one assignment makes an instance of."""
        bound = file.bindings(name)
        assigned = file.parents.get(bound[0]) if len(bound) == 1 else None
        if not isinstance(assigned, (ast.Assign, ast.AnnAssign)) or not isinstance(
            bound[0], ast.Name
        ):
            return None
        if isinstance(assigned, ast.Assign) and assigned.targets != [bound[0]]:
            return None
        return self._instance(file, assigned.value, depth)

    def _instance(
        self, file: PythonFile, value: ast.expr | None, depth: int = 0
    ) -> LocalClass | None:
        """The local class of a value: the call of a class, or of a function that gives instances of
        one class alone.
        """
        if not isinstance(value, ast.Call) or depth > _MAX_CALLS:
            return None
        if isinstance(value.func, ast.Attribute) and value.func.attr in RETURNS_ITSELF:
            kind = self._instance(file, value.func.value, depth)
            return (
                kind
                if kind and self._is_network(kind) and not self._defines(kind, value.func.attr)
                else None
            )
        found = self.definition(file, value.func) if isinstance(value.func, ast.Name) else None
        where, node = found or (file, None)
        if isinstance(node, ast.FunctionDef):
            return self._returned(where, node, depth + 1)
        cls = where.class_of.get(node) if node else None
        if (
            cls is None
            or _is_decorated(where, cls)
            or cls.node.keywords
            or "__new__" in cls.methods
        ):
            return None
        return where, cls

    def _returned(
        self, file: PythonFile, function: ast.FunctionDef, depth: int
    ) -> LocalClass | None:
        names = {
            file.resolve(node.func if isinstance(node, ast.Call) else node)
            for node in function.decorator_list
        }
        if not names <= _SAME_SIGNATURE - {"contextlib.contextmanager"}:
            return None
        kinds: list[LocalClass | None] = []
        for node in own_nodes(function):
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                return None
            if isinstance(node, ast.Return):
                value = node.value
                kinds.append(
                    self._variable(file, value, depth)
                    if isinstance(value, ast.Name)
                    else self._instance(file, value, depth)
                )
        first = kinds[0] if kinds else None
        return (
            first
            if first and all(kind is not None and kind[1].node is first[1].node for kind in kinds)
            else None
        )

    def definition(
        self, file: PythonFile, name: ast.Name
    ) -> tuple[PythonFile, Function | ast.ClassDef] | None:
        """The one function or class of the submission that a name stands for."""
        bound = file.scopes.meant(name) if file.scopes else ()
        if len(bound) != 1:
            return None
        if isinstance(bound[0], (Function, ast.ClassDef)):
            return file, bound[0]
        origin = file.parents.get(bound[0])
        if not isinstance(bound[0], ast.alias) or not isinstance(origin, ast.ImportFrom):
            return None
        other = self._modules.get(file.absolute_module(origin.module or "", origin.level))
        if other is None or other.scopes is None or other is file:
            return None
        there = other.scopes.module.bindings.get(bound[0].name, [])
        return (
            (other, there[0])
            if len(there) == 1 and isinstance(there[0], (Function, ast.ClassDef))
            else None
        )

    def _constructor(self, file: PythonFile, node: ast.ClassDef) -> Target | None:
        cls = file.class_of.get(node)
        shown = f"{node.name}.__init__"
        for here, part in self.lineage((file, cls))[0] if cls else ():
            if part.node.decorator_list or part.node.keywords or "__new__" in part.methods:
                return None
            if "__init__" in part.methods:
                enum = any("Enum" in (base or "") for base in part.bases)
                init = part.methods["__init__"]
                return (
                    Target(here, init, shown, True)
                    if _keeps_signature(here, init) and not enum
                    else None
                )
            if len(part.bases) != 1:
                return None
        return None

    def _method(self, kind: LocalClass, name: str, shown: str) -> Target | None:
        """The method that every instance of a class and of its local subclasses has."""
        parts, _ = self.lineage(kind)
        found = next(((where, part) for where, part in parts if name in part.methods), None)
        if found is None or self._stored_in(self._family(kind), name):
            return None
        if any(name in part.methods for _, part in self._subclasses(kind)):
            return None
        where, part = found
        method = part.methods[name]
        decorators = {where.resolve(decorator) for decorator in method.decorator_list}
        if (
            not _keeps_signature(where, method)
            or sum(name in _defined_names(item) for item in part.node.body) != 1
        ):
            return None
        return Target(
            where,
            method,
            f"{part.name.rpartition('.')[2]}.{shown}",
            "staticmethod" not in decorators,
        )

    def _is_network(self, kind: LocalClass) -> bool:
        parts, outside = self.lineage(kind)
        return MODULE in outside and not any("__call__" in part.methods for _, part in parts)

    def _defines(self, kind: LocalClass, name: str) -> bool:
        return any(name in part.methods for _, part in self.lineage(kind)[0])

    def lineage(self, kind: LocalClass) -> Lineage:
        """A class with all its local ancestors, nearest first, and the bases outside the submission
        (None: not known).
        """
        node = kind[1].node
        if node not in self._lineages:
            self._lineages[node] = lineage(self.python, *kind)
        return self._lineages[node]

    @fact
    def _descendants(self) -> Mapping[ast.ClassDef, list[LocalClass]]:
        found: dict[ast.ClassDef, list[LocalClass]] = {}
        for file in self.python.values():
            for cls in file.classes.values():
                for _, part in self.lineage((file, cls))[0]:
                    if part.node is not cls.node:
                        found.setdefault(part.node, []).append((file, cls))
        return found

    def _subclasses(self, kind: LocalClass) -> list[LocalClass]:
        return self._descendants.get(kind[1].node, [])

    def _family(self, kind: LocalClass) -> Collection[ast.ClassDef]:
        """A class with its local ancestors and descendants, and with the descendants' other
        ancestors.
        """
        node = kind[1].node
        if node not in self._families:
            related = (kind, *self._subclasses(kind))
            self._families[node] = frozenset(
                part.node for member in related for _, part in self.lineage(member)[0]
            )
        return self._families[node]

    def _stored_in(self, family: Collection[ast.ClassDef], name: str) -> list[ast.AST | None]:
        """The statements that may set an attribute on an instance of these classes; None for other
        ways to set one.
        """
        return [
            statement
            for owner, statement in self._stores.get(name, ())
            if owner is None or owner in family
        ]

    @fact
    def _stores(self) -> Mapping[str, list[tuple[ast.ClassDef | None, ast.AST | None]]]:
        """Where each attribute is set: the class if on its `self`, and the statement if it is
        one.
        """
        found: dict[str, list[tuple[ast.ClassDef | None, ast.AST | None]]] = {}
        for file in self.python.values():
            for node in file.of(ast.Attribute, ast.Call):
                match node:
                    case ast.Attribute(
                        value=ast.Name() as owner, attr=name, ctx=ast.Store() | ast.Del()
                    ):
                        kind = self.own_class(file, owner)
                        found.setdefault(name, []).append(
                            (kind[1].node if kind else None, file.parents[node])
                        )
                    case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                        found.setdefault(name, []).append((None, file.parents[node]))
                    case ast.Call(
                        func=ast.Name(id="setattr" | "hasattr" | "getattr"),
                        args=[_, ast.Constant(value=str(name)), *_],
                    ):
                        found.setdefault(name, []).append((None, None))
                    case ast.Call(
                        func=ast.Attribute(attr=attr), args=[ast.Constant(value=str(name)), *_]
                    ) if attr in _REGISTER:
                        found.setdefault(name, []).append((None, None))
        return found

    @fact
    def sites(self) -> Mapping[Function, list[tuple[PythonFile, Call, bool]]]:
        """The calls that certainly reach each function, and whether Python fills in its first
        parameter.
        """
        found: dict[Function, list[tuple[PythonFile, Call, bool]]] = {}
        for file in self.python.values():
            for call in file.calls:
                if target := self.target(file, call.node):
                    found.setdefault(target.function, []).append((file, call, target.bound))
        return found

    @fact
    def called_at(self) -> Mapping[ast.ClassDef, str]:
        """Where an instance of each class is certainly called."""
        found: dict[ast.ClassDef, str] = {}
        for path, file in self.python.items():
            for call in file.calls:
                if kind := self.type_of(file, call.node.func):
                    found.setdefault(kind[1].node, f"{path}:{call.line}")
        return found

    def left_abstract(self, kind: LocalClass) -> tuple[str, ...]:
        """The abstract methods that a class has no body for, so that Python makes no instance of
        it; none where a base from outside may have one.
        """
        parts, outside = self.lineage(kind)
        metas = {
            file.resolve(word.value) if word.arg == "metaclass" else None
            for file, part in parts
            for word in part.node.keywords
        }
        known = set(outside) <= {MODULE} | _BARE and metas <= {"abc.ABCMeta"}
        if not known or not ("abc.ABC" in outside or metas):
            return ()
        found: dict[str, bool] = {}
        for file, part in parts:
            for node in part.node.body:
                is_abstract = isinstance(node, Function) and any(
                    (file.resolve(each) or "").startswith("abc.abstract")
                    for each in node.decorator_list
                )
                for name in _defined_names(node):
                    found[name] = found.get(name, True) and is_abstract
        return tuple(name for name, is_abstract in found.items() if is_abstract)

    @fact
    def _mentioned(self) -> frozenset[str]:
        """Every name and attribute that some code reads, and every whole string, which may look a
        name up.
        """
        found: set[str] = set()
        for file in self.python.values():
            for node in file.of(ast.Name, ast.Attribute, ast.Constant):
                match node:
                    case (
                        ast.Name(id=name, ctx=ast.Load())
                        | ast.Attribute(attr=name, ctx=ast.Load())
                        | ast.Constant(value=str(name))
                    ):
                        found.add(name)
        return frozenset(found)

    def is_used(self, file: PythonFile, scope: str) -> bool:
        """Whether anything mentions the definitions around a place, or their decorators and special
        names have them called.
        """
        parts = scope.split(".") if scope else []
        for depth, name in enumerate(parts, 1):
            node = file.functions.get(".".join(parts[:depth]))
            special = (
                name.startswith("__")
                or name == "forward"
                or (node is not None and node.decorator_list)
            )
            if not special and name not in self._mentioned:
                return False
        return True

    def lacks(self, kind: LocalClass, attribute: str) -> bool:
        """Whether no instance of a class, nor of a local subclass of it, can have an attribute."""
        if attribute.startswith("__") or self._stored_in(self._family(kind), attribute):
            return False
        return all(self._lacks(part, attribute) for part in (kind, *self._subclasses(kind)))

    def _lacks(self, kind: LocalClass, attribute: str) -> bool:
        parts, outside = self.lineage(kind)
        if not set(outside) <= {MODULE} | _BARE:
            return False
        if MODULE in outside and (attribute in MODULE_ATTRIBUTES or attribute.startswith("_")):
            return False
        return not any(self._may_have(file, part, attribute) for file, part in parts)

    def _may_have(self, file: PythonFile, part: ClassDefinition, attribute: str) -> bool:
        """Whether a class has an attribute in its own body, or can get any in ways that its text
        does not show.
        """
        if part.node not in self._members:
            names = frozenset(name for item in part.node.body for name in _defined_names(item))
            self._members[part.node] = None if _is_open(file, part) else names
        members = self._members[part.node]
        return members is None or attribute in members


def _keeps_signature(file: PythonFile, function: Function, *, instance: bool = False) -> bool:
    """Whether calls reach a function as it is written; with `instance`, also whether its first
    parameter is an instance.
    """
    names = {
        file.resolve(node.func if isinstance(node, ast.Call) else node)
        for node in function.decorator_list
    }
    return names <= (
        (_SAME_SIGNATURE | {"property"}) - {"staticmethod", "classmethod"}
        if instance
        else _SAME_SIGNATURE
    )


def _is_decorated(file: PythonFile, part: ClassDefinition) -> bool:
    """Whether a class may become another one: a data class only gets a constructor."""
    decorators = (
        node.func if isinstance(node, ast.Call) else node for node in part.node.decorator_list
    )
    return any(file.resolve(node) != "dataclasses.dataclass" for node in decorators)


def _is_open(file: PythonFile, part: ClassDefinition) -> bool:
    """Whether a class can get attributes in ways that its text does not show."""
    if (
        any(part.line <= line <= part.end_line for line, _ in file.set_aside)
        or _is_decorated(file, part)
        or part.node.keywords
        or {"__getattr__", "__getattribute__"} & part.methods.keys()
    ):
        return True
    for node in walk(part.node):
        match node:
            case (
                ast.Attribute(attr="__dict__")
                | ast.Call(func=ast.Name(id="vars" | "setattr" | "locals" | "exec"))
            ):
                return True
            case ast.Call(func=ast.Attribute(attr=attr), args=[first, *_]) if (
                attr in _REGISTER and not isinstance(first, ast.Constant)
            ):
                return True
    return False


def _defined_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of a class body, or one inside its blocks, binds in the class."""
    match node:
        case ast.FunctionDef(name=own) | ast.AsyncFunctionDef(name=own) | ast.ClassDef(name=own):
            yield own
        case ast.Import() | ast.ImportFrom():
            yield from (alias.asname or alias.name for alias in node.names)
        case _:
            for part in walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    yield part.id
                elif isinstance(part, (Function, ast.ClassDef)):
                    yield part.name
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__slots__":
                yield from (
                    str(part.value) for part in walk(node.value) if isinstance(part, ast.Constant)
                )
