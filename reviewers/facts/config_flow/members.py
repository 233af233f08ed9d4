"""What known values have: methods, attributes of paths, and what is in a container."""

from dataclasses import dataclass

from omegaconf import DictConfig

from reviewers.facts.config_flow.values import ANYTHING, UNKNOWN, SomePath, Value


@dataclass(frozen=True, slots=True)
class Bound:
    """A method of a known value."""

    owner: Value
    name: str


@dataclass(frozen=True, slots=True)
class PathParents:
    """`path.parents`."""

    path: SomePath

    def at(self, index: int) -> SomePath:
        return SomePath(self.path.parts[: max(len(self.path.parts) - index - 1, 0)])


def path_attribute(path: SomePath, name: str) -> Value:
    """An attribute of a path, or its bound method."""
    match name:
        case "parent":
            return SomePath(path.parts[:-1])
        case "parents":
            return PathParents(path)
        case "name":
            return path.parts[-1] if path.parts else UNKNOWN
        case "stem":
            return path.parts[-1].rpartition(".")[0] or path.parts[-1] if path.parts else UNKNOWN
    return Bound(path, name)


def contains(container: Value, item: Value) -> bool | None:
    """Whether the container holds the item; None where that is not known."""
    if isinstance(container, DictConfig) and isinstance(item, str):
        return item in container.keys()  # noqa: SIM118  `in` on the config itself resolves interpolations
    if isinstance(container, dict | list | tuple) and isinstance(item, str | int | float):
        if isinstance(container, dict) and ANYTHING in container:
            return True if item in container else None
        known = all(isinstance(part, str | int | float | bool) for part in container)
        return item in container if known or item in container else None
    if isinstance(container, str) and isinstance(item, str):
        return item in container
    return None
