"""Code as a reviewer writes it, found in the tree of a file: owners, arguments and dictionary
entries may be left out.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from reviewers.claims.tokens import TokenIndex, unescape
from reviewers.facts.parsing import parse
from reviewers.facts.python_file import Function, PythonFile
from reviewers.records import Span

_LONGEST = 300
_MOST_STEPS = 8
_ELLIPSIS = re.compile(r"…|\[\.\.\.\]|\.\.\.|<[\w. ]+>")
_OPEN_DICT = re.compile(r"\{\s*\.\.\.\s*,")


@lru_cache(maxsize=4_000)
def pattern(code: str) -> ast.expr | ast.stmt | None:
    """The tree of a piece of code, with `...` where the reviewer left something out; None for what
    is no single statement.
    """
    text = _ELLIPSIS.sub(" ... ", unescape(code).strip().strip("`").rstrip(";:,. "))
    if not text or len(text) > _LONGEST:
        return None
    for wording in (text, re.sub(_OPEN_DICT, "{**...,", re.sub(r"\s+", " ", text))):
        tree = parse(wording)
        if isinstance(tree, ast.Module) and len(tree.body) == 1:
            only = tree.body[0]
            return only.value if isinstance(only, ast.Expr) else only
    return None


def is_open(node: ast.AST | None) -> bool:
    """Whether a part of a pattern stands for anything."""
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def fits(wanted: ast.AST, node: ast.AST) -> bool:
    """Whether code is what a pattern says; `f()` stands for a call with whatever arguments, `x` for
    `self.x` too.
    """
    if is_open(wanted):
        return True
    match wanted, node:
        case ast.Name(id=name), _:
            return name == _last(node) and isinstance(node, ast.Name | ast.Attribute)
        case ast.Attribute(value=owner, attr=attr), ast.Attribute(value=holder, attr=other):
            return attr == other and (
                fits(owner, holder) or (isinstance(owner, ast.Name) and owner.id == "self")
            )
        case ast.Call(), ast.Call():
            return fits(wanted.func, node.func) and _arguments_fit(wanted, node)
        case ast.Dict(), ast.Dict():
            entries = [
                (key, value)
                for key, value in zip(wanted.keys, wanted.values, strict=True)
                if key is not None
            ]
            return all(
                any(
                    key and fits(entry[0], key) and fits(entry[1], value)
                    for key, value in zip(node.keys, node.values, strict=True)
                )
                for entry in entries
            )
        case ast.Constant(value=value), ast.Constant(value=other):
            return type(value) is type(other) and bool(value == other)
        case ast.AnnAssign() | ast.Assign(), ast.Assign() | ast.AnnAssign():
            return _assigned_fits(wanted, node)
    if type(wanted) is not type(node):
        return False
    return all(
        _all_fit(getattr(wanted, field), getattr(node, field))
        for field in wanted._fields
        if field not in ("ctx", "kind", "type_comment")
    )


def _all_fit(wanted: object, found: object) -> bool:
    if isinstance(wanted, ast.AST):
        return isinstance(found, ast.AST) and fits(wanted, found)
    if isinstance(wanted, list):
        return isinstance(found, list) and _listed_fit(wanted, found)
    return wanted == found


def _listed_fit(wanted: Sequence[object], found: Sequence[object]) -> bool:
    """One by one, up to an ellipsis, which stands for all the rest."""
    for number, part in enumerate(wanted):
        if isinstance(part, ast.AST) and is_open(part):
            return True
        if number >= len(found) or not _all_fit(part, found[number]):
            return False
    return len(wanted) == len(found)


def _arguments_fit(wanted: ast.Call, call: ast.Call) -> bool:
    if not wanted.args and not wanted.keywords:
        return True
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    named = all(
        keyword.arg in given and fits(keyword.value, given[keyword.arg])
        for keyword in wanted.keywords
    )
    return named and (_listed_fit(wanted.args, call.args) or not wanted.args)


def _assigned_fits(wanted: ast.Assign | ast.AnnAssign, node: ast.Assign | ast.AnnAssign) -> bool:
    said = wanted.targets if isinstance(wanted, ast.Assign) else [wanted.target]
    stored = node.targets if isinstance(node, ast.Assign) else [node.target]
    value = wanted.value is None or (node.value is not None and fits(wanted.value, node.value))
    return value and len(said) == 1 and any(fits(said[0], target) for target in stored)


def _last(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    return node.attr if isinstance(node, ast.Attribute) else None


class _Index:
    """The nodes of a file by the names they have or give, and by their type; docstrings and other
    bare texts left out.
    """

    def __init__(self, file: PythonFile) -> None:
        self.by_name: dict[str, list[ast.AST]] = {}
        self.by_type: dict[type, list[ast.AST]] = {}
        self.strings: list[ast.Constant] = []
        for node in file.nodes:
            if not hasattr(node, "lineno") or isinstance(node, ast.Expr):
                continue
            self.by_type.setdefault(type(node), []).append(node)
            if isinstance(node, ast.Constant):
                if not isinstance(node.value, str) or isinstance(file.parents.get(node), ast.Expr):
                    continue
                self.strings.append(node)
            called = _last(node.func) if isinstance(node, ast.Call) else None
            for name in {_last(node), called, *_names(node)} - {None}:
                self.by_name.setdefault(str(name), []).append(node)


@lru_cache(maxsize=32)
def _tokens(file: PythonFile) -> TokenIndex:
    return TokenIndex(file.text)


@lru_cache(maxsize=32)
def _index(file: PythonFile) -> _Index:
    return _Index(file)


class Place:
    """A file, or one definition in it, with the nodes that stand there."""

    def __init__(
        self, file: PythonFile, first: int = 1, last: int | None = None, name: str = ""
    ) -> None:
        self.file = file
        self.path = file.path
        self.name = name
        self.first = first
        self.last = last if last is not None else max(len(file.lines), 1)

    @property
    def span(self) -> Span:
        """Its lines; a whole file has none."""
        return Span(self.path, self.first, self.last) if self.name else Span(self.path)

    @property
    def shown(self) -> str:
        """How it is named in a sentence."""
        return f"{self.name} in {self.path}" if self.name else self.path

    def quoted(self, code: str) -> list[int]:
        """The lines on which the tokens of a quote start."""
        return [
            first for first, _ in _tokens(self.file).find(code) if self.first <= first <= self.last
        ]

    def nodes(self) -> Iterator[ast.AST]:
        """Its nodes, docstrings left out."""
        for node in self.file.nodes:
            line = getattr(node, "lineno", None)
            if (
                line is not None
                and self.first <= line <= self.last
                and not isinstance(node, ast.Expr)
            ):
                yield node

    def find(self, code: str) -> list[ast.AST]:
        """The nodes that fit a piece of code: for a name its uses, arguments, keywords, definitions
        and string constants too.
        """
        wanted = pattern(code)
        if wanted is None:
            return []
        found = [node for node in self._candidates(wanted) if fits(wanted, node)]
        if isinstance(wanted, ast.Attribute) and not found:
            found = self._reached(ast.unparse(wanted).split("."))
        if isinstance(wanted, ast.Name | ast.Attribute):
            name = wanted.id if isinstance(wanted, ast.Name) else ast.unparse(wanted)
            found += [node for node in self._called(name) if name in _names(node)]
        elif isinstance(wanted, ast.Constant) and isinstance(wanted.value, str):
            value = wanted.value
            found += [
                node
                for node in self._called(value)
                if value in _names(node) and not isinstance(node, ast.Constant)
            ]
        return sorted(
            found, key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        )

    def _reached(self, parts: list[str]) -> list[ast.AST]:
        """What reads a dotted name by way of another variable, `get`, `getattr` or a subscript."""
        found: list[ast.AST] = []
        reading = (*self._called(parts[-1]), *self.of(ast.Call, ast.Subscript))
        for node in dict.fromkeys(reading):
            step = _step(node)
            if step is None or step[1] != parts[-1]:
                continue
            owner = self._dotted(step[0])
            if owner is not None and owner[-len(parts) + 1 :] == parts[:-1]:
                found.append(node)
        return found

    def _dotted(self, node: ast.AST, depth: int = 0) -> list[str] | None:
        """The parts of a dotted name, variables that stand for one replaced by it."""
        if depth > _MOST_STEPS:
            return None
        if isinstance(node, ast.Name):
            value = self._standing_for.get(node.id)
            return (value and self._dotted(value, depth + 1)) or [node.id]
        step = _step(node)
        owner = self._dotted(step[0], depth + 1) if step else None
        return [*owner, step[1]] if step and owner else None

    @cached_property
    def _standing_for(self) -> dict[str, ast.AST]:
        """The variables that are assigned once in the file, and from a dotted name."""
        stored: dict[str, list[ast.AST | None]] = {}
        for node in _index(self.file).by_type.get(ast.Name, ()):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                parent = self.file.parents.get(node)
                value = (
                    parent.value
                    if isinstance(parent, ast.Assign) and parent.targets == [node]
                    else None
                )
                stored.setdefault(node.id, []).append(
                    value if value is not None and _step(value) else None
                )
        return {
            name: value for name, (value, *more) in stored.items() if value is not None and not more
        }

    def _called(self, name: str) -> Iterator[ast.AST]:
        """Its nodes that have or give a name."""
        yield from self._inside(_index(self.file).by_name.get(name, ()))

    def _inside(self, nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
        yield from (
            node for node in nodes if self.first <= int(getattr(node, "lineno", 0)) <= self.last
        )

    def _candidates(self, wanted: ast.AST) -> Iterator[ast.AST]:
        """The nodes that may fit a pattern, by its name or type."""
        name = _last(wanted.func) if isinstance(wanted, ast.Call) else _last(wanted)
        if name is not None:
            return self._called(name)
        if isinstance(wanted, ast.Assign | ast.AnnAssign):
            return (node for kind in (ast.Assign, ast.AnnAssign) for node in self.of(kind))
        return self.of(type(wanted))

    def of(self, *kinds: type) -> Iterator[ast.AST]:
        """Its nodes of some types."""
        yield from (
            node for kind in kinds for node in self._inside(_index(self.file).by_type.get(kind, ()))
        )

    def mentions(self, word: str) -> list[int]:
        """The lines of code on which a name stands in any role, within a longer string too."""
        last = word.rpartition(".")[2]
        quoted = (
            node
            for node in self._inside(_index(self.file).strings)
            if last in str(getattr(node, "value", ""))
        )
        return sorted({int(getattr(node, "lineno", 0)) for node in (*self._called(last), *quoted)})


def _step(node: ast.AST) -> tuple[ast.AST, str] | None:
    """The owner and the name that a node reads of it: `o.n`, `o["n"]`, `o.get("n")`, `getattr(o,
    "n")`.
    """
    match node:
        case ast.Attribute(value=owner, attr=name):
            return owner, name
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(name))):
            return owner, name
        case ast.Call(
            func=ast.Attribute(value=owner, attr="get"), args=[ast.Constant(value=str(name)), *_]
        ):
            return owner, name
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]):
            return owner, name
        case _:
            return None


def _names(node: ast.AST) -> tuple[str, ...]:
    """The names that a node gives or quotes, other than those it reads."""
    match node:
        case ast.keyword(arg=str(name)) | ast.arg(arg=name):
            return (name,)
        case ast.Constant(value=str(name)):
            return (name,)
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return (name,)
        case ast.alias(name=name, asname=bound):
            return (name, bound or name)
        case _:
            return ()


def values_given(place: Place, name: str) -> list[tuple[int, ast.expr]]:
    """Every value that a variable, attribute, argument, key or option of this name gets, with its
    line.
    """
    found: list[tuple[int, ast.expr]] = []
    wanted = pattern(name)
    if not isinstance(wanted, ast.Name | ast.Attribute):
        return []
    last = wanted.id if isinstance(wanted, ast.Name) else wanted.attr
    for node in place.of(ast.Assign, ast.AnnAssign, ast.keyword, ast.Dict, ast.Call):
        match node:
            case ast.Assign(targets=targets, value=value):
                found += [(node.lineno, value) for target in targets if fits(wanted, target)]
                found += [
                    (node.lineno, value) for target in targets if _subscript(target) in (last, name)
                ]
            case ast.AnnAssign(target=target, value=ast.expr() as value) if fits(wanted, target):
                found.append((node.lineno, value))
            case ast.keyword(arg=str(given), value=value) if given == last:
                found.append((node.lineno, value))
            case ast.Dict(keys=keys, values=values):
                found += [
                    (value.lineno, value)
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant) and key.value in (last, name)
                ]
            case ast.Call(args=[_, ast.Constant(value=str(key)), value]) if key in (last, name):
                found.append((node.lineno, value))
    return found


def defaults_of(place: Place, name: str) -> list[tuple[int, ast.expr]]:
    """The defaults of every parameter of this name, with their lines."""
    found: list[tuple[int, ast.expr]] = []
    for node in place.of(ast.FunctionDef, ast.AsyncFunctionDef):
        if isinstance(node, Function):
            given = node.args
            plain = [*given.posonlyargs, *given.args]
            pairs = [*zip(plain[len(plain) - len(given.defaults) :], given.defaults, strict=True)]
            pairs += [
                (each, value)
                for each, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
                if value is not None
            ]
            found += [(value.lineno, value) for each, value in pairs if each.arg == name]
    return found


def _subscript(node: ast.expr) -> str | None:
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
    ):
        return node.slice.value
    return None


def parameters(function: Function) -> list[str]:
    """The names of a function's parameters, the one that Python fills in for a method left out."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names
