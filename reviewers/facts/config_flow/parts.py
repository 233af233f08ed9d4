"""The parts of values: what `owner.name` and `owner[key]` give, by the kind of the owner."""

import ast
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow import access, autograd, cells, tensors
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.batches import COLLATORS
from reviewers.facts.config_flow.calls import follow_call
from reviewers.facts.config_flow.cells import NUMBER, Cell, Count, Each
from reviewers.facts.config_flow.data_calls import attribute_of
from reviewers.facts.config_flow.data_values import (
    Collator,
    DataError,
    DataSet,
    DataSets,
    Modelled,
    Row,
    Tokenizer,
)
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.library_values import SeveralValues
from reviewers.facts.config_flow.operations import PASSING, invalid
from reviewers.facts.config_flow.parsers import Namespace, Parser
from reviewers.facts.config_flow.tables import STEPS, TARGETS, enter, methods_of
from reviewers.facts.config_flow.values import (
    ANYTHING,
    MORE,
    PLAIN,
    UNKNOWN,
    Bound,
    CallScope,
    Config,
    Device,
    External,
    Fixed,
    Instance,
    LocalClass,
    Opened,
    PartlyKnown,
    ProblemKind,
    SomePath,
    Super,
    Unordered,
    Value,
    external,
    forget,
    is_config,
    is_open,
)
from reviewers.facts.placed import place_of, placed
from reviewers.facts.python_nodes import attributes_set
from reviewers.facts.world import Assumed, Thing, assumed

_MOST_ABOVE = 20  # folders that a path is followed up
# What leaves an object of a class from outside, such as a torch module, the object that it is.
_FLUENT = frozenset(
    {
        "bfloat16", "cpu", "cuda", "double", "eval", "float", "half", "parameters",
        "register_buffer", "register_parameter", "to", "train",
    }
)  # fmt: skip
_CALLING = frozenset({"__call__", "torch_call"})


# `owner.name`


@enter(STEPS, ast.Attribute)
def _attribute(follower: Follower, node: ast.Attribute, scope: CallScope) -> Value:
    owner = follower.value(node.value, scope)
    try:
        return attribute(follower, owner, node.attr)
    except AccessError as error:
        # The section that is meant lies there.
        is_other = error.kind is ProblemKind.NOT_A_MAPPING
        meant = follower.intended_at(place_of(owner)) if is_other else None
        if type(meant) is not DictConfig:
            raise
        follower.report(error, node, scope)
        return _of_config(follower, meant, node.attr)


def attribute(follower: Follower, owner: Value, name: str) -> Value:
    """`owner.name`."""
    if owner is UNKNOWN:
        return UNKNOWN
    if read := _ATTRIBUTES.get(type(owner)):
        return read(follower, owner, name)
    match owner:
        case Assumed(value=Thing(kind=kind)):
            dotted = f"{kind}.{name}"
            return assumed(dotted) or UNKNOWN if name == "returncode" else external(dotted)
        case PartlyKnown() if hasattr(str, name):
            return Bound(owner, name)
        case list() | tuple():
            return Bound(owner, name)
        case Modelled():
            found = follower.read(owner, name, lambda: attribute_of(owner, name))
            return Bound(owner, name) if found is None else found
        case dict() | str() | int() | float() | None:
            if hasattr(owner, name):
                return Bound(owner, name)
            raise _no_attribute(owner, name)
    return UNKNOWN


def of_module(follower: Follower, scope: CallScope, name: str, *default: Value) -> Value:
    """`module.name` and `getattr(module, name)`, of a module of the submission."""
    file = scope.file
    known = not any(item.name == "*" for item in file.imports)
    below = f"{file.module}.{name}"
    known = known and below not in follower.by_module
    if name in scope.names or not known or "__getattr__" in scope.names or name[:2] == "__":
        return scope.names.get(name, UNKNOWN)
    if default:
        return default[0]
    said = f"module '{file.module}' has no attribute '{name}'"
    raise invalid(AttributeError(said), key=name, cause=name)


def _of_outside(follower: Follower, owner: External, name: str) -> Value:
    dotted = f"{owner.name}.{name}"
    if dotted == "sys.argv" and follower.argv is not None:
        return follower.argv
    if dotted in follower.by_module:
        return follower.module(follower.by_module[dotted])
    return follower.environ if dotted == "os.environ" else external(dotted)


def _of_namespace(owner: Namespace, name: str) -> Value:
    """`namespace.name`."""
    if name == "__dict__":
        return owner.values
    if name in owner.values or not owner.is_whole or ANYTHING in owner.values or name[:2] == "__":
        return owner.values.get(name, UNKNOWN)
    said = f"the namespace has no attribute '{name}'"
    raise invalid(AttributeError(said), key=name, cause=_from_configuration(owner.values))


def _of_config(follower: Follower, owner: DictConfig, name: str) -> Value:
    if hasattr(DictConfig, name):
        return Bound(owner, name)
    return follower.read(owner, name, lambda: access.read(owner, name, as_attribute=True))


def _no_attribute(owner: Value, name: str) -> AccessError:
    said = f"'{type(owner).__name__}' object has no attribute '{name}'"
    return AccessError(ProblemKind.NOT_A_MAPPING, "AttributeError", said, name, owner)


def _of_path(follower: Follower, path: SomePath, name: str) -> Value:
    if path.is_odd and name in ("name", "stem"):
        return UNKNOWN
    match name:
        case "parent":
            return path.folder()
        case "parents":
            folders = [path.folder()]
            while isinstance(folders[-1], SomePath) and len(folders) < _MOST_ABOVE:
                folders.append(folders[-1].folder())
            return Fixed([*folders, MORE])
        case "name":
            last = path.parts[-1] if path.parts else None
            return UNKNOWN if last is None else PartlyKnown(last) if "{}" in last else last
        case "stem":
            last = path.parts[-1] if path.parts else "{}"
            known, hole, rest = last.rpartition("{}")
            return PartlyKnown(f"{known}{{}}") if hole else rest.rpartition(".")[0] or rest
    return Bound(path, name)


def _member(follower: Follower, owner: Instance | LocalClass | Super, name: str) -> Value:
    if isinstance(owner, Instance) and name in owner.attributes:
        return owner.attributes[name]
    cls = owner if isinstance(owner, LocalClass) else owner.cls
    method = follower.method(cls, name, above=isinstance(owner, Super))
    if method is None:
        return _from_outside(follower, owner, cls, name)
    decorators = method.decorators
    is_of_class = "classmethod" in decorators
    if "staticmethod" in decorators or (isinstance(owner, LocalClass) and not is_of_class):
        return method
    bound = method.bound(cls if is_of_class else owner.of if isinstance(owner, Super) else owner)
    return follow_call(follower, bound, [], {}) if "property" in decorators else bound


def by_its_own(follower: Follower, owner: Instance, name: str, *args: Value) -> Value:
    """What an object's own method gives that Python itself calls; UNKNOWN without one."""
    method = follower.method(owner.cls, name)
    return UNKNOWN if method is None else follow_call(follower, method.bound(owner), args, {})


def _from_outside(
    follower: Follower, owner: Instance | LocalClass | Super, cls: LocalClass, name: str
) -> Value:
    """A member that an object has from a class outside the submission."""
    if isinstance(owner, Super) and (above := _collator_of(follower, cls)) is not None:
        return Bound(above, name) if name in _CALLING else UNKNOWN
    if not isinstance(owner, Instance) or not cls.definition.bases:
        return UNKNOWN
    if name in _FLUENT:
        return Bound(owner, name)
    # A method from outside may call any of its own, as `Thread.start` calls `run`.
    methods = cls.definition.methods
    later = {
        part for own, node in methods.items() if own != "__init__" for part in attributes_set(node)
    }
    owner.attributes.update(dict.fromkeys(owner.attributes.keys() & later, UNKNOWN))
    return UNKNOWN


def _collator_of(follower: Follower, cls: LocalClass) -> Collator | None:
    """The collator of the transformers library that a class is made from."""
    for base in cls.definition.node.bases:
        found = follower.value(base, cls.scope)
        if isinstance(found, External) and found.name.startswith("transformers."):
            return Collator(found.short, UNKNOWN) if found.short in COLLATORS else None
    return None


def _of_cell(follower: Follower, owner: Cell, name: str) -> Value:
    is_tensor = tensors.is_tensor(owner) or tensors.is_loose(owner)
    found = tensors.attribute(owner, name) if is_tensor else None
    if found is owner and name == "data":
        return autograd.cut(owner)
    return Bound(owner, name) if found is None else found


def _of_network(owner: tensors.Network, name: str) -> Value:
    if name in ("device", "dtype") and not owner.kind:
        if name == "device":
            return tensors.shown_device(owner.device)
        return tensors.shown_format(owner.dtype)
    if name in methods_of(tensors.Network) or name in tensors.HARMLESS:
        return Bound(owner, name)
    return tensors.NetworkPart(owner, name)


def _of_output(owner: tensors.Output, name: str) -> Value:
    return replace(owner.of, is_array=name != "loss") if name in tensors.OUTPUTS else UNKNOWN


_ATTRIBUTES: Mapping[type, Callable[[Follower, Any, str], Value]] = {
    CallScope: of_module,
    DictConfig: _of_config,
    Device: lambda follower, owner, name: owner.type if name == "type" else UNKNOWN,
    External: _of_outside,
    Namespace: lambda follower, owner, name: _of_namespace(owner, name),
    Opened: lambda follower, owner, name: owner.path if name == "name" else Bound(owner, name),
    SomePath: _of_path,
    **dict.fromkeys((Instance, LocalClass, Super), _member),
    Cell: _of_cell,
    SeveralValues: lambda follower, owner, name: UNKNOWN,
    tensors.Network: lambda follower, owner, name: _of_network(owner, name),
    tensors.NetworkPart: lambda follower, owner, name: tensors.NetworkPart(owner.whole, name),
    tensors.Output: lambda follower, owner, name: _of_output(owner, name),
    **dict.fromkeys(
        (Each, ListConfig, Parser, list), lambda follower, owner, name: Bound(owner, name)
    ),
}


# `owner[key]`


@enter(STEPS, ast.Subscript)
def _subscript(follower: Follower, node: ast.Subscript, scope: CallScope) -> Value:
    owner, key = follower.value(node.value, scope), follower.value(node.slice, scope)
    if owner is UNKNOWN:
        return UNKNOWN
    known = isinstance(key, (str, int))
    if is_config(owner):
        read = partial(access.read, owner, key, as_attribute=False)
        return follower.read(owner, key, read) if known else UNKNOWN
    match owner:
        case Row() | DataSet() | DataSets():
            if isinstance(owner, DataSet) and isinstance(key, Cell) and key.kind == NUMBER:
                key, known = 0, True
            return follower.read(owner, key, lambda: owner.item(key)) if known else UNKNOWN
        case dict() if known:
            if key not in owner and ANYTHING not in owner:
                cause = key if place_of(key) is not None else _from_configuration(owner)
                raise invalid(KeyError(key), key=str(key), cause=cause)
            return owner.get(key, UNKNOWN)
        case Cell() | Each() | Count() | tensors.Output():
            found = _of_a_batch(owner, key)
            saves = tensors.is_tensor(key)
            autograd.hang(found, [owner], saves=saves, follows=follower.keeps_graphs)
            return found
        case tensors.Network() | tensors.NetworkPart():
            return _of_layers(owner, key)
        case Instance():
            return by_its_own(follower, owner, "__getitem__", key)
        case list():
            return _of_list(owner, key)
        case str() | int() | float() | None:
            return _element(owner, key)
    return UNKNOWN


def _of_a_batch(owner: Cell | Each | Count | tensors.Output, key: Value) -> Value:
    """`owner[key]` of a tensor, of what stands for each row, or of what a network gives."""
    if isinstance(owner, tensors.Output):
        return replace(owner.of, is_array=False)
    if isinstance(owner, Cell) and tensors.is_tensor(owner):
        tensors.require_index(owner, key)
    return cells.part_of(owner, key)


def _of_layers(owner: tensors.Network | tensors.NetworkPart, key: Value) -> Value:
    """`owner[key]` of a network: the layer, where its layers are known."""
    if isinstance(owner, tensors.NetworkPart):
        return owner
    known = owner.kind in tensors.CONTAINERS and key in range(len(owner.parts))
    return owner.parts[key] if known else tensors.NetworkPart(owner, "")


def _of_list(owner: list[Value], key: Value) -> Value:
    """`items[key]`; of a list that may hold more, what stands in it for each row of a batch."""
    if isinstance(owner, Unordered):
        return UNKNOWN
    if isinstance(owner, SeveralValues) and owner.by and isinstance(key, Fixed):
        said = f"tuple indices must be integers or slices, not tuple: {owner.by}"
        raise DataError("values", "TypeError", said)
    if isinstance(owner, Fixed) and MORE in owner:
        return owner[key] if isinstance(key, int) and 0 <= key < owner.index(MORE) else UNKNOWN
    if cells.item_of(owner) is not None:
        return cells.part_of(owner, key)
    return UNKNOWN if is_open(owner) else _element(owner, key)


def _element(owner: Value, key: Value) -> Value:
    """`owner[key]` of what Python itself has an answer for."""
    is_number = not isinstance(owner, (list, str))
    if isinstance(key, slice) and (is_number or not _is_cut(key) or key.step == 0):
        return UNKNOWN
    if not (is_number or isinstance(key, (*PLAIN, slice))):
        return UNKNOWN
    try:
        found = (tuple(owner) if isinstance(owner, Fixed) else owner)[key]
    except (TypeError, LookupError) as error:
        if is_number or (isinstance(owner, str) and isinstance(key, str)):
            shown = str(key) if isinstance(key, str) else ""
            raise AccessError(ProblemKind.NOT_A_MAPPING, "TypeError", str(error), shown) from None
        raise invalid(error, key) from None
    if isinstance(key, slice):
        return placed(found, place_of(owner)) if isinstance(owner, str) else type(owner)(found)
    return found


def _is_cut(key: slice) -> bool:
    return all(isinstance(bound, int | None) for bound in (key.start, key.stop, key.step))


def _from_configuration(owner: dict[Any, Value]) -> Value:
    """The first value of a mapping that stands in a configuration as it is; None for any other."""
    values = [value for value in owner.values() if not isinstance(value, dict | list | bool | None)]
    whole = all(place_of(value) is not None for value in values)
    return values[0] if values and whole else None


# Targets


@enter(TARGETS, ast.Name)
def _set_name(follower: Follower, target: ast.Name, value: Value, scope: CallScope) -> None:
    home = scope.outer.get(target.id)
    # Who else binds a name that several functions share is not followed.
    shared = home is not None and isinstance(value, PLAIN)
    (home or scope).names[target.id] = UNKNOWN if shared else value


@enter(TARGETS, ast.Tuple, ast.List)
def _unpack(
    follower: Follower, target: ast.Tuple | ast.List, value: Value, scope: CallScope
) -> None:
    items = _with_rest(follower.items(value, target, scope), target.elts)
    wanted = len(target.elts)
    if items is None or len(items) != wanted:
        is_open = items is None or any(isinstance(one, ast.Starred) for one in target.elts)
        if items is not None and not is_open:
            said = (
                f"too many values to unpack (expected {wanted})"
                if len(items) > wanted
                else f"not enough values to unpack (expected {wanted}, got {len(items)})"
            )
            if isinstance(value, SeveralValues) and value.by:
                error: AccessError = DataError("values", "ValueError", f"{said}: {value.by}")
            else:
                error = invalid(ValueError(said), *items)
            follower.report(error, target, scope)
        items = [value if tensors.is_loose(value) else UNKNOWN] * wanted
    for part, item in zip(target.elts, items, strict=True):
        follower.assign(part, item, scope)


@enter(TARGETS, ast.Starred)
def _set_rest(follower: Follower, target: ast.Starred, value: Value, scope: CallScope) -> None:
    follower.assign(target.value, value, scope)


def _with_rest(items: list[Value] | None, targets: Sequence[ast.expr]) -> list[Value] | None:
    """The items with a list for the target that has a star, which takes what the others leave."""
    at = next((n for n, one in enumerate(targets) if isinstance(one, ast.Starred)), None)
    if items is None or at is None or len(items) < len(targets) - 1:
        return items
    end = len(items) - (len(targets) - at - 1)
    return [*items[:at], items[at:end], *items[end:]]


@enter(TARGETS, ast.Attribute)
def _set_attribute(
    follower: Follower, target: ast.Attribute, value: Value, scope: CallScope
) -> None:
    set_attribute(follower, follower.value(target.value, scope), target.attr, value)


def set_attribute(follower: Follower, owner: Value, name: str, value: Value) -> None:
    """`owner.name = value`."""
    if type(owner) is DictConfig:
        _write(follower, owner, name, value, as_attribute=True)
        return
    match owner:
        case Instance():
            before = owner.attributes.get(name, value)
            unsure = follower.may_be_undone and (isinstance(value, PASSING) or before is not value)
            owner.attributes[name] = UNKNOWN if unsure else value
        case Namespace():
            owner.values[name] = UNKNOWN if follower.may_be_undone else value
        case External(name="sys") if name == "argv":
            follower.argv = value if isinstance(value, list) and not follower.is_unsure else None
        case tensors.Network() | tensors.NetworkPart():
            tensors.forget(owner)
        case Cell() if name == "data":
            owner.dtype = owner.device = ""
        case Tokenizer() if name.startswith("pad_token"):
            owner.pads = None
        case bool():
            return
        case str() | int() | float() | None:
            raise _no_attribute(owner, name)
        case dict() if type(owner) is dict:
            raise _no_attribute(owner, name)


@enter(TARGETS, ast.Subscript)
def _set_item(follower: Follower, target: ast.Subscript, value: Value, scope: CallScope) -> None:
    owner, key = follower.value(target.value, scope), follower.value(target.slice, scope)
    known = isinstance(key, (str, int))
    if is_config(owner) and known:
        access.note_created(follower.trace.created, owner, key, value, scope.span(target))
        _write(follower, owner, key, value, as_attribute=False)
        return
    match owner:
        case Fixed() | str() | int() | float() | None:
            kind = "tuple" if isinstance(owner, Fixed) else type(owner).__name__
            raise invalid(TypeError(f"'{kind}' object does not support item assignment"))
        case list() if isinstance(key, str):
            raise invalid(TypeError("list indices must be integers or slices, not str"))
        case list():
            _set_element(follower, owner, key, value)
        case DataSets():
            owner[key if isinstance(key, str) else ANYTHING] = UNKNOWN if follower.doubts else value
        case dict():
            _set_entry(follower, owner, key, value)
        case Cell():
            if tensors.is_tensor(owner):
                tensors.require_written(owner, key, value)
            unsure = follower.may_be_undone
            cells.write(owner, key, value, scope.span(target), is_unsure=unsure)
        case Each():
            owner.item = UNKNOWN


def _set_entry(follower: Follower, owner: dict[Any, Value], key: Value, value: Value) -> None:
    """`mapping[key] = value`."""
    known, passing = isinstance(key, (str, int)), isinstance(value, PASSING)
    if owner is follower.environ and isinstance(value, PLAIN) and not isinstance(value, str):
        raise invalid(TypeError(f"str expected, not {type(value).__name__}"), cause=value)
    if not known and type(owner) is dict:  # it may be any that is there already
        owner.update((name, UNKNOWN) for name, at in owner.items() if isinstance(at, PLAIN))
    if follower.may_be_undone or not known:
        owner[key if known and key in owner else ANYTHING] = UNKNOWN if passing else value
        return
    owner[key] = value
    if isinstance(owner, Row):
        owner.maybe -= {key}


def _write(
    follower: Follower, owner: Config, key: str | int, value: Value, *, as_attribute: bool
) -> None:
    """Write into a configuration, which is done all the same where it is refused."""
    follower.spend(access.STEPS + access.size(value) * 5)
    value = UNKNOWN if follower.may_be_undone else value
    try:
        access.write(owner, key, value, as_attribute=as_attribute)
    except AccessError as error:
        error.cause = error.cause or (key if place_of(key) is not None else None)
        follower.spend(2 * access.size(owner))
        with access.struct_mode_off(owner), suppress(AccessError):
            access.write(owner, key, value, as_attribute=as_attribute)
        raise


def _set_element(follower: Follower, owner: list[Value], key: Value, value: Value) -> None:
    """`items[key] = value`."""
    items = follower.turns(value) if isinstance(key, slice) else value
    at = items is not None and _is_cut(key) if isinstance(key, slice) else isinstance(key, int)
    if at and type(owner) is list and follower.may_change(owner):
        with suppress(IndexError, ValueError):
            owner[key] = items
            return
    forget(owner)


# `del owner.name`, `del owner[key]`


def take_away(follower: Follower, owner: Value, key: Value, *, as_attribute: bool = False) -> None:
    """Delete a part."""
    if follower.may_change(owner):
        with suppress(LookupError, TypeError, ValueError):
            del owner[key]
            return
    if isinstance(owner, (dict, list)):
        forget(owner)
    elif isinstance(owner, Instance):
        owner.attributes.pop(key, None)
    elif type(owner) is DictConfig and isinstance(key, str) and not follower.doubts:
        is_there = key in owner.keys()  # noqa: SIM118
        if is_there and not as_attribute:  # of an attribute nothing comes
            access.take_out(owner, key, how="deletion")
