"""What the calls outside the submission do that matter to a configuration: OmegaConf's own, paths,
copies and a few builtins.
"""

import ast
import copy
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from reviewers.facts.config_flow import (
    access,
    arguments,
    cells,
    data_calls,
    files,
    model_calls,
    operations,
    processes,
)
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.arguments import Commands, Namespace, Parser
from reviewers.facts.config_flow.cells import Cell, Count, Each
from reviewers.facts.config_flow.data_values import (
    Collator,
    DataSet,
    DataSets,
    Modelled,
    Partial,
    Row,
    Tokenizer,
)
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.members import Bound
from reviewers.facts.config_flow.passed import note
from reviewers.facts.config_flow.values import (
    ANYTHING,
    LIKEWISE,
    MORE,
    UNKNOWN,
    External,
    Fixed,
    Instance,
    LocalFunction,
    Opened,
    PartlyKnown,
    ProblemKind,
    Scope,
    Several,
    SomePath,
    Unordered,
    Value,
    blur,
    forget,
    is_open,
    unordered,
)
from reviewers.facts.parsing import MOST_BITS
from reviewers.facts.placed import place_of, placed
from reviewers.facts.world import TRIAL, assumed

_TEXT_METHODS = frozenset(
    {
        "endswith",
        "lower",
        "lstrip",
        "partition",
        "removeprefix",
        "removesuffix",
        "replace",
        "rpartition",
        "rstrip",
        "split",
        "startswith",
        "strip",
        "title",
        "upper",
    }
)
# In the name of what changes its arguments.
_MERGING = re.compile(r"merge|deep_?update|update_|override")
_MOST_CALLS = 64  # of one function that a pool calls
_LONGEST = 100_000  # characters of a text that is worked out
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "omegaconf.DictConfig": DictConfig,
    "omegaconf.ListConfig": ListConfig,
    "collections.abc.Mapping": (DictConfig, dict),
    "typing.Mapping": (DictConfig, dict),
    "bool": bool,
    "dict": dict,
    "float": float,
    "int": int,
    "list": list,
    "str": str,
}


_WITHOUT_CHANGE = frozenset({"count", "difference", "index", "intersection", "union"})


def call(
    follower: Follower,
    callee: Value,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    node: object,
) -> Value:
    """The value of a call outside the submission.

    Raises:
        AccessError: OmegaConf refuses it.
    """
    modelled = isinstance(callee.owner if isinstance(callee, Bound) else callee, Modelled)
    if callee is UNKNOWN or modelled or (isinstance(callee, External) and "." in callee.name):
        certain = not follower.is_unsure
        happens = certain and not follower.may_not_happen
        note(follower.passed, node, args, keywords, certain=certain, happens=happens)
    model_calls.note(follower, callee, args, keywords, node)
    if isinstance(callee, Bound | External):
        sizes = [access.size(value) for value in (*args, *keywords.values())]
        copied = isinstance(callee, External) and callee.name.startswith(("copy.", "omegaconf."))
        heavy = copied and any(sizes)
        follower.spend(50 + sum(sizes) * 40 if heavy else 10 + sum(sizes) // 2)
        if max(sizes, default=0) > access.LARGEST:
            return UNKNOWN
    try:
        if isinstance(callee, Bound):
            return _bound(follower, callee, args, keywords)
        if isinstance(callee, External) and (known := _KNOWN.get(callee.name)) is not None:
            return known(follower, args, keywords)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return UNKNOWN  # values that nobody gives to it, and that no model of it foresees
    if (made := data_calls.called(follower, callee, args, keywords)) is not None:
        return made
    if isinstance(callee, External) and callee.name in processes.STARTING:
        processes.note(follower, callee.name, args, keywords, node)
    if _pooled(follower, callee, args, keywords, node):
        return UNKNOWN
    if isinstance(callee, External) and _MERGING.search(callee.name):
        for value in args:
            blur(value)
    for value in (*args, *keywords.values()) if keywords.get("n_trials") != 0 else ():
        # Who gets a function of the submission will call it: an optimiser its objective, a
        # loader its collate function.
        if isinstance(value, LocalFunction | Partial):
            follower.hand(value, [TRIAL] if "n_trials" in keywords else [])
    given = assumed(callee.name, args) if isinstance(callee, External) else None
    return given or UNKNOWN


def _pooled(
    follower: Follower,
    callee: Value,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    node: object,
) -> bool:
    """Follow a function that a thread or a pool calls with known arguments, and say whether it is
    one; what the function raises stops nothing else.
    """
    name = (
        callee.name
        if isinstance(callee, External)
        else node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else ""
    )
    function = args[0] if args else None
    calls: list[Sequence[Value]] | None = None
    if name in ("threading.Thread", "multiprocessing.Process"):
        function = keywords.get("target")
        calls = [follower.turns(keywords.get("args", [])) or []]
    elif name == "submit" and not keywords:
        calls = [args[1:]]
    elif name in ("map", "imap", "imap_unordered") and len(args) == 2:
        items = follower.turns(args[1])
        calls = None if items is None else [[item] for item in items[:_MOST_CALLS]]
    if calls is None or not isinstance(function, LocalFunction):
        return False
    follower.caught.append(("BaseException",))
    try:
        for given in calls:
            follower.apply(function, given)
    finally:
        follower.caught.pop()
    return True


def mended(callee: Value, args: Sequence[Value]) -> Value:
    """What the call would have given with struct mode off, so that the way can be followed on."""
    name = (
        callee.name
        if isinstance(callee, External)
        else f".{callee.name}"
        if isinstance(callee, Bound)
        else ""
    )
    parts = [callee.owner, *args] if isinstance(callee, Bound) else list(args)
    configs = [part for part in parts if isinstance(part, DictConfig)]
    if name in ("omegaconf.OmegaConf.merge", ".merge_with", ".update") and configs:
        target = configs[0] if isinstance(callee, Bound) else copy.deepcopy(configs[0])
        access.mend(target)
        try:
            target.merge_with(*parts[1:])
        except (OmegaConfBaseException, TypeError, ValueError):
            return UNKNOWN
        return target
    if (
        name == "omegaconf.OmegaConf.update"
        and len(args) > 2
        and configs
        and isinstance(args[1], str)
    ):
        try:
            access.update(configs[0], args[1], args[2], merge=True, force_add=True)
        except AccessError:
            return UNKNOWN
    return UNKNOWN


def _merge(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if not args or not all(isinstance(part, DictConfig | ListConfig | dict) for part in args):
        return UNKNOWN
    known = [access.storable(part) for part in args]
    if any(isinstance(part, str) for part in known):
        return UNKNOWN
    try:
        return OmegaConf.merge(*known)
    except OmegaConfBaseException as error:
        key = str(error.full_key or error.key or "")
        raise AccessError(
            ProblemKind.MERGE, type(error).__name__, access.first_line(error), key
        ) from None
    except (TypeError, ValueError, AssertionError, AttributeError) as error:
        raise AccessError(
            ProblemKind.MERGE, type(error).__name__, access.first_line(error), ""
        ) from None


def _create(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    given = args[0] if args else keywords.get("obj", {})
    if not isinstance(given, DictConfig | ListConfig | dict | list) and given is not None:
        return UNKNOWN
    stored = access.storable(given)
    return (
        UNKNOWN
        if isinstance(stored, str)
        else access.translated(ProblemKind.MERGE, "", lambda: OmegaConf.create(stored))
    )


def _container(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    given = args[0] if args else keywords.get("cfg")
    if not isinstance(given, DictConfig | ListConfig):
        return UNKNOWN
    resolve = args[1] if len(args) > 1 else keywords.get("resolve")
    return access.resolved(given) if resolve is True else access.plain(given)


def _set_struct(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    given = [*args, *keywords.values()]
    if len(given) == 2 and isinstance(given[0], DictConfig | ListConfig):
        access.set_struct(given[0], given[1] if isinstance(given[1], bool | None) else False)
    return None


def _set_readonly(
    follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    given = [*args, *keywords.values()]
    if len(given) == 2 and isinstance(given[0], DictConfig | ListConfig):
        OmegaConf.set_readonly(given[0], given[1] if isinstance(given[1], bool | None) else False)
    return None


def _update(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    given = dict(zip(("cfg", "key", "value"), args, strict=False)) | dict(keywords)
    config, key = given.get("cfg"), given.get("key")
    if isinstance(config, DictConfig | ListConfig) and isinstance(key, str):
        force = given.get("force_add") is True
        access.update(
            config,
            key,
            given.get("value", UNKNOWN),
            merge=given.get("merge") is not False,
            force_add=force,
        )
    return None


def _select(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if (
        len(args) < 2
        or not isinstance(args[0], DictConfig | ListConfig)
        or not isinstance(args[1], str)
    ):
        return UNKNOWN
    return access.read_path(args[0], args[1], keywords.get("default"))


def _copied(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    value = args[0] if args else UNKNOWN
    if isinstance(value, DictConfig | ListConfig):
        return copy.deepcopy(value)
    if isinstance(value, Each) and isinstance(value.item, Cell):
        return Each(value.item.anew(), value.size)
    if isinstance(value, Cell):
        return value.anew()
    return files.snapshot(value) if type(value) in (dict, list) else value


def _dot_list(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    words = follower.turns(args[0]) if args else None
    if words is None or not all(isinstance(word, str) and "{" not in word for word in words):
        return UNKNOWN
    return access.translated(ProblemKind.MERGE, "", lambda: OmegaConf.from_dotlist(words))


def _repeats(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`range`: whether there is a turn at all is what matters."""
    known = bool(args) and all(isinstance(arg, int) and not isinstance(arg, bool) for arg in args)
    if len(args) == 1 and isinstance(args[0], Count):
        per_row = args[0].parts == ((cells.ROWS, 1),) and not args[0].fixed
        return Each(UNKNOWN) if per_row else Several() if args[0].grows else UNKNOWN
    if args and isinstance(args[0], str | float | None):
        said = f"'{type(args[0]).__name__}' object cannot be interpreted as an integer"
        raise operations.invalid(TypeError(said))
    if known and (len(args) < 3 or args[2]):
        return Several(range(*args)) if range(*args) else []
    return UNKNOWN


def _through(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """What hands on the items that it is given: a progress bar, a sorted list."""
    return args[0] if args and isinstance(args[0], list | Several | Each) else UNKNOWN


def _numbered(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    items = follower.turns(args[0]) if args else None
    start = args[1] if len(args) > 1 else keywords.get("start", 0)
    if args and isinstance(args[0], Each):
        return Each([UNKNOWN, args[0].taken()], args[0].size)
    if args and isinstance(args[0], Several):
        return Several()
    if items is None or not isinstance(start, int):
        return UNKNOWN
    return [Fixed([number, item]) for number, item in enumerate(items, start)]


def _zipped(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    known = [follower.turns(arg) for arg in args if cells.item_of(arg) is None]
    items = [item for item in known if item is not None]
    if len(items) < len(args) or keywords:
        return cells.along(args)
    return [Fixed(parts) for parts in zip(*items, strict=False)]


def _sorted(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`sorted`: what is plain, by itself or by its first part, is sorted for real."""
    given = args[0] if args else UNKNOWN
    items = list(given) if isinstance(given, Unordered) else follower.turns(given)
    if not isinstance(given, dict | list | str | DictConfig) or items is None or is_open(items):
        return given if isinstance(given, Several | Each) else UNKNOWN
    keys = [item[0] if type(item) is Fixed and item else item for item in items]
    reverse = keywords.get("reverse", False)
    known = all(isinstance(key, str | int | float) for key in keys) and isinstance(reverse, bool)
    known = known and (keys == items or len(set(keys)) == len(keys)) and "key" not in keywords
    if not known or ANYTHING in keywords:
        return Unordered(items)
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    except TypeError as error:
        raise operations.invalid(error) from None
    return [items[at] for at in order]


def _split(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    parts = (
        follower.turns(args[1])
        if len(args) > 1 and isinstance(args[0], Instance | DataSet)
        else None
    )
    return [args[0]] * len(parts) if parts else UNKNOWN


def _moved_away(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    path = files.path_of(args[0]) if args else None
    follower.folder = None if path is None else files.from_root(follower, path)
    if follower.folder is not None and "{}" in follower.folder:
        follower.folder = None
    return None


def _has(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if len(args) == 2 and isinstance(args[0], DictConfig) and isinstance(args[1], str):
        return args[1] in args[0].keys()  # noqa: SIM118
    if len(args) == 2 and isinstance(args[0], Namespace) and args[0].values:
        return args[1] in args[0].values
    return UNKNOWN


def _variables(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`vars(namespace)`."""
    known = args and isinstance(args[0], Namespace) and args[0].values
    return args[0].values if known else UNKNOWN


def _get(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if len(args) > 1 and isinstance(args[0], Namespace) and isinstance(args[1], str):
        missing = args[2] if len(args) > 2 and args[0].values else UNKNOWN
        return args[0].values.get(args[1], missing)
    if len(args) > 1 and isinstance(args[0], Scope) and isinstance(args[1], str):
        return _of_module(args[0], args[1], args[2:])
    if len(args) == 2 and isinstance(args[0], External) and isinstance(args[1], str):
        return External(f"{args[0].name}.{args[1]}")
    if len(args) < 2 or not isinstance(args[0], DictConfig) or not isinstance(args[1], str):
        return UNKNOWN
    if len(args) == 3 and args[1] not in args[0].keys():  # noqa: SIM118
        return args[2]
    return access.read(args[0], args[1], as_attribute=True)


def _of_module(module: Scope, name: str, default: Sequence[Value]) -> Value:
    """`getattr(module, name)`, of a module of the submission."""
    known = not any(item.name == "*" for item in module.file.imports)
    if name in module.names or not known or "__getattr__" in module.names:
        return module.names.get(name, UNKNOWN)
    if default:
        return default[0]
    message = f"module '{module.file.module}' has no attribute '{name}'"
    raise AccessError(ProblemKind.INVALID_VALUE, "AttributeError", message, name, name)


def _module(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`importlib.import_module(name)`, of a module of the submission."""
    name = args[0] if len(args) == 1 else None
    paths = [path for path, file in follower.python.items() if file.module == name]
    return follower.module(paths[0]) if paths else UNKNOWN


def _set(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if len(args) == 3 and isinstance(args[0], DictConfig) and isinstance(args[1], str):
        access.write(args[0], args[1], args[2], as_attribute=True)
    if len(args) == 3 and isinstance(args[0], Instance):
        held = args[0].attributes
        names = {args[1]} if isinstance(args[1], str) else {*held}
        held.update(dict.fromkeys(names, UNKNOWN))
        if isinstance(args[1], str) and not follower.may_be_undone:
            held[args[1]] = args[2]
    return None


def _is_instance(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if len(args) != 2 or not isinstance(
        args[0], (*operations.PLAIN, DictConfig, ListConfig, dict, list)
    ):
        return UNKNOWN
    asked = args[1] if isinstance(args[1], list) else [args[1]]
    names = [kind.name if isinstance(kind, External) else None for kind in asked]
    if any(name not in _TYPES for name in names) or (isinstance(args[0], list) and "list" in names):
        return UNKNOWN  # a list here may stand for a tuple or a set
    return any(isinstance(args[0], _TYPES[name]) for name in names if name is not None)


def _text(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    value = args[0] if args else ""
    if isinstance(value, SomePath | PartlyKnown) or (
        isinstance(value, Cell) and value.kind == cells.TEXT
    ):
        return value
    known = isinstance(value, str | int | float)
    return placed(str(value), place_of(value)) if known else UNKNOWN


def _dict(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if args and isinstance(args[0], DictConfig | dict):
        base = access.entries(args[0]) if isinstance(args[0], DictConfig) else dict(args[0])
        return (
            {**base, **keywords} if isinstance(base, dict) and ANYTHING not in keywords else UNKNOWN
        )
    pairs = follower.turns(args[0]) if len(args) == 1 else []
    if pairs is None or len(args) > 1 or ANYTHING in keywords or not all(map(_is_pair, pairs)):
        return UNKNOWN
    return {**dict(pairs), **keywords}


def _is_pair(value: Value) -> bool:
    """Whether a value is a key and what stands under it."""
    return isinstance(value, list | tuple) and len(value) == 2 and isinstance(value[0], str | int)


def _next(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`next(… for … in …)`, of which the whole list is known."""
    if not args or not isinstance(args[0], list):
        return data_calls.following(args)
    items = follower.turns(args[0])
    return UNKNOWN if items is None else (items or args[1:] or [UNKNOWN])[0]


def _listed(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if args and isinstance(args[0], Cell | Each):
        return cells.method(args[0], "copy", (), is_unsure=False)
    of = args[0].of if args and isinstance(args[0], Several) else None
    if of is not None:
        return UNKNOWN if of[_MOST_CALLS:] else list(of)
    items = follower.turns(args[0]) if args else []
    return UNKNOWN if items is None else items


def _tuple(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    items = _listed(follower, args, keywords)
    return Fixed(items) if isinstance(items, list) else UNKNOWN


def _set_of(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    known = args and isinstance(args[0], Unordered)
    items = list(args[0]) if known else _listed(follower, args, keywords)
    return unordered(items) if isinstance(items, list) and not is_open(items) else UNKNOWN


def _pure(function: Callable[..., Any]) -> "_Known":
    """A builtin that can be called for real where everything it is given is a plain number or
    text.
    """

    def known(follower: Follower, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        if (
            keywords
            or not args
            or not all(isinstance(arg, str | int | float | None) for arg in args)
        ):
            return UNKNOWN
        if function in (max, min) and len(args) == 1:
            return UNKNOWN
        try:
            found = function(*args)
        except (TypeError, ValueError) as error:
            raise operations.invalid(error) from None
        except OverflowError:
            return UNKNOWN
        if isinstance(found, int) and found.bit_length() > MOST_BITS:
            return UNKNOWN
        return placed(found, place_of(args[0])) if len(args) == 1 else found

    return known


def _of_text(name: str) -> "_Known":
    """`str.lower(text)`."""
    return lambda follower, args, keywords: (
        _bound(follower, Bound(args[0], name), args[1:], keywords)
        if args and isinstance(args[0], str)
        else UNKNOWN
    )


_Known = Callable[[Follower, Sequence[Value], Mapping[str, Value]], Value]
_KNOWN: Mapping[str, _Known] = {
    **files.KNOWN,
    **{f"str.{name}": _of_text(name) for name in _TEXT_METHODS},
    "argparse.ArgumentParser": arguments.make,
    "argparse.Namespace": arguments.namespace,
    "importlib.import_module": _module,
    "types.SimpleNamespace": arguments.namespace,
    "next": _next,
    "omegaconf.OmegaConf.create": _create,
    "omegaconf.OmegaConf.deepcopy": (
        _copied
    ),  # there is no such function; what waits behind it is found all the same
    "omegaconf.OmegaConf.merge": _merge,
    "omegaconf.OmegaConf.select": _select,
    "omegaconf.OmegaConf.set_readonly": _set_readonly,
    "omegaconf.OmegaConf.set_struct": _set_struct,
    "omegaconf.OmegaConf.to_container": _container,
    "omegaconf.OmegaConf.unsafe_merge": _merge,
    "omegaconf.OmegaConf.update": _update,
    "copy.copy": _copied,
    "copy.deepcopy": _copied,
    "omegaconf.OmegaConf.from_dotlist": _dot_list,
    "os.chdir": _moved_away,
    "torch.utils.data.Subset": lambda _, args, __: (
        args[0] if args and isinstance(args[0], Instance | DataSet) else UNKNOWN
    ),
    "torch.utils.data.random_split": _split,
    "enumerate": _numbered,
    "zip": _zipped,
    "range": _repeats,
    "sorted": _sorted,
    "set": _set_of,
    "tqdm.auto.tqdm": _through,
    "tqdm.auto.trange": _repeats,
    "tqdm.tqdm": _through,
    "tqdm.trange": _repeats,
    "dict": _dict,
    "bool": _pure(bool),
    "float": _pure(float),
    "getattr": _get,
    "hasattr": _has,
    "int": _pure(int),
    "isinstance": _is_instance,
    "list": _listed,
    "max": _pure(max),
    "min": _pure(min),
    "setattr": _set,
    "str": _text,
    "tuple": _tuple,
    "vars": _variables,
}


def _bound(
    follower: Follower, callee: Bound, args: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    owner, name = callee.owner, callee.name
    if isinstance(owner, Collator | DataSet | DataSets | Tokenizer) or (
        isinstance(owner, Row) and name in ("pop", "to")
    ):
        return data_calls.method(follower, owner, name, args, keywords)
    if isinstance(owner, DictConfig):
        return _config_method(follower, owner, name, args, keywords)
    if isinstance(owner, ListConfig) and name in ("append", "clear", "extend", "insert", "pop"):
        stored = [access.storable(arg) for arg in args]
        return access.translated(
            ProblemKind.REJECTED_WRITE, access.path_of(owner), lambda: getattr(owner, name)(*stored)
        )
    if isinstance(owner, Commands | Parser):
        return arguments.method(follower, owner, name, args, keywords)
    if isinstance(owner, SomePath):
        return files.method(follower, owner, name, args, keywords)
    if isinstance(owner, Opened):
        return files.method_of_open(follower, owner, name, args, keywords)
    if isinstance(owner, str) and name == "join":
        return _joined(owner, follower.turns(args[0]) if args else None)
    if (
        isinstance(owner, str)
        and name in _TEXT_METHODS
        and all(isinstance(arg, str | int) for arg in args)
        and not keywords
    ):
        if name == "replace" and len(owner) * (1 + max(len(str(arg)) for arg in args)) > _LONGEST:
            return UNKNOWN
        found = access.translated(
            ProblemKind.NOT_A_MAPPING, name, lambda: getattr(owner, name)(*args)
        )
        place = place_of(owner)
        if isinstance(found, list | tuple):
            return [placed(part, place) for part in found]
        return placed(found, place)
    if isinstance(owner, Cell | Each):
        return cells.method(owner, name, args, is_unsure=follower.may_be_undone)
    if isinstance(owner, str) and name == "format":
        given = (*args, *keywords.values())
        varies = any(isinstance(part, Cell) and part.kind == cells.TEXT for part in given)
        return Cell(cells.TEXT) if varies else UNKNOWN
    if isinstance(owner, dict):
        return _dict_method(owner, name, args, keywords, is_unsure=follower.may_be_undone)
    if isinstance(owner, list):
        return _list_method(follower, owner, name, args)
    return owner if isinstance(owner, Instance) else UNKNOWN


def _joined(owner: str, parts: Sequence[Value] | None) -> Value:
    """`" ".join(words)`, with what is not known left open."""
    if parts is None:
        return UNKNOWN
    texts = [
        str(part)
        if isinstance(part, str | SomePath)
        else part.text
        if isinstance(part, PartlyKnown)
        else "{}"
        for part in parts
    ]
    whole = all(isinstance(part, str | SomePath) for part in parts)
    text = owner.join(texts)[:_LONGEST]
    return text if whole else PartlyKnown(text)


def _list_method(follower: Follower, owner: list[Value], name: str, args: Sequence[Value]) -> Value:
    if follower.again and LIKEWISE in owner:
        return UNKNOWN  # the turn before stands for this one
    known = not (follower.may_be_undone or is_open(owner))
    if name in ("append", "extend", "add", "update") and args:
        added = [args[0]] if name in ("append", "add") else follower.turns(args[0])
        if added is not None and follower.each and not owner:
            added = [*added, LIKEWISE]
        owner.extend(
            [MORE]
            if added is None or follower.may_be_undone or len(owner) > operations.LONGEST_LIST
            else added
        )
        if isinstance(owner, Unordered):
            owner[:] = unordered(owner)
    elif name == "copy":
        return type(owner)(owner)
    elif name in ("clear", "insert", "pop", "reverse") and known and type(owner) is list:
        return getattr(owner, name)(*args)
    elif name not in _WITHOUT_CHANGE:
        forget(owner)
    return UNKNOWN


def _config_method(
    follower: Follower,
    owner: DictConfig,
    name: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
) -> Value:
    key = args[0] if args and isinstance(args[0], str | int) else None
    default = args[1] if len(args) > 1 else keywords.get("default", keywords.get("default_value"))
    match name:
        case "get" | "setdefault" if key is not None:
            if key in owner.keys():  # noqa: SIM118
                return access.read(owner, key, as_attribute=False)
            if name == "setdefault":
                access.write(owner, key, default, as_attribute=False)
                return default
            # Behind a failure the way goes on as it is meant: with the run file's own value.
            path = access.path_of(owner, key)
            meant = follower.intended_at(path) if follower.uses_intended else UNKNOWN
            return default if meant is UNKNOWN else meant
        case "pop" if key is not None:
            return access.translated(
                ProblemKind.MISSING_KEY, str(key), lambda: owner.pop(key, *args[1:2])
            )
        case "keys":
            return access.keys(owner)
        case "items":
            return [
                Fixed([item, access.read(owner, item, as_attribute=False)])
                for item in access.keys(owner)
            ]
        case "copy":
            return copy.deepcopy(owner)
        case "update" if not args and keywords and ANYTHING not in keywords:
            return access.translated(
                ProblemKind.MERGE, "", lambda: owner.update(access.storable(dict(keywords)))
            )
        case "merge_with" | "update" if args and isinstance(args[0], DictConfig | dict):
            return access.translated(
                ProblemKind.MERGE, "", lambda: owner.merge_with(access.storable(args[0]))
            )
    return UNKNOWN


def _dict_method(
    owner: dict[Any, Value],
    name: str,
    args: Sequence[Value],
    keywords: Mapping[str, Value],
    *,
    is_unsure: bool,
) -> Value:
    key = args[0] if args and isinstance(args[0], str | int) else None
    if name in ("clear", "popitem") and (is_unsure or type(owner) is not dict or ANYTHING in owner):
        forget(owner)
        return UNKNOWN
    if is_unsure and name in ("pop", "setdefault", "update"):
        # Whether it is done, and how often, is not known: nor is what is there afterwards.
        given = args[0] if args and isinstance(args[0], dict) else keywords or [key]
        owner.update(dict.fromkeys(owner.keys() & set(given), UNKNOWN), **{ANYTHING: UNKNOWN})
        if name == "pop" and type(owner) is dict:
            owner.pop(key, None)
        return UNKNOWN
    match name:
        case "pop" if key is not None:
            known = type(owner) is dict and ANYTHING not in owner and len(args) > 1
            return owner.pop(key, args[1] if known else UNKNOWN)
        case "get" if key is not None:
            known = type(owner) is dict and ANYTHING not in owner
            return owner.get(key, (args[1] if len(args) > 1 else None) if known else UNKNOWN)
        case "setdefault" if key is not None:
            return owner.setdefault(key, args[1] if len(args) > 1 else None)
        case "items" if ANYTHING not in owner:
            return [Fixed([item, value]) for item, value in owner.items()]
        case "keys" if ANYTHING not in owner:
            return list(owner)
        case "values" if type(owner) is dict and ANYTHING not in owner:
            return list(owner.values())
        case "clear":
            owner.clear()
        case "popitem":
            return Fixed(owner.popitem())
        case "update" if ANYTHING not in keywords and isinstance([*args, {}][0], dict):
            owner.update([*args, {}][0], **keywords)
        case "copy":
            return dict(owner)
        case "update" | "setdefault" | "pop":
            owner.update(dict.fromkeys(owner, UNKNOWN), **{ANYTHING: UNKNOWN})
    return UNKNOWN
