"""Reads and writes on real configurations, with OmegaConf's own errors and without resolvers."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from omegaconf import AnyNode, DictConfig, ListConfig, Node, OmegaConf, flag_override
from omegaconf.errors import InterpolationResolutionError, OmegaConfBaseException

from reviewers.facts.config_flow.values import (
    ANYTHING,
    PLAIN,
    UNKNOWN,
    CallScope,
    Config,
    Created,
    LocalFunction,
    Number,
    Opened,
    ProblemKind,
    Several,
    SomePath,
    Value,
    is_config,
)
from reviewers.facts.config_nodes import contained
from reviewers.facts.placed import IntendedPath, KeyPlace, placed, without_place
from reviewers.records import Span

# Stands in a configuration for a value that is not known; no YAML can hold it, since bundles with
# NUL bytes are refused.
_STANDS_FOR_UNKNOWN = "\0unknown"
_MENDED = "mended"  # OmegaConf keeps flags of any name, in copies, merges and sections too
_INTENDED = "intended"  # likewise
_DEEPEST = 16
_LONGEST_CHAIN = 5  # of interpolations that name one another
_OF_ONE_KEY = re.compile(r"\$\{\s*([^\s.:${}][^:${}]*?)\s*\}")
# Hydra's and OmegaConf's own resolvers; `oc.…` are others.
_BUILT_IN = frozenset(("now", "hydra", "python_version"))
_RESOLVER = re.compile(r"\$\{\s*([A-Za-z_][\w.-]*)\s*:")
# The names of the resolvers that the code under review registers; None where not all are known.
RESOLVERS: ContextVar[frozenset[str] | None] = ContextVar("RESOLVERS", default=None)
_SPECIAL = re.compile(r"\$\{|^\?\?\?$")  # a text that stands for another value, or for none
_KEYS = (str, int, float, bool)
_PLAIN = frozenset(_KEYS)
_LEAVES = frozenset({AnyNode, *PLAIN})  # nothing stands in these
STEPS = 25  # that OmegaConf takes for one read or write, beside those for each value it copies
STEPS_OF_A_REFUSAL = 300  # beside these, to say why it refuses one, and for the rules that ask
LARGEST = 2_000  # values in one configuration; real ones have about 100


@dataclass(eq=False)
class AccessError(Exception):
    """What OmegaConf, Python or another library says to a read, a write or a call.

    Attributes:
        key: dotted path of the key concerned.
        cause: the value that leads to it, where it knows its place.
        instead: the value with which the way goes on.
        at: where it is to be mended; None where that is where it is raised.
        further: where else it shows, or comes from.
        is_doubtful: it may not be raised, even where the code comes here.
        is_behind: whether it is met with the intended configuration only.
        names: what is asked for and is not there, and what there is instead.
    """

    kind: ProblemKind
    error: str
    message: str
    key: str = ""
    cause: Value = None
    instead: Value = UNKNOWN
    at: Span | None = None
    further: Sequence[Span | None] = ()
    is_doubtful: bool = False
    is_behind: bool = False
    names: tuple[str, ...] = ()


REFUSALS = (
    OmegaConfBaseException, TypeError, ValueError, KeyError, IndexError, AttributeError, AssertionError, RecursionError  # noqa: E501
)  # fmt: skip


def translated(kind: ProblemKind, key: str, deed: Callable[[], Any]) -> Value:
    """Do it, with OmegaConf's error turned into ours."""
    try:
        return deed()
    except REFUSALS as error:
        raise as_ours(error, kind, key) from None


def as_ours(error: Exception, kind: ProblemKind, key: str) -> AccessError:
    if isinstance(error, InterpolationResolutionError):
        kind, key = ProblemKind.INTERPOLATION, str(error.full_key or key)
    return AccessError(kind, type(error).__name__, first_line(error), key)


def first_line(error: BaseException) -> str:
    """The first line of what an exception says."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def path_of(config: Config, key: object = None) -> str:
    """Dotted path of a configuration, or of a key in it, from its root."""
    # What OmegaConf gives too, where all keys are words; it looks up and shows each one anew.
    keys, node = [] if key is None else [key], config
    while type(node) is DictConfig and (above := node._metadata.key) is not None:
        keys.append(above)
        node = node._parent  # type: ignore[assignment]
    if type(node) is DictConfig and all(type(one) is str and one.isidentifier() for one in keys):
        return ".".join(reversed(keys))  # type: ignore[arg-type]
    full = config._get_full_key(None if key is None else key)  # type: ignore[arg-type]
    return str(full)


def read(config: Config, key: object, *, as_attribute: bool) -> Value:
    """Read one key as the code would; one that asks a resolver gives an unknown value."""
    if type(config) is DictConfig and type(config._content) is dict and type(key) is str:
        # What OmegaConf gives too where nothing has to be looked up elsewhere.
        node = config._content.get(key)
        if type(node) is AnyNode and type(node._val) in _PLAIN:
            if not (type(node._val) is str and _SPECIAL.search(node._val)):
                return _with_place(node._val, config, key)
        elif is_config(node) and isinstance(node._content, (dict, list)):
            return node
        is_plain = config._metadata.object_type in (dict, None)
        if is_plain and key not in config._content:
            is_struct = config._get_flag("struct") is True
            if refusal := _said_of_missing(key, is_struct, as_attribute):
                raise AccessError(ProblemKind.MISSING_KEY, *refusal, path_of(config, key))
    if _asks_a_resolver(config, key):
        _refuse_unregistered(config._get_node(key, validate_access=False))  # type: ignore[arg-type]
        return UNKNOWN
    try:
        value = (
            getattr(config, str(key))
            if as_attribute and isinstance(config, DictConfig)
            else config[key]  # type: ignore[index]
        )
    except REFUSALS as error:
        path = path_of(config, key) if isinstance(key, (str, int)) else str(key)
        raise as_ours(error, ProblemKind.MISSING_KEY, path) from None
    return _with_place(value, config, key)


@lru_cache(maxsize=1_024)
def _said_of_missing(key: str, is_struct: bool, as_attribute: bool) -> tuple[str, str] | None:
    """The error, by name and first line, that OmegaConf raises where a key is not there: the same
    for any mapping, but it takes long to say it. None where it raises none, as for `items`.
    """
    empty = DictConfig({}, flags={"struct": is_struct})
    try:
        getattr(empty, key) if as_attribute else empty[key]
    except REFUSALS as error:
        return type(error).__name__, first_line(error)
    return None


def _with_place(value: Value, config: Config, key: object) -> Value:
    if type(value) is str and value == _STANDS_FOR_UNKNOWN:
        return UNKNOWN
    if not isinstance(value, (str, int, float)):
        return value  # to ask for the place of a section, which keeps none, is dear
    path = path_of(config, key)
    return placed(value, IntendedPath(path) if is_intended(config) else path)


def keys(config: DictConfig) -> list[Value]:
    """The keys, each with its place."""
    return [placed(key, KeyPlace(path_of(config, key))) for key in config]


def mark_intended(config: DictConfig) -> None:
    """Say that the code does not get these values, but is meant to."""
    config._set_flag(_INTENDED, True)


def is_intended(config: Config) -> bool:
    """Whether the code does not get these values, but is meant to."""
    return config._get_flag(_INTENDED) is True


def read_path(config: Config, path: str, default: Value = None) -> Value:
    """`OmegaConf.select`: a missing key gives the default."""
    value: Value = config
    parts = path.replace("[", ".").replace("]", "").split(".")
    for place, part in enumerate(parts, 1):
        if isinstance(value, ListConfig) and part.isdigit():
            value = value[int(part)] if int(part) < len(value) else default
        elif isinstance(value, DictConfig):
            if value._is_none() or value._is_missing() or part not in value._content:  # type: ignore[operator]
                return default
            try:
                value = read(value, part, as_attribute=False)
            except AccessError:
                if place < len(parts) and value._get_node(part)._is_missing():
                    return default  # nothing lies below what is to be given yet
                value = UNKNOWN
        else:
            return UNKNOWN if value is UNKNOWN else default
    return value


def write(config: Config, key: str | int, value: Value, *, as_attribute: bool) -> None:
    """Write one key as the code would; an unknown value takes its place as such."""
    stored, path = storable(value), path_of(config, key)
    if isinstance(value, (LocalFunction, CallScope, Several, Opened)):
        said = "it is not a supported primitive type"
        raise AccessError(ProblemKind.REJECTED_WRITE, "UnsupportedValueType", said, path)
    if as_attribute:
        change = partial(setattr, config, str(key), stored)
    else:
        change = partial(config.__setitem__, key, stored)  # type: ignore[index]
    translated(ProblemKind.REJECTED_WRITE, path, change)


def take_out(config: DictConfig, key: str | int, *default: Value, how: str = "pop") -> Value:
    """`config.pop(key)`, or the deletion of a key, which struct mode refuses whatever it is."""
    if OmegaConf.is_struct(config) is not True:
        return translated(ProblemKind.MISSING_KEY, str(key), lambda: config.pop(key, *default))
    said = f"DictConfig in struct mode does not support {how}"
    path, held = path_of(config, key), UNKNOWN
    with suppress(*REFUSALS), flag_override(config, "struct", False):
        held = config.pop(key, *default)
    raise AccessError(ProblemKind.REJECTED_WRITE, "ConfigTypeError", said, path, instead=held)


def note_created(
    created: list[Created],
    owner: Value,
    key: Value,
    value: Value,
    span: Span,
    *,
    is_forced: bool = False,
) -> None:
    """Keep a key that is not there and is given a value that is only known at run time."""
    is_key = type(owner) is DictConfig and isinstance(key, str)
    if (value is UNKNOWN or isinstance(value, Number)) and is_key and not holds(owner, key):
        made = Created(path_of(owner, key), span, is_mended(owner) and not is_forced)
        if all((made.key, span) != (one.key, one.span) for one in created):
            created.append(made)


def mend(config: DictConfig) -> None:
    """Switch struct mode off where the code has not, so that the way can be followed on."""
    OmegaConf.set_struct(config, False)
    config._set_flag(_MENDED, True)


def is_mended(config: Config) -> bool:
    """Whether only `mend` lets a configuration take new keys."""
    return config._get_flag(_MENDED) is True


def set_struct(config: Config, value: bool | None) -> None:
    """`OmegaConf.set_struct`."""
    OmegaConf.set_struct(config, value)
    config._set_flag(_MENDED, False)


@contextmanager
def struct_mode_off(config: Config) -> Iterator[None]:
    """`open_dict(config)`."""
    with flag_override(config, ["struct", _MENDED], False):
        yield


def plain(config: Config) -> Value:
    """`OmegaConf.to_container` without resolving; interpolations become unknown."""
    return _without_interpolations(contained(config, resolve=False))


def as_text(config: Config) -> Value:
    """`str(config)`, which is no word that Hydra reads; unknown where a value of it is."""
    is_known = not (is_intended(config) or config._get_flag(_MENDED))
    text = str(config) if is_known else repr(_STANDS_FOR_UNKNOWN)
    return UNKNOWN if repr(_STANDS_FOR_UNKNOWN) in text else text


def entries(config: DictConfig) -> dict[Value, Value]:
    """The keys with their values, each read as the code would."""
    return {key: read(config, key, as_attribute=False) for key in keys(config)}


def spread(value: Value) -> dict[str, Value] | None:
    """The keywords that unpacking a mapping gives; None where they are not all known."""
    if type(value) is DictConfig and not value._is_none() and not value._is_missing():
        value = plain(value)
    known = (
        type(value) is dict and ANYTHING not in value and all(isinstance(key, str) for key in value)
    )
    return value if known else None


def resolved(config: Config) -> Value:
    """`OmegaConf.to_container(config, resolve=True)`; as without it where that asks a resolver."""
    if any(":" in str(node._value()) for node in _interpolating(config)):
        _refuse_unregistered(config)
        return plain(config)
    values = translated(ProblemKind.INTERPOLATION, "", lambda: contained(config, resolve=True))
    return _without_interpolations(values)


def _refuse_unregistered(node: object) -> None:
    """Raise what OmegaConf does where the values ask a resolver that nobody registers."""
    registered = RESOLVERS.get()
    if registered is None:
        return
    for asking in _interpolating(node):
        for name in _RESOLVER.findall(str(asking._value())):
            if name not in registered | _BUILT_IN and not name.startswith("oc."):
                raise AccessError(
                    ProblemKind.INTERPOLATION,
                    "UnsupportedInterpolationType",
                    f"Unsupported interpolation type {name}",
                    str(asking._get_full_key(None)),
                )


def _interpolating(node: object) -> Iterator[Node]:
    """The values that are interpolations."""
    if type(node) is AnyNode and "${" not in str(node._val):
        return  # as nearly all of them
    if isinstance(node, Node) and node._is_interpolation():
        yield node
    for part in _within(node) if is_config(node) else ():
        yield from _interpolating(part)


def _within(value: Value) -> Collection[Value]:
    """What stands in a configuration or container."""
    content = value._content if is_config(value) else value
    if isinstance(content, dict):
        return content.values()
    return content if isinstance(content, (list, tuple)) else ()


def size(value: Value) -> int:
    """Number of values in a configuration or container, which is what copying and merging it costs;
    counted up to a limit.

    What is nested deeper than any real configuration is too large as well: OmegaConf copies each
    level for all above it.
    """
    level, found, depth = _within(value), 0, 1
    while level:
        found, depth = found + len(level), depth + 1
        if depth > _DEEPEST or found > LARGEST:
            return LARGEST + 1
        level = [inner for part in level if type(part) not in _LEAVES for inner in _within(part)]
    return found


def holds(config: Config, path: str) -> bool:
    """Whether the configuration has a key, by its dotted path."""
    absent = object()
    return read_path(config, path, absent) is not absent


def _without_interpolations(value: Value) -> Value:
    if isinstance(value, dict):
        return {key: _without_interpolations(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_interpolations(item) for item in value]
    is_open = isinstance(value, str) and ("${" in value or value == _STANDS_FOR_UNKNOWN)
    return UNKNOWN if is_open else value


def forget(config: DictConfig, path: str) -> None:
    """Say that nothing is known of the value at a dotted path."""
    with suppress(*REFUSALS):
        OmegaConf.update(config, path, _STANDS_FOR_UNKNOWN, force_add=True)


def storable(value: Value) -> Value:
    """The value as a configuration can hold it; a mark stands for what is unknown or too large."""
    return _stored(value) if size(value) <= LARGEST else _STANDS_FOR_UNKNOWN


def _stored(value: Value) -> Value:
    if is_config(value) or isinstance(value, (*PLAIN, bytes)):
        return without_place(value)
    if isinstance(value, SomePath):
        return str(value)
    if isinstance(value, dict) and all(isinstance(key, _KEYS) for key in value):
        if ANYTHING not in value:
            return {without_place(key): _stored(item) for key, item in value.items()}
    elif isinstance(value, (list, tuple)):
        return [_stored(item) for item in value]
    return _STANDS_FOR_UNKNOWN


def _asks_a_resolver(config: Config, key: object, depth: int = _LONGEST_CHAIN) -> bool:
    """Whether reading would run a resolver, itself or through what an interpolation names."""
    try:
        node = config._get_node(key, validate_access=False)  # type: ignore[arg-type]
    except REFUSALS:
        return False
    if not isinstance(node, Node) or not node._is_interpolation():
        return False
    named = _OF_ONE_KEY.fullmatch(str(node._value()))
    if named is None or depth == 0:
        return True
    owner: Any = config._get_root()
    for part in named[1].split("."):
        if not isinstance(owner, DictConfig) or _asks_a_resolver(owner, part, depth - 1):
            return True
        owner = owner._get_node(part, validate_access=False)
        if owner is None:
            return False  # it leads nowhere, as OmegaConf will say
    return False
