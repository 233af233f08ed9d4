"""Repairs of arguments that a library takes by its signature and refuses at run time."""

import re
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.python_file import Call
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits
from reviewers.rules.library_refusals import RefusedArguments, refused_arguments

# PyYAML reads a number only with a point before its exponent, and a sign in it.
_EXPONENT = re.compile(
    r"(?<![\w.])(?P<whole>-?\d+)(?P<part>\.\d*)?[eE](?P<sign>[+-]?)(?P<power>\d+)\b"
)


@repairs("IM12")
def without_the_other(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Without the argument that does not go with the others."""
    for code, call, found in _calls(facts, finding):
        word = found.entry.get("drop")
        if word and call.keyword(word) is not None:
            edit = code.without_keyword(call.node, word)
            yield Proposal(f"Leave {word}= out, which does not go with the others", (edit,))


@repairs("IM12")
def number_in_yaml(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """A number as PyYAML reads it: `5.0e-4` for `5e-4`, which is a text."""
    edits: dict[Edit, None] = {}
    for _, _, found in _calls(facts, finding):
        if not any(asked.get("text") for asked in found.entry["when"].values()):
            continue
        for place in found.lines:
            text = facts.text(place.file) or ""
            lines = text.splitlines(keepends=True)
            number = (place.line or 1) - 1
            for each in _EXPONENT.finditer(lines[number].partition("#")[0]):
                start = sum(map(len, lines[:number])) + each.start()
                written = (
                    f"{each['whole']}{each['part'] or '.0'}e{each['sign'] or '+'}{each['power']}"
                )
                edits[Edit(place.file, start, start + len(each[0]), written)] = None
    if edits:
        yield Proposal("Write the numbers as PyYAML reads them", tuple(edits))


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
