"""Repairs of columns and splits that a data set does not have: it has them by other names."""

import ast
from collections.abc import Iterator, Sequence

import yaml

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits, YamlEdits
from reviewers.repairs.meant_keys import are_alike, are_same

# Columns of one role by the names that data sets have for them.
_ROLES = (
    ("prompt", "question", "instruction", "query", "problem", "input", "source"),
    ("completion", "answer", "answers", "output", "response", "target", "solution"),
    ("text", "sentence", "content", "document", "article", "review", "dialogue", "passage"),
    ("summary", "highlights", "abstract", "target"),
    ("label", "labels", "class", "category", "target", "fine_label", "coarse_label"),
    ("image", "img", "pixel_values", "picture"),
)
# Names of one part; no split stands for one of another part, such as the test for a validation.
_PARTS = (
    ("train", "training"),
    ("validation", "valid", "val", "dev", "eval", "evaluation"),
    ("test", "testing"),
)
_UNLIKE = 10  # more than any place in a role
_MOST = 4  # answers to one question


def refused_names(facts: Facts, finding: Finding) -> Sequence[str]:
    """The name that a finding about data is about, and those that there are instead."""
    for problem in facts.data_problems:
        if finding.span in problem.spans[:1] and problem.message in finding.names:
            return problem.names
    return ()


@repairs("DA05", "DA08")
def name_that_is_there(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The column, or the split, by the name that the data set has for it; a question unless it is
    the same name.
    """
    wanted, *there = refused_names(facts, finding) or ("",)
    if finding.rule == "DA05":
        there = [each for each in there if _part(each) == _part(wanted)]
    ranks = {each: _rank(wanted, each) for each in there}
    choices = sorted((each for each in there if ranks[each] < _UNLIKE), key=ranks.__getitem__)
    if not choices and any(wanted.lower() in role for role in _ROLES):
        choices = there  # of which a person may know one
    same = [each for each in there if are_same(each, wanted)]
    if finding.rule == "DA05" and len(there) == 1:
        same = there
    kind = "column" if finding.rule == "DA08" else "split"
    for choice in same if len(same) == 1 else choices[:_MOST]:
        for edits in _places(facts, finding, wanted, choice):
            told = f"Read the {kind} {choice}"
            asks = "" if len(same) == 1 else f"Which {kind} is meant by {wanted}?"
            yield Proposal(told, edits, asks=asks, choice=choice if asks else "")


def _part(split: str) -> tuple[str, ...]:
    """The names of the part that a split's name begins with."""
    head = split.partition("_")[0].partition("[")[0]
    return next((part for part in _PARTS if head in part), (head,))


def _rank(wanted: str, name: str) -> int:
    roles = [role for role in _ROLES if wanted.lower() in role and name.lower() in role]
    if are_alike(wanted, name):
        return 0
    return 1 + min((role.index(name.lower()) for role in roles), default=_UNLIKE)


def _places(facts: Facts, finding: Finding, old: str, new: str) -> Iterator[tuple[Edit, ...]]:
    """Where the name stands: at the read itself, else where it comes from: a key of the run files,
    or one text of the code after the other, of which the proof finds the right one.
    """
    span = finding.span
    if span is None or span.file not in facts.python:
        return
    code = PythonEdits(facts, span.file)
    texts = [each for each in code.file.of(ast.Constant) if each.value == old]
    here = [each for each in texts if each.lineno == span.line and _is_name(code, each)]
    if here:
        yield tuple(code.put(each, f'"{new}"') for each in here)
        return
    given = [
        text.put(node, new)
        for run in facts.runs
        for text in [YamlEdits(facts, run.file.path)]
        for _, _, node in text.walk()
        if isinstance(node, yaml.ScalarNode) and node.value == old
    ]
    if given:
        yield tuple(given)
    for each in texts:
        around = code.file.parents.get(each)
        if isinstance(around, ast.Dict) and each in around.values:
            yield (code.put(each, f'"{new}"'),)


def _is_name(code: PythonEdits, node: ast.Constant) -> bool:
    """Whether a text names a part of something: `row["text"]`, or an argument of a call."""
    around = code.file.parents.get(node)
    return isinstance(around, ast.Subscript | ast.Call | ast.keyword | ast.List | ast.Tuple)
