"""Models on the Hugging Face Hub: what an identifier names, and the layers of its architecture.

Read from `hub_models.toml` and `architectures.toml`; an identifier or architecture that is not
listed there is unknown.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib import resources
from typing import Any

_NAMED = re.compile(r"[A-Za-z0-9][\w.() -]{1,95}")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Architecture:
    """One model type of transformers.

    Attributes:
        linear: last parts of the names of the backbone's layers that an adapter can wrap.
        blocks: last parts of the names of modules that are never such a layer.
        others: every other name of one of its modules.
        auto: the `AutoModelFor…` classes that accept it, without the prefix.
        sdpa: whether its configuration requests `scaled_dot_product_attention`.
    """

    name: str
    linear: tuple[str, ...]
    blocks: frozenset[str]
    others: frozenset[str]
    auto: frozenset[str]
    sdpa: bool

    def has(self, name: str) -> bool:
        """Whether some module in some version may have a name."""
        return name.isdigit() or name in self.linear or name in self.blocks or name in self.others

    def has_part(self, text: str) -> bool:
        """Whether a text may be part of a module's name, dots included."""
        parts = [part for part in text.split(".") if part and not part.isdigit()]
        return all(
            any(part in name for name in (*self.linear, *self.blocks, *self.others))
            for part in parts
        )

    def takes(self, auto_class: str) -> bool:
        """Whether an `AutoModelFor…` class accepts it; True for unknown classes."""
        task = auto_class.rpartition(".")[2].removeprefix("AutoModelFor")
        return task not in _tasks() or task in self.auto


def architecture_of(identifier: str) -> Architecture | None:
    """The architecture behind a model identifier, even without its namespace; None if
    it is not known.
    """
    return _architecture_of(identifier) if len(identifier) < _LONGEST else None


@lru_cache(1_000)
def _architecture_of(identifier: str) -> Architecture | None:
    wanted = identifier.casefold()
    for name, patterns in _hub()["models"].items():
        shown = patterns if "/" in wanted else [pattern.rpartition("/")[2] for pattern in patterns]
        if _matches(wanted, shown):
            return _architectures()[name]
    return None


def lacks_namespace(identifier: str) -> bool:
    """Whether an identifier cannot be on the Hub because it has no namespace; it may still be a
    folder.
    """
    return (
        _NAMED.fullmatch(identifier) is not None
        and identifier.casefold() not in _hub()["canonical"]
    )


def names_a_family(identifier: str) -> bool:
    """Whether an identifier without a namespace mentions a published family of models, which a
    local folder would not.
    """
    return identifier.casefold().startswith(tuple(_hub()["families"]["names"])) and any(
        sign.isdigit() for sign in identifier
    )


def organisation_of(identifier: str) -> str | None:
    """The namespace of models with such names; None if several or none are known."""
    spaces = {
        pattern.partition("/")[0]
        for patterns in _hub()["models"].values()
        for pattern in patterns
        if _matches(identifier.casefold(), [pattern.rpartition("/")[2]])
    }
    return spaces.pop() if len(spaces) == 1 else None


def full_names(identifier: str) -> tuple[str, ...]:
    """What the Hub may call a model that is named without its namespace, the best known first."""
    name = identifier.casefold()
    told = next((names for short, names in _hub()["in_full"].items() if short == name), ())
    spaces = dict.fromkeys(
        pattern.partition("/")[0]
        for patterns in _hub()["models"].values()
        for pattern in patterns
        if _matches(name, [pattern.rpartition("/")[2]])
    )
    return tuple(told) or tuple(f"{space}/{identifier}" for space in spaces)


def is_gated(identifier: str) -> bool:
    """Whether the Hub serves a model only to accounts with access."""
    return len(identifier) < _LONGEST and _matches(identifier.casefold(), _hub()["gated"]["ids"])


def brings_code(identifier: str) -> bool:
    """Whether a model's repository may contain code, which runs under `trust_remote_code=True`."""
    return "/" in identifier and _is_listed(identifier, "own_code")


def is_full(identifier: str) -> bool:
    """Whether a model's embeddings have no row for a new token and its tokenizer has no padding
    token.
    """
    return _is_listed(identifier, "full")


def is_unpadded(identifier: str) -> bool:
    """Whether a decoder's configuration names no padding token."""
    return _is_listed(identifier, "unpadded")


def _is_listed(identifier: str, table: str) -> bool:
    """Whether a table lists an identifier, even without its namespace."""
    patterns = _hub()[table]["ids"]
    shown = patterns if "/" in identifier else [pattern.rpartition("/")[2] for pattern in patterns]
    return len(identifier) < _LONGEST and _matches(identifier.casefold(), shown)


def _matches(identifier: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(identifier, pattern.casefold()) for pattern in patterns)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath(name).read_text("utf-8"))


@cache
def _hub() -> dict[str, Any]:
    return _read("hub_models.toml")


@cache
def _architectures() -> dict[str, Architecture]:
    return {
        name: Architecture(
            name,
            tuple(table["linear"]),
            frozenset(table["blocks"]),
            frozenset(table["others"]),
            frozenset(table["auto"]),
            table.get("sdpa", False),
        )
        for name, table in _read("architectures.toml")["architectures"].items()
    }


def architectures() -> tuple[Architecture, ...]:
    """Every known architecture."""
    return tuple(_architectures().values())


@cache
def _tasks() -> frozenset[str]:
    return frozenset(task for known in _architectures().values() for task in known.auto)
