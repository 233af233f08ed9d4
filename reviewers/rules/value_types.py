"""Rules for criterion 1: operations that a value's type, known from the code, does not support."""

import ast
from collections.abc import Iterator
from pathlib import PosixPath

from reviewers.facts import Facts
from reviewers.facts.plain_types import refused
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import walk
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, rule
from reviewers.rules.guards import is_asked_for, is_guarded


@rule(
    id="IM19",
    category="call-signature",
    severity="blocker",
    summary="an operation is invalid for a string, a number or a list",
    stops="",
    example="""
          def report(scores):
              total = len(scores)
        -     print("scores: " + total)  # flag: IM19
        -     for number in len(scores):  # flag: IM19
        +     print("scores: " + str(total))
        +     for number in range(len(scores)):
                  print(number)
    """,
)
def refused_operation(facts: Facts) -> Iterator[Flag]:
    """Only values count whose type the line itself or their only assignment shows: literals, and
    the results of builtins such as `len`.
    """
    code = facts.local_code
    for path, file in facts.python.items():
        for one in refused(file):
            asked = any(
                isinstance(p, ast.Name) and _is_asked_about(file, p) for p, _ in one.operands
            )
            ready = is_guarded(file, one.node, one.error) or is_asked_for(file, one.node)
            if asked or ready or not file.is_evaluated(one.node):
                continue
            what = " and ".join(
                f"`{ast.unparse(part)[:60]}` is {_NAMES.get(kind, kind.__name__)}"
                for part, kind in one.operands
            )
            used = code.is_used(file, file.scope_at(one.node.lineno))
            yield Flag(
                Span(path, one.node.lineno),
                f"{one.error}: {one.message}; {what}",
                severity=None if used else Severity.MAJOR,
                names=(one.error, one.message),
            )


_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a dictionary",
    type(None): "None",
    PosixPath: "a path",
}


def _is_asked_about(file: PythonFile, name: ast.Name) -> bool:
    """Whether a condition around a use asks for the value first."""
    tests = (
        around.test if isinstance(around, (ast.If, ast.IfExp, ast.While)) else around
        for around in file.ancestors(name)
        if isinstance(around, (ast.If, ast.IfExp, ast.While, ast.BoolOp))
    )
    return any(
        isinstance(part, ast.Name) and part.id == name.id and part is not name
        for test in tests
        for part in walk(test)
    )
