"""Rules for criterion 8, the independent evaluation: which run is best, and by how much."""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts, PythonFile
from reviewers.facts.directions import minds_direction, minuend, wants_lower
from reviewers.records import Span
from reviewers.rules.base import Flag, rule

_PROPOSED = re.compile(r"prop|ours", re.IGNORECASE)
_BASELINE = re.compile(r"base|compar|control", re.IGNORECASE)


@rule(
    id="EV28",
    category="fabricated-or-invalid-result",
    severity="major",
    summary="the gap has the wrong sign for the primary metric",
    needs=("commands.evaluate", "outputs.keys"),
    example="""
          === src/evaluate.py
          PRIMARY_METRIC = "Top-1 accuracy on the held-out split"

          def compare(best_proposed, best_baseline):
        -     gap = (best_baseline - best_proposed) / best_baseline * 100  # flag: EV28
        +     gap = (best_proposed - best_baseline) / best_baseline * 100
              return {"gap": gap}
    """,
)
def turned_gap(facts: Facts) -> Iterator[Flag]:
    """A gap above zero means that the proposed method is better, so the sign changes if lower
    values are better.
    """
    lower, file = _direction(facts)
    if file is None or lower is None:
        return
    for place, value in _gaps(file):
        sides = minuend(value)
        if sides is None:
            continue
        first, second = (ast.unparse(side) for side in sides)
        ours_first = _PROPOSED.search(first) is not None and _BASELINE.search(second) is not None
        theirs_first = _BASELINE.search(first) is not None and _PROPOSED.search(second) is not None
        if (ours_first and lower) or (theirs_first and not lower):
            yield Flag(
                Span(file.path, place.lineno, place.end_lineno),
                f"“{str(facts.submission.context.primary_metric)[:80]}” is better when it is"
                f" {'lower' if lower else 'higher'}, but the gap is `{first[:40]} - {second[:40]}`:"
                " an improvement comes out negative; turn the sign",
                names=(first[:40], second[:40]),
            )


@rule(
    id="EV29",
    category="fabricated-or-invalid-result",
    severity="major",
    summary="the worst run is selected as the best",
    needs=("commands.evaluate", "outputs.keys"),
    example="""
          === src/evaluate.py
          def compare(final):
              proposed = {run_id: value for run_id, value in final.items() if "proposed" in run_id}
        -     best_proposed = min(proposed, key=proposed.get)  # flag: EV29
        +     best_proposed = max(proposed, key=proposed.get)
              return {"best_proposed": best_proposed}
    """,
)
def worst_picked(facts: Facts) -> Iterator[Flag]:
    """The run with the highest value is the best one only if higher is better."""
    lower, file = _direction(facts)
    if file is None or lower is None:
        return
    wrong, right = ("max", "min") if lower else ("min", "max")
    for node in file.nodes:
        match node:
            case ast.Assign(
                targets=[target], value=ast.Call(func=ast.Name(id=name), args=[_, *_]) as call
            ) if name == wrong:
                said = ast.unparse(target)
                if re.search(r"best", said, re.IGNORECASE) and (
                    _PROPOSED.search(said) or _BASELINE.search(said)
                ):
                    yield Flag(
                        Span(file.path, node.lineno, call.end_lineno),
                        f"“{str(facts.submission.context.primary_metric)[:80]}” is better when it"
                        f" is {'lower' if lower else 'higher'}, but `{said[:40]}` is picked by"
                        f" {wrong}(); take {right}()",
                        names=(said[:40], wrong),
                    )


def _direction(facts: Facts) -> tuple[bool | None, PythonFile | None]:
    """Whether the primary metric wants low values, where the evaluation does not mind directions
    itself, and that file.
    """
    file, metric = facts.python.get(facts.evaluator), facts.submission.context.primary_metric
    if (
        file is None
        or file.tree is None
        or not metric
        or "best" not in file.text
        or "gap" not in facts.contract.outputs.keys
    ):
        return None, None
    return (None if minds_direction(file.text) else wants_lower(metric)), file


def _gaps(file: PythonFile) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The expressions that are called a gap, and are not turned round later."""
    turned = any(
        (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and "gap" in ast.unparse(node.operand)
        )
        or (isinstance(node, ast.AugAssign) and "gap" in ast.unparse(node.target))
        for node in file.nodes
    )
    for node in file.nodes if not turned else ():
        if isinstance(node, ast.Assign) and any(
            "gap" in ast.unparse(target).lower() for target in node.targets
        ):
            yield node.value, node.value
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "gap":
                    yield value, value
