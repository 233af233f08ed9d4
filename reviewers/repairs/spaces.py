"""The parameters of the search spaces in run files, wherever and in whichever form they lie."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

import yaml

from reviewers.facts import Facts
from reviewers.facts.python_file import PythonFile
from reviewers.records import RunConfig
from reviewers.repairs.access import access
from reviewers.repairs.edits import YamlEdits
from reviewers.repairs.meant_keys import are_same

_BOUNDS = ("low", "high", "choices")  # each stands for the words that mean the same
_NEAR = 10  # times, by which a value may lie beside a range
_SEARCHING = ("search_space", "suggest_", "best_params", "best_trial")
_CONFIGURATION = re.compile(r"cfg|conf")
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
        number = _as_number(value)
        if low is None or high is None or number is None:
            return False
        return low <= number <= high

    def fits(self, value: object, is_near: bool) -> bool:
        """Whether a value is of the kind that the search gives; True where that is not known.

        Args:
            is_near: whether it must also be near to what the search gives.
        """
        if value is None or "${" in str(value) or value == "???":
            return True
        given = [_as_number(each) for each in self._choices()] or [*self._numbers()]
        numbers = [each for each in given if each is not None]
        if not given or len(numbers) < len(given):
            return not isinstance(value, list | dict)
        number, low, high = _as_number(value), min(numbers), max(numbers)
        if number is None or not is_near:
            return number is not None
        return min(low, low / _NEAR) <= number <= max(high, high * _NEAR)

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
    return _as_number(node.value) if isinstance(node, yaml.ScalarNode) else None


def _as_number(value: object) -> float | None:
    try:
        return float(str(value))
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


def depends_on(facts: Facts, names: Collection[str]) -> str:
    """Say which code goes by the names of parameters, so that others would change what it does:
    `name == "rate"`, `best["rate"]`, `name in cfg.training` in a loop that distributes them, or
    `${optuna:rate}` in a run file.
    """
    texts = [each.file.text for each in facts.runs]
    for each in facts.runs:
        if any(f":{name}}}" in each.file.text for name in names):
            return each.file.path
    sections = {key for text in texts for key in re.findall(r"^ *(\w+):\s*$", text, re.MULTILINE)}
    for path, file in facts.python.items():
        is_search = any(word in file.text for word in _SEARCHING)
        for node in file.of(ast.Compare, ast.Subscript, ast.Call) if is_search else ():
            if _goes_by(file, node, names, sections):
                return f"{path}:{node.lineno}"
    return ""


def _goes_by(
    file: PythonFile, node: ast.AST, names: Collection[str], sections: Collection[str]
) -> bool:
    match node:
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.In() | ast.NotIn()], comparators=[owner]
        ) if isinstance(owner, ast.Name | ast.Attribute | ast.Subscript):
            return _is_section(file, owner, sections) and not _is_part(file, node, name)
        case ast.Compare(left=ast.Name() | ast.Subscript()):
            compared = (one for each in node.comparators for one in ast.walk(each))
            return any(isinstance(one, ast.Constant) and one.value in names for one in compared)
    held, key = access(node)
    return held is not None and key in names and not _is_section(file, held, sections)


def _is_section(file: PythonFile, owner: ast.expr, sections: Collection[str]) -> bool:
    """Whether an expression is a section of the configuration, other than a search space."""
    held = file.only_value(owner) if isinstance(owner, ast.Name) else None
    texts = [ast.unparse(each) for each in (owner, held) if each is not None]
    last = [re.findall(r"\w+", text)[-1:] for text in texts]
    is_space = any("space" in text for text in texts)
    return not is_space and any(
        _CONFIGURATION.search(text) or (words and words[0] in sections)
        for text, words in zip(texts, last, strict=True)
    )


def _is_part(file: PythonFile, node: ast.AST, name: str) -> bool:
    """Whether a name stands for one part of a path after the other."""
    loops = [
        each
        for each in file.ancestors(node)
        if isinstance(each, ast.For) and name in ast.unparse(each.target)
    ]
    return any(not re.search(r"\.(items|keys)\(", ast.unparse(each.iter)) for each in loops)
