"""Repairs of interpolations that lead nowhere, and of resolvers that nobody registers."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import yaml
from omegaconf import OmegaConf

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from reviewers.offers import Edit
from reviewers.records import Finding, RunConfig
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits, YamlEdits
from reviewers.repairs.known_keys import known_paths
from reviewers.repairs.meant_keys import meant
from reviewers.repairs.spaces import SearchParameter, parameters
from reviewers.rules.hydra_problems import certain

# `${a.b}`, `${resolver:a.b}`, or the head of `${resolver:`.
_ASKS = re.compile(r"\$\{\s*(?:([A-Za-z_][\w.]*)\s*:\s*)?(\.*[A-Za-z_][\w.\[\]-]*)?(\s*\}|)")
_HYDRAS = frozenset({"now", "hydra", "python_version"})
_SPACES = frozenset({"optuna", "opt", "search_space", "space", "hp", "trial", "sweep"})
_MOST = 4  # answers to one question
# What resolvers of these names give, as code; where it may be one of two things, a person says.
_COMPUTING = {
    "add sum plus": ("lambda *numbers: sum(numbers)",),
    "sub subtract minus": ("lambda a, b: a - b",),
    "mul multiply times prod": ("lambda a, b: a * b",),
    "div divide": ("lambda a, b: a / b", "lambda a, b: a // b"),
    "floordiv floor_div int_div intdiv idiv": ("lambda a, b: a // b",),
    "mod": ("lambda a, b: a % b",),
    "pow power": ("lambda a, b: a**b",),
    "eval calc math expr py python": ("eval",),
    "join": (
        "lambda between, *parts: between.join(map(str, parts))",
        'lambda *parts: "".join(map(str, parts))',
    ),
    "concat cat": ('lambda *parts: "".join(map(str, parts))',),
    "upper": ("str.upper",),
    "lower": ("str.lower",),
    **{each: (each,) for each in ("max", "min", "abs", "int", "float", "str", "round", "len")},
}
_GIVES = {name: code for names, code in _COMPUTING.items() for name in names.split()}


@dataclass(frozen=True)
class _Asking:
    """An interpolation in a YAML file, for one of the runs.

    Attributes:
        path: of the value that has it.
        start, end: the characters between its brackets; what is only a head ends behind it.
        resolver: empty where it names a key.
        said: the key, or the key that is all that the resolver is given; empty if it has others.
    """

    run: RunConfig
    text: YamlEdits
    path: str
    node: yaml.ScalarNode
    start: int
    end: int
    resolver: str
    said: str

    def put(self, text: str) -> Edit:
        """Write something else between the brackets."""
        return Edit(self.text.path, self.start, self.end, text)


def _asking(facts: Facts) -> Iterator[_Asking]:
    """The interpolations of each run's file, and of the main configuration as that run has it."""
    main = facts.contract.files.config
    for run in facts.runs:
        for path in (run.file.path, *([main] if main and facts.text(main) else [])):
            text = YamlEdits(facts, path)
            for key, _, node in text.walk():
                if not isinstance(node, yaml.ScalarNode) or "${" not in node.value:
                    continue
                at = node.start_mark.index
                for found in _ASKS.finditer(text.text[at : node.end_mark.index]):
                    start, end = (
                        at + found.start() + len("${"),
                        at + found.end(2 if found[2] else 0),
                    )
                    said = found[2] if found[2] and found[3] else ""
                    yield _Asking(run, text, key, node, start, end, found[1] or "", said)


@repairs("HY11")
def no_reference_to_itself(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Without a key of a run file that asks for itself, so that the main configuration's holds."""
    edits = [
        each.text.without(pair)
        for each in _asking(facts)
        if not each.resolver and each.said == each.path in finding.names
        for pair in each.text.pairs(each.path)
        if pair[1] is each.node and each.text.path == each.run.file.path
    ]
    if edits:
        yield Proposal(
            f"Remove {finding.names[0]}, which refers to itself, from the run files",
            tuple(edits),
            "the main configuration's value then applies",
        )


@repairs("HY11")
def key_that_is_meant(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The path of the key that an interpolation means, where there is none of the name or only a
    resolver that nobody knows is asked for it; a question where it may mean several.
    """
    edits: dict[Edit, None] = {}
    open_ones: dict[str, list[tuple[_Asking, Sequence[str]]]] = {}
    known = {run.run_id: known_paths(facts, run) for run in facts.runs}
    spaces = {each.space for run in facts.runs for each in parameters(facts, run)}
    for each in _asking(facts):
        others = [
            path
            for path in known[each.run.run_id]
            if path != each.path and not path.startswith(tuple(spaces))
        ]
        if not each.said or _is_given(each, known[each.run.run_id]):
            continue
        said = each.said.lstrip(".")
        if said.startswith("hydra.") and not each.resolver:
            edits[each.put(said.replace(".", ":", 1))] = None
            continue
        found = [said] if said in others else meant(said, others)
        if len(found) == 1:
            edits[each.put(found[0])] = None
        elif found:
            open_ones.setdefault(said, []).append((each, found))
    told = "Name the key that the interpolation means by its whole path"
    if edits and not open_ones:
        yield Proposal(told, tuple(edits))
    for said, places in list(open_ones.items())[:1]:
        for path in list(dict.fromkeys(path for _, found in places for path in found))[:_MOST]:
            more = dict.fromkeys(each.put(path) for each, _ in places)
            asks = f"Which key does ${{{said}}} mean?"
            yield Proposal(told, (*edits, *more), asks=asks, choice=path)


def _is_given(each: _Asking, paths: Collection[str]) -> bool:
    """Whether an interpolation leads to a value or a section, or its resolver may be known."""
    if each.resolver:
        return _is_known(each.resolver) or each.resolver in {*_GIVES, *_SPACES}
    dots = len(each.said) - len(each.said.lstrip("."))
    above = each.path.split(".")[:-dots] if dots else []
    named = ".".join([*above, each.said.lstrip(".")]).replace("[", ".[")
    return any(f"{path}.".replace("[", ".[").startswith(f"{named}.") for path in paths)


def _is_known(resolver: str) -> bool:
    is_own = OmegaConf.has_resolver(resolver) or OmegaConf.has_resolver(f"oc.{resolver}")
    return is_own or resolver in _HYDRAS


@repairs("HY11")
def resolver_by_its_name(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """OmegaConf's own resolver by the name that it has: `${env:HOME}` is `${oc.env:HOME}`."""
    edits: dict[Edit, None] = {}
    for each in _asking(facts):
        name = each.resolver
        if name and not OmegaConf.has_resolver(name) and OmegaConf.has_resolver(f"oc.{name}"):
            edits[Edit(each.text.path, each.start, each.start, "oc.")] = None
    if edits:
        yield Proposal("Call OmegaConf's own resolver by its name, oc.…", tuple(edits))


@repairs("HY11")
def resolver_that_computes(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """A resolver whose name says what it gives, registered where the run begins."""
    names = dict.fromkeys(each.resolver for each in _asking(facts))
    given = {name: _GIVES[name] for name in names if name in _GIVES}
    entries = {
        start.entry.path
        for start, problem in certain(facts, ProblemKind.INTERPOLATION)
        if problem.message in finding.names
    }
    for name, codes in given.items():
        for code in codes:
            edits = [
                edit
                for path in sorted(entries)
                for edit in _registered(PythonEdits(facts, path), f'"{name}", {code}')
            ]
            yield Proposal(
                f"Register the resolver {name} before the configuration is used",
                tuple(edits),
                "the run files stay as they are",
                f"What does the resolver {name} give?" if len(codes) > 1 else "",
                code if len(codes) > 1 else "",
            )


def _registered(code: PythonEdits, given: str) -> Iterator[Edit]:
    module, imports = code.imported("omegaconf", "OmegaConf")
    yield from imports
    # A module that is started and imported registers twice.
    yield code.behind_imports(f"{module}.register_new_resolver({given}, replace=True)")


@repairs("HY11")
def value_of_the_space(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """A value from the search space where an interpolation asks for what nobody gives: `${optuna:
    rate}`, `${opt.rate}`. A person chooses which.
    """
    asked = [*_asked_of_spaces(facts)]
    names = list(dict.fromkeys(each.path for each, _ in asked))
    for at, told in ((1, "the middle"), (0, "the first"), (2, "the last")):
        edits = [each.text.put(each.node, value[at]) for each, value in asked]
        shown = dict.fromkeys(f"{each.path}: {value[at]}" for each, value in asked)
        if edits:
            yield Proposal(
                "Write a value from the search space for a reference that nothing resolves",
                tuple(edits),
                "it is used wherever Optuna samples none",
                asks=f"What is the value of {', '.join(names)} where Optuna samples none?",
                choice=f"{told} of the search space: {', '.join(shown)}"[:200],
            )


def _asked_of_spaces(facts: Facts) -> Iterator[tuple[_Asking, tuple[str, str, str]]]:
    """The values of run files that ask a search space, and the values that it may give."""
    by_run = {run.run_id: [*parameters(facts, run)] for run in facts.runs}
    for each in _asking(facts):
        head, _, name = each.said.partition(".")
        if each.resolver:
            head, name = each.resolver, each.said
        if head not in _SPACES or each.text.path != each.run.file.path:
            continue
        name = name.removeprefix("search_space.")
        if values := _values_of(by_run[each.run.run_id], name):
            yield each, values


def _values_of(known: Sequence[SearchParameter], name: str) -> tuple[str, str, str] | None:
    return next((each.values() for each in known if each.name.value == name), None)
