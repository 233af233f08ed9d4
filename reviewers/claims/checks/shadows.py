"""Claims that a variable hides an import, and about what then happens to the import's
attributes.
"""

import ast
import re

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed
from reviewers.facts.python_file import Function, PythonFile
from reviewers.records import Span

_SHADOWS = re.compile(
    r"\b(?:shadow(?:s|ed|ing)?|hides?|overwrit(?:es?|ten|ing)|re-?assign(?:s|ed)?|clobbers?)\b"
)
_IMPORT = re.compile(r"\bimport\w*|\bmodule\b")
_ERROR = re.compile(r"\battribute ?error\b")


@check("shadowed")
def shadowed(case: Case) -> Answer:
    """A variable hides an import in the whole function that assigns it."""
    if _ERROR.search(case.said):
        return _after(case)
    if not _SHADOWS.search(case.said) or not _IMPORT.search(case.said) or case.claim.hedged:
        return None
    words = {
        part
        for each in (*case.claim.own.names, *case.claim.own.quotes)
        for part in re.findall(r"\w+", each)
    }
    for path, file in case.python() or case.facts.python.items():
        bound = {item.bound: item.line for item in file.imports if item.bound and not item.scope}
        for function in file.functions.values():
            for node in _stores(function):
                if node.id in words and node.id in bound:
                    return confirmed(
                        f"{path}:{node.lineno} assigns {code(node.id)} in {function.name}, which"
                        f" line {bound[node.id]} imports",
                        Span(path, node.lineno),
                    )
    return None


def _after(case: Case) -> Answer:
    """ "So `m.f` raises AttributeError" is true where the loop before it has made `m` a value that
    code reads as a mapping.
    """
    ground = next(
        (answer for claim, answer in case.grounds if _SHADOWS.search(claim.said) and answer.span),
        None,
    )
    span = ground.span if ground else None
    if span is None or span.line is None or span.file not in case.facts.python:
        return None
    file = case.facts.python[span.file]
    line = span.line
    function = next(
        (
            each
            for each in file.functions.values()
            if each.lineno <= line <= (each.end_lineno or line)
        ),
        None,
    )
    names = (
        {node.id for node in _stores(function) if node.lineno == span.line} if function else set()
    )
    for name in case.claim.own.names:
        owner, _, attribute = name.rpartition(".")
        used = _first_use(file, owner, attribute, span.line) if owner in names else None
        if used is not None and function is not None and _holds_mapping(function, owner):
            return confirmed(
                f"{span.file}:{used} reads {code(name)}, but line {line} has made {code(owner)} a"
                " dictionary: AttributeError",
                Span(span.file, used),
            )
    return None


def _stores(function: Function) -> list[ast.Name]:
    """The variables that a function assigns; those of comprehensions are their own."""
    inner = {
        id(part)
        for node in ast.walk(function)
        if isinstance(node, ast.comprehension | ast.Lambda)
        or (isinstance(node, Function) and node is not function)
        for part in ast.walk(node)
    }
    nodes = (
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return [node for node in nodes if id(node) not in inner]


def _first_use(file: PythonFile, owner: str, attribute: str, after: int) -> int | None:
    uses = (
        node
        for node in file.nodes
        if isinstance(node, ast.Attribute) and node.attr == attribute and node.lineno > after
    )
    return next(
        (
            node.lineno
            for node in uses
            if isinstance(node.value, ast.Name) and node.value.id == owner
        ),
        None,
    )


def _holds_mapping(function: Function, name: str) -> bool:
    """Whether the function reads a text key of a variable."""
    return any(
        isinstance(node.value, ast.Name)
        and node.value.id == name
        and isinstance(node.slice, ast.Constant)
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript)
    )
