"""Repairs of losses that carry no gradient."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.gradients import DeadBackward, dead_backwards
from reviewers.facts.python_nodes import Function
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits

_OFF = frozenset({"torch.no_grad", "torch.inference_mode"})


@repairs("MO04")
def gradient_where_it_is_needed(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Gradients for the loss alone, or for the function that makes it."""
    for found in dead_backwards(facts.local_code):
        if found.place != finding.span:
            continue
        code = PythonEdits(facts, found.place.file)
        if found.place.file == found.file.path:
            yield from _around_the_loss(code, found)
            yield from _summed_numbers(code, found)
        yield from _switched_off(code, found)
        return


def _around_the_loss(code: PythonEdits, found: DeadBackward) -> Iterator[Proposal]:
    """`enable_grad` around the statements from the loss to its backward()."""
    function = code.file.functions.get(found.scope)
    line = found.place.line or 0
    if function is None or not _covers(function, line):
        return
    last = code.statement(found.call)
    block = next(
        (
            each
            for part in ("body", "orelse", "finalbody")
            if isinstance(each := getattr(code.file.parents[last], part, None), list)
            and last in each
        ),
        [],
    )
    made = [
        at
        for at, each in enumerate(block[: block.index(last)])
        if isinstance(each, ast.Assign)
        and any(isinstance(to, ast.Name) and to.id == found.shown for to in each.targets)
    ]
    if made:
        module, imports = code.imported("torch")
        statements = block[made[-1] : block.index(last) + 1]
        edits = (*imports, *code.inside(statements, f"with {module}.enable_grad():"))
        yield Proposal("Turn gradients on for the loss and its backward()", edits)


def _covers(function: Function, line: int) -> bool:
    first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
    return first <= line <= (function.end_lineno or first)


def _switched_off(code: PythonEdits, found: DeadBackward) -> Iterator[Proposal]:
    """Without the decorator, or with gradients in the block."""
    line = found.place.line
    for function in code.file.functions.values():
        for decorator in function.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if decorator.lineno == line and code.file.resolve(called) in _OFF:
                edit = code.line_of(decorator)
                yield Proposal(f"Let {function.name} carry gradients", (edit,))
    for block in code.file.of(ast.With):
        for item in block.items if block.lineno == line else ():
            match item.context_expr:
                case ast.Call(func=ast.Attribute(value=owner) as func) if (
                    code.file.resolve(func) in _OFF
                ):
                    edit = code.put(func, f"{code.text_of(owner)}.enable_grad")
                    yield Proposal("Turn gradients on in the block that makes the loss", (edit,))


def _summed_numbers(code: PythonEdits, found: DeadBackward) -> Iterator[Proposal]:
    """The tensors themselves, where their numbers are summed up and made a tensor again."""
    function = code.file.functions.get(code.file.scope_at(found.place.line or 0))
    for call in code.file.calls_of("torch.tensor"):
        if call.line != found.place.line or not call.node.args or function is None:
            continue
        given = call.node.args[0]
        summed = {each.id for each in ast.walk(given) if isinstance(each, ast.Name)}
        edits: list[Edit] = []
        for node in ast.walk(function):
            match node:
                case ast.AugAssign(
                    target=ast.Name(id=name),
                    op=ast.Add(),
                    value=ast.Call(func=ast.Attribute(attr="item", value=value), args=[]),
                ) if name in summed:
                    edits.append(code.put(node.value, code.text_of(value)))
        is_whole = isinstance(code.file.parents.get(call.node), ast.Assign | ast.Return)
        if edits and not is_whole:
            raise CannotEdit("the sum is part of an expression")
        if edits:
            edits.append(code.put(call.node, code.text_of(given)))
            yield Proposal(
                "Add up the loss tensors, not their plain numbers",
                tuple(edits),
                "their graph is kept until backward(), which takes more memory",
            )
