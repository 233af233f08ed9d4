"""Which distribution brings an imported module; read from `distributions.toml`, and unknown where that does not say."""

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from packaging.utils import canonicalize_name


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("distributions.toml").read_text("utf-8"))


def distribution_of(module: str) -> str | None:
    """The normalised name of the distribution that brings a top-level module; None where it is not known."""
    table = _table()
    if module in table["modules"]:
        return str(table["modules"][module])
    return canonicalize_name(module) if module in table["same"]["names"] else None


def installed_with(declared: Iterable[str]) -> frozenset[str]:
    """The normalised names of the declared distributions and of all that they certainly bring along."""
    table = _table()
    found: set[str] = set()
    waiting = list(declared)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += table["brings"].get(name, ())
            waiting += [module for module, others in table["alternatives"].items() if name in others]
    return frozenset(found)
