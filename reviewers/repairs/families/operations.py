"""Repairs of operations that the type of a value does not have, where what is meant is certain."""

import ast
from collections.abc import Iterator
from pathlib import PosixPath

from reviewers.facts import Facts
from reviewers.facts.plain_types import Refused, refused
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits
from reviewers.repairs.meant import clearly_meant
from reviewers.repairs.renamed import renamed

_SHOWN = (int, float, bool, list, dict, tuple, set, PosixPath)  # what a text may be told of


@repairs("IM19")
def operation_that_is_meant(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The text of a number that is joined to a text, the range of a number that is gone through,
    the whole annotation in quotes of which a part is, what a path has for what a text has.
    """
    if finding.span is None or finding.span.file not in facts.python:
        return
    code, line = PythonEdits(facts, finding.span.file), finding.span.line
    found = [
        each for one in refused(code.file) if one.node.lineno == line for each in _meant(code, one)
    ]
    if found:
        yield Proposal(found[0][0], tuple(dict.fromkeys(edit for _, edit in found)))


def _meant(code: PythonEdits, one: Refused) -> Iterator[tuple[str, Edit]]:
    match one.node, one.operands:
        case ast.BinOp(op=ast.Add()), (pair, other) if {pair[1], other[1]} & {str}:
            value, kind = other if pair[1] is str else pair
            if kind in _SHOWN:
                text = f"str({code.text_of(value)})"
                yield f"Join the text of {ast.unparse(value)[:40]}", code.put(value, text)
        case ast.BinOp(op=ast.BitOr(), left=left, right=right), _:
            parts = [
                str(part.value) if isinstance(part, ast.Constant) else code.text_of(part)
                for part in (left, right)
            ]
            if _is_annotation(code, one.node):
                yield "Put the whole type in quotes", code.put(one.node, f'"{" | ".join(parts)}"')
        case ast.Attribute(value=value, attr=name) as node, ((_, kind),) if kind is PosixPath:
            yield from _of_path(code, node, name)
        case node, ((_, kind),) if kind is int and code.goes_through(node):
            yield "Go through the numbers up to it", code.put(node, f"range({code.text_of(node)})")


def _is_annotation(code: PythonEdits, node: ast.expr) -> bool:
    """Whether an expression is the type of a parameter, a variable or a result."""
    around = code.file.parents.get(node)
    given = getattr(around, "annotation", None), getattr(around, "returns", None)
    return any(each is node for each in given)


def _of_path(code: PythonEdits, node: ast.Attribute, name: str) -> Iterator[tuple[str, Edit]]:
    """What a path has instead of an attribute that it lacks; its text where that has it."""
    around = code.file.parents.get(node)
    call = around if isinstance(around, ast.Call) and around.func is node else None
    owner = code.text_of(node).removesuffix(name).rstrip(".")  # with its brackets
    if write := renamed()["paths"].get(name):
        given = code.arguments_of(call) if call is not None else ""
        given = f", {given}" if given.strip() and "(*" not in write else given
        text = write.replace("{}", owner).replace(", *)", f"{given})").replace("*", given)
        yield f"Write {text} for .{name}, which a path lacks", code.put(call or node, text)
    elif meant := clearly_meant(name, dict.fromkeys(dir(PosixPath), 0.0)):
        yield f"Write {meant} for {name}, as a path calls it", code.attribute(node, meant)
    elif hasattr(str, name):
        yield f"Ask the text of the path for {name}", code.put(node.value, f"str({owner})")
