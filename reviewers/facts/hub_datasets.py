"""What is known about data sets on the Hugging Face Hub, from `hub_datasets.toml`; a data set that
is not listed there is unknown.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True)
class HubDataset:
    """One data set, or one of its configurations.

    Attributes:
        id: with its namespace.
        configs: every configuration name; empty if that is not known.
        needs_config: whether loading it without a configuration name fails.
        example: a configuration name to propose.
        splits: every split; empty if that is not known.
        columns: kind of every column by name; empty if that is not known.
        unlabelled: splits in which every label is -1.
        script: the loading script that it consists of; None if it is made of plain files, or
            that is not known.
    """

    id: str
    configs: tuple[str, ...]
    needs_config: bool
    example: str | None
    splits: tuple[str, ...]
    columns: Mapping[str, str]
    unlabelled: frozenset[str]
    script: str | None


@cache
def _tables() -> tuple[dict[str, Any], dict[str, str]]:
    """The table, and the id of every data set by each name that leads to it."""
    data = tomllib.loads(
        resources.files(__package__).joinpath("hub_datasets.toml").read_text("utf-8")
    )
    entries = {
        id: entry for id, entry in data.items() if isinstance(entry, dict) and id != "instead"
    }
    return data, {
        name: id for id, entry in entries.items() for name in (id, *entry.get("also", ()))
    }


@lru_cache(maxsize=1_000)
def find_dataset(name: str, config: str | None = None) -> HubDataset | None:
    """What is known of a data set by any of its names, with a configuration or with the one taken
    by default.
    """
    data, ids = _tables()
    id = ids.get(name)
    if id is None:
        return None
    entry = data[id]
    configs = tuple(entry.get("configs", ()))
    taken = config or entry.get("default") or (configs[0] if len(configs) == 1 else "")
    own = entry.get("of", {}).get(taken, {})
    columns = own.get("columns", entry.get("columns", ""))
    return HubDataset(
        id,
        configs,
        bool(entry.get("required")) or (len(configs) > 1 and "default" not in entry),
        entry.get("example"),
        tuple(own.get("splits", entry.get("splits", ()))),
        dict(column.split(":") for column in columns.split()),
        frozenset(entry.get("unlabelled", ())) - frozenset(own.get("labelled", ())),
        entry.get("script"),
    )


@lru_cache(maxsize=1_000)
def kinds_of(columns: frozenset[str]) -> Mapping[str, str]:
    """The kinds of columns by their names, if some known data set has just these; else empty."""
    data, ids = _tables()
    for id in dict.fromkeys(ids.values()):
        for own in (data[id], *data[id].get("of", {}).values()):
            kinds = dict(each.split(":") for each in str(own.get("columns", "")).split())
            if kinds.keys() == columns:
                return kinds
    return {}


def is_absent(name: str) -> bool:
    """Whether the Hub certainly has no data set of this name."""
    return name in _tables()[0]["absent"]


def name_instead(name: str) -> str | None:
    """The data set that is mostly meant by a name that the Hub lacks."""
    found = _tables()[0]["instead"].get(name)
    return str(found) if found else None
