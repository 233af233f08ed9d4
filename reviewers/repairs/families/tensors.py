"""Repairs of tensors on the wrong device, of the wrong number format, or with a graph."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from reviewers.facts import Facts
from reviewers.facts.config_flow.tensors import REFUSALS
from reviewers.facts.data_use import DataProblem
from reviewers.facts.python_nodes import Function
from reviewers.offers import Edit
from reviewers.records import Finding, Span
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import CannotEdit, PythonEdits

_MADE = frozenset(
    f"torch.{name}"
    for name in (
        *("tensor", "zeros", "ones", "full", "empty", "eye", "arange", "linspace", "logspace"),
        *("rand", "randn", "randint", "randperm", "as_tensor", "from_numpy"),
    )
)
_TAKES_NO_DEVICE = frozenset({"torch.from_numpy"})
_ARRAYS = frozenset({"numpy.array", "numpy.asarray"})
# What is called on a value that a method or a function refuses, by the cause of the refusal.
_BEFORE = {
    "array_device": (".cpu()", ("numpy", "__array__")),
    "array_format": (".float()", ("numpy",)),
    "whole_mean": (".float()", ("mean", "std", "var", "softmax", "log_softmax")),
}
_OF_TARGETS = {"class_targets": ".long()", "float_targets": ".float()"}


@repairs("MO23")
def one_device(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """What the function itself makes on the CPU, on the device of what it goes with."""
    problem = _problem(facts, finding)
    if problem is None or problem.cause != "devices" or finding.span is None:
        return
    code = PythonEdits(facts, finding.span.file)
    function = code.file.functions.get(code.file.scope_at(finding.span.line or 0))
    if function is None:
        return
    spans = [finding.span, *(each.span for each in finding.places)]
    used = {
        node.id
        for node in ast.walk(code.statement_at(finding.span.line or 0))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    made: dict[str, list[ast.Call]] = {}
    for statement in ast.walk(function):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name in used or _is_at(
                statement, code.path, spans
            ):
                made[name] = _constructors(code, statement)
    first = min((call.lineno for calls in made.values() for call in calls), default=0)
    device = _device(code, function, first, used - {name for name, calls in made.items() if calls})
    edits = [
        code.keyword(call, "device", device) for calls in made.values() for call in calls if device
    ]
    if edits:
        yield Proposal(f"Make the tensors on {device}, where they are needed", tuple(edits))


def _constructors(code: PythonEdits, statement: ast.Assign) -> list[ast.Call]:
    """The calls in a statement that make a tensor on the CPU for want of a device."""
    return [
        node
        for node in ast.walk(statement.value)
        if isinstance(node, ast.Call)
        and code.file.resolve(node.func) in _MADE - _TAKES_NO_DEVICE
        and not any(each.arg in ("device", None) for each in node.keywords)
    ]


def _device(code: PythonEdits, function: Function, line: int, others: set[str]) -> str:
    """How a function writes the device of what it gets, before a line; empty if it cannot."""
    arguments = {each.arg for each in (*function.args.args, *function.args.kwonlyargs)}
    bound: dict[str, int] = dict.fromkeys(arguments, function.lineno)
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.setdefault(node.id, node.lineno)
    if "device" in bound and bound["device"] < line:
        return "device"
    found = sorted(name for name in others if bound.get(name, line) < line)
    return f"{found[0]}.device" if found else ""


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
    lines = _lines(code, [finding.span, *(each.span for each in finding.places)])
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
