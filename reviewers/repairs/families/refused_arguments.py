"""Repairs of arguments that a library takes by its signature and refuses at run time."""

import ast
import re
from collections.abc import Iterator

import yaml

from reviewers.facts import Facts
from reviewers.facts.python_file import Call
from reviewers.facts.python_nodes import walk
from reviewers.records import Finding
from reviewers.repairs.access import places
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits, YamlEdits
from reviewers.repairs.renamed import renamed
from reviewers.rules.library_refusals import RefusedArguments, refused_arguments

# PyYAML reads a number only with a point before its exponent, and a sign in it.
_NUMBER = re.compile(r"(?P<whole>[+-]?\d+)(?P<part>\.\d*)?([eE](?P<sign>[+-]?)(?P<power>\d+))?")


@repairs("IM12")
def without_the_other(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Without the argument that does not go with the others."""
    for code, call, found in _calls(facts, finding):
        word = found.entry.get("drop")
        if word and call.keyword(word) is not None:
            edit = code.without_keyword(call.node, word)
            yield Proposal(f"Leave {word}= out, which does not go with the others", (edit,))


@repairs("IM12")
def renamed_text(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The name that the library has now for what a text asks for."""
    for code, call, found in _calls(facts, finding):
        for old, new in renamed()["texts"].get(found.name, {}).items():
            for node in walk(call.node):
                if (
                    isinstance(node, ast.Constant)
                    and isinstance(node.value, str)
                    and node.value.startswith(old)
                ):
                    text = code.text_of(node).replace(old, new, 1)
                    yield Proposal(f"Write {text} for {node.value}", (code.put(node, text),))


@repairs("IM12", "RC09")
def number_in_yaml(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """A number as PyYAML reads it: `5.0e-4` for `5e-4`, which is a text, and without quotes; in all
    run files, since each would stop there.
    """
    span = finding.span
    code = PythonEdits(facts, span.file) if span and span.file in facts.python else None
    statement = code.statement_at(span.line or 1) if code and span else None
    asked = [
        f".{ast.unparse(node)}"
        for node in walk(statement or ast.Pass())
        if isinstance(node, ast.Attribute)
    ]
    lines = {(each.file, each.line) for each in places(finding)}
    texts = [YamlEdits(facts, run.file.path) for run in facts.runs]
    keys = {
        key
        for text in texts
        for key, _, node in text.walk()
        if (text.path, node.start_mark.line + 1) in lines
        or any(each.endswith(f".{key}") for each in asked)
    }
    edits = [
        text.put(node, number)
        for text in texts
        for key, _, node in text.walk()
        if key in keys and isinstance(node, yaml.ScalarNode) and (number := _number(node))
    ]
    if edits:
        yield Proposal("Write the numbers as PyYAML reads them", tuple(edits))


def _number(node: yaml.ScalarNode) -> str:
    """The number that a text of YAML says; empty if it is none, or none in quotes."""
    found = _NUMBER.fullmatch(node.value) if node.tag == "tag:yaml.org,2002:str" else None
    if found is None or not found["power"]:
        return node.value if found is not None else ""
    return f"{found['whole']}{found['part'] or '.0'}e{found['sign'] or '+'}{found['power']}"


def _calls(facts: Facts, finding: Finding) -> Iterator[tuple[PythonEdits, Call, RefusedArguments]]:
    """The refused calls on the line of a finding."""
    if finding.span is None or finding.span.file not in facts.python:
        return
    code = PythonEdits(facts, finding.span.file)
    for call in code.file.calls:
        found = (
            refused_arguments(facts, code.file, call) if call.line == finding.span.line else None
        )
        if found is not None and found.shown in finding.names:
            yield code, call, found
