"""What calls of libraries give, by a table (`library_values.toml`), and what json, yaml and pickle
refuse of it.
"""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from reviewers.facts.config_flow import access, tensors
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.cells import ARRAY, Cell
from reviewers.facts.config_flow.data_values import DataError, Modelled
from reviewers.facts.config_flow.follower import Follower
from reviewers.facts.config_flow.values import (
    Fixed,
    Instance,
    LocalFunction,
    Opened,
    ProblemKind,
    SomePath,
    Unordered,
    Value,
    is_config,
)
from reviewers.records import Span

_TABLE = tomllib.loads(
    resources.files(__package__).joinpath("library_values.toml").read_text("utf-8")
)
GIVES: Mapping[str, Mapping[str, Any]] = {
    name: entry for entry in _TABLE["gives"] for name in entry["calls"]
}
_DEEPEST = 16
# Bases from outside with which an object is pickled by its attributes, and json refuses it.
_PLAIN_BASES = frozenset({"object", "abc.ABC", "torch.nn.Module", "torch.utils.data.Dataset"})
_PICKLING = ("__getstate__", "__reduce__", "__reduce_ex__")


@dataclass(frozen=True, eq=False, slots=True)
class Made(Modelled):
    """An object of a library's class, of which nothing else is known."""

    kind: str
    at: Span | None = None


class SeveralValues(Fixed):
    """The values that a library's call gives, mostly as a named tuple; `by` says which call."""

    by = ""


# json and yaml


def refuse_unwritable(value: Value, by: str, instead: Value) -> None:
    """Raise for what `json.dump` or `yaml.safe_dump` cannot write."""
    as_json = by.startswith("json.")
    found = _unwritable(value, _TABLE["objects"]["json_takes" if as_json else "yaml_takes"])
    if found is None:
        return
    error, said = "RepresenterError", f"cannot represent an object of type {_class_of(found)}"
    if as_json:
        error, said = "TypeError", f"Object of type {_class_of(found)} is not JSON serializable"
    if is_config(found):
        key = access.path_of(found)
        raise AccessError(ProblemKind.INVALID_VALUE, error, said, key, instead=instead)
    raise DataError("json", error, said, instead, further=[getattr(found, "at", None)])


def _unwritable(value: Value, taken: Collection[str], depth: int = 0) -> Value:
    """The object that is refused; None where there is none."""
    if depth < _DEEPEST and isinstance(value, (dict, list)) and not isinstance(value, Modelled):
        is_set = isinstance(value, Unordered) and value.is_set
        if is_set and "set" not in taken:
            return value
        parts = value.values() if isinstance(value, dict) else value
        found = (_unwritable(one, taken, depth + 1) for one in parts)
        return next((one for one in found if one is not None), None)
    return value if _class_of(value) not in ("", *taken) else None


def _class_of(value: Value) -> str:
    """The class of an object that no format of texts has a form for; empty if it may have one."""
    match value:
        case Cell() if tensors.is_tensor(value):
            return "Tensor"
        case Cell(is_array=True) if value.kind == ARRAY:
            return "ndarray"
        case Made(kind=kind):
            return kind.rpartition(".")[2]
        case Unordered():
            return "set"
        case SomePath(is_object=True):
            return "PosixPath"
        case LocalFunction():
            return "function"
        case Instance() if set(value.cls.definition.bases) <= _PLAIN_BASES:
            return value.cls.definition.name
    return type(value).__name__ if is_config(value) else ""


# pickle


def refuse_unpicklable(follower: Follower, value: Value, by: str, instead: Value) -> None:
    """Raise for what cannot be pickled."""
    said = _unpicklable(follower, value)
    if said is not None:
        error, what, at = said
        raise DataError("pickle", error, f"{what}, as {by} needs it", instead, further=[at])


def _unpicklable(
    follower: Follower, value: Value, depth: int = 0
) -> tuple[str, str, Span | None] | None:
    """The error and its text, and where the value comes from."""
    if depth >= _DEEPEST:
        return None
    parts: list[Value] = []
    match value:
        case dict() | list() if not isinstance(value, Modelled):
            parts = list(value.values() if isinstance(value, dict) else value)
        case LocalFunction(node=node, scope=scope):
            is_inner = scope.around is not None and value.home is None
            name = getattr(node, "name", "<lambda>")
            if (is_inner or name == "<lambda>") and name not in scope.outer:
                error = "AttributeError" if is_inner else "PicklingError"
                kind = "local object" if is_inner else "function"
                return error, f"Can't pickle {kind} {name}", scope.span(node)
            parts = [*value.first, *value.keywords.values()]
        case Instance(cls=cls, attributes=attributes):
            bases = set(cls.definition.bases)
            if not bases <= _PLAIN_BASES or any(follower.method(cls, one) for one in _PICKLING):
                return None
            if cls.scope.around is not None:
                said = f"Can't pickle local object {cls.definition.name}"
                return "AttributeError", said, cls.scope.span(cls.definition.node)
            parts = list(attributes.values())
        case Opened():
            return "TypeError", "cannot pickle '_io.TextIOWrapper' object", None
        case Made(kind=kind) if kind in _TABLE["objects"]["unpicklable"]:
            return "TypeError", f"cannot pickle '{kind}' object", value.at
    found = (_unpicklable(follower, one, depth + 1) for one in parts)
    return next(filter(None, found), None)
