"""The tables by which the interpreter goes on: by kinds of syntax, and of what is called."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from reviewers.facts.config_flow.values import ANYTHING, UNKNOWN, Bound, CallScope, External, Value
from reviewers.records import Span

if TYPE_CHECKING:
    from reviewers.facts.config_flow.follower import Follower

_Function = TypeVar("_Function", bound=Callable[..., Any])
OTHER = "*"  # any method that the table does not name
CALLED = "__call__"  # what a value itself gives when it is called


# What follows an expression, a statement or a pattern, by its class.
STEPS: dict[type[ast.AST], Callable[["Follower", Any, CallScope], Any]] = {}
# What binds a target, by its class.
TARGETS: dict[type[ast.AST], Callable[["Follower", Any, Value, CallScope], None]] = {}
_FUNCTIONS: dict[str, "Transfer"] = {}
_METHODS: dict[type, dict[str, "Transfer"]] = {}
_WITH_BASES: dict[type, dict[str, "Transfer"]] = {}


def enter(table: dict[Any, Any], *kinds: type) -> Callable[[_Function], _Function]:
    """Put a function into a table, for these kinds of syntax or values."""

    def kept(function: _Function) -> _Function:
        table.update(dict.fromkeys(kinds, function))
        return function

    return kept


@dataclass(eq=False, slots=True)
class OutsideCall:
    """One call outside the submission.

    Attributes:
        callee: an `External`, a `Bound` method, a value of a library's class, or UNKNOWN.
        keywords: with `ANYTHING` among them where there may be any others.
        spread: what `**` unpacks; None where nothing is.
        node, scope: where it is written; None where a library makes it.
    """

    follower: "Follower"
    callee: Value
    args: Sequence[Value]
    keywords: Mapping[str, Value]
    spread: Value = None
    node: ast.Call | None = None
    scope: CallScope | None = None

    @property
    def owner(self) -> Any:
        """The value whose method is called, or that is called itself."""
        return self.callee.owner if type(self.callee) is Bound else self.callee

    @property
    def name(self) -> str:
        """The dotted name, or that of the method; empty where there is none."""
        return self.callee.name if type(self.callee) in (External, Bound) else ""

    @property
    def span(self) -> Span | None:
        """Where it is written."""
        return None if self.node is None or self.scope is None else self.scope.span(self.node)

    @property
    def line(self) -> Span | None:
        """The first line of that."""
        if self.node is None or self.scope is None:
            return None
        return Span(self.scope.file.path, self.node.lineno, self.node.lineno)

    @property
    def is_open(self) -> bool:
        """Whether there may be more arguments than these."""
        return ANYTHING in self.keywords

    @property
    def values(self) -> list[Value]:
        """All that is handed over."""
        return [*self.args, *self.keywords.values()]


Transfer = Callable[[OutsideCall], Value]


def transfer(*names: str) -> Callable[[_Function], _Function]:
    """Say by a function what calls of these dotted names give; `*` in one stands for any text.

    The function takes the `OutsideCall`, and the arguments that it names by its parameters: a call
    without one that has no default gives UNKNOWN.
    """

    def kept(function: _Function) -> _Function:
        if twice := sorted(_FUNCTIONS.keys() & set(names)):
            raise ValueError(f"two functions say what calls give: {', '.join(twice)}")
        _FUNCTIONS.update(dict.fromkeys(names, _matched(function)))
        return function

    return kept


def method(kinds: type | Sequence[type], *names: str) -> Callable[[_Function], _Function]:
    """The same for methods of a class of values; the first argument is the owner."""

    def kept(function: _Function) -> _Function:
        known = _matched(function, of_owner=True)
        for kind in [kinds] if isinstance(kinds, type) else kinds:
            _METHODS.setdefault(kind, {}).update(dict.fromkeys(names, known))
        return function

    return kept


def _matched(function: Callable[..., Value], *, of_owner: bool = False) -> Transfer:
    """The function with its parameters taken from a call: the one place that does."""
    code = function.__code__
    if code.co_flags & 4:  # `*args`
        if of_owner:
            return lambda call: function(call, call.owner, *call.args)
        return lambda call: function(call, *call.args)
    names = code.co_varnames[1 : code.co_argcount]
    needed = frozenset(names[: len(names) - len(function.__defaults__ or ())])
    named = names[of_owner:]

    def matched(call: OutsideCall) -> Value:
        args = (call.owner, *call.args) if of_owner else call.args
        given = dict(zip(names, args, strict=False))
        if call.keywords:
            given |= {name: call.keywords[name] for name in named if name in call.keywords}
        return function(call, **given) if given.keys() >= needed else UNKNOWN

    return matched if names else function


@lru_cache(maxsize=4_096)
def function_of(name: str) -> Transfer | None:
    """The transfer function of a dotted name; None where nothing is known of what it does."""
    if name in _FUNCTIONS:
        return _FUNCTIONS[name]
    patterns = ((given, made) for given, made in _FUNCTIONS.items() if "*" in given)
    return next((made for given, made in patterns if fnmatchcase(name, given)), None)


def methods_of(kind: type) -> Mapping[str, Transfer]:
    """The transfer functions of a class's methods, those of its bases among them."""
    if kind not in _WITH_BASES:
        found = _WITH_BASES[kind] = {}
        for base in reversed(kind.__mro__):
            found |= _METHODS.get(base, {})
    return _WITH_BASES[kind]


def transfers() -> list[list[str]]:
    """The names of each transfer function: dotted names, or a class and its method."""
    found: dict[Transfer, list[str]] = {}
    for name, function in _FUNCTIONS.items():
        found.setdefault(function, []).append(name)
    for kind, held in _METHODS.items():
        for name, function in held.items():
            found.setdefault(function, []).append(f"{kind.__name__}.{name}")
    return [*found.values()]
