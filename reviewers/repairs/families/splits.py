"""Repairs of splits that a data set does not have."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.hub_datasets import HubDataset, find_dataset
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits
from reviewers.repairs.literals import in_runs

# Names of one part; no split stands for one of another part, such as the training data for a test.
_PARTS = (
    frozenset({"train", "training"}),
    frozenset({"validation", "valid", "val", "dev", "eval", "evaluation"}),
    frozenset({"test", "testing"}),
)


@repairs("DA05")
def split_of_the_same_part(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The split of the same part that the data set has; a person chooses among several."""
    data = [*{each.id: each for each in _loaded(facts)}.values()]
    wrong = _asked_for(facts, finding, data)
    for name in wrong:
        lacking = [each for each in data if each.splits and name not in each.splits]
        if len(lacking) != 1:
            continue
        fits = [each for each in lacking[0].splits if _part(each) & _part(name)]
        for choice in fits:
            edits = [*_in_lines(facts, finding, name, choice)] or [*in_runs(facts, name, choice)]
            yield Proposal(
                f"Take the split {choice}, which {lacking[0].id} has",
                tuple(edits),
                asks=f"Which split of {lacking[0].id} is {name}?" if len(fits) > 1 else "",
                choice=choice if len(fits) > 1 else "",
            )


def _part(name: str) -> frozenset[str]:
    """The names of the part that a split's name begins with."""
    head = name.partition("_")[0].partition("[")[0]
    return next((part for part in _PARTS if head in part), frozenset({head}))


def _loaded(facts: Facts) -> Iterator[HubDataset]:
    """The data sets that the runs load."""
    for file in facts.python.values():
        for call in file.calls_of("datasets.load_dataset"):
            for _, passed in facts.hydra.passed.get(call.node, ()):
                name, config = passed.argument("path", 0), passed.argument("name", 1)
                found = (
                    find_dataset(name, config if isinstance(config, str) else None)
                    if isinstance(name, str)
                    else None
                )
                if found is not None:
                    yield found


def _asked_for(facts: Facts, finding: Finding, data: list[HubDataset]) -> list[str]:
    """The splits that the finding's lines or the run files ask for and a data set lacks."""
    here = [node.value for _, node in _texts(facts, finding)]
    there = [
        str(passed.argument("split", 2))
        for file in facts.python.values()
        for call in file.calls_of("datasets.load_dataset")
        for _, passed in facts.hydra.passed.get(call.node, ())
        if passed.argument("split", 2) is not None
    ]
    known = {name for part in _PARTS for name in part}
    return [
        name
        for name in dict.fromkeys([*map(str, here), *there])
        if name in known and any(each.splits and name not in each.splits for each in data)
    ]


def _texts(facts: Facts, finding: Finding) -> Iterator[tuple[PythonEdits, ast.Constant]]:
    spans = [each for each in (finding.span, *(one.span for one in finding.places)) if each]
    for path in dict.fromkeys(each.file for each in spans):
        code = PythonEdits(facts, path) if path in facts.python else None
        lines = {each.line for each in spans if each.file == path}
        for node in code.file.of(ast.Constant) if code else ():
            if code is not None and isinstance(node.value, str) and node.lineno in lines:
                yield code, node


def _in_lines(facts: Facts, finding: Finding, name: str, choice: str) -> Iterator[Edit]:
    for code, node in _texts(facts, finding):
        is_part = isinstance(code.file.parents.get(node), ast.JoinedStr)
        if node.value == name and not is_part:
            yield code.put(node, code.text_of(node).replace(name, choice))
