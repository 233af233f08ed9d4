"""What decorators do to the functions and classes they decorate."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

from reviewers.facts.third_party.building.records import Decorator

_TABLE = tomllib.loads((Path(__file__).parent / "decorators.toml").read_text("utf-8"))
_KEEPS = frozenset(_TABLE["keeps"])
_CONSTRUCTOR = frozenset(_TABLE["constructor"])
_POSITIONAL = frozenset(_TABLE["positional"])
_ADDS: dict[str, list[str]] = _TABLE["adds"]


def parameters_after(decorator: Decorator, parameters: str) -> str | None:
    """The parameters of a decorated function, None if the decorator is not known."""
    key = _key(decorator)
    if key in _KEEPS:
        return parameters
    if key in _POSITIONAL:
        return _with_positional(parameters)
    return _with_keywords(parameters, _ADDS[key]) if key in _ADDS else None


def class_effect(decorator: Decorator) -> str:
    """What a decorator does to a class: "keeps", another "constructor", or "unknown"."""
    key = _key(decorator)
    return "keeps" if key in _KEEPS else "constructor" if key in _CONSTRUCTOR else "unknown"


def lenient(parameters: str) -> str:
    """A stub's parameters, of which only the names are believed: nothing is required, and more may
    be given by position.
    """
    parts = parameters.split(",") if parameters else []
    return _with_positional(
        ",".join(part if part[0] in "*/" or part.endswith("=") else f"{part}=" for part in parts)
    )


def with_aliases(parameters: str, aliases: Mapping[str, str]) -> str:
    """Write the other names of parameters beside them: `dim=` becomes `dim|axis=`."""
    parts = []
    for part in parameters.split(",") if parameters else ():
        name = part.removesuffix("=")
        parts.append(aliases.get(name, name) + part[len(name) :])
    return ",".join(parts)


def _key(decorator: Decorator) -> str:
    return f"{decorator.dotted.partition('.')[0]}:{decorator.dotted.rpartition('.')[2]}"


def _with_positional(parameters: str) -> str:
    parts = parameters.split(",") if parameters else []
    if any(part.startswith("*") and not part.startswith("**") and part != "*" for part in parts):
        return parameters
    if "*" in parts:
        parts[parts.index("*")] = "*_"
    else:
        parts.insert(len(parts) - (bool(parts) and parts[-1].startswith("**")), "*_")
    return ",".join(parts)


def _with_keywords(parameters: str, names: list[str]) -> str:
    parts = parameters.split(",") if parameters else []
    if parts and parts[-1].startswith("**"):
        return parameters
    if names == ["**"]:
        return ",".join([*parts, "**_"])
    taken = {part.strip("*=") for part in parts}
    added = [f"{name}=" for name in names if name not in taken]
    starred = any(part.startswith("*") for part in parts)
    return ",".join([*parts, *(["*"] if added and not starred else []), *added])
