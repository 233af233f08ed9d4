"""Rules for criterion 1: operations that a value's type, known from the code, does not support."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.plain_types import refused
from reviewers.facts.returned import Misuse, is_asked_about, misuses
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, again, rule
from reviewers.rules.guards import is_asked_for, is_guarded


@rule(
    id="IM18",
    category="call-signature",
    severity="blocker",
    summary="what a function of the submission returns is used as something else",
    stops="",
    example="""
          def split(data):
              middle = len(data) // 2
              return data[:middle], data[middle:], middle

          def shuffle(data):
        -     data = sorted(data)
        +     return sorted(data)

          def train(cfg):
        -     train, rest = split(range(8))  # flag: IM18
        +     train, rest, _ = split(range(8))
              shuffled = shuffle(train)
              return shuffled[0], rest  # flag: IM18
    """,
)
def misused_value(facts: Facts) -> Iterator[Flag]:
    """Only functions count whose every `return` is certain: a tuple of known length, or None."""
    code = facts.local_code
    for path, file in code.python.items():
        found: dict[tuple[str, str, int], list[Misuse]] = {}
        for one in misuses(code, file):
            if not (is_guarded(file, one.node, one.error) or is_asked_for(file, one.node)):
                key = (one.message, one.target.file.path, one.target.function.lineno)
                found.setdefault(key, []).append(one)
        for uses in found.values():
            first, target = uses[0], uses[0].target
            gives = "returns nothing"
            if first.returns:
                gives = f"returns `{ast.unparse(first.returns[0])[7:87]}`"
            lines = [Span(target.file.path, node.lineno) for node in first.returns]
            used = any(code.is_used(file, file.scope_at(one.node.lineno)) for one in uses)
            yield Flag(
                Span(path, first.node.lineno),
                f"{first.error}: {first.message}; `{target.shown}`"
                f" ({target.file.path}:{target.function.lineno}) {gives}",
                severity=None if used else Severity.MAJOR,
                places=again([*(Span(path, one.node.lineno) for one in uses), *lines]),
                names=(first.error, first.message, target.shown),
            )


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
                isinstance(p, ast.Name) and is_asked_about(file, p) for p, _ in one.operands
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
}
