"""Repairs of models with adapters."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits


@repairs("MO05")
def inputs_with_gradients(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Gradients for the inputs, which checkpointed layers need where the weights have none."""
    span = finding.span
    code = PythonEdits(facts, span.file) if span and span.file in facts.python else None
    for call in code.file.calls_of(".gradient_checkpointing_enable") if code else ():
        if code is None or span is None or call.line != span.line:
            continue
        statement = code.statement(call.node)
        if isinstance(call.node.func, ast.Attribute) and isinstance(statement, ast.Expr):
            name = code.text_of(call.node.func.value)
            line = f"{name}.enable_input_require_grads()"
            yield Proposal(
                "Let the inputs of the model require gradients, which checkpointing needs",
                (code.after(statement, line),),
            )
