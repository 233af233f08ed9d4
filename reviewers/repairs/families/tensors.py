"""Repairs of tensors that torch refuses for their device or their number format."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.python_nodes import walk
from reviewers.offers import Edit
from reviewers.records import Finding, Span
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits

_MAKING = frozenset(
    f"torch.{name}"
    for name in (
        *("arange", "as_tensor", "empty", "eye", "full", "linspace", "ones", "rand", "randint"),
        *("randn", "randperm", "tensor", "zeros"),
    )
)
_LOSSES = ("cross_entropy", "nll_loss", "binary_cross_entropy", "with_logits", "Loss")
# What is called on the value that is refused, by the cause of the refusal.
_CONVERTING = {
    "array_device": ".cpu()",
    "array_format": ".float()",
    "whole_mean": ".float()",
    "class_targets": ".long()",
    "float_targets": ".float()",
    "index_format": ".long()",
    "indices": ".long()",
    "autocast_device": ".type",
}


def _causes(facts: Facts, finding: Finding) -> dict[str, list[Span]]:
    """Why the tensor of a finding is refused, with the places where both sides come from."""
    return {
        problem.cause: [each for each in problem.further if each]
        for problem in facts.data_problems
        if finding.span in problem.spans[:1]
    }


@repairs("MO23")
def converted(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The tensor converted, or copied to the CPU, where it is used."""
    span = finding.span
    code = PythonEdits(facts, span.file) if span and span.file in facts.python else None
    for cause in _causes(facts, finding) if code and span else ():
        text = _CONVERTING.get(cause, "")
        for node in code.file.of(ast.Call, ast.Subscript) if code and span and text else ():
            value = _refused(cause, node) if span and node.lineno == span.line else None
            if code and value is not None:
                yield Proposal(
                    f"Write {ast.unparse(value)[:60]}{text}", (_then(code, value, text),)
                )


def _refused(cause: str, node: ast.expr) -> ast.expr | None:
    """The value that an expression is refused for; None if it is not about that."""
    match cause, node:
        case "array_device" | "array_format", ast.Call(
            func=ast.Attribute(value=value, attr="numpy"), args=[]
        ):
            return value
        case "whole_mean", ast.Call(func=ast.Attribute(value=value, attr="mean" | "std" | "var")):
            return value
        case "class_targets" | "float_targets", ast.Call(func=called, args=[_, value, *_]) if (
            ast.unparse(called).endswith(_LOSSES) or "criterion" in ast.unparse(called)
        ):
            return value
        case "indices", ast.Call(args=[value]):
            return value
        case "index_format", ast.Subscript(slice=value):
            return value
        case "autocast_device", ast.Call(func=called, args=given, keywords=words) if ast.unparse(
            called
        ).endswith("autocast"):
            named = [word.value for word in words if word.arg == "device_type"]
            return next(iter([*named, *given]), None)
    return None


def _then(code: PythonEdits, value: ast.expr, text: str) -> Edit:
    """What is called on a value, behind it; an expression that has no brackets gets some."""
    around = code.file.parents.get(value)
    if isinstance(around, ast.Attribute):
        held = code.text_of(around).removesuffix(f".{around.attr}").rstrip()
        return code.put(around, f"{held}{text}.{around.attr}")
    is_one = isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.Call)
    held = code.text_of(value)
    return code.put(value, f"{held if is_one else f'({held})'}{text}")


@repairs("MO23")
def made_on_the_device(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Tensors made on the device of the others that they are used with, else moved there."""
    span = finding.span
    places = _causes(facts, finding).get("devices", [])
    if span is None or span.line is None or span.file not in facts.python or not places:
        return
    code = PythonEdits(facts, span.file)
    statement = code.statement_at(span.line)
    scope = code.file.scope_at(span.line)
    function = code.file.functions.get(scope)
    used = [each for each in walk(statement) if isinstance(each, ast.Name)]
    bound = {
        target.id: each
        for each in walk(function or statement)
        if isinstance(each, ast.Assign) and each.lineno < span.line
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    operands = list(dict.fromkeys(each.id for each in used if isinstance(each.ctx, ast.Load)))
    making = {name: [*_making(code, bound[name])] for name in operands if name in bound}
    there = [name for name in operands if name in bound and not making[name]]
    device = _device_in_sight(code, span.line) or (f"{there[0]}.device" if there else "")
    edits = [
        code.keyword(call, "device", device)
        for name in making
        for call in making[name]
        if device and not (there and bound[name].lineno < bound[there[0]].lineno)
    ]
    if edits:
        yield Proposal("Make the tensors on the device of the others", tuple(edits))
    lines = {place.line for place in places if place.file == span.file}
    moved = [name for name in operands if name in bound and bound[name].lineno in lines]
    moved = [name for name in moved if device != f"{name}.device"]
    if device and moved and not edits:
        move = [f"{name} = {name}.to({device})" for name in moved[:1]]
        yield Proposal(
            f"Move {moved[0]} to the device of the others", (code.before(statement, *move),)
        )


def _making(code: PythonEdits, statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls of a statement that make a tensor on the CPU."""
    for node in walk(statement):
        match node:
            case ast.Call(func=called, keywords=words) if code.file.resolve(called) in _MAKING:
                if all(word.arg not in ("device", None) for word in words):
                    yield node


def _device_in_sight(code: PythonEdits, line: int) -> str:
    """A variable with the device that the function around a line sees; empty if there is none."""
    function = code.file.functions.get(code.file.scope_at(line))
    arguments = function.args if function is not None else None
    if arguments and any(each.arg == "device" for each in [*arguments.args, *arguments.kwonlyargs]):
        return "device"
    for part in (function, code.file.tree):
        for node in walk(part) if part is not None else ():
            if isinstance(node, ast.Name) and node.id in ("device", "DEVICE"):
                is_own = code.file.scope_at(node.lineno) in ("", code.file.scope_at(line))
                if isinstance(node.ctx, ast.Store) and is_own and node.lineno < line:
                    return node.id
    return ""
