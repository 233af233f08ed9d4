"""Rules for criterion 8, the independent evaluation: significance tests and groups of runs that
cannot show anything.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts, PythonFile
from reviewers.facts.measurements import written_number
from reviewers.facts.name_uses import NameUses
from reviewers.facts.python_file import Call
from reviewers.facts.run_groups import Group, RunGroups
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, rule
from reviewers.rules.integrity import same_values

_TESTS = re.compile(
    r"^(scipy\.stats|statsmodels\.\w+(\.\w+)*|pingouin)\."
    r"(ttest_ind|ttest_rel|ttest|wilcoxon|mannwhitneyu|f_oneway|kruskal|ranksums|permutation_test|brunnermunzel)$"
)
_SPREADS = ("std1", "std2", "nobs1", "nobs2")


@rule(
    id="EV16",
    category="fabricated-or-invalid-result",
    severity="major",
    summary="a significance test gets samples that cannot differ, or no samples",
    example="""
          === src/evaluate.py
          from scipy.stats import ttest_ind

          def main(proposed, baseline):
        -     return ttest_ind([proposed["accuracy"]], [baseline["accuracy"]], equal_var=False)  # flag: EV16
        +     return ttest_ind(proposed["accuracies"], baseline["accuracies"], equal_var=False)
    """,  # noqa: E501
)
def empty_test(facts: Facts) -> Iterator[Flag]:
    """One number has no variance, nor has a number repeated, and a sample does not differ from
    itself.
    """
    for path, file in facts.python.items():
        uses = NameUses(file)
        for call in _tests(file):
            if (why := _nothing_to_test(uses, call)) is not None:
                yield Flag(
                    Span(path, call.line, call.node.end_lineno),
                    f"`{str(call.name).rpartition('.')[2]}` {why}; give it the values over seeds,"
                    " folds or examples",
                    names=(str(call.name).rpartition(".")[2],),
                )


def _tests(file: PythonFile) -> Iterator[Call]:
    for call in file.calls:
        if call.name is not None and (
            _TESTS.match(call.name) or call.name == "scipy.stats.ttest_ind_from_stats"
        ):
            yield call


def _nothing_to_test(uses: NameUses, call: Call) -> str | None:
    if call.name == "scipy.stats.ttest_ind_from_stats":
        return _made_up_spread(call)
    given = call.node.args[:2]
    if len(given) < 2:
        return None
    if same_values(uses, call, given[0], given[1]) is not None:
        return f"compares `{ast.unparse(given[0])[:40]}` with itself: p is 1, or NaN"
    values = [
        (uses.only_value(part.id, call.scope) if isinstance(part, ast.Name) else None) or part
        for part in given
    ]
    if any(
        isinstance(value, ast.List | ast.Tuple) and len(value.elts) == 1 and _is_one(value.elts[0])
        for value in values
    ):
        return "gets a sample of one number: without a spread the p-value is NaN"
    for part, value in zip(given, values, strict=True):
        if _is_repeated(uses.file, value):
            return (
                f"gets `{ast.unparse(part)[:40]}`, one number repeated: a sample without spread,"
                " made longer to look like many"
            )
    return None


def _made_up_spread(call: Call) -> str | None:
    written = [name for name in _SPREADS if isinstance(call.keyword(name), ast.Constant)]
    if written:
        return (
            f"gets {', '.join(written)} written into the code: its p-value says nothing about the"
            " runs"
        )
    spreads = [call.node.args[place] for place in (1, 4) if place < len(call.node.args)]
    if any(written_number(part) is not None or isinstance(part, ast.Constant) for part in spreads):
        return "gets a spread written into the code: its p-value says nothing about the runs"
    return None


def _is_one(node: ast.expr) -> bool:
    return not isinstance(node, ast.Starred | ast.List | ast.Tuple | ast.ListComp)


def _is_repeated(file: PythonFile, node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Mult(), left=ast.List(elts=[one]), right=count):
            return _is_one(one) and not (isinstance(count, ast.Constant) and count.value == 1)
        case ast.Call(func=func, args=[_, one]) if file.resolve(func) == "numpy.full":
            return _is_one(one)
        case ast.Call(func=func, args=[ast.Constant() | ast.Subscript(slice=ast.Constant()), _]):
            return file.resolve(func) == "numpy.repeat"
        case ast.Call(func=func, args=[inner, *_]) if file.resolve(func) in (
            "numpy.array",
            "numpy.asarray",
            "list",
        ):
            return _is_repeated(file, inner)
    return False


@rule(
    id="EV17",
    category="evaluation-incomplete",
    severity="major",
    summary="the given runs leave the significance test without values",
    needs=("commands.evaluate", "outputs.significance"),
    example="""
          === src/evaluate.py
          from scipy.stats import ttest_ind

        - def compare(final):
        -     ours = [value for run_id, value in final.items() if "proposed" in run_id]
        -     theirs = [value for run_id, value in final.items() if "comparative" in run_id]
        + def compare(curves):
        +     ours = [value for run_id in curves if "proposed" in run_id for value in curves[run_id]]
        +     theirs = [value for run_id in curves if "comparative" in run_id for value in curves[run_id]]
              if len(ours) >= 2 and len(theirs) >= 2:
                  print(ttest_ind(ours, theirs, equal_var=False))  # flag: EV17
          === config/runs/proposed.yaml
          run_id: proposed
          === config/runs/comparative-1.yaml
          run_id: comparative-1
    """,  # noqa: E501
)
def test_without_values(facts: Facts) -> Iterator[Flag]:
    """With one run in a group there is one value, and the p-value is NaN. Where the code asks for
    two values first, nothing wrong is reported, and the finding is minor.
    """
    file = facts.python.get(facts.evaluator)
    if file is None:
        return
    groups = RunGroups(file, _run_ids(facts))
    for call in _tests(file):
        held = [group for part in call.node.args[:2] if (group := groups.held_by(part)) is not None]
        small = [group for group in held if len(group.run_ids) < 2]
        if len(held) == 2 and small:
            guarded = _is_guarded(file, call, small)
            words = " and ".join(
                f"`{group.name}` {'one value' if group.run_ids else 'no value'}" for group in small
            )
            effect = "the test is never made" if guarded else "the p-value is NaN"
            yield Flag(
                Span(file.path, call.line, call.node.end_lineno),
                f"the given runs give {words}, so {effect}: test the values over epochs, seeds or"
                " examples",
                f"of {len(_run_ids(facts))} run ids, {small[0].test} holds for"
                f" {len(small[0].run_ids)}",
                Severity.MINOR if guarded else None,
                names=tuple(group.name for group in small),
            )


def _is_guarded(file: PythonFile, call: Call, groups: list[Group]) -> bool:
    names = [group.name for group in groups]
    tests = [
        ast.unparse(around.test)
        for around in file.ancestors(call.node)
        if isinstance(around, ast.If | ast.IfExp)
    ]
    return any(f"len({name})" in test for test in tests for name in names)


def _run_ids(facts: Facts) -> tuple[str, ...]:
    """The given run ids where they name both kinds of runs; else none, for some may be absent."""
    found = tuple(run.run_id for run in facts.runs)
    both = any("proposed" in name for name in found) and any(
        "comparative" in name or "baseline" in name for name in found
    )
    return found if both else ()
