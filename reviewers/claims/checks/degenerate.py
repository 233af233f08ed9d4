"""Claims that a result says nothing: the same values on both sides, and what follows from that."""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed
from reviewers.facts.python_file import Call, PythonFile
from reviewers.records import Check, Span

_EVALUATE = "src/evaluate.py"
_SAME = re.compile(
    r"\b(?:identical|same|itself|themselves|perfect(?:ly)?|diagonal|equal|duplicat\w+)\b|"
    r"\b(\w+) ?= ?(\w+)[;,]? (?:and )?\w+ ?= ?\2\b"
)
_COMPARES = re.compile(
    r"(?:confusion_matrix|accuracy_score|f1_score|precision_score|recall_score|classification_report|ttest_ind|"
    r"ttest_rel|wilcoxon|"
    r"mannwhitneyu|ks_2samp|pearsonr|spearmanr)$"
)
_SUBJECTS = {
    "confusion": re.compile(r"confusion_matrix$"),
    "test": re.compile(r"ttest_\w+$|wilcoxon$|mannwhitneyu$|ks_2samp$"),
    "accuracy": re.compile(r"accuracy_score$|f1_score$"),
}
_STEPS = 3


@check("same_values")
def same_values(case: Case) -> Answer:
    """Two samples are the same where both arguments come from one name or expression, by single
    assignments.
    """
    if (
        case.claim.hedged
        or not _SAME.search(case.said)
        or re.search(r"\b(?:not|never)\b|n't\b", case.said)
    ):
        return None
    kinds = [pattern for word, pattern in _SUBJECTS.items() if word in case.said]
    for path, file in case.python(_EVALUATE)[:1]:
        for call, both in _repeated(file):
            name = call.name or ""
            if kinds and any(pattern.search(name) for pattern in kinds):
                return confirmed(
                    f"{path}:{call.line} gives {code(name)} {code(both)} twice",
                    Span(path, call.line),
                )
    return None


def _repeated(file: PythonFile) -> Iterator[tuple[Call, str]]:
    """The calls that compare two samples and get one and the same, with what both are."""
    for call in file.calls:
        if call.name and _COMPARES.search(call.name) and len(call.node.args) >= 2:
            first, second = (_origin(file, argument, call) for argument in call.node.args[:2])
            if first == second and not re.search(r"\(", first):
                yield call, first


def _origin(file: PythonFile, node: ast.expr, call: Call) -> str:
    """The expression that a name was bound to, where its function binds it once."""
    for _ in range(_STEPS):
        if not isinstance(node, ast.Name):
            break
        values = [
            each.value
            for each in file.nodes
            if isinstance(each, ast.Assign)
            and file.scope_at(each.lineno) == call.scope
            and any(
                isinstance(target, ast.Name) and target.id == node.id for target in each.targets
            )
        ]
        if len(values) != 1 or not isinstance(values[0], ast.Name | ast.Attribute | ast.Subscript):
            break
        node = values[0]
    return ast.unparse(node)


_EMPTY = re.compile(
    r"^(?:and |so |thus |therefore |hence |which |making |all |the |its |this |these |resulting )*"
    r"(?:results?|p-?values?|numbers?|comparisons?|tests?|matri(?:x|ces)|metrics?|outcomes?|it)?(?:"
    r" (?:is|are|will be|"
    r"makes?|become|being))?"
    r"(?: \w+)? (?:meaningless|useless|degenerate|uninformative|of no (?:use|meaning)|worthless)\b"
)


@check("meaningless")
def meaningless(case: Case) -> Answer:
    """What a test or matrix gives is meaningless where the claim just before it, that it gets one
    sample twice, was borne out.
    """
    if not _EMPTY.search(case.said) or not case.earlier:
        return None
    claim, answer = case.earlier[0]
    if answer.result is not Check.CONFIRMED or answer.span is None or not _SAME.search(claim.said):
        return None
    shown = [
        finding
        for finding in case.found
        if finding.rule in ("EV13", "EV14", "EV16", "EV17") and finding.span is not None
    ]
    near = any(
        each.span and each.span.file == answer.span.file and each.span.line == answer.span.line
        for each in shown
    )
    repeats = (
        any(
            call.line == answer.span.line
            for call, _ in _repeated(case.facts.python[answer.span.file])
        )
        if answer.span.file in case.facts.python
        else False
    )
    return confirmed(f"It follows: {answer.evidence}", answer.span) if near or repeats else None
