"""The parameters of the search spaces in run files, wherever and in whichever form they lie."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

import yaml

from reviewers.facts import Facts
from reviewers.records import RunConfig
from reviewers.repairs.edits import YamlEdits
from reviewers.repairs.meant_keys import are_same

_BOUNDS = ("low", "high", "choices")  # each stands for the words that mean the same
_NAMING = ("name", "key", "path", "param", "parameter", "target")


@dataclass(frozen=True)
class SearchParameter:
    """A parameter of a search space in a run's file: a mapping with bounds or choices.

    Attributes:
        name: the node of the text that names what is to be set.
        space: the dotted path of the section or list that has the mapping.
        said: what the mapping says.
    """

    run: RunConfig
    text: YamlEdits
    name: yaml.ScalarNode
    space: str
    said: Mapping[str, yaml.Node]

    def takes(self, value: object) -> bool:
        """Whether a value is one that the search may give."""
        if choices := self._choices():
            return str(value) in choices
        low, high = self._numbers()
        try:
            return low is not None and high is not None and low <= float(str(value)) <= high
        except ValueError:
            return False

    def values(self) -> tuple[str, str, str] | None:
        """The first, middle and last value as YAML; None where they are not known."""
        if choices := self._choices():
            return choices[0], choices[(len(choices) - 1) // 2], choices[-1]
        low, high = self._numbers()
        first, last = self._of("low"), self._of("high")
        if low is None or high is None or first is None or last is None:
            return None
        is_log = any(
            "log" in str(node.value) or (name == "log" and str(node.value).lower() == "true")
            for name, node in self.said.items()
        )
        centre = sqrt(low * high) if is_log and low > 0 else (low + high) / 2
        is_whole = str(first.value).lstrip("-").isdigit() and str(last.value).isdigit()
        return first.value, str(round(centre)) if is_whole else f"{centre:.3g}", last.value

    def _choices(self) -> list[str]:
        node = self._of("choices")
        return [each.value for each in node.value] if isinstance(node, yaml.SequenceNode) else []

    def _numbers(self) -> tuple[float | None, float | None]:
        return _number(self._of("low")), _number(self._of("high"))

    def _of(self, bound: str) -> yaml.Node | None:
        return next((node for name, node in self.said.items() if are_same(name, bound)), None)


def _number(node: yaml.Node | None) -> float | None:
    try:
        return float(node.value) if isinstance(node, yaml.ScalarNode) else None
    except ValueError:
        return None


def parameters(facts: Facts, run: RunConfig) -> Iterator[SearchParameter]:
    """Yield the parameters of a run's search spaces."""
    text = YamlEdits(facts, run.file.path)
    for path, key, node in text.walk():
        if isinstance(node, yaml.MappingNode):
            said = {str(name.value): value for name, value in node.value}
            if any(are_same(each, bound) for each in said for bound in _BOUNDS):
                named = next((said[each] for each in _NAMING if each in said), key)
                if isinstance(named, yaml.ScalarNode):
                    own = f".{key.value}" if key is not None else path[path.rfind("[") :]
                    yield SearchParameter(run, text, named, path.removesuffix(own), said)
