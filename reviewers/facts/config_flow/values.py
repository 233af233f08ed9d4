"""What is known of a value while a configuration is followed through code."""

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from functools import lru_cache
from typing import Any, TypeGuard

from omegaconf import DictConfig, ListConfig

from reviewers.facts.python_file import ClassDefinition, Function, PythonFile
from reviewers.facts.python_nodes import kept
from reviewers.records import Span


class _Mark(Enum):
    """What stands for values that are not known; UNKNOWN takes every operation and stays so."""

    UNKNOWN = "unknown"
    MORE = "more"
    LIKEWISE = "likewise"

    def __repr__(self) -> str:
        return self.name


UNKNOWN = _Mark.UNKNOWN
MORE = _Mark.MORE  # among the items of a list: it may have any others
LIKEWISE = _Mark.LIKEWISE  # it has one like those before it for every row of a batch
# Among the keywords of a call: it may pass any parameter (`f(*rest)`, `f(**rest)`), so that no
# default is certain. Among the keys of a dictionary: it may have any others.
ANYTHING = "**"
PLAIN = (str, int, float, bool, type(None))
Config = DictConfig | ListConfig
_CONFIGS = frozenset({DictConfig, ListConfig})
Value = Any  # a plain Python value, a Config, UNKNOWN, or one of the classes below


class ProblemKind(StrEnum):
    """What goes wrong where the configuration is used."""

    MERGE = "merge"
    MISSING_KEY = "missing-key"
    INTERPOLATION = "interpolation"
    REJECTED_WRITE = "rejected-write"
    NOT_A_MAPPING = "not-a-mapping"
    MISSING_FILE = "missing-file"
    UNREADABLE_FILE = "unreadable-file"
    INVALID_VALUE = "invalid-value"
    SAME_FILE = "same-file"
    RAISED = "raised"
    REFUSED_WORDS = "refused-words"
    DATA = "data"


@dataclass(frozen=True, slots=True)
class ConfigProblem:
    """An error that OmegaConf or Python raises where the configuration is used.

    Attributes:
        error: name of the exception.
        message: its first line.
        key: dotted path of the key concerned, from the configuration's root where that is known.
        certain: False where it comes after an earlier error on the same way, or under a condition
            that is not known.
        cause: the value that is refused, where it knows its place in the configuration.
        further: where else it shows, or comes from.
        behind: whether it is only met once an earlier failure is mended, since it comes of a value
            of the intended configuration.
        names: what is asked for and is not there, and what there is instead; empty if not known.
    """

    kind: ProblemKind
    error: str
    message: str
    key: str
    span: Span
    certain: bool = True
    cause: Value = None
    further: tuple[Span, ...] = ()
    behind: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Created:
    """A key that was not there and is given a value that is only known at run time.

    Attributes:
        is_refused: whether the configuration is struct still: it takes the key only because the way
            was followed on past an earlier error, as if struct mode were off.
    """

    key: str
    span: Span
    is_refused: bool


@dataclass(frozen=True, slots=True)
class External:
    """A module, class or function from outside the submission, by its dotted name."""

    name: str

    @property
    def short(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


external = lru_cache(maxsize=4_096)(External)


@dataclass(slots=True, unsafe_hash=True)
class Bound:
    """A method of a known value."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class SomePath:
    """A file path from the submission's root, or from the working directory where it is `here`; it
    begins with `..` where it leads out of there. The first part of an absolute path is `/`.
    `ends_up` where it is written with `..` at its end; `is_object` where it is certainly no text.
    """

    parts: tuple[str, ...]
    here: bool = False
    ends_up: bool = field(default=False, compare=False)
    is_object: bool = field(default=False, compare=False)

    def joined(self, more: str) -> "SomePath":
        path = SomePath(("/",)) if more.startswith("/") else replace(self, is_object=False)
        for part in more.split("/"):
            if part == "..":
                path = replace(path.above(), ends_up=True)
            elif part not in ("", "."):
                path = SomePath((*path.parts, part), path.here)
        return path

    def above(self) -> "SomePath":
        """The folder that it lies in."""
        if self.parts == ("/",):
            return self
        is_out = self.parts in ((), ("..",) * len(self.parts))
        return SomePath((*self.parts, "..") if is_out else self.parts[:-1], self.here)

    def folder(self) -> Value:
        """The folder that it lies in, as `dirname` and `parent` give it; that of the working
        directory is another one for `Path()` than for `Path.cwd()`.
        """
        return UNKNOWN if self.is_odd or (self.here and not self.parts) else self.above()

    @property
    def is_odd(self) -> bool:
        """Whether its folder and name depend on how it is written."""
        return self.ends_up or self.parts[-1:] == ("..",)

    @property
    def is_absolute(self) -> bool:
        return self.parts[:1] == ("/",)

    def __str__(self) -> str:
        return "/" + "/".join(self.parts[1:]) if self.is_absolute else "/".join(self.parts)


@dataclass(eq=False, slots=True)
class CallScope:
    """Names of one function call, or of a module; lookups go on in the scope around it."""

    file: PythonFile
    around: "CallScope | None" = None
    names: dict[str, Value] = field(default_factory=dict)
    method_of: "LocalClass | None" = None
    outer: "dict[str, CallScope]" = field(
        default_factory=dict
    )  # where names live that are declared `global` or `nonlocal`

    def span(self, node: ast.AST) -> Span:
        """Where a node of its file stands."""
        line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", None)
        return Span(self.file.path, line, end)


@kept
def parameters(
    node: Function | ast.Lambda,
) -> tuple[Sequence[str], Sequence[str], Mapping[str, ast.expr]]:
    """The names of a function's parameters, positional and by keyword only, and the defaults."""
    given = node.args
    positional = [argument.arg for argument in (*given.posonlyargs, *given.args)]
    named = [argument.arg for argument in given.kwonlyargs]
    first = len(positional) - len(given.defaults)
    defaults = dict(zip(positional[first:], given.defaults, strict=True))
    pairs = zip(named, given.kw_defaults, strict=True)
    return positional, named, defaults | {name: value for name, value in pairs if value}


@dataclass(frozen=True, eq=False, slots=True)
class LocalFunction:
    """A function or lambda of the submission with the scope it was made in.

    Attributes:
        home: the class that it is defined in.
        first, keywords: the arguments that it is given already: a method its object, or what
            `functools.partial` holds.
        defaults: of its parameters.
    """

    node: Function | ast.Lambda
    scope: CallScope
    home: "LocalClass | None" = None
    first: tuple[Value, ...] = ()
    keywords: Mapping[str, Value] = field(default_factory=dict)
    defaults: Mapping[str, Value] = field(default_factory=dict)

    def bound(self, *first: Value) -> "LocalFunction":
        """The function that has these arguments already."""
        return replace(self, first=(*self.first, *first))

    @property
    def decorators(self) -> frozenset[str]:
        """The names among its decorators."""
        listed = [] if isinstance(self.node, ast.Lambda) else self.node.decorator_list
        return frozenset(part.id for part in listed if isinstance(part, ast.Name))


@dataclass(frozen=True, eq=False, slots=True)
class ClickCommand:
    """A function of the submission that click calls with what stands on the command line."""

    function: LocalFunction


@dataclass(frozen=True, eq=False, slots=True)
class LocalClass:
    """A class of the submission."""

    definition: ClassDefinition
    scope: CallScope


@dataclass(eq=False, slots=True)
class Instance:
    """An object of one of the submission's classes; what was never seen being set is unknown."""

    cls: LocalClass
    attributes: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, slots=True)
class Super:
    """`super()` in a method: the object, and the class whose method it is."""

    of: Instance
    cls: LocalClass


@dataclass(frozen=True, eq=False, slots=True)
class Several:
    """Something to be iterated over at least once, such as `range(3)` or a data loader, by items
    that are not looked at one by one; `of` where they are known, `item` as any of them is.
    """

    of: range | None = None
    item: Value = UNKNOWN


class Fixed(list[Value]):
    """A tuple."""


class Unordered(list[Value]):
    """A set, or a list of which the order is not known; `is_set` where it is the first."""

    is_set = False


@dataclass(frozen=True, slots=True)
class Device:
    """A `torch.device`: `cuda`, `cpu`."""

    type: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number of Python's own that is not known, such as that of a turn of a loop."""


@dataclass(frozen=True, slots=True)
class PartlyKnown:
    """A text with `{}` where a part of it is not known."""

    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Dumped:
    """The text of a YAML or JSON document that the code has made of a value."""

    value: Value


@dataclass(frozen=True, eq=False, slots=True)
class Opened:
    """An open file.

    Attributes:
        content: what can be read from it; None where it is open to be written.
    """

    path: SomePath
    content: "str | Dumped | None" = None


@dataclass(frozen=True, eq=False, slots=True)
class Within:
    """What is so in a `with` block: a configuration takes new keys, errors of names are caught."""

    config: Value = None
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScriptProcess:
    """A script of the submission that the code starts in a process of its own.

    Attributes:
        path: its file, which need not be there.
        words: the values of its command line after the script.
        files: what the code has written before, by path.
        is_module: whether it is started by `-m`.
        folder: the working directory from the submission's root, a path outside of it where that is
            elsewhere; None where it is not known.
        environment: its variables, as far as they are known.
        node: the call.
    """

    path: str
    words: tuple[Value, ...]
    files: Mapping[tuple[str, ...], Value]
    is_module: bool = False
    folder: str | None = ""
    environment: Value = UNKNOWN
    node: ast.Call | None = None


class Leave(Exception):
    """The code that is followed leaves a block, with what the names stood for by then."""

    def __init__(
        self, how: str, value: Value = None, error: str = "", names: dict[str, Value] | None = None
    ) -> None:
        super().__init__(how)
        self.how = how
        self.value = value
        self.error = error
        self.names = names or {}


_COMPARED = (*PLAIN, External, SomePath, PartlyKnown, Number)


def is_same(one: Value, other: Value) -> bool:
    """Whether two values are known to be the same."""
    if one is other:
        return True
    return type(one) is type(other) and isinstance(one, _COMPARED) and bool(one == other)


def is_config(value: Value) -> TypeGuard[Config]:
    """Whether a value is a configuration. To ask `isinstance` of OmegaConf's classes is dear."""
    return type(value) in _CONFIGS


class Meeting:
    """A value of which something is left where ways meet that have others of its kind."""

    __slots__ = ()

    def met(self, other: Value) -> Value:
        """What both are."""
        raise NotImplementedError


def joined(states: Sequence[Mapping[str, Value]]) -> dict[str, Value]:
    """What names stand for where several ways meet; one that only some of them bind is bound."""
    made: dict[str, Value] = dict(states[0]) if states else {}
    for state in states[1:]:
        for name, value in state.items():
            before = made.setdefault(name, value)
            if before is not value and not is_same(before, value):
                made[name] = before.met(value) if isinstance(before, Meeting) else UNKNOWN
    return made


def is_open(items: Collection[Value]) -> bool:
    """Whether a list or mapping may hold more than is known."""
    if isinstance(items, dict):
        return ANYTHING in items
    return any(item is MORE or item is LIKEWISE for item in items)


def forget(container: dict[Any, Value] | list[Value]) -> None:
    """Keep nothing of what is in a container: something of it is taken away, who knows what."""
    container.clear()
    if isinstance(container, dict):
        container[ANYTHING] = UNKNOWN
    else:
        container.append(MORE)


def overlaid(below: dict[Any, Value], above: dict[Any, Value]) -> dict[Any, Value]:
    """One mapping over another one, which may have any keys where it says so."""
    return {**(dict.fromkeys(below, UNKNOWN) if ANYTHING in above else below), **above}


def unordered(items: Iterable[Value]) -> Unordered:
    """A set of these; of what is not known wholly there may be fewer."""
    made = Unordered()
    for item in items:
        if not any(isinstance(other, PLAIN) and item == other for other in made):
            made.append(item)
    plain = all(isinstance(item, PLAIN) for item in made)
    made = made if plain or len(made) < 2 else Unordered([*made[:1], MORE])
    made.is_set = True
    return made


def copied(value: Value) -> Value:
    """The value as it is now, whatever becomes of the lists and mappings in it."""
    if type(value) in (list, Fixed, Unordered):
        return type(value)(map(copied, value))
    return {key: copied(part) for key, part in value.items()} if type(value) is dict else value


def blur(value: Value) -> None:
    """Forget what is in a container: code that is not followed may have changed it."""
    parts = value.values() if type(value) is dict else value if type(value) is list else ()
    for part in parts:
        blur(part)
    if type(value) is dict:
        value.update({key: UNKNOWN for key, part in value.items() if not isinstance(part, dict)})
        value[ANYTHING] = UNKNOWN
    elif type(value) is list:
        value.append(MORE)
