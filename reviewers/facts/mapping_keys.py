"""The keys of a dictionary that code builds: through literals, updates, comprehensions, parameters
and local functions.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeVar

from reviewers.facts.python_file import Function, PythonFile, template
from reviewers.facts.python_nodes import own_nodes, walk
from reviewers.facts.templates import may_equal
from reviewers.steps import fact

_DEEPEST = 8
_MOST_KEYS = 1_000  # in one dictionary; of a larger one nothing is known
_Subject = TypeVar("_Subject", bound=ast.expr | str)
_COPYING = frozenset(
    {"copy.copy", "copy.deepcopy", "dict", "OrderedDict", "collections.OrderedDict"}
)


@dataclass(frozen=True, slots=True)
class Key:
    """A key, with `{}` where a part of it is not known."""

    text: str
    line: int

    def matches(self, asked: str) -> bool:
        """Whether this may be the key asked for, or a section that it lies in."""
        within = "{}" not in self.text and asked.startswith((f"{self.text}.", f"{self.text}/"))
        return within or may_equal(self.text, asked)


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys that a dictionary can have; `known` is False if it may have others."""

    found: tuple[Key, ...] = ()
    known: bool = True

    def __or__(self, other: "Keys") -> "Keys":
        return _joined([self, other])


UNKNOWN = Keys(known=False)


@dataclass(frozen=True, slots=True)
class CodeSurroundings:
    """An expression's surroundings: its file, and the qualified name of the definition it stands
    in.
    """

    file: PythonFile
    scope: str


class MappingKeys:
    """Answers for the files of one submission."""

    def __init__(self, python: Mapping[str, PythonFile]) -> None:
        self._python = python
        # Code can ask for the same in ever more ways (`a = {**a, **a}`); each answer is computed
        # once.
        self._answers: dict[tuple[str, ast.expr | str, CodeSurroundings, int], Keys] = {}

    def of(self, node: ast.expr, place: CodeSurroundings, depth: int = _DEEPEST) -> Keys:
        """The keys of the dictionary that an expression stands for."""
        return self._once("of", node, place, depth, self._of)

    def texts(self, node: ast.expr, place: CodeSurroundings, depth: int = _DEEPEST) -> Keys:
        """The texts that an expression can be, as keys."""
        return self._once("texts", node, place, depth, self._texts)

    def _once(
        self,
        asked: str,
        subject: _Subject,
        place: CodeSurroundings,
        depth: int,
        answer: Callable[[_Subject, CodeSurroundings, int], Keys],
    ) -> Keys:
        question = (asked, subject, place, depth)
        if question not in self._answers:
            self._answers[question] = answer(subject, place, depth)
        return self._answers[question]

    def _of(self, node: ast.expr, place: CodeSurroundings, depth: int) -> Keys:
        if depth == 0:
            return UNKNOWN
        match node:
            case ast.Dict():
                return self._literal(node, place, depth)
            case ast.DictComp():
                return self.texts(node.key, place, depth - 1)
            case ast.Name():
                return self._once("named", node.id, place, depth, self._named)
            case ast.IfExp():
                return self.of(node.body, place, depth - 1) | self.of(node.orelse, place, depth - 1)
            case ast.BoolOp():
                return _joined(self.of(part, place, depth - 1) for part in node.values)
            case ast.BinOp(op=ast.BitOr()):
                return self.of(node.left, place, depth - 1) | self.of(node.right, place, depth - 1)
            case ast.Constant(value=None):
                return Keys()
            case ast.Call():
                return self._called(node, place, depth)
        return UNKNOWN

    def _texts(self, node: ast.expr, place: CodeSurroundings, depth: int) -> Keys:
        if depth == 0:
            return UNKNOWN
        match node:
            case ast.Constant(value=str()):
                return Keys((Key(str(node.value), node.lineno),))
            case ast.JoinedStr():
                return self._template(node, place, depth)
            case ast.Name():
                index = _parameter(place.file.functions.get(place.scope), node.id)
                if (looped := self._loop_texts(node, place, depth)) is not None:
                    return looped
                if index is not None and (place.scope, node.id) not in self._uses(place.file):
                    return self._passed(place, node.id, index, depth, is_text=True)
                return self._assigned_texts(node.id, place, depth)
            case ast.BinOp(op=ast.Add()):
                left, right = (
                    self.texts(part, place, depth - 1) for part in (node.left, node.right)
                )
                lefts = [key.text for key in left.found] if left.known else ["{}"]
                rights = [key.text for key in right.found] if right.known else ["{}"]
                return _told({a + b for a in lefts for b in rights}, node.lineno)
            case ast.IfExp():
                return self.texts(node.body, place, depth - 1) | self.texts(
                    node.orelse, place, depth - 1
                )
        return UNKNOWN

    # Dictionaries

    def _literal(self, node: ast.Dict, place: CodeSurroundings, depth: int) -> Keys:
        parts = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                parts.append(self.of(value, place, depth - 1))
            else:
                parts.append(self.texts(key, place, depth - 1))
        return _joined(parts)

    def _named(self, name: str, place: CodeSurroundings, depth: int) -> Keys:
        scope: str | None = place.scope
        while scope is not None:
            here = CodeSurroundings(place.file, scope)
            uses = self._uses(place.file).get((scope, name), ())
            found = [self._use(use, name, here, depth) for use in uses]
            if (index := _parameter(place.file.functions.get(scope), name)) is not None:
                found.append(self._passed(here, name, index, depth))
            if found:
                return _joined(found)
            scope = None if not scope else scope.rpartition(".")[0]
        return UNKNOWN

    def _use(self, use: ast.AST, name: str, place: CodeSurroundings, depth: int) -> Keys:
        match use:
            case ast.Assign(targets=[ast.Tuple() as target]) if isinstance(use.value, ast.Call):
                index = next(
                    (
                        n
                        for n, part in enumerate(target.elts)
                        if isinstance(part, ast.Name) and part.id == name
                    ),
                    -1,
                )
                return self._returned(use.value, place, depth, index)
            case (
                ast.Assign(targets=[ast.Subscript(slice=key)])
                | ast.AugAssign(target=ast.Subscript(slice=key))
            ):
                return self.texts(key, place, depth - 1)
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
                return self.of(use.value, place, depth - 1) if use.value is not None else Keys()
            case ast.Call(func=ast.Attribute(attr="setdefault"), args=[key, *_]):
                return self.texts(key, place, depth - 1)
            case ast.Call():
                given = [self.of(argument, place, depth - 1) for argument in use.args]
                return _joined([*given, *self._keywords(use, place, depth)])
        return UNKNOWN

    def _called(self, node: ast.Call, place: CodeSurroundings, depth: int) -> Keys:
        name = place.file.resolve(node.func)
        if name in _COPYING:
            given = [self.of(argument, place, depth - 1) for argument in node.args]
            return _joined([*given, *self._keywords(node, place, depth)])
        if isinstance(node.func, ast.Attribute) and node.func.attr == "copy" and not node.args:
            return self.of(node.func.value, place, depth - 1)
        return self._returned(node, place, depth)

    def _keywords(self, node: ast.Call, place: CodeSurroundings, depth: int) -> Iterator[Keys]:
        for keyword in node.keywords:
            if keyword.arg is None:
                yield self.of(keyword.value, place, depth - 1)
            else:
                yield Keys((Key(keyword.arg, node.lineno),))

    def _returned(
        self, node: ast.Call, place: CodeSurroundings, depth: int, index: int | None = None
    ) -> Keys:
        """The keys of what a local function returns, or of one part of the tuple that it
        returns.
        """
        found = []
        for home, function in self._local(node, place):
            inner = CodeSurroundings(
                home, next((name for name, node in home.functions.items() if node is function), "")
            )
            for part in own_nodes(function):
                if isinstance(part, ast.Return) and part.value is not None:
                    value = part.value
                    if index is not None:
                        if not isinstance(value, ast.Tuple) or not 0 <= index < len(value.elts):
                            return UNKNOWN
                        value = value.elts[index]
                    found.append(self.of(value, inner, depth - 1))
        return _joined(found) if found else UNKNOWN

    def _local(
        self, node: ast.Call, place: CodeSurroundings
    ) -> Iterator[tuple[PythonFile, Function]]:
        name = place.file.resolve(node.func)
        last = (
            name.rpartition(".")[2]
            if name
            else node.func.attr
            if isinstance(node.func, ast.Attribute)
            else None
        )
        for home, qualified, function in self._functions.get(last or "", ()):
            if name in (qualified, f"{home.module}.{qualified}") or "." in qualified:
                yield home, function

    @fact
    def _functions(self) -> Mapping[str, list[tuple[PythonFile, str, Function]]]:
        found: dict[str, list[tuple[PythonFile, str, Function]]] = {}
        for file in self._python.values():
            for name, function in file.functions.items():
                found.setdefault(name.rpartition(".")[2], []).append((file, name, function))
        return found

    def _passed(
        self, place: CodeSurroundings, name: str, index: int, depth: int, *, is_text: bool = False
    ) -> Keys:
        """The keys, or the texts, of what callers pass for a parameter."""
        read = self.texts if is_text else self.of
        function = place.file.functions[place.scope]
        method = (
            "." in place.scope
            and place.file.classes.get(place.scope.rpartition(".")[0]) is not None
        )
        found = []
        modules = {one.module for one in self._python.values()}
        for file in self._python.values():
            for call in file.calls:
                root = getattr(call.node.func, "value", None)
                is_of_module = isinstance(root, ast.Name) and root.id in file.modules
                if is_of_module and (call.name or "").rpartition(".")[0] not in modules:
                    continue  # a library's function of that name
                called = (
                    call.name.rpartition(".")[2]
                    if call.name
                    else getattr(call.node.func, "attr", None)
                )
                if called != function.name:
                    continue
                at = index - 1 if method else index
                given = call.argument(name, at)
                found.append(
                    (UNKNOWN if is_text else Keys())
                    if given is None
                    else read(given, CodeSurroundings(file, call.scope), depth - 1)
                )
        return _joined(found) if found else UNKNOWN

    # Texts

    def _template(self, node: ast.JoinedStr, place: CodeSurroundings, depth: int) -> Keys:
        each = []
        for part in node.values:
            inner = UNKNOWN
            if isinstance(part, ast.FormattedValue) and part.format_spec is None:
                inner = self.texts(part.value, place, depth - 1)
            elif isinstance(part, ast.Constant):
                inner = Keys((Key(str(part.value), node.lineno),))
            is_told = inner.known and inner.found
            each.append([key.text for key in inner.found] if is_told else ["{}"])
        if prod(map(len, each)) > _MOST_KEYS:
            each = [[template(node)]]
        texts = {"".join(parts) for parts in product(*each)}
        if any(not text.replace("{}", "") for text in texts):
            return UNKNOWN
        return Keys(tuple(Key(text, node.lineno) for text in sorted(texts)))

    def _loop_texts(self, node: ast.Name, place: CodeSurroundings, depth: int) -> Keys | None:
        """What a loop or comprehension variable runs over; None if the name is none."""
        for around in place.file.ancestors(node):
            loops: list[ast.For | ast.AsyncFor | ast.comprehension] = []
            if isinstance(around, (ast.For, ast.AsyncFor)):
                loops = [around]
            elif isinstance(around, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
                loops = list(around.generators)
            elif isinstance(around, Function):
                return None
            for loop in loops:
                index = _position(loop.target, node.id)
                if index is not None:
                    return self._run_over(loop.iter, index, place, depth)
        return None

    def _run_over(self, node: ast.expr, index: int, place: CodeSurroundings, depth: int) -> Keys:
        if isinstance(node, ast.Name) and (value := self._only_value(node.id, place)) is not None:
            node = value
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            items = [
                item.elts[index] if isinstance(item, ast.Tuple) and index < len(item.elts) else item
                for item in node.elts
            ]
            return _joined(self.texts(item, place, depth - 1) for item in items)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and index == 0:
            if node.func.attr in ("items", "keys"):
                return self.of(node.func.value, place, depth - 1)
        elif index == 0 and isinstance(node, (ast.Name, ast.Dict)):
            return self.of(node, place, depth - 1)
        return UNKNOWN

    def _only_value(self, name: str, place: CodeSurroundings) -> ast.expr | None:
        for scope in (place.scope, ""):
            uses = self._uses(place.file).get((scope, name), ())
            if len(uses) == 1 and isinstance(uses[0], (ast.Assign, ast.AnnAssign)):
                value = uses[0].value
                return value if isinstance(value, (ast.List, ast.Tuple, ast.Set)) else None
        return None

    def _assigned_texts(self, name: str, place: CodeSurroundings, depth: int) -> Keys:
        for scope in dict.fromkeys((place.scope, "")):
            uses = self._uses(place.file).get((scope, name), ())
            values = [
                use.value
                for use in uses
                if isinstance(use, (ast.Assign, ast.AnnAssign)) and use.value is not None
            ]
            if values and len(values) == len(uses):
                return _joined(
                    self.texts(value, CodeSurroundings(place.file, scope), depth - 1)
                    for value in values
                )
        return UNKNOWN

    # Where names are bound and dictionaries filled

    def _uses(self, file: PythonFile) -> Mapping[tuple[str, str], list[ast.AST]]:
        if file.path not in self._used:
            self._used[file.path] = _uses(file)
        return self._used[file.path]

    @fact
    def _used(self) -> dict[str, Mapping[tuple[str, str], list[ast.AST]]]:
        return {}


def _uses(file: PythonFile) -> Mapping[tuple[str, str], list[ast.AST]]:
    """Every statement that binds or fills a name, by scope and name."""
    found: dict[tuple[str, str], list[ast.AST]] = {}
    for node in file.nodes:
        names: list[str] = []
        match node:
            case ast.Assign():
                for target in node.targets:
                    names.extend(_filled(target))
            case ast.AnnAssign() | ast.AugAssign() | ast.NamedExpr():
                names.extend(_filled(node.target))
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=owner), attr="update" | "setdefault")
            ):
                names.append(owner)
            case ast.For() | ast.AsyncFor():
                names.extend(part.id for part in walk(node.target) if isinstance(part, ast.Name))
        for name in names:
            found.setdefault((file.scope_at(getattr(node, "lineno", 1)), name), []).append(node)
    return found


def _filled(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _filled(part)
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        yield target.value.id


def _parameter(function: Function | None, name: str) -> int | None:
    """Position of a parameter, counted over positional and keyword-only ones."""
    if function is None:
        return None
    given = function.args
    names = [argument.arg for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return names.index(name) if name in names else None


def _position(target: ast.expr, name: str) -> int | None:
    if isinstance(target, ast.Name):
        return 0 if target.id == name else None
    if isinstance(target, (ast.Tuple, ast.List)):
        return next(
            (
                n
                for n, part in enumerate(target.elts)
                if isinstance(part, ast.Name) and part.id == name
            ),
            None,
        )
    return None


def _told(texts: set[str], line: int) -> Keys:
    if "{}" in texts:
        return UNKNOWN
    return Keys(tuple(Key(text, line) for text in sorted(texts)))


def _joined(parts: Iterable[Keys]) -> Keys:
    found: dict[Key, None] = {}
    known = True
    for part in parts:
        found |= dict.fromkeys(part.found)
        known = known and part.known
        if len(found) > _MOST_KEYS:
            return UNKNOWN
    return Keys(tuple(found), known)
