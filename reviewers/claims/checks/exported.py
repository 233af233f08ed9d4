"""Claims about what evaluate.py writes besides figures: the runs' configuration, and what the
aggregated metrics hold.
"""

import ast
import re

from reviewers.claims.anchors import anchor
from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.facts.python_file import PythonFile, template
from reviewers.records import Span

_EVALUATE = "src/evaluate.py"
_CONFIGURATION = re.compile(
    r"\brun(?:'s)?[- ]config\w*\b|\bconfig(?:uration)? of (?:the|each|every) run\b|\bresolved"
    r" config\w*\b"
)
_WRITES = re.compile(r"\b(?:writ|sav|export|stor|dump|record|persist|includ|contain)\w*")


@check("run_config_exported")
def run_config_exported(case: Case) -> Answer:
    """A run's configuration is not exported where what `run.config` gives is bound to a name that
    nothing reads.
    """
    file = case.facts.python.get(_EVALUATE)
    if file is None or file.tree is None or case.claim.hedged or not case.denies:
        return None
    if not _CONFIGURATION.search(case.said) or not _WRITES.search(case.said):
        return None
    if re.search(
        r"\b(?:other than|except|besides|apart from|only)\b", case.said
    ) or not _is_about_evaluation(case):
        return None
    taken = [
        node
        for node in file.nodes
        if isinstance(node, ast.Attribute) and node.attr == "config" and _is_run(node.value)
    ]
    if not taken:
        return (
            confirmed(f"{_EVALUATE} never asks a run for its config", Span(_EVALUATE))
            if ".run(" in file.text
            else None
        )
    bound = [_bound(file, node) for node in taken]
    if any(name is None for name in bound):
        return None
    read = [
        node
        for node in file.nodes
        if isinstance(node, ast.Name) and node.id in bound and isinstance(node.ctx, ast.Load)
    ]
    first = taken[0].lineno
    if not read:
        place = next(anchor("exports", case.facts), Span(_EVALUATE, first))
        return confirmed(
            f"{_EVALUATE}:{first} binds the run's config to {code(str(bound[0]))}, which nothing"
            " reads",
            place,
        )
    written = next((node for node in read if _goes_into_file(file, node)), None)
    if (
        written is not None
        and len(read) >= 1
        and not re.search(r"\bdirectory\b.*\byaml\b|\bconfig\.ya?ml\b", case.said)
    ):
        line = written.lineno
        return remark(
            f"{_EVALUATE}:{line} writes {code(written.id)}, the run's config of line {first}",
            Span(_EVALUATE, line),
        )
    return None


def _is_about_evaluation(case: Case) -> bool:
    claim = case.claim
    if claim.own.files:
        return _EVALUATE in claim.own.files
    return "evaluat" in " ".join((claim.said, claim.sentence, *claim.under)).casefold()


def _is_run(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and re.search(r"run$|^r$", node.id) is not None


def _bound(file: PythonFile, node: ast.AST) -> str | None:
    """The one name that a statement binds its value to."""
    for around in file.ancestors(node):
        if (
            isinstance(around, ast.Assign)
            and len(around.targets) == 1
            and isinstance(around.targets[0], ast.Name)
        ):
            return around.targets[0].id
        if isinstance(around, ast.AnnAssign) and isinstance(around.target, ast.Name):
            return around.target.id
        if isinstance(around, ast.stmt):
            return None
    return None


def _goes_into_file(file: PythonFile, node: ast.Name) -> bool:
    """Whether a name stands, itself or as the value of an entry, among the arguments of a call that
    writes JSON or YAML.
    """
    inner: ast.AST = node
    for around in file.ancestors(node):
        if isinstance(around, ast.Call):
            name = file.resolve(around.func) or ast.unparse(around.func)
            return (
                inner in around.args
                and re.search(r"dump|save|write|export", name.rpartition(".")[2]) is not None
            )
        if not isinstance(around, ast.Dict):
            return False
        inner = around
    return False


_ONLY_HOLDS = re.compile(
    r"\baggregated?[_ ]metrics\b.*\b(?:only|just|merely)\b|\bonly\b.*\baggregated?[_ ]metrics\b|"
    r"\bnot all (?:collected |logged )?metrics\b"
    r".*\b(?:aggregat\w*|export\w*)|\baggregated?[_ ]metrics\b.*\b(?:not|n't) (?:\w+"
    r" )?(?:all|every|other)\b"
)
_AGAIN = re.compile(
    r"\b(?:structure|format|gap|best_proposed|best_baseline|primary_metric|empty|if|when)\b"
)


@check("aggregate_holds")
def aggregate_holds(case: Case) -> Answer:
    """They hold only some keys where `metrics` is a literal with these, and all where the summary
    is gone through.
    """
    file = case.facts.python.get(_EVALUATE)
    if (
        file is None
        or case.claim.hedged
        or not _ONLY_HOLDS.search(case.said)
        or _AGAIN.search(case.said)
    ):
        return None
    for node in file.nodes:
        for key, value in (
            zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
        ):
            if (
                key is None
                or template(key) != "metrics"
                or not isinstance(value, ast.Dict)
                or not value.keys
            ):
                continue
            held = [template(each) for each in value.keys if each is not None]
            if len(held) < len(value.keys) or not all(held):
                return None
            span = Span(_EVALUATE, value.lineno, value.end_lineno)
            told = (
                f"`metrics` on line {value.lineno} of {_EVALUATE} holds"
                f" {join([code(each) for each in held])}"
            )
            others = {
                text for text in (*case.claim.own.quotes, *case.claim.own.names) if "." not in text
            } - set(held)
            if all(
                re.search(rf"(?<!\w){re.escape(each)}(?!\w)", case.claim.text) for each in held
            ) and not others - {"aggregated_metrics"}:
                return confirmed(f"{told}, and nothing else", span)
            return partly(told, span)
    line = _gathers(file)
    if line is not None:
        return remark(
            f"{_EVALUATE}:{line} gathers every number of each run's summary", Span(_EVALUATE, line)
        )
    return None


def _gathers(file: PythonFile) -> int | None:
    """Where a loop over all entries of the summary fills what becomes the aggregated metrics."""
    for node in file.nodes:
        if (
            not isinstance(node, ast.For)
            or not isinstance(node.iter, ast.Call)
            or not isinstance(node.iter.func, ast.Attribute)
        ):
            continue
        if node.iter.func.attr != "items" or "summ" not in ast.unparse(node.iter.func.value):
            continue
        body = "\n".join(map(ast.unparse, node.body))
        if re.search(
            r"(?:aggregat\w*|metric\w*)[^\n]*\.setdefault\(|(?:aggregat\w*|metric\w*)\[", body
        ):
            return node.lineno
    return None
