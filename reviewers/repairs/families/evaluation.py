"""Repairs of the evaluation: its command line, and what it writes down."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import Code


@repairs("EV01")
def take_words_apart(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The documented key=value words, handed to the parser that is there."""
    script = facts.evaluation
    if script.file is None or not script.words:
        return
    code = Code(facts, script.path)
    parsed = [call for call in script.file.calls_of(".parse_args") if not call.node.args]
    arguments = [each for each in script.arguments if each.required or each.name in script.words]
    if len(parsed) != 1 or not arguments:
        return
    system, imports = code.imported("sys")
    if arguments[0].is_option:
        words = f'[f"--{{word}}" for word in {system}.argv[1:]]'
        edits = [_given(code, parsed[0].node, words)]
    else:
        named = [each.name for each in arguments if each.name in script.words]
        if len(named) != len(arguments):
            return
        statement = code.statement(parsed[0].node)
        line = f'words = dict(word.split("=", 1) for word in {system}.argv[1:])'
        listed = ", ".join(f'words["{name}"]' for name in named)
        edits = [code.before(statement, line), _given(code, parsed[0].node, f"[{listed}]")]
    yield Proposal(f"Split the documented words at = in {script.path}", (*imports, *edits))


@repairs("EV31")
def plain_summary(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run's summary as the plain dictionary behind it."""
    edits: list[Edit] = []
    spans = [each for each in (finding.span, *(p.span for p in finding.places)) if each]
    for path, file in facts.python.items():
        code = Code(facts, path)
        for call in file.calls_of("dict"):
            given = call.node.args[0] if len(call.node.args) == 1 else None
            near = any(span.file == path and span.line == call.line for span in spans)
            if near and isinstance(given, ast.Attribute) and given.attr == "summary":
                edits.append(code.put(call.node, f"{code.text_of(given)}._json_dict"))
    if edits:
        yield Proposal("Take the summary's plain values, ._json_dict", tuple(edits))


def _given(code: Code, call: ast.Call, text: str) -> Edit:
    end = code.span(call)[1] - 1
    return Edit(code.path, end, end, text)
