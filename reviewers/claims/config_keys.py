"""The keys of a submission's YAML files, by dotted path, with the lines they stand on."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from reviewers.bundles.yaml_text import load_yaml
from reviewers.facts import Facts
from reviewers.records import Span

_KEY = re.compile(
    r"^(?P<indent>\s*)(?:- )?(?P<key>[^\s#:'\"-][^:#'\"]*?|\"[^\"]+\"|'[^']+')\s*:(?:\s|$)"
)
_MAIN = "config/config.yaml"
_MOST_DEPTH = 12


class ConfigKeys:
    """The keys of `config/config.yaml` and of every run config, each file by itself."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def values(self) -> Mapping[str, object]:
        """The value of each YAML file; files that cannot be read are left out."""
        found: dict[str, object] = {}
        for path in (_MAIN, *(run.file.path for run in self._facts.submission.runs)):
            text = self._facts.text(path)
            read = load_yaml(text) if text is not None else None
            if read is not None and read.problem is None:
                found[path] = read.value
        return found

    @cached_property
    def main(self) -> Mapping[str, object] | None:
        """`config/config.yaml` as a mapping; None where it is absent, empty or no mapping."""
        value = self.values.get(_MAIN)
        return value if isinstance(value, dict) else None

    @cached_property
    def runs(self) -> Mapping[str, object]:
        """The value of each run config that can be read, by path."""
        return {path: value for path, value in self.values.items() if path != _MAIN}

    def has(self, path: str, key: str) -> bool:
        """Whether a file has a dotted key at any depth: `lr_scheduler.type` is in
        `training.lr_scheduler.type`.
        """
        return any(known == key or known.endswith("." + key) for known in self.paths(path))

    def paths(self, path: str) -> tuple[str, ...]:
        """Every dotted key of a file."""
        if path not in self._paths:
            self._paths[path] = tuple(_walk(self.values.get(path), "", 0))
        return self._paths[path]

    @cached_property
    def _paths(self) -> dict[str, tuple[str, ...]]:
        return {}

    def line(self, path: str, key: str) -> Span | None:
        """The line of a dotted key in a file."""
        wanted = key.split(".")
        open_keys: list[tuple[int, str]] = []
        for number, text in enumerate(self._facts.lines(path), 1):
            match = _KEY.match(text)
            if match is None:
                continue
            indent = len(match["indent"])
            while open_keys and open_keys[-1][0] >= indent:
                open_keys.pop()
            open_keys.append((indent, match["key"].strip("\"' ")))
            if [name for _, name in open_keys][-len(wanted) :] == wanted:
                return Span(path, number)
        return None

    @cached_property
    def defaults(self) -> tuple[str, ...] | None:
        """The groups and configs of the defaults list as written (`run`, `_self_`); None where
        there is no list.
        """
        listed = (self.main or {}).get("defaults")
        if not isinstance(listed, list):
            return None
        return tuple(_entry(item) for item in listed)

    @property
    def defaults_line(self) -> Span | None:
        """Where the defaults list stands."""
        return self.line(_MAIN, "defaults")


def _entry(item: object) -> str:
    if isinstance(item, dict) and len(item) == 1:
        name = str(next(iter(item)))
        return name.removeprefix("override ").removeprefix("optional ").split("@")[0].strip("/ ")
    return str(item)


def _walk(value: object, above: str, depth: int) -> Iterator[str]:
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            path = f"{above}.{key}" if above else str(key)
            yield path
            yield from _walk(inner, path, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _walk(inner, above, depth + 1)
