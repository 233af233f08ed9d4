"""YAML as OmegaConf reads it, each text parsed once: the few files of a submission are composed
again for every run.
"""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

import yaml
from omegaconf import DictConfig, ListConfig
from omegaconf._utils import get_yaml_loader
from omegaconf.errors import OmegaConfBaseException

from reviewers.bundles.yaml_text import (
    UNREADABLE,
    YamlProblem,
    load_yaml,
    quickest,
    raised_text,
)
from reviewers.facts.config_nodes import created
from reviewers.facts.placed import place_of, placed, without_place
from reviewers.records import Span


class UnreadableYaml(Exception):
    """OmegaConf cannot read the text; the message says why, in one line.

    Attributes:
        line: 1-based, where it stumbles; None if that is not known.
        error: the name of the exception that OmegaConf lets through.
    """

    def __init__(self, message: str, line: int | None = None, error: str = "") -> None:
        super().__init__(message)
        self.line = line
        self.error = error or "YAMLError"


_OMEGACONFS = get_yaml_loader()


@lru_cache(maxsize=128)
def _parsed(text: str) -> Any:
    read = load_yaml(text, _OMEGACONFS)
    return read.value if read.problem is None else _unreadable(read.problem)


def _unreadable(problem: YamlProblem) -> UnreadableYaml:
    return UnreadableYaml(problem.raised or str(problem), problem.line, problem.error)


@lru_cache(maxsize=128)
def size(text: str) -> int:
    """Number of values that a text holds, aliases written out; 0 if it cannot be read."""
    values = _parsed(text)
    return 0 if isinstance(values, UnreadableYaml) else _count(values)


def _count(value: Any) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_count, parts))


def plain_values(text: str, path: str, *, as_json: bool = False) -> Any:
    """Return the values of a text as PyYAML or `json` reads them, each with its line in the file of
    this path; None if it cannot be read.
    """
    return _fresh(_read_plainly(text, path, as_json))


def _fresh(value: Any) -> Any:
    """A copy of the containers, which the code under review may change."""
    if isinstance(value, dict):
        return {key: _fresh(item) for key, item in value.items()}
    return [_fresh(item) for item in value] if isinstance(value, list) else value


class _Lines:
    """Makes texts and numbers that know their lines."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        made = super().construct_object(node, deep)  # type: ignore[misc]
        return placed(made, str(node.start_mark.line + 1))


_YAML = type("_YamlLines", (_Lines, yaml.SafeLoader), {})
# What it reads as numbers is what JSON does; `1e-4` is none to PyYAML.
_JSON = type("_JsonLines", (_Lines, _OMEGACONFS), {})


@lru_cache(maxsize=128)
def _read_plainly(text: str, path: str, as_json: bool) -> Any:
    return _located(load_yaml(text, _JSON if as_json else _YAML).value, path)


def _located(value: Any, path: str) -> Any:
    """The values with whole places instead of lines."""
    if isinstance(value, dict):
        return {without_place(key): _located(item, path) for key, item in value.items()}
    if isinstance(value, list):
        return [_located(item, path) for item in value]
    line = place_of(value)
    return placed(without_place(value), Span(path, int(line)) if isinstance(line, str) else None)


@lru_cache(maxsize=128)
def key_lines(text: str) -> Mapping[str, tuple[int, ...]]:
    """Return the lines that give each dotted key what is there: entries of the defaults list
    by the key under which Hydra puts their file, and the key itself. Empty if the text cannot
    be read.
    """
    found: dict[str, list[int]] = {}
    try:
        root = yaml.compose(text, quickest(yaml.SafeLoader, text))
    except UNREADABLE:
        return {}
    for above, key, value in _keys(root, ""):
        if above == "" and key.value == "defaults" and isinstance(value, yaml.SequenceNode):
            entries = [item.value for item in value.value if isinstance(item, yaml.MappingNode)]
            for group in (entry[0][0] for entry in entries if entry):
                named = str(group.value).rpartition(" ")[2]
                place = (named.partition("@")[2] or named).replace("/", ".")
                found.setdefault(place, []).append(group.start_mark.line + 1)
        found.setdefault(f"{above}{key.value}", []).append(key.start_mark.line + 1)
    return {key: tuple(lines) for key, lines in found.items()}


def _keys(node: Any, above: str) -> Iterator[tuple[str, yaml.Node, yaml.Node]]:
    for key, value in node.value if isinstance(node, yaml.MappingNode) else ():
        yield above, key, value
        yield from _keys(value, f"{above}{key.value}.")


def values(text: str) -> Any:
    """Return the plain values of a text, None if it cannot be read; they are shared, and must
    not be changed.
    """
    found = _parsed(text)
    return None if isinstance(found, UnreadableYaml) else found


def plain_problem(text: str) -> UnreadableYaml | None:
    """Say why PyYAML would not read a text; None if it would."""
    problem = load_yaml(text).problem
    return None if problem is None else _unreadable(problem)


def problem(text: str) -> UnreadableYaml | None:
    """Say why OmegaConf would not read a text, without building anything of it; None if it
    would.
    """
    values = _parsed(text)
    if isinstance(values, UnreadableYaml):
        return values
    if values is not None and not isinstance(values, (dict, list)):
        return UnreadableYaml(
            f"it holds one plain value of type {type(values).__name__}, no mapping",
            error="OSError",
        )
    return None


def line_of(text: str, key: str) -> int | None:
    """The 1-based line on which a dotted key stands; None if the text has no such key."""
    if _parsed(text) is None or isinstance(_parsed(text), UnreadableYaml):
        return None
    node, line = yaml.compose(text, quickest(yaml.SafeLoader, text)), None
    for part in key.split("."):
        pairs = node.value if isinstance(node, yaml.MappingNode) else ()
        found = next((pair for pair in pairs if pair[0].value == part), None)
        if found is None:
            return None
        line, node = found[0].start_mark.line + 1, found[1]
    return line


def load(text: str) -> DictConfig | ListConfig:
    """Return a configuration of its own, as `OmegaConf.load` would of a file with this text.

    Raises:
        UnreadableYaml: it is not YAML, holds a key twice, or is neither a mapping nor a list.
    """
    values = _parsed(text)
    if (unreadable := problem(text)) is not None:
        raise unreadable
    try:
        made: DictConfig | ListConfig = created(values if values is not None else {})
    except (OmegaConfBaseException, *UNREADABLE) as error:
        words = " ".join(str(error).split())[:300]
        is_told = isinstance(error, OmegaConfBaseException)
        said = words if is_told else raised_text(error)
        raise UnreadableYaml(said, error=type(error).__name__) from None
    return made


def values_at(values: Any, parts: list[str]) -> Iterator[Any]:
    """What is under a key; in a list of mappings, such as a defaults list, in any of them; under
    one that begins with a glob (`*lr`), at any depth.
    """
    if not parts:
        yield values
        return
    if isinstance(values, Mapping):
        for name, value in values.items():
            if fnmatchcase(str(name), parts[0]):
                yield from values_at(value, parts[1:])
            elif parts[0].startswith("*"):
                yield from values_at(value, parts)
        dotted = ".".join(parts)
        if len(parts) > 1 and dotted in values:
            yield values[dotted]
    elif isinstance(values, list):
        for value in values:
            if isinstance(value, Mapping):
                yield from values_at(value, parts)
            elif len(parts) == 1 and isinstance(value, str) and value == parts[0]:
                yield value


def chosen_groups(values: Any) -> set[str]:
    """The groups that a defaults list chooses from, whatever stands around their names: `optional
    run`, `/run@training`, `run/a`.
    """
    entries = values.get("defaults") if isinstance(values, Mapping) else None
    told = [
        str(word)
        for entry in (entries if isinstance(entries, list) else ())
        for word in (entry if isinstance(entry, Mapping) else (str(entry).rpartition("/")[0],))
    ]
    return {f"defaults.{word.split()[-1].lstrip('/').partition('@')[0]}" for word in told if word}
