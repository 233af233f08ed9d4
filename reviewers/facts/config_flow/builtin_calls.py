"""What Python's own functions do, and the methods of texts, lists and dictionaries."""

import re
import string
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow import access, arrays, cells, operations, tensors
from reviewers.facts.config_flow.calls import unknown
from reviewers.facts.config_flow.cells import Cell, Count, Each
from reviewers.facts.config_flow.data_values import DataError, DataSet, DataSets, Loader, Row, Rows
from reviewers.facts.config_flow.library_calls import NUMBERS, given_by, number_of
from reviewers.facts.config_flow.parsers import Namespace
from reviewers.facts.config_flow.parts import attribute, by_its_own, of_module, set_attribute
from reviewers.facts.config_flow.tables import OTHER, OutsideCall, method, transfer
from reviewers.facts.config_flow.values import (
    ANYTHING,
    LIKEWISE,
    MORE,
    PLAIN,
    UNKNOWN,
    CallScope,
    Device,
    External,
    Fixed,
    Instance,
    LocalClass,
    Number,
    PartlyKnown,
    Several,
    SomePath,
    Super,
    Unordered,
    Value,
    Within,
    forget,
    is_config,
    is_open,
    overlaid,
    unordered,
)
from reviewers.facts.placed import place_of, placed
from reviewers.facts.world import BATCH
from reviewers.steps import leave_out

_OF_TENSORS = frozenset((
    "argmax", "cpu", "cuda", "detach", "dim", "float", "long", "mean", "numel", "numpy", "reshape",
    "shape", "size", "squeeze", "sum", "to", "unsqueeze", "view",
))  # fmt: skip
_KINDS_OF_TENSORS = (cells.TENSOR, cells.ARRAY, cells.LOOSE)
_MOST_ITEMS = 64  # of a range that is written out
_LONGEST = 100_000  # characters of a text that is worked out
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "omegaconf.DictConfig": DictConfig,
    "omegaconf.ListConfig": ListConfig,
    "collections.abc.Mapping": (DictConfig, dict),
    "typing.Mapping": (DictConfig, dict),
    **{kind.__name__: kind for kind in (bool, dict, float, int, list, str)},
}
_BY_PLACE = frozenset({"clear", "insert", "pop", "popitem", "reverse"})  # whatever the items
_KINDS: Mapping[str, Callable[[list[Value]], Value]] = {
    "list": list,
    "set": unordered,
    "tuple": Fixed,
}


# Items


@transfer("range", "tqdm.trange", "tqdm.auto.trange")
def _range(call: OutsideCall, *args: Value) -> Value:
    """Whether there is a turn at all is what matters."""
    first = args[0] if args else UNKNOWN
    if len(args) == 1 and isinstance(first, Count):
        per_row = first.parts == ((cells.ROWS, 1),) and not first.fixed
        return Each(UNKNOWN) if per_row else Several(item=Number()) if first.grows else UNKNOWN
    if len(args) == 3 and isinstance(args[2], int) and not args[2]:
        raise operations.invalid(ValueError("range() arg 3 must not be zero"), args[2])
    known = bool(args) and all(isinstance(arg, int) and not isinstance(arg, bool) for arg in args)
    if known:
        turns = range(*args)
        if turns[sys.maxsize :]:
            leave_out("of a range with more turns than Python can count, one turn is followed")
        return Several(turns, Number()) if turns else []
    return UNKNOWN


@transfer("tqdm.tqdm", "tqdm.auto.tqdm")
def _through(call: OutsideCall, iterable: Value) -> Value:
    """What hands on the items that it is given."""
    return iterable if isinstance(iterable, (list, Several, Each, Rows)) else UNKNOWN


@transfer("iter", "itertools.cycle", "itertools.islice")
def _same(call: OutsideCall, rows: Value, *bounds: Value) -> Value:
    return rows if isinstance(rows, (DataSet, Loader)) else unknown(call)


@transfer("next")
def _next(call: OutsideCall, items: Value, default: Value = UNKNOWN) -> Value:
    """`next(rows)`, `next(… for … in …)`, of which the whole list is known."""
    if isinstance(items, Rows):
        return next(iter(items))
    if isinstance(items, tensors.Weights):
        return items.first()
    known = call.follower.turns(items) if isinstance(items, list) else None
    return UNKNOWN if known is None else (known or [default])[0]


@transfer("enumerate")
def _numbered(call: OutsideCall, iterable: Value, start: Value = 0) -> Value:
    if isinstance(iterable, Each):
        return Each([Number(), iterable.taken()], iterable.size)
    if isinstance(iterable, Several):
        return Several(item=Fixed([Number(), iterable.item]))
    if isinstance(iterable, Loader):
        return Loader(Fixed([Number(), iterable.batch]))
    items = call.follower.turns(iterable)
    if items is None or not isinstance(start, int):
        return UNKNOWN
    return [Fixed([number, item]) for number, item in enumerate(items, start)]


@transfer("zip")
def _zipped(call: OutsideCall, *args: Value) -> Value:
    known = [call.follower.turns(arg) for arg in args if cells.item_of(arg) is None]
    items = [item for item in known if item is not None]
    if (len(items) < len(args) and all(items)) or call.keywords:
        return cells.along(args)
    return [Fixed(parts) for parts in zip(*items, strict=False)]


@transfer("sorted")
def _sorted(call: OutsideCall, given: Value, reverse: Value = False) -> Value:
    """What is plain, by itself or by its first part, is sorted for real."""
    items = list(given) if isinstance(given, Unordered) else call.follower.turns(given)
    if not isinstance(given, (dict, list, str, DictConfig)) or items is None or is_open(items):
        return given if isinstance(given, (Several, Each)) else UNKNOWN
    keys = [item[0] if type(item) is Fixed and item else item for item in items]
    known = all(isinstance(key, (str, int, float)) for key in keys) and isinstance(reverse, bool)
    known = known and (keys == items or len(set(keys)) == len(keys))
    if not known or {"key", ANYTHING} & call.keywords.keys():
        return Unordered(items)
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    except TypeError as error:
        raise operations.invalid(error) from None
    return [items[at] for at in order]


@transfer("list", "set", "tuple")
def _listed(call: OutsideCall, items: Value = ()) -> Value:
    if isinstance(items, (Cell, Each)):
        is_list = call.name == "list"
        return cells.method(items, "copy", (), call.line) if is_list else UNKNOWN
    if isinstance(items, Several) and items.of is not None:
        found = None if items.of[_MOST_ITEMS:] else list(items.of)
    elif isinstance(items, Unordered) and call.name == "set":
        found = None if is_open(items) else list(items)
    else:
        found = call.follower.turns(items)
    return UNKNOWN if found is None else _KINDS[call.name](found)


@transfer("dict")
def _dict(call: OutsideCall, *args: Value) -> Value:
    follower, keywords = call.follower, call.keywords
    given = args[0] if args else {}
    if len(args) > 1 and not isinstance(given, (dict, DictConfig)):
        return UNKNOWN
    if isinstance(given, dict):
        entries: Value = dict(given)
    elif isinstance(given, DictConfig):
        entries = access.entries(given)
    else:
        pairs = follower.turns(given)
        known = pairs is not None and all(
            isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], (str, int))
            for pair in pairs
        )
        entries = dict(pairs or ()) if known else UNKNOWN
    return UNKNOWN if entries is UNKNOWN or call.is_open else {**entries, **keywords}


@transfer("len")
def _length(call: OutsideCall, items: Value) -> Value:
    if isinstance(items, DataSet) and items.streaming:
        said = "object of type 'IterableDataset' has no len(): a streaming data set does not know"
        raise DataError("streaming", "TypeError", f"{said} its length")
    if isinstance(items, Instance):
        length = by_its_own(call.follower, items, "__len__")
        if isinstance(length, str | float | None):
            said = f"'{type(length).__name__}' object cannot be interpreted as an integer"
            raise operations.invalid(TypeError(said), length)
        return length if isinstance(length, int) else UNKNOWN
    found = cells.length_of(items) if isinstance(items, (Cell, Each)) else None
    return Number() if found is None else found if found.parts else found.fixed


# Attributes and types


@transfer("getattr")
def _get(call: OutsideCall, owner: Value, name: Value, *default: Value) -> Value:
    if not isinstance(name, str):
        return UNKNOWN
    match owner:
        case Namespace() if default and (owner.is_whole or owner.values):
            return owner.values.get(name, default[0])
        case CallScope():
            return of_module(call.follower, owner, name, *default)
        case DictConfig() if default and name not in owner.keys():  # noqa: SIM118
            return default[0]
        case External() if default:
            return UNKNOWN
        case str() | int() | float() | None if default and not hasattr(owner, name):
            return default[0]
    return attribute(call.follower, owner, name)


@transfer("hasattr")
def _has(call: OutsideCall, owner: Value, name: Value) -> Value:
    if isinstance(owner, DictConfig) and isinstance(name, str):
        return name in owner.keys()  # noqa: SIM118
    if name == "to" and tensors.is_loose(owner):
        return BATCH
    return name in owner.values if isinstance(owner, Namespace) and owner.values else UNKNOWN


@transfer("setattr")
def _set_attribute(call: OutsideCall, owner: Value, name: Value, value: Value) -> Value:
    if isinstance(name, str):
        set_attribute(call.follower, owner, name, value)
    elif isinstance(owner, Instance):
        owner.attributes.update(dict.fromkeys(owner.attributes, UNKNOWN))
    elif isinstance(owner, Namespace):
        owner.values.update(dict.fromkeys(owner.values, UNKNOWN))
        owner.is_whole = False
    return None


@transfer("torch.device")
def _device(call: OutsideCall, type: Value = UNKNOWN) -> Value:
    return Device(type.partition(":")[0]) if isinstance(type, str) else UNKNOWN


@transfer("vars")
def _variables(call: OutsideCall, owner: Value) -> Value:
    known = isinstance(owner, Namespace) and (owner.is_whole or owner.values)
    return owner.values if known else UNKNOWN


@transfer("isinstance")
def _is_instance(call: OutsideCall, value: Value, kinds: Value) -> Value:
    asked = kinds if isinstance(kinds, list) else [kinds]
    names = [kind.name if isinstance(kind, External) else "" for kind in asked]
    if "torch.Tensor" in names and (tensors.is_tensor(value) or tensors.is_loose(value)):
        return True if tensors.is_tensor(value) else BATCH
    if not (is_config(value) or isinstance(value, (*PLAIN, dict, list))):
        return UNKNOWN
    if any(name not in _TYPES for name in names) or (isinstance(value, list) and "list" in names):
        return UNKNOWN  # a list here may stand for a tuple or a set
    return any(isinstance(value, _TYPES[name]) for name in names)


@transfer("super")
def _super(call: OutsideCall, *args: Value) -> Value:
    scope = call.scope
    if args or scope is None or scope.method_of is None:
        return unknown(call)
    owner = next(iter(scope.names.values()), None)
    return Super(owner, scope.method_of) if isinstance(owner, Instance) else unknown(call)


@transfer("contextlib.suppress")
def _suppress(call: OutsideCall, *errors: Value) -> Value:
    """What is not known may be any error."""
    names = [
        one.definition.name
        if isinstance(one, LocalClass)
        else one.short
        if isinstance(one, External)
        else "BaseException"
        for one in errors
    ]
    return Within(errors=tuple(names))


# Texts and numbers


@transfer("str")
def _text(call: OutsideCall, value: Value = "") -> Value:
    is_text = isinstance(value, Cell) and value.kind == cells.TEXT
    if isinstance(value, SomePath):
        return replace(value, is_object=False)
    if is_text or isinstance(value, PartlyKnown):
        return value
    if is_config(value):
        return access.as_text(value)
    known = isinstance(value, (str, int, float))
    return placed(str(value), place_of(value)) if known else UNKNOWN


@transfer("int", "float", "abs", "round")
def _number(call: OutsideCall, value: Value = 0) -> Value:
    is_cell = isinstance(value, Cell) and value.kind == cells.NUMBER and call.name == "int"
    return value if is_cell or isinstance(value, Number) else UNKNOWN


@method(str, "join")
def _joined(call: OutsideCall, owner: str, parts: Value) -> Value:
    """`" ".join(words)`, with what is not known left open."""
    operations.iterated(parts)
    known = call.follower.turns(parts)
    if known is None:
        return UNKNOWN
    is_text = [isinstance(part, (str, SomePath)) for part in known]
    shown = [
        operations.shown(part if isinstance(part, (str, SomePath, PartlyKnown)) else UNKNOWN)
        for part in known
    ]
    text = owner.join(shown)[:_LONGEST]
    return text if all(is_text) else PartlyKnown(text)


@method(str, "format")
def _formatted(call: OutsideCall, owner: str) -> Value:
    """`template.format(…)` with values that are not all known."""
    given = frozenset() if call.is_open else call.keywords.keys()
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(owner)]
        for name in (re.split(r"[.\[]", field)[0] for field in fields if field):
            if not (name.isdigit() or name in given or call.is_open):
                raise KeyError(name)
    except (KeyError, ValueError) as error:
        raise operations.invalid(error, cause=owner) from None
    varies = any(isinstance(part, Cell) and part.kind == cells.TEXT for part in call.values)
    return Cell(cells.TEXT) if varies else UNKNOWN


@method((Cell, Each), OTHER)
def _of_cell(call: OutsideCall, owner: Cell | Each, *args: Value) -> Value:
    follower = call.follower
    # Under a condition it may well be asked first whether it is a tensor.
    if isinstance(owner, Each) and call.name in _OF_TENSORS and not follower.doubts:
        said = f"'list' object has no attribute '{call.name}'"
        raise DataError("lists", "AttributeError", said, further=[owner.at])
    if isinstance(owner, Cell) and owner.kind in _KINDS_OF_TENSORS:
        return _of_tensor(call, owner, args)
    return cells.method(owner, call.name, args, call.line, is_unsure=follower.may_be_undone)


def _of_tensor(call: OutsideCall, owner: Cell, args: Sequence[Value]) -> Value:
    if owner.kind == cells.ARRAY:
        if call.name in NUMBERS and not (args or call.keywords):
            return number_of(call, owner)
        return arrays.of_method(owner, call.name, call.line)
    found = tensors.method(owner, call.name, args, call.keywords, call.line)
    if found is UNKNOWN:
        return given_by(call, f"torch.Tensor.{call.name}", args)
    if tensors.is_tensor(found) and found is not owner and call.follower.autocast is not False:
        found.dtype = found.dtype if call.name not in tensors.ONLY_OF_FLOATS else ""
    return found


@method(SomePath, "absolute", "as_posix", "expanduser")
def _same_path(call: OutsideCall, owner: SomePath) -> Value:
    return replace(owner, is_object=call.name != "as_posix")


@method(Instance, OTHER)
def _itself(call: OutsideCall, owner: Value) -> Value:
    return owner


@method(list, "difference", "intersection", "union")
@method((DataSet, DataSets), OTHER)
def _not_followed(call: OutsideCall, owner: Value) -> Value:
    return UNKNOWN


# Lists


@method(list, "append", "extend", "add", "update")
def _grown(call: OutsideCall, owner: list[Value], items: Value) -> Value:
    follower = call.follower
    if follower.again and LIKEWISE in owner:
        return UNKNOWN  # the turn before stands for this one
    added = [items] if call.name in ("append", "add") else follower.turns(items)
    if added is not None and follower.each and not owner:
        added = [*added, LIKEWISE]
    is_long = len(owner) > operations.LONGEST_LIST
    owner.extend([MORE] if added is None or follower.may_be_undone or is_long else added)
    if isinstance(owner, Unordered):
        owner[:] = unordered(owner)
    return UNKNOWN


@method((dict, list), "copy")
def _copied(call: OutsideCall, owner: Value) -> Value:
    return dict(owner) if isinstance(owner, dict) else type(owner)(owner)


@method(dict, "clear", "popitem")
@method(list, OTHER)
def _changed(call: OutsideCall, owner: dict[Any, Value] | list[Value], *args: Value) -> Value:
    """It is done for real where it is known that it is done, and on what."""
    if call.follower.again and isinstance(owner, list) and LIKEWISE in owner:
        return UNKNOWN
    plain = isinstance(owner, list) and all(isinstance(item, PLAIN) for item in [*owner, *args])
    if not call.follower.may_change(owner) or not (plain or call.name in _BY_PLACE):
        forget(owner)
        return UNKNOWN
    found = operations.done(lambda: getattr(owner, call.name)(*args))
    return Fixed(found) if call.name == "popitem" else found


# Dictionaries


@method(dict, "update")
def _updated(call: OutsideCall, owner: dict[Any, Value], *args: Value) -> Value:
    known = not call.is_open and all(isinstance(given, dict) for given in args)
    given = {**(args[0] if args else {}), **call.keywords} if known else {ANYTHING: UNKNOWN}
    made = overlaid(owner, given)
    if call.follower.may_be_undone:
        changed = {key for key in owner if made[key] is not owner[key]}
        made = {**dict.fromkeys(changed, UNKNOWN), ANYTHING: UNKNOWN}
    owner.update(made)
    return UNKNOWN


@method(dict, "pop", "setdefault")
def _put(call: OutsideCall, owner: dict[Any, Value], key: Value, *default: Value) -> Value:
    is_pop = call.name == "pop"
    if not isinstance(key, (str, int)):
        forget(owner) if is_pop else owner.update({ANYTHING: UNKNOWN})
    elif call.follower.may_be_undone:
        # Whether it is done, and how often, is not known: nor is what is there afterwards.
        owner[ANYTHING] = UNKNOWN
        if key in owner:
            owner[key] = UNKNOWN
        if is_pop and type(owner) is dict:
            owner.pop(key, None)
    elif not is_pop:
        return owner.setdefault(key, UNKNOWN if ANYTHING in owner else (*default, None)[0])
    elif type(owner) is not dict or ANYTHING in owner:
        return owner.pop(key, UNKNOWN)
    else:
        return operations.done(lambda: owner.pop(key, *default))
    return UNKNOWN


@method(dict, "get")
def _got(call: OutsideCall, owner: dict[Any, Value], key: Value, default: Value = None) -> Value:
    known = type(owner) is dict and ANYTHING not in owner
    return owner.get(key, default if known else UNKNOWN) if isinstance(key, (str, int)) else UNKNOWN


@method(dict, "items", "keys", "values")
def _parts(call: OutsideCall, owner: dict[Any, Value]) -> Value:
    devices = {getattr(value, "device", "") for value in owner.values()}
    if isinstance(owner, Row) and call.name == "items" and ANYTHING in owner and len(devices) == 1:
        device = devices.pop()  # as far as they are tensors
        return Each(Fixed([UNKNOWN, Cell(cells.LOOSE, device=device)])) if device else UNKNOWN
    if ANYTHING in owner or (call.name == "values" and type(owner) is not dict):
        return UNKNOWN
    if call.name == "items":
        return [Fixed(pair) for pair in owner.items()]
    return list(owner if call.name == "keys" else owner.values())
