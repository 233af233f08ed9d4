"""How code gets at a key of a configuration, whatever it looks like: one form for all repairs."""

import ast
from collections.abc import Iterator
from typing import TypeVar

from reviewers.facts import Facts
from reviewers.facts.python_file import Call
from reviewers.records import Finding, Span
from reviewers.repairs.edits import PythonEdits
from reviewers.rules.hydra_problems import has, is_under_group

_Node = TypeVar("_Node", bound=ast.expr | ast.stmt)


def access(node: ast.AST) -> tuple[ast.expr | None, str]:
    """What is accessed by a key, and the key, dotted where the code has it so: `x.key`,
    `x["key"]`, `x.get("key")`, `getattr(x, "key")`, `"key" in x`, `OmegaConf.select(x, "key")`,
    and the calls that write.
    """
    match node:
        case ast.Attribute(value=owner, attr=attr):
            return owner, attr
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(key))):
            return owner, key
        case ast.Call(
            func=ast.Attribute(
                value=ast.Name(id="OmegaConf") | ast.Attribute(attr="OmegaConf"),
                attr="select" | "update" | "is_missing",
            ),
            args=[owner, ast.Constant(value=str(key)), *_],
        ):
            return owner, key
        case ast.Call(
            func=ast.Attribute(
                value=owner,
                attr="get" | "pop" | "setdefault" | "__getitem__" | "__setitem__" | "__setattr__",
            ),
            args=[ast.Constant(value=str(key)), *_],
        ):
            return owner, key
        case ast.Call(
            func=ast.Name(id="getattr" | "hasattr" | "setattr" | "delattr"),
            args=[owner, ast.Constant(value=str(key)), *_],
        ):
            return owner, key
        case ast.Compare(
            left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()], comparators=[owner]
        ):
            return owner, key
    return None, ""


def path_below(node: ast.expr, root: ast.expr) -> str:
    """The dotted keys by which an expression is reached from one inside it; empty if it is that
    one, or if the code does not say them all.
    """
    keys: list[str] = []
    while node is not root:
        owner, key = access(node)
        if owner is None or not key:
            return ""
        node = owner
        keys.insert(0, key)
    return ".".join(keys)


def places(finding: Finding) -> list[Span]:
    """Where a finding shows, the first place first."""
    return [each for each in (finding.span, *(one.span for one in finding.places)) if each]


def nodes_at(
    facts: Facts, finding: Finding, *kinds: type[_Node]
) -> Iterator[tuple[PythonEdits, _Node]]:
    """The nodes of some kinds that begin on a finding's own line, with their file's edits."""
    span = finding.span
    if span is not None and span.file in facts.python:
        code = PythonEdits(facts, span.file)
        yield from ((code, node) for node in code.file.of(*kinds) if node.lineno == span.line)


def calls_at(facts: Facts, finding: Finding, *names: str) -> Iterator[tuple[PythonEdits, Call]]:
    """The calls of some names on a finding's own line, with their file's edits."""
    span = finding.span
    if span is not None and span.file in facts.python:
        code = PythonEdits(facts, span.file)
        yield from ((code, call) for call in code.file.calls_of(*names) if call.line == span.line)


def is_moved(facts: Facts, finding: Finding) -> bool:
    """Whether keys at a finding's places are read or written at the top, where they, or their
    sections, lie under the group of the run files.
    """
    for start, problem in facts.hydra.problems:
        top = problem.key.partition(".")[0]
        if any(problem.span.is_near(span) for span in places(finding)) and (
            is_under_group(facts, start, problem.key)
            or (not has(start, top) and is_under_group(facts, start, top))
        ):
            return True
    return False


def reads(facts: Facts, finding: Finding, name: str) -> Iterator[tuple[PythonEdits, ast.expr]]:
    """The reads of a key, by its own name, at a finding's places."""
    seen: set[ast.expr] = set()
    for span in places(finding):
        if span.line is None or span.file not in facts.python:
            continue
        code = PythonEdits(facts, span.file)
        lines = range(span.line, (span.end_line or span.line) + 1)
        for node in code.file.of(ast.Attribute, ast.Subscript):
            if node.lineno in lines and access(node)[1] == name and node not in seen:
                seen.add(node)
                yield code, node
