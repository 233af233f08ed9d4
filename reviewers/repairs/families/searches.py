"""Repairs of search spaces: the paths that they name, and what their entries are called."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import yaml

from reviewers.facts import Facts, yaml_config
from reviewers.facts.config_flow import ProblemKind
from reviewers.facts.hydra_config import ConfigProblem
from reviewers.facts.placed import place_of
from reviewers.facts.script_starts import ScriptStart
from reviewers.facts.start import Start
from reviewers.offers import Edit
from reviewers.records import Finding, RunConfig
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import YamlEdits
from reviewers.repairs.meant import are_alike, are_same, meant
from reviewers.repairs.paths import known_paths
from reviewers.rules.hydra_problems import certain

_BOUNDS = ("low", "high", "choices")  # each stands for the words that mean the same
_NAMING = ("name", "key", "path", "param", "parameter", "target")
_MOST = 4  # answers to one question
Met = tuple[Start | ScriptStart, ConfigProblem]


@dataclass(frozen=True)
class _Entry:
    """A parameter of a search space in a run's file: a mapping with bounds or choices.

    Attributes:
        name: the node of the text that names what is to be set.
        space: the dotted path of the section or list that has the mapping.
    """

    run: RunConfig
    text: YamlEdits
    name: yaml.ScalarNode
    space: str


@repairs("HY05", "HY02", "RC04")
def whole_paths(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The names of a search space as the paths of the keys that they are to set; a question where a
    name may mean several.
    """
    entries = [each for run in facts.runs for each in _entries(facts, run)]
    met = _of_a_space(facts, finding, entries)
    if met is None and finding.rule != "RC04":
        return
    named = {_named(met[1], entries)} if met else {*finding.names}
    spaces = {each.space for each in entries if each.name.value in named}
    prefix = _prefix(met[1], entries) if met else ""
    paths = {run.run_id: _to_set(facts, run, spaces, prefix) for run in facts.runs}
    edits: list[Edit] = []
    open_names: dict[str, Sequence[str]] = {}
    for entry in entries:
        name, known = entry.name.value, paths[entry.run.run_id]
        found = meant(name, known) if entry.space in spaces and name not in known else ()
        if len(found) == 1:
            edits.append(entry.text.put(entry.name, found[0]))
        elif found:
            open_names.setdefault(name, found)
    told = "Name the keys of the search space by their whole paths"
    means = "Optuna then knows the parameters under these names"
    if edits and not open_names:
        yield Proposal(told, tuple(edits), means)
    for name, found in list(open_names.items())[:1]:
        for path in found[:_MOST]:
            more = [each.text.put(each.name, path) for each in entries if each.name.value == name]
            asks = f"Which key does {name} of the search space set?"
            yield Proposal(told, (*edits, *more), means, asks, path)


def _entries(facts: Facts, run: RunConfig) -> Iterator[_Entry]:
    text = YamlEdits(facts, run.file.path)
    waiting: list[tuple[str, str, yaml.Node | None, yaml.Node]] = [("", "", None, text.root)]
    while waiting:
        space, path, key, node = waiting.pop(0)
        if isinstance(node, yaml.SequenceNode):
            waiting += [(path, path, None, each) for each in node.value]
        if not isinstance(node, yaml.MappingNode):
            continue
        below = {str(name.value): value for name, value in node.value}
        if path and any(are_same(each, bound) for each in below for bound in _BOUNDS):
            named = next((below[each] for each in _NAMING if each in below), key)
            if isinstance(named, yaml.ScalarNode):
                yield _Entry(run, text, named, space)
                continue
        above = f"{path}." if path else ""
        waiting += [(path, f"{above}{name.value}", name, value) for name, value in node.value]


def _of_a_space(facts: Facts, finding: Finding, entries: Sequence[_Entry]) -> Met | None:
    """The first problem of a finding whose key comes from a name of a search space."""
    spans = [each for each in (finding.span, *(one.span for one in finding.places)) if each]
    for kind in (ProblemKind.REJECTED_WRITE, ProblemKind.MISSING_KEY):
        for start, problem in certain(facts, kind):
            if any(map(problem.span.is_near, spans)) and _named(problem, entries):
                return start, problem
    return None


def _named(problem: ConfigProblem, entries: Sequence[_Entry]) -> str:
    """The name of a search space that a problem is about: its key is that, or a part of it."""
    said = str(problem.cause) if place_of(problem.cause) is not None else problem.key
    names = (entry.name.value for entry in entries)
    return next((each for each in names if said and f".{said}." in f".{each}."), "")


def _prefix(problem: ConfigProblem, entries: Sequence[_Entry]) -> str:
    """The section of the configuration in which names are looked up, with its dot."""
    parts = _named(problem, entries).split(".")
    for end in range(len(parts), 0, -1):
        head = ".".join(parts[:end])
        if problem.key == head or problem.key.endswith(f".{head}"):
            return problem.key.removesuffix(head)
    return ""


def _to_set(facts: Facts, run: RunConfig, spaces: Collection[str], prefix: str) -> Collection[str]:
    """The paths of values that a search may set, as seen from a section."""
    return [
        path.removeprefix(prefix)
        for path in known_paths(facts, run)
        if path.startswith(prefix) and not any(f".{each}." in f".{path}." for each in spaces)
    ]
