"""Rules for criterion 1, what is done with the values of the submission's own functions."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.returned import Misuse, misuses
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, again, rule
from reviewers.rules.guards import is_asked_for, is_guarded


@rule(
    id="IM18",
    criterion=1,
    category="call-signature",
    severity="blocker",
    summary="what a function of the submission returns is used as something else",
    stops="",
    bad="""
        def split(data):
            middle = len(data) // 2
            return data[:middle], data[middle:], middle

        def shuffle(data):
            data = sorted(data)

        def train(cfg):
            train, rest = split(range(8))  # flag: IM18
            shuffled = shuffle(train)
            return shuffled[0], rest  # flag: IM18
    """,
    good="""
        def split(data):
            middle = len(data) // 2
            return data[:middle], data[middle:], middle

        def shuffle(data):
            return sorted(data)

        def train(cfg):
            train, rest, _ = split(range(8))
            shuffled = shuffle(train)
            return shuffled[0], rest
    """,
)
def misused_value(facts: Facts) -> Iterator[Flag]:
    """Only functions count of which every `return` says what it gives: a tuple of so many values,
    or nothing.
    """
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
            )
