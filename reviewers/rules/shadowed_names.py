"""Rules for criterion 1: names that hold a local value where something else is meant."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.shadows import Shadowed, shadowed_uses
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, rule
from reviewers.rules.guards import is_guarded


@rule(
    id="IM15",
    category="call-signature",
    severity="blocker",
    stops="",
    summary="a local value hides the imported name that is meant",
    example="""
          from scipy import stats

          def compared(runs):
        -     for stats in runs.values():
        -         print(stats["accuracy"])
        +     for run in runs.values():
        +         print(run["accuracy"])
              return stats.ttest_ind(runs["a"]["all"], runs["b"]["all"])  # flag: IM15
    """,
)
def shadowed_name(facts: Facts) -> Iterator[Flag]:
    """A variable or a parameter hides what is imported under its name, and lacks the attributes of
    the module.
    """
    used = facts.local_code.is_used
    for path, file in facts.python.items():
        seen: set[tuple[str, str, str]] = set()
        for found in shadowed_uses(file, facts.third_party):
            node, scope = found.node, file.scope_at(found.node.lineno)
            error, said = _error(found)
            if is_guarded(file, node, error) or (key := (scope, node.id, said)) in seen:
                continue
            seen.add(key)
            line = getattr(found.bound, "lineno", node.lineno)
            yield Flag(
                Span(path, node.lineno),
                f"line {line} makes `{node.id}` a value of its own, so that it is not"
                f" `{found.meant}` here: {error}: {said}; give the value another name",
                severity=None if used(file, scope) else Severity.MAJOR,
                names=(node.id, found.meant, said),
            )


def _error(found: Shadowed) -> tuple[str, str]:
    kind = found.kind.__name__ if found.kind else ""
    if not found.attribute:
        return "TypeError", f"'{kind}' object is not callable"
    owner = f"'{kind}' object" if kind else "a mapping"
    return "AttributeError", f"{owner} has no attribute '{found.attribute}'"
