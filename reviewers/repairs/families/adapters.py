"""Repairs of models with adapters."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.records import Finding
from reviewers.repairs.access import calls_at
from reviewers.repairs.base import Proposal, repairs


@repairs("MO05")
def inputs_with_gradients(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Gradients for the inputs, which checkpointed layers need where the weights have none."""
    for code, call in calls_at(facts, finding, ".gradient_checkpointing_enable"):
        statement = code.statement(call.node)
        if isinstance(call.node.func, ast.Attribute) and isinstance(statement, ast.Expr):
            name = code.text_of(call.node.func.value)
            line = f"{name}.enable_input_require_grads()"
            yield Proposal(
                "Let the inputs of the model require gradients, which checkpointing needs",
                (code.after(statement, line),),
            )
