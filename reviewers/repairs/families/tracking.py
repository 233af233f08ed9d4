"""Repairs of what the code asks of WandB."""

import ast
from collections.abc import Iterator
from pathlib import PosixPath

from reviewers.facts import Facts
from reviewers.facts.plain_types import Types
from reviewers.facts.python_nodes import walk
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.access import calls_at, nodes_at
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits

_ASKING: tuple[type[ast.expr | ast.stmt], ...] = (ast.Compare, ast.For)


@repairs("TR07")
def summary_by_its_keys(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """What a live summary can be asked: its items by key, and its keys."""
    for code, node in nodes_at(facts, finding, *_ASKING):
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
    for code, call in calls_at(facts, finding, "wandb.init"):
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
    if code and edits:
        edits += code.without_unused("json", len(edits))
        yield Proposal(
            "Print the figures as plain text; results go to WandB",
            tuple(edits),
            "nothing can read them from the output as JSON any more",
        )


@repairs("RC09", "IM27")
def plain_for_json(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """What is written as JSON as a plain value: a configuration as a dictionary, a path as text."""
    span = finding.span
    code = PythonEdits(facts, span.file) if span and span.file in facts.python else None
    if code is None or span is None:
        return
    types = Types(code.file)
    keys = {each.key for _, each in facts.hydra.problems if each.span.is_near(span)}
    edits: dict[Edit, str] = {}
    for call in code.file.calls_of("json.dump", "json.dumps"):
        given = call.node.args[:1] if call.line == span.line else []
        for value in (code.file.only_value(each) or each for each in given):
            for node in walk(value):
                if not isinstance(node, ast.Name | ast.Attribute):
                    continue
                key = ast.unparse(node).partition(".")[2]
                text = code.text_of(node)
                if isinstance(node.ctx, ast.Load) and types.of(node) is PosixPath:
                    edits[code.put(node, f"str({text})")] = f"the path {text} as text"
                elif finding.rule == "RC09" and any(_ends_with(each, key) for each in keys):
                    if isinstance(code.file.parents.get(node), ast.Attribute):
                        continue
                    name, imports = code.imported("omegaconf", "OmegaConf")
                    edits |= dict.fromkeys(imports, "")
                    made = code.put(node, f"{name}.to_container({text}, resolve=True)")
                    edits[made] = f"{text} as a plain dictionary"
    if told := " and ".join(dict.fromkeys(filter(None, edits.values()))):
        yield Proposal(f"Write {told}, which JSON takes", tuple(edits))


def _ends_with(path: str, key: str) -> bool:
    return path == key or (bool(key) and path.endswith(f".{key}"))
