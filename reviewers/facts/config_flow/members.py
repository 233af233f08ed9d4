"""What known values have: methods, attributes of paths, and what is in a container."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from omegaconf import DictConfig

from reviewers.facts.config_flow import access, data_calls
from reviewers.facts.config_flow.data_values import DataSet, DataSets, Modelled, Names, Row
from reviewers.facts.config_flow.values import (
    ANYTHING,
    UNKNOWN,
    PartlyKnown,
    SomePath,
    Unordered,
    Value,
    is_open,
)
from reviewers.facts.placed import place_of

MOST_ABOVE = 20  # folders that a path is followed up


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of a known value."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class PathParents:
    """`path.parents`."""

    path: SomePath

    def at(self, index: int) -> Value:
        path: Value = self.path if index >= 0 else SomePath(("/",))
        for _ in range(min(index, MOST_ABOVE) + 1):
            path = above(path) if isinstance(path, SomePath) else UNKNOWN
        return path


def path_attribute(path: SomePath, name: str) -> Value:
    """An attribute of a path, or its bound method."""
    match name:
        case "parent":
            return above(path)
        case "parents":
            return PathParents(path)
        case "name":
            return _text(path.parts[-1]) if path.parts else UNKNOWN
        case "stem":
            last = path.parts[-1] if path.parts else "{}"
            known, hole, rest = last.rpartition("{}")
            return PartlyKnown(f"{known}{{}}") if hole else rest.rpartition(".")[0] or rest
    return Bound(path, name)


def above(path: SomePath) -> Value:
    """The folder that a path lies in; that of the working directory is another one for `Path()`
    than for `Path.cwd()`.
    """
    is_odd = (path.here and not path.parts) or path.parts[-1:] == ("..",)
    return UNKNOWN if is_odd else path.above()


def _text(text: str) -> Value:
    return PartlyKnown(text) if "{}" in text else text


def read(owner: Value, key: str | int, *, as_attribute: bool) -> Value:
    """An attribute or an item of a configuration or of a modelled value, with the error that
    reading it raises.
    """
    if not isinstance(owner, Modelled):
        return access.read(owner, key, as_attribute=as_attribute)
    if not as_attribute:
        return owner.item(key) if isinstance(owner, DataSet | DataSets | Row) else UNKNOWN
    value = data_calls.attribute(owner, str(key))
    return Bound(owner, str(key)) if value is None else value


def named(node: ast.stmt) -> tuple[str, ast.expr] | None:
    """The one name that a statement gives a value, and the value."""
    match node:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value)
            | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
        ):
            return name, value
    return None


def from_configuration(owner: dict[Value, Value]) -> Value:
    """The first value of a mapping that stands in a configuration as it is; None for any other."""
    values = [value for value in owner.values() if not isinstance(value, dict | list | bool | None)]
    whole = all(place_of(value) is not None for value in values)
    return values[0] if values and whole else None


def cut(owner: Value, key: slice) -> Value:
    """A part of a list or a text."""
    bounds = (key.start, key.stop, key.step)
    known = (
        isinstance(owner, list | str)
        and not isinstance(owner, Unordered)
        and not (isinstance(owner, list) and is_open(owner))
        and key.step != 0
        and all(isinstance(bound, int | None) for bound in bounds)
    )
    return owner.__class__(owner[key]) if known else UNKNOWN


def contains(container: Value, item: Value) -> bool | None:
    """Whether the container holds the item; None where that is not known."""
    if isinstance(container, Row):
        return container.holds(item)
    if isinstance(container, Names) and item in container.maybe:
        return None
    if isinstance(container, DictConfig) and isinstance(item, str):
        return item in container.keys()  # noqa: SIM118  `in` on the config itself resolves interpolations
    if isinstance(container, dict | list | tuple) and isinstance(item, str | int | float | None):
        if isinstance(container, dict) and ANYTHING in container:
            return True if item in container else None
        known = all(isinstance(part, str | int | float | bool | None) for part in container)
        return item in container if known or item in container else None
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    return None


def bound_in(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of a module binds, if need be within its blocks."""
    if not (isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)):
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                yield part.id
