"""Tensors and networks: on which device they are, in which number format, and what torch refuses.

Tensors are the cells of these kinds. What is not known of one is empty, and nothing is refused but
where both sides are known. Read from the sources of torch 2.13, and tried with it where a CPU can
tell.
"""

import ast
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, TypeGuard

from reviewers.facts.config_flow import cells
from reviewers.facts.config_flow.cells import ARRAY, LOOSE, NUMBER, TENSOR, Cell, Each
from reviewers.facts.config_flow.data_values import DataError, Modelled, Row
from reviewers.facts.config_flow.values import (
    UNKNOWN,
    Device,
    External,
    Fixed,
    Instance,
    Value,
    external,
)
from reviewers.records import Span

REFUSALS: Mapping[str, Mapping[str, str]] = tomllib.loads(
    resources.files(__package__).joinpath("tensor_refusals.toml").read_text("utf-8")
)
CPU, CUDA = "cpu", "cuda"
CONTAINERS = frozenset({"ModuleList", "Sequential"})
_NAMES = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int",
    "int64": "Long", "float16": "Half", "bfloat16": "BFloat16", "float32": "Float",
    "float64": "Double",
}  # fmt: skip
_OTHER_NAMES = {
    "half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32",
    "long": "int64",
}  # fmt: skip
FLOATS = frozenset({"float16", "bfloat16", "float32", "float64"})
HALVES = frozenset({"float16", "bfloat16"})
_INDICES = frozenset({"int64", "int32", "uint8", "bool"})
_CASTS = {name: name for name in ("bool", "bfloat16")} | {"byte": "uint8"} | _OTHER_NAMES
# Methods that give tensors of the same format on the same device, and as many dimensions or one.
_SAME = frozenset((
    "abs", "clamp", "clone", "contiguous", "detach", "detach_", "expand", "expand_as", "flatten",
    "flip", "masked_fill", "masked_fill_", "permute", "pin_memory", "repeat", "requires_grad_",
    "reshape", "retain_grad", "roll", "squeeze", "swapaxes", "t", "transpose", "tril", "triu",
    "unsqueeze", "view", "view_as", "zero_", "clip", "relu", "sigmoid", "tanh", "exp", "log",
    "sqrt", "softmax", "log_softmax", "round", "index_select", "gather", "add_", "mul_", "sub_",
    "div_", "copy_", "fill_",
))  # fmt: skip
_SAME_MEMORY = frozenset({"detach", "squeeze", "unsqueeze", "view", "contiguous"})
_AS_LONG = frozenset({"clone", "copy", "cpu", "cuda", "to", "tolist", *_CASTS})
ONLY_OF_FLOATS = frozenset({"exp", "log", "sigmoid", "softmax", "log_softmax", "sqrt", "tanh"})
_SMALLER = frozenset({"mean", "sum", "norm", "std", "var", "prod", "amax", "amin", "min", "max"})
_MAY_GIVE_TWO = frozenset({"min", "max"})  # with an argument: values and indices
_POSITIONS = frozenset({"argmax", "argmin", "argsort"})
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
LOOSE_PARTS = frozenset({"input_ids", "attention_mask", "labels", "pixel_values", "data"})
OUTPUTS = frozenset({"logits", "last_hidden_state", "pooler_output", "loss"})
# Methods that leave a network as it is.
HARMLESS = frozenset((
    "buffers", "children", "enable_input_require_grads", "eval", "forward",
    "gradient_checkpointing_disable", "gradient_checkpointing_enable",
    "load_state_dict", "modules", "named_buffers", "named_children", "named_modules",
    "named_parameters", "num_parameters", "parameters", "print_trainable_parameters",
    "resize_token_embeddings", "save_pretrained", "state_dict", "tie_weights", "train", "zero_grad",
    "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
))  # fmt: skip
_DEEPEST = 6  # networks within one another


def refusal(cause: str, instead: Value = UNKNOWN, **shown: Any) -> DataError:
    """The error of a row of the table."""
    row = REFUSALS[cause]
    further = shown.pop("further", ())
    named = {name: _NAMES.get(part, part) for name, part in shown.items()}
    return DataError(cause, row["error"], row["text"].format(**named), instead, further=further)


def is_tensor(value: Value) -> TypeGuard[Cell]:
    """Whether it is a tensor of torch."""
    return isinstance(value, Cell) and value.kind == TENSOR


def is_loose(value: Value) -> TypeGuard[Cell]:
    """Whether it is something of a batch, of which only the device is known."""
    return isinstance(value, Cell) and value.kind == LOOSE


def is_array(value: Value) -> TypeGuard[Cell]:
    """Whether it is an array of NumPy."""
    return isinstance(value, Cell) and value.kind == ARRAY


def as_tensor(value: Value) -> Value:
    """The value where it must be a tensor."""
    return made(device=value.device, at=value.at, is_array=True) if is_loose(value) else value


def made(
    dtype: str = "", device: str = "", at: Span | None = None, *, is_array: bool = False
) -> Cell:
    """A tensor of which this is known."""
    return Cell(TENSOR, None, at, dtype=dtype, device=device, is_array=is_array)


def format_of(value: Value) -> str:
    """The number format that a `dtype=` means; empty where that is not known."""
    if isinstance(value, External) and value.name.startswith(("torch.", "numpy.")):
        name = _OTHER_NAMES.get(value.short, value.short)
        return name if name in _NAMES else ""
    return ""


def device_of(value: Value) -> str:
    """`cpu` or `cuda`, where a `device=` is known to mean it; empty where not."""
    if isinstance(value, bool):
        return ""
    text = CUDA if isinstance(value, int) else getattr(value, "type", value)
    kind = text.partition(":")[0] if isinstance(text, str) else ""
    return kind if kind in (CPU, CUDA) else ""


def shown_device(device: str) -> Value:
    """`tensor.device`."""
    return Device(device) if device else UNKNOWN


def shown_format(dtype: str) -> Value:
    """`tensor.dtype`."""
    return external(f"torch.{dtype}") if dtype else UNKNOWN


def tensors_in(values: Iterable[Value]) -> Iterator[Cell]:
    """The tensors among values, and in lists of them."""
    for value in values:
        if isinstance(value, list):
            yield from filter(is_tensor, value)
        elif is_tensor(value):
            yield value


def require_one_device(given: Iterable[Value], what: str, instead: Value = UNKNOWN) -> None:
    """Raise where tensors with dimensions are on two devices."""
    seen: dict[str, Cell] = {}
    for one in tensors_in(given):
        # A number on the CPU goes with tensors on any device.
        if one.device and (one.is_array or one.device == CUDA):
            seen.setdefault(one.device, one)
    if len(seen) > 1:
        places = [one.at for one in seen.values()]
        raise refusal("devices", instead, what=what, further=places)


def require_weights_fit(
    given: Value, dtype: str, device: str, what: str, instead: Value, *, autocast: bool | None
) -> None:
    """Raise where a product of a tensor and weights, or another tensor, is refused."""
    given = as_tensor(given)
    if not is_tensor(given):
        return
    if given.device and device and given.device != device:
        said = f"{what} is on {device}, what it gets on {given.device}"
        raise refusal("devices", instead, what=said, further=[given.at])
    # Autocast makes one format of all others but these.
    is_cast = given.dtype in FLOATS - {"float64"} and dtype in FLOATS - {"float64"}
    if given.dtype and dtype and given.dtype != dtype and (autocast is False or not is_cast):
        raise refusal(
            "weights",
            instead,
            got=given.dtype,
            has=dtype,
            what=what,
            further=[given.at, given.cast_at],
        )


# Operators


def operation(
    left: Value, right: Value, kind: type[ast.operator], *, autocast: bool | None
) -> Value:
    """`left + right` and the like, one of which is a tensor."""
    left, right = as_tensor(left), as_tensor(right)
    both = [left, right]
    found = _operated(left, right, kind)
    if all(map(is_tensor, both)):
        if kind is ast.MatMult:
            found.dtype, found.is_array = left.dtype if autocast is False else "", False
            require_weights_fit(
                left, right.dtype, right.device, "the right side", found, autocast=autocast
            )
        require_one_device(both, "the two sides of an operator", found)
    return found


def _operated(left: Value, right: Value, kind: type[ast.operator]) -> Cell:
    one, other = (left, right) if is_tensor(left) else (right, left)
    found = made()
    if is_tensor(other):
        found.is_array = one.is_array or other.is_array
        found.dtype = promoted(one, other)
        devices = {part.device for part in (one, other) if part.is_array or part.device == CUDA}
        known = CUDA in devices or one.device == other.device or "" not in devices
        found.device = (CUDA if CUDA in devices else one.device) if known and devices else ""
    else:
        found.is_array = one.is_array
        is_plain = isinstance(other, (int, float)) and not isinstance(other, bool)
        if is_plain or one.device == CUDA or one.is_array:
            found.device = one.device  # of another tensor, anything else is refused
        if is_plain and (one.dtype in FLOATS or isinstance(other, int)):
            found.dtype = one.dtype
    whole = found.dtype and found.dtype not in FLOATS
    if kind not in (*ARITHMETIC, ast.MatMult) or (whole and kind in (ast.Div, ast.Pow)):
        found.dtype = ""
    return found


def promoted(one: Cell, other: Cell) -> str:
    """The number format of a sum of two tensors, or two arrays; empty where that is not known. What
    has no dimension changes none of the same category.
    """
    formats = {one.dtype, other.dtype}
    if len(formats) == 1:
        return one.dtype
    if any(part.dtype == "float64" and part.is_array for part in (one, other)):
        return "float64"  # whatever the other one is
    if "" in formats:
        return ""
    floats = formats & FLOATS
    if len(floats) < 2:
        return floats.pop() if floats else ""
    if not (one.is_array and other.is_array):
        return ""
    return "float64" if "float64" in floats else "float32"


def comparison(left: Value, right: Value, kind: type[ast.cmpop]) -> Value:
    """`left == right` and the like, one of which is a tensor."""
    if kind in (ast.In, ast.NotIn, ast.Is, ast.IsNot):
        return UNKNOWN
    left, right = as_tensor(left), as_tensor(right)
    found = _operated(left, right, ast.Add)
    known = all(is_tensor(part) or isinstance(part, (int, float)) for part in (left, right))
    found.dtype = "bool" if known else ""
    if not known:
        return UNKNOWN  # a value that is no number is compared as a whole
    require_one_device([left, right], "the two sides of a comparison", found)
    return found


def require_index(owner: Cell, key: Value) -> None:
    """Raise where `owner[key]` is refused for its key."""
    for index in [key] if is_tensor(key) else key if isinstance(key, list) else ():
        if is_tensor(index) and index.is_array and index.dtype not in ("", *_INDICES):
            raise refusal("index_format", made(owner.dtype, owner.device), got=index.dtype)
        if is_tensor(index) and index.is_array and (owner.device, index.device) == (CPU, CUDA):
            raise refusal("index_device", made(owner.dtype, owner.device))


def require_written(owner: Cell, key: Value, value: Value) -> None:
    """Raise where `owner[key] = value` is refused."""
    require_index(owner, key)
    if is_tensor(key) and is_tensor(value) and value.is_array:
        known = owner.dtype and value.dtype
        if known and owner.dtype != value.dtype:
            raise refusal("index_put", has=owner.dtype, got=value.dtype, further=[value.at])


# Methods and attributes


def attribute(owner: Cell, name: str) -> Value:
    """A property of a tensor; None for any other name."""
    if owner.kind == LOOSE:
        return (
            owner
            if name in LOOSE_PARTS
            else shown_device(owner.device)
            if name == "device"
            else None
        )
    match name:
        case "device":
            return shown_device(owner.device)
        case "dtype":
            return shown_format(owner.dtype)
        case "is_cuda":
            return owner.device == CUDA if owner.device else UNKNOWN
        case "data" | "T" | "mT":
            return owner
        case "shape" | "grad" | "requires_grad" | "ndim" | "grad_fn" | "values" | "indices":
            return UNKNOWN
    return None


def conversion(
    name: str, args: Iterable[Value], keywords: Mapping[str, Value]
) -> tuple[str | None, str | None]:
    """The number format and the device that `to` and its like make; None where one stays."""
    if name in _CASTS:
        return _CASTS[name], None
    if name in (CPU, CUDA):
        return None, name
    dtype: str | None = None
    device: str | None = None
    words = {word: value for word, value in keywords.items() if word in ("dtype", "device")}
    for word, value in [*(("", arg) for arg in args), *words.items(), *_open(keywords)]:
        if is_tensor(value):
            dtype, device = value.dtype, value.device
        elif word != "device" and isinstance(value, External):
            dtype = format_of(value)
        elif word == "dtype":
            dtype = ""
        elif word == "device" or isinstance(value, (Device, str, int)):
            device = device_of(value) if not isinstance(value, bool) else device
        elif value is not None:
            dtype, device = "" if dtype is None else dtype, "" if device is None else device
    return dtype, device


def _open(keywords: Mapping[str, Value]) -> list[tuple[str, Value]]:
    return [("", UNKNOWN)] if "**" in keywords else []


def method(
    owner: Cell, name: str, args: Iterable[Value], keywords: Mapping[str, Value], at: Span | None
) -> Value:
    """What a method of a tensor gives."""
    args = list(args)
    if owner.kind == LOOSE:
        return _of_loose(owner, name, args, keywords, at)
    if name in ("to", "type", CPU, CUDA, *_CASTS):
        return _converted(owner, name, args, keywords, at)
    if name == "tolist":
        return owner.anew(at, cells.LIST)
    if name == "numpy":
        if not keywords.get("force", False):
            as_array([owner])
        return Cell(ARRAY, owner.length, at, dtype=owner.dtype, is_array=owner.is_array)
    if name in _SAME_MEMORY:
        return owner
    if name in _SAME:
        is_float = owner.dtype in FLOATS or name not in ONLY_OF_FLOATS
        found = owner.anew(at) if name in _AS_LONG else made(device=owner.device, at=at)
        found.dtype = owner.dtype if is_float else ""
        found.is_array = owner.is_array and name != "squeeze"
        return owner if name.endswith("_") else found
    if name in _SMALLER and not (name in _MAY_GIVE_TWO and (args or keywords)):
        return _smaller(owner, name, keywords, at)
    if name in _POSITIONS:
        return made("int64", owner.device, at)
    return UNKNOWN


def _converted(
    owner: Cell, name: str, args: list[Value], keywords: Mapping[str, Value], at: Span | None
) -> Value:
    if name in ("to", "type") and not args and not keywords:
        return UNKNOWN
    dtype, device = conversion(name, args, keywords)
    found = owner.anew(at)
    found.dtype = owner.dtype if dtype is None else dtype
    found.device = owner.device if device is None else device
    return found


def _smaller(owner: Cell, name: str, keywords: Mapping[str, Value], at: Span | None) -> Value:
    found = made(owner.dtype if owner.dtype in FLOATS else "", owner.device, at)
    if name == "mean" and "dtype" in keywords:
        found.dtype = ""
    elif name == "mean" and owner.dtype and owner.dtype not in FLOATS:
        raise refusal("whole_mean", found, got=owner.dtype, further=[owner.at])
    return found


def _of_loose(
    owner: Cell, name: str, args: list[Value], keywords: Mapping[str, Value], at: Span | None
) -> Value:
    if name in ("to", CPU, CUDA):
        device = conversion(name, args, keywords)[1]
        return Cell(LOOSE, None, at, device=owner.device if device is None else device)
    if name in ("get", "pop"):
        return owner
    if name in ("items", "values"):
        return Each(Fixed([UNKNOWN, owner]) if name == "items" else owner)
    known = name in _SAME or name in _SMALLER or name in _CASTS or name in ("numpy", "argmax")
    return method(as_tensor(owner), name, args, keywords, at) if known else UNKNOWN


def as_array(given: Iterable[Value]) -> None:
    """Raise where tensors cannot be made arrays of NumPy."""
    for one in tensors_in(map(as_tensor, given)):
        if one.device == CUDA:
            raise refusal("array_device", Cell(ARRAY), further=[one.at])
        if one.dtype == "bfloat16":
            raise refusal("array_format", Cell(ARRAY), further=[one.at])


# Batches


def of_collated(item: Value) -> Value:
    """What torch's own collate function makes of the values that every row has at one place."""
    if isinstance(item, list):
        return Fixed(map(of_collated, item))
    if isinstance(item, Cell) and (is_tensor(item) or item.kind in (ARRAY, NUMBER)):
        return made(item.dtype, item.device or ("" if is_tensor(item) else CPU), is_array=True)
    if isinstance(item, (int, float)):
        return made({float: "float64", int: "int64"}.get(type(item), ""), CPU, is_array=True)
    return UNKNOWN


def loose(value: Value) -> Value:
    """A batch, or a part of it, with what is not known of it on the CPU."""
    if value is UNKNOWN:
        return Cell(LOOSE, device=CPU)
    if isinstance(value, Fixed):
        return Fixed(map(loose, value))
    if type(value) is dict:
        return {key: loose(part) for key, part in value.items()}
    if isinstance(value, Row):
        return value.with_values({key: loose(part) for key, part in value.items()})
    return value


# Networks


@dataclass(eq=False, slots=True)
class Network(Modelled):
    """A module of torch that comes from outside the submission.

    Attributes:
        kind: the name of its class in `torch.nn`; empty for a pretrained one.
        at: where it was made.
        parts: what it is made of, in the order in which they are called.
        kept: the tensors that it moves with.
        is_spread: a library places its weights, and brings its inputs to them.
    """

    kind: str
    dtype: str
    device: str
    at: Span | None = None
    parts: tuple[Value, ...] = ()
    kept: tuple[Cell, ...] = ()
    is_spread: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class NetworkPart(Modelled):
    """A part of a network by its name, of which nothing is known but to whom it belongs."""

    whole: Network
    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Weights(Modelled):
    """What `parameters()` of a network gives."""

    of: "Network | Instance"

    def first(self) -> Cell:
        """Any of them."""
        held = list(_held(self.of))
        formats, devices = ({getattr(one, name) for one in held} for name in ("dtype", "device"))
        dtype = formats.pop() if len(formats) == 1 else ""
        found = made(dtype, devices.pop() if len(devices) == 1 else "", is_array=True)
        if held and isinstance(held[0], Network):
            found.is_kept = True
            held[0].kept += (found,)
        return found


def _held(value: Value, depth: int = 0) -> "Iterator[Network | Cell]":
    """The tensors and networks that a network is made of."""
    if isinstance(value, Network):
        if value.kind not in CONTAINERS:
            yield value
        inner: Iterable[Value] = (*value.parts, *value.kept)
    else:
        inner = value.attributes.values() if isinstance(value, Instance) else ()
    for part in inner if depth < _DEEPEST else ():
        if isinstance(part, Cell) and part.is_kept:
            yield part
        elif isinstance(part, (Network, Instance)):
            yield from _held(part, depth + 1)


@dataclass(eq=False, slots=True)
class Output(Modelled):
    """What a pretrained network gives."""

    of: Cell = field(default_factory=lambda: made())


@dataclass(frozen=True, eq=False, slots=True)
class Autocast(Modelled):
    """A block in which torch chooses number formats; None where it may be off."""

    enabled: bool | None


@dataclass(frozen=True, eq=False, slots=True)
class GradMode(Modelled):
    """A block in which gradients are on or off."""

    enabled: bool


def convert(
    value: Value, dtype: str | None, device: str | None, *, is_sure: bool, depth: int = 0
) -> None:
    """Move a network with all that belongs to it, and change its number format; None keeps it.

    Args:
        is_sure: whether that is certainly done; it is not known afterwards where it is not.
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, (Network, Cell)):
        if device is not None and not (isinstance(value, Network) and value.is_spread):
            value.device = device if is_sure or device == value.device else ""
        if dtype is not None and (isinstance(value, Network) or value.dtype in FLOATS or not dtype):
            value.dtype = dtype if is_sure or dtype == value.dtype else ""
    inner: Iterable[Value] = ()
    if isinstance(value, Network):
        inner = (*value.parts, *value.kept)
    elif isinstance(value, NetworkPart):
        inner, dtype, device = [value.whole], dtype and "", device and ""
    elif isinstance(value, Instance):
        inner = list(value.attributes.values())
    for part in inner:
        if isinstance(part, (Network, Instance)) or (isinstance(part, Cell) and part.is_kept):
            convert(part, dtype, device, is_sure=is_sure, depth=depth + 1)


def forget(value: Value) -> None:
    """What code did to a network that is not followed."""
    if isinstance(value, (Network, NetworkPart, Instance)):
        convert(value, "", "", is_sure=True)
