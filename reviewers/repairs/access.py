"""How code gets at a key of a configuration."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.records import Finding
from reviewers.repairs.edits import PythonEdits


def access(node: ast.AST) -> tuple[ast.expr | None, str]:
    """What is accessed by a key, and the key: `x.key`, `x["key"]`, `x.get("key")`, `getattr(x,
    "key")`, `"key" in x`.
    """
    match node:
        case ast.Attribute(value=owner, attr=attr):
            return owner, attr
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(key))):
            return owner, key
        case ast.Call(
            func=ast.Attribute(value=owner, attr="get" | "pop"),
            args=[ast.Constant(value=str(key)), *_],
        ):
            return owner, key
        case ast.Call(
            func=ast.Name(id="getattr" | "hasattr"), args=[owner, ast.Constant(value=str(key)), *_]
        ):
            return owner, key
        case ast.Compare(
            left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()], comparators=[owner]
        ):
            return owner, key
    return None, ""


def reads(facts: Facts, finding: Finding, name: str) -> Iterator[tuple[PythonEdits, ast.expr]]:
    """The reads of a key, by its own name, at a finding's places."""
    spans = [finding.span, *(each.span for each in finding.places)]
    seen: set[ast.expr] = set()
    for span in spans:
        if span is None or span.line is None or span.file not in facts.python:
            continue
        code = PythonEdits(facts, span.file)
        lines = range(span.line, (span.end_line or span.line) + 1)
        for node in code.file.of(ast.Attribute, ast.Subscript):
            if node.lineno in lines and access(node)[1] == name and node not in seen:
                seen.add(node)
                yield code, node
