"""Repairs of what the code asks of WandB."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits


@repairs("TR07")
def summary_by_its_keys(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """What a live summary can be asked: its items by key, and its keys."""
    span = finding.span
    code = PythonEdits(facts, span.file) if span and span.file in facts.python else None
    for node in code.file.of(ast.Compare, ast.For) if code and span else ():
        if code is None or span is None or node.lineno != span.line:
            continue
        match node:
            case ast.Compare(
                left=key,
                ops=[ast.In() | ast.NotIn() as asked],
                comparators=[ast.Attribute(attr="summary") as summary],
            ):
                ends = "is not None" if isinstance(asked, ast.In) else "is None"
                text = f"{code.text_of(summary)}.get({code.text_of(key)}) {ends}"
                yield Proposal(f"Test whether the summary's value {ends}", (code.put(node, text),))
            case ast.For(iter=ast.Attribute(attr="summary") as summary):
                edit = code.put(summary, f"{code.text_of(summary)}.keys()")
                yield Proposal("Go through the summary's keys()", (edit,))


@repairs("TR06")
def id_of_the_run(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The run id as WandB's id, by which the evaluation asks for it."""
    span = finding.span
    code = PythonEdits(facts, span.file) if span and span.file in facts.python else None
    for call in code.file.calls_of("wandb.init") if code else ():
        if code is None or span is None or call.line != span.line:
            continue
        given = [each.value for each in call.node.keywords if each.arg == "name"]
        given += [
            node
            for node in code.file.of(ast.Attribute)
            if node.attr == "run_id" and code.file.scope_at(node.lineno) == call.scope
        ]
        for written in dict.fromkeys(map(code.text_of, given)):
            yield Proposal(
                f"Start the run with id={written}, by which the evaluation asks for it",
                (code.keyword(call.node, "id", written),),
                "a run that is started again has the same id",
            )


@repairs("TR03")
def shown_as_text(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """What is printed as JSON, printed as it is."""
    span = finding.span
    code = PythonEdits(facts, span.file) if span and span.file in facts.python else None
    edits: list[Edit] = []
    for printed in code.file.calls_of("print") if code else ():
        for part in printed.node.args if span and printed.line == span.line else ():
            match part:
                case ast.Call(args=[shown]) if (
                    code and code.file.resolve(part.func) == "json.dumps"
                ):
                    edits.append(code.put(part, code.text_of(shown)))
    names = [node.id for node in code.file.of(ast.Name)] if code else []
    if code and edits and names.count("json") == len(edits):
        edits += [
            code.without_import(statement, name)
            for statement in code.file.of(ast.Import)
            for name in statement.names
            if name.name == "json"
        ]
    if edits:
        yield Proposal(
            "Print the figures as plain text; results go to WandB",
            tuple(edits),
            "nothing can read them from the output as JSON any more",
        )
