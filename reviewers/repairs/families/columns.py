"""Repairs of columns and splits that a data set does not have: it has them by other names."""

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import yaml

from reviewers.facts import Facts
from reviewers.facts.hub_datasets import kinds_of
from reviewers.records import Finding
from reviewers.repairs.access import access
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
_TEXT = ("str", "list", "dict")  # what a column of text may hold
_KINDS = {"label": ("int", "float", "bool"), "image": ("image",)}  # of the other roles
_IDENTIFIER = re.compile(r"(^|_)(id|ids|idx|index|uuid)$|[a-z]I[dD]$")
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
    kind = "column" if finding.rule == "DA08" else "split"
    if kind == "split":
        there = [each for each in there if _part(each) == _part(wanted)]
    same = [each for each in there if are_same(each, wanted)]
    if kind == "split" and len(there) == 1:
        same = there
    is_same = len(same) == 1
    asks = "" if is_same else f"Which {kind} does {wanted} stand for?"
    choices = same if is_same else _choices(wanted, there)
    for names, taken in _places(facts, finding, wanted, there):
        free = [each for each in choices if each not in taken]
        if len(free) < 2:  # so that a person has a choice
            free = list(dict.fromkeys([*free, *choices]))
        for choice in free[:_MOST]:
            edits = tuple(text.put(node, _written(text, choice)) for text, node in names)
            yield Proposal(
                f"Read the {kind} {choice}", edits, asks=asks, choice=choice * bool(asks)
            )


def _choices(wanted: str, there: Sequence[str]) -> Sequence[str]:
    """What may have the role of a name, the likest first."""
    ranks = {each: _rank(wanted, each) for each in there}
    roles = [role for role in _ROLES if wanted.lower() in role]
    known = kinds_of(frozenset(there))
    kinds = {kind for role in roles for kind in _KINDS.get(role[0], _TEXT)}
    may_be = [
        each
        for each in there
        if (ranks[each] < _UNLIKE or roles)
        and (not kinds or known.get(each) in (None, *kinds))
        and (not _IDENTIFIER.search(each) or _IDENTIFIER.search(wanted))
    ]
    return sorted(may_be, key=ranks.__getitem__)


def _written(text: PythonEdits | YamlEdits, name: str) -> str:
    return f'"{name}"' if isinstance(text, PythonEdits) else name


def _part(split: str) -> tuple[str, ...]:
    """The names of the part that a split's name begins with."""
    head = split.partition("_")[0].partition("[")[0]
    return next((part for part in _PARTS if head in part), (head,))


def _rank(wanted: str, name: str) -> int:
    roles = [role for role in _ROLES if wanted.lower() in role and name.lower() in role]
    if are_alike(wanted, name):
        return 0
    return 1 + min((role.index(name.lower()) for role in roles), default=_UNLIKE)


def _places(
    facts: Facts, finding: Finding, old: str, there: Collection[str]
) -> Iterator[tuple[Sequence[tuple[Any, Any]], Collection[str]]]:
    """Where the name stands, with what the same row has in other roles: at the read itself, else
    where it comes from: a key of the run files, or one text of the code after the other, of which
    the proof finds the right one; that with most names of the data set comes first.
    """
    span = finding.span
    if span is None or span.file not in facts.python:
        return
    code = PythonEdits(facts, span.file)
    texts = [each for each in code.file.of(ast.Constant) if each.value == old]
    here = [each for each in texts if each.lineno == span.line and _is_name(code, each)]
    if here:
        row, _ = access(code.file.parents[here[0]])
        reads = (access(each) for each in code.file.of(ast.Subscript) if row is not None)
        taken = {key for of, key in reads if of and ast.dump(of) == ast.dump(row or of)}
        yield [(code, each) for each in here], taken
        return
    given: list[tuple[Any, Any]] = []
    taken = set()
    for run in facts.runs:
        text = YamlEdits(facts, run.file.path)
        for _, _, node in text.walk():
            values = [each for _, each in node.value] if isinstance(node, yaml.MappingNode) else ()
            own = [each for each in values if each.value == old]
            given += [(text, each) for each in own]
            taken |= {str(each.value) for each in values if own}
    if given:
        yield given, taken
    rows = []
    for each in texts:
        around = code.file.parents.get(each)
        if isinstance(around, ast.Dict) and each in around.values:
            values = [item.value for item in around.values if isinstance(item, ast.Constant)]
            rows.append((each, {*values} & {*there}))
    for each, taken in sorted(rows, key=lambda row: -len(row[1])):
        yield [(code, each)], taken


def _is_name(code: PythonEdits, node: ast.Constant) -> bool:
    """Whether a text names a part of something: `row["text"]`, or an argument of a call."""
    around = code.file.parents.get(node)
    return isinstance(around, ast.Subscript | ast.Call | ast.keyword | ast.List | ast.Tuple)
