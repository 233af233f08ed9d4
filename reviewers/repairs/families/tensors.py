"""Repairs of tensors on the wrong device, of the wrong number format, or with a graph."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from reviewers.facts import Facts
from reviewers.facts.config_flow.tensors import REFUSALS
from reviewers.facts.data_use import DataProblem
from reviewers.facts.python_nodes import walk
from reviewers.offers import Edit
from reviewers.records import Finding, Span
from reviewers.repairs.access import places
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits

_MAKING = frozenset(
    f"torch.{name}"
    for name in (
        *("arange", "as_tensor", "empty", "eye", "full", "linspace", "ones", "rand", "randint"),
        *("randn", "randperm", "tensor", "zeros"),
    )
)
_ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
# What is called on a value that a method or a function refuses, by the cause of the refusal.
_BEFORE = {
    "array_device": (".cpu()", ("numpy", "__array__")),
    "array_format": (".float()", ("numpy",)),
    "whole_mean": (".float()", ("mean", "std", "var", "softmax", "log_softmax")),
}
_OF_TARGETS = {"class_targets": ".long()", "float_targets": ".float()"}


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


def _causes(facts: Facts, finding: Finding) -> dict[str, list[Span]]:
    """Why the tensor of a finding is refused, with the places where both sides come from."""
    return {
        problem.cause: [each for each in problem.further if each]
        for problem in facts.data_problems
        if finding.span in problem.spans[:1]
    }


@repairs("MO23")
def converted_first(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The conversion that torch asks for, on the value that it refuses."""
    problem = _problem(facts, finding)
    if problem is None or finding.span is None:
        return
    cause = problem.cause
    code = PythonEdits(facts, finding.span.file)
    lines = _lines(code, problem.spans)
    edits: list[Edit] = []
    word = ""
    for call in code.file.calls:
        if call.line not in lines:
            continue
        name = call.name or ""
        if cause in _BEFORE:
            word, methods = _BEFORE[cause]
            if isinstance(call.node.func, ast.Attribute) and call.node.func.attr in methods:
                edits.append(_behind(code, call.node.func.value, word))
            elif name in _ARRAYS and call.node.args:
                edits.append(_behind(code, call.node.args[0], word))
        elif cause in _OF_TARGETS and len(call.node.args) > 1:
            if word:
                raise CannotEdit("several calls on a line")
            word = _OF_TARGETS[cause]
            edits.append(_behind(code, call.node.args[1], word))
        elif cause == "autocast_device" and "autocast" in name:
            word = ".type"
            given = call.keyword("device_type") or next(iter(call.node.args), None)
            edits += [_behind(code, given, word)] if isinstance(given, ast.expr) else []
        elif cause == "format_text" and isinstance(given := call.keyword("dtype"), ast.expr):
            module, imports = code.imported("torch")
            word = "getattr(torch, …)"
            edits += [*imports, code.put(given, f"getattr({module}, {code.text_of(given)})")]
    if edits:
        told = f"Write {word}, which torch asks for"
        yield Proposal(told, tuple(dict.fromkeys(edits)))


@repairs("MO21")
def cut_off_the_graph(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """`detach()` before a value becomes an array."""
    if finding.span is None or finding.span.file not in facts.python:
        return
    code = PythonEdits(facts, finding.span.file)
    lines = _lines(code, places(finding))
    edits: list[Edit] = []
    for call in code.file.calls:
        if call.line not in lines:
            continue
        if isinstance(call.node.func, ast.Attribute) and call.node.func.attr == "numpy":
            edits.append(_behind(code, _before_moves(call.node.func.value), ".detach()"))
        elif call.name in _ARRAYS and call.node.args:
            edits.append(_behind(code, call.node.args[0], ".detach()"))
    if edits:
        yield Proposal("Take the values off the graph with .detach() first", tuple(edits))


def _before_moves(node: ast.expr) -> ast.expr:
    """The value before `.cpu()` and the like."""
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("cpu", "float", "to")
    ):
        node = node.func.value
    return node


def _behind(code: PythonEdits, node: ast.expr, word: str) -> Edit:
    """A word behind an expression, in brackets where it would belong to a part of it."""
    text = code.text_of(node)
    is_whole = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
    end = code.span(node)[1]
    start = code.span(node)[0]
    in_brackets = code.file.text[:start].endswith("(") and code.file.text[end:].startswith(").")
    if is_whole:
        return Edit(code.path, end, end, word)
    if in_brackets:
        return Edit(code.path, end + 1, end + 1, word)
    return code.put(node, f"({text}){word}")


def _problem(facts: Facts, finding: Finding) -> DataProblem | None:
    """The refusal that a finding tells of."""
    met = (each for each in facts.data_problems if each.cause in REFUSALS)
    told = (each for each in met if each.spans[0] == finding.span)
    return next((each for each in told if each.message in finding.names), None)


def _is_at(statement: ast.stmt, path: str, spans: Sequence[Span | None]) -> bool:
    return any(
        span
        and span.file == path
        and span.line
        and statement.lineno <= span.line
        and span.line <= (statement.end_lineno or statement.lineno)
        for span in spans
    )


def _lines(code: PythonEdits, spans: Iterable[Span | None]) -> set[int | None]:
    """The lines of a file among some places."""
    return {each.line for each in spans if each and each.file == code.path}
