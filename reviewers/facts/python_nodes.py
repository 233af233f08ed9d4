"""The contents of a Python file as values: imports, calls, definitions, strings, undefined
names.
"""

import ast
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

Function = ast.FunctionDef | ast.AsyncFunctionDef
_Kept = TypeVar("_Kept")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class UndefinedName:
    """A name that nothing defines, or nothing in time.

    Attributes:
        line: its first use; the first that Python evaluates, if any.
        lines: all lines where it is used.
        evaluated: whether Python ever looks it up; not so in an annotation that stays text.
        bound_at: where its own scope gives it a value after all, too late for that first use; None
            where nothing does.
    """

    name: str
    line: int
    lines: tuple[int, ...]
    evaluated: bool
    bound_at: int | None = None


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name.

    Attributes:
        module: dotted, as written after `from` or `import`, without leading dots; empty for `from .
            import x`.
        name: what is imported from the module; None for `import module`; `*` for a star.
        bound: the name it gets in this file; None for a star.
        level: leading dots.
        guarded: under `try` or `if TYPE_CHECKING`, so that its failing need not stop the file.
        scope: qualified name of the definition around it; empty at module level.
    """

    module: str
    name: str | None
    bound: str | None
    level: int
    line: int
    guarded: bool
    scope: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call.

    Attributes:
        name: the dotted callee with import aliases resolved (`numpy.mean` for `np.mean`); None
            if it is not a plain name.
        scope: qualified name of the definition around it.
    """

    name: str | None
    node: ast.Call
    scope: str

    @property
    def line(self) -> int:
        return self.node.lineno

    def keyword(self, name: str) -> ast.expr | None:
        """The value of a keyword argument, None if it is not given."""
        return argument(self.node, name)

    def argument(self, name: str, place: int) -> ast.expr | None:
        """The value given for a parameter, by its name or at its place."""
        return argument(self.node, name, place)


def argument(call: ast.Call, name: str, place: int = -1) -> ast.expr | None:
    """What a call gives for a parameter, by its name or at its place; None if it gives
    nothing.
    """
    named = next((word.value for word in call.keywords if word.arg == name), None)
    return call.args[place] if named is None and 0 <= place < len(call.args) else named


def last_name(node: ast.AST) -> str:
    """The last part of a dotted name; empty for any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def root_of(node: ast.expr) -> ast.expr:
    """What the attributes of a dotted name are asked of: `a` of `a.b.c`."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def method_of(call: ast.Call) -> str:
    """The method that a call names; empty where it names none."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def is_spread(call: ast.Call) -> bool:
    """Whether a call has starred arguments, so that what it gives is open."""
    stars = (isinstance(value, ast.Starred) for value in call.args)
    return any(stars) or any(word.arg is None for word in call.keywords)


def positional(function: Function | ast.Lambda) -> list[ast.arg]:
    """The parameters that a call can fill by place."""
    return [*function.args.posonlyargs, *function.args.args]


def given_for(
    call: ast.Call, function: Function, parameter: ast.arg, *, bound: bool
) -> ast.expr | None:
    """What a call of a function gives for one of its parameters.

    Args:
        bound: whether Python fills in the first parameter itself.
    """
    filled = positional(function)
    place = filled.index(parameter) - bound if parameter in filled else -1
    return argument(call, parameter.arg, place)


def with_defaults(given: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, each with it."""
    filled = [*given.posonlyargs, *given.args]
    yield from zip(filled[len(filled) - len(given.defaults) :], given.defaults, strict=True)
    pairs = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    yield from ((parameter, value) for parameter, value in pairs if value is not None)


def handed_over(
    call: ast.Call, function: Function, *, bound: bool = False
) -> Iterator[tuple[str, ast.expr]]:
    """The parameters of a function that a call fills, with what it gives for each."""
    names = [parameter.arg for parameter in positional(function)]
    yield from zip(names[bound:], call.args, strict=False)
    yield from ((word.arg, word.value) for word in call.keywords if word.arg is not None)


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, method or class: `name` is qualified (`Model.forward`), lines count from 1 and
    include decorators.
    """

    name: str
    node: Function | ast.ClassDef
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class ClassDefinition:
    """A class with its bases as resolved dotted names (None if a base is not a name) and its own
    methods.
    """

    name: str
    node: ast.ClassDef
    bases: tuple[str | None, ...]
    methods: Mapping[str, Function]
    line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """A string constant, or the constant pieces of an f-string joined by `{}`."""

    value: str
    line: int
    end_line: int
    is_docstring: bool
    node: ast.Constant | ast.JoinedStr


class _NodeFields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of node that can hold other nodes, by kind; contexts (`Load`,
    `Store`) say nothing of their own.
    """

    _OTHERS = frozenset(
        {"attr", "conversion", "ctx", "id", "is_async", "kind", "level", "simple", "type_comment"}
    )

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = tuple(name for name in kind._fields if name not in self._OTHERS)
        return self[kind]


_FIELDS = _NodeFields()


def kept(function: Callable[[_Kept], _Result]) -> Callable[[_Kept], _Result]:
    """Keep what is asked of a node, or a file, with it: rules and runs ask the same many times."""
    name = f"_{function.__name__}"

    @wraps(function)
    def answer(node: _Kept) -> _Result:
        held = node.__dict__
        if name not in held:
            held[name] = function(node)
        found: _Result = held[name]
        return found

    return answer


@kept
def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below a node, but for contexts; what `ast.iter_child_nodes` gives, in a
    fraction of its time.
    """
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif value and type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)]
    return found


unparsed = kept(ast.unparse)
"""The code of a node, on as few lines as Python writes it."""


_APART = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef})


def everything_within(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it, but for contexts."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        held = node.__dict__  # without a call for what is kept
        waiting += held["_children"] if "_children" in held else children(node)


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all below it level by level as `ast.walk` does, but for contexts."""
    waiting = deque([node])
    while waiting:
        node = waiting.popleft()
        yield node
        held = node.__dict__
        waiting.extend(held["_children"] if "_children" in held else children(node))


@kept
def kinds_within(node: ast.AST) -> frozenset[type[ast.AST]]:
    """The kinds of a node and of all below it."""
    return frozenset(map(type, everything_within(node)))


@kept
def attributes_set(node: ast.AST) -> frozenset[str]:
    """The names of the attributes, of whatever object, that the code within a node sets."""
    parts = (part for part in everything_within(node) if isinstance(part, ast.Attribute))
    return frozenset(part.attr for part in parts if isinstance(part.ctx, ast.Store))


@kept
def own_nodes(function: Function) -> Sequence[ast.AST]:
    """The nodes of a function's body without those of the functions and classes inside it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        found.append(node)
        if type(node) not in _APART:
            waiting += children(node)
    return found


@kept
def names_bound(node: ast.AST) -> frozenset[str]:
    """The names that the code within a node binds, whatever their scope."""
    return frozenset(name for part in everything_within(node) for name in _bound_by(part))


def _bound_by(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name.partition(".")[0]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
