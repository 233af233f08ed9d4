"""Claims about what evaluate.py works out of all runs: the entries of the aggregated metrics, and
the gap.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.facts.directions import minds_direction, minuend, wants_lower
from reviewers.facts.python_file import Call, PythonFile, template
from reviewers.records import Span

_EVALUATE = "src/evaluate.py"
_ENTRIES = ("best_proposed", "best_baseline", "gap", "primary_metric", "metrics")
_LACKS = re.compile(
    r"\b(?:lack(?:s|ing)?|miss(?:es|ing)|omit(?:s|ted)?|without|(?:does not|never|n't)"
    r" (?:contain|include|have|hold|"
    r"export|store|write|save)s?)\b"
)


def _file(case: Case) -> PythonFile | None:
    """evaluate.py, where a claim names no other file."""
    file = case.facts.python.get(_EVALUATE)
    own = [path for path in case.claim.own.files if path.endswith(".py")]
    return (
        file
        if file is not None and file.tree is not None and (not own or _EVALUATE in own)
        else None
    )


def _entries(file: PythonFile) -> dict[str, int]:
    """The literal keys that dictionaries get, with the first line of each."""
    found: dict[str, int] = {}
    for node in file.nodes:
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if key is not None and template(key):
                    found.setdefault(template(key), key.lineno)
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Store)
            and template(node.slice)
        ):
            found.setdefault(template(node.slice), node.lineno)
    return found


@check("aggregate_lacks")
def aggregate_lacks(case: Case) -> Answer:
    """An entry is missing from the aggregated metrics where no dictionary gets such a key; where
    one does, it is there.
    """
    file = _file(case)
    if (
        file is None
        or case.claim.hedged
        or not _LACKS.search(case.said)
        or "aggregated" not in f"{case.said} {case.claim.sentence}"
    ):
        return None
    named = {name for about in (case.claim.own,) for name in (*about.names, *about.quotes)}
    asked = [
        entry
        for entry in _ENTRIES[:4]
        if entry in named or (entry == "gap" and re.search(r"\bgap\b", case.said))
    ]
    if not asked or re.search(
        r"\b(?:correct|exact|proper|right|valid|if|when|because|percent\w*|structure|sign|"
        r"direction|handling|revers\w*)\b",
        case.said,
    ):
        return None
    entries = _entries(file)
    there = [entry for entry in asked if entry in entries]
    if not there:
        return None
    line = entries[there[0]]
    told = (
        f"{_EVALUATE} writes {join([f'{code(entry)} on line {entries[entry]}' for entry in there])}"
    )
    return (
        remark(told, Span(_EVALUATE, line))
        if len(there) == len(asked)
        else partly(told, Span(_EVALUATE, line))
    )


_PER_RUN = re.compile(
    r"\b(?:not|never|n't|no|without|lacks?)\b[^;]*(?<![a-z_])metrics\.json\b|"
    r"(?<![a-z_])metrics\.json[`'\"]*\b[^;]*\b(?:not|never|missing|absent)\b"
)
_PLAINLY = re.compile(
    r"\b(?:all|every|full\w*|only|correct\w*|contain\w*|includ\w*|if|when|because|format|structure|complete\w*|before|read\w*)\b"
)


@check("metrics_written")
def metrics_written(case: Case) -> Answer:
    """metrics.json is written where the name is given to a call that writes, or to the path that
    such a call gets.
    """
    file = _file(case)
    if (
        file is None
        or case.claim.hedged
        or not _PER_RUN.search(case.said)
        or _PLAINLY.search(case.said)
    ):
        return None
    for literal in file.strings:
        if (
            literal.is_docstring
            or not re.search(r"(?:^|[/}_])metrics\.json$", literal.value)
            or "aggregated" in literal.value
        ):
            continue
        line = literal.line
        wrote = any(
            re.search(r"dump|write|save|export|to_json|\.open$|^open$", _called(call.node))
            for call in _near(file, line)
        )
        return (
            remark(f"{_EVALUATE}:{line} writes {code(literal.value)}", Span(_EVALUATE, line))
            if wrote
            else None
        )
    return None


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)


def _near(file: PythonFile, line: int) -> Iterator[Call]:
    """The calls of the function in which a line stands."""
    scope = file.scope_at(line)
    yield from (call for call in file.calls if call.scope == scope)


_DIRECTION = re.compile(
    r"\b(?:ignor\w+|without|regardless|neglect\w*|(?:does|do|is|are)"
    r" not|never|n't|no|lacks?|missing|fails? to)\b[^.;]*"
    r"\b(?:direction\w*|(?:lower|smaller)[- ](?:is|values? (?:is|are))[-"
    r" ]better|minimi[sz]\w+|revers\w*|sign)\b|"
    r"\b(?:metric )?direction\b[^.;]*\b(?:ignored|missing|not|never)\b"
)
_GAP = re.compile(r"\bgaps?\b|\bimprovement\b|\bbest[_ ](?:proposed|baseline|run)\w*")
_PERCENT = re.compile(r"\bpercent\w*\b|%")


@check("gap_direction")
def gap_direction(case: Case) -> Answer:
    """The gap takes no notice of the direction where one fixed difference is written, and that for
    metrics that are to rise.
    """
    file = _file(case)
    if (
        file is None
        or case.claim.hedged
        or not _GAP.search(case.said)
        or not _DIRECTION.search(case.said)
        or case.said.count(",") > 1
    ):
        return None
    gaps = list(_gaps(file))
    metric = case.facts.submission.context.primary_metric or ""
    if len(gaps) != 1:
        return None
    value = gaps[0]
    span = Span(_EVALUATE, value.lineno, value.end_lineno)
    sides = minuend(value)
    first = ast.unparse(sides[0]).casefold() if sides else ""
    if minds_direction(file.text):
        return None
    lower = wants_lower(metric)
    if re.search(r"prop|ours", first) and lower is not True:
        told = (
            f"the gap on line {value.lineno} of {_EVALUATE} is always"
            f" {code(ast.unparse(value), 60)}, whatever the metric"
        )
        return (
            confirmed(told, span)
            if not re.search(r"\bwrong|\bincorrect|\bnegative|\bmisleading", case.said)
            else partly(told, span)
        )
    if re.search(r"base|compar|control", first) and lower:
        return remark(
            f"{span} takes the baseline first, as a metric needs that is better when lower", span
        )
    return None


@check("gap_percent")
def gap_percent(case: Case) -> Answer:
    """A gap is a percentage where the difference is multiplied by 100."""
    file = _file(case)
    if (
        file is None
        or case.claim.hedged
        or not re.search(r"\bgap\b", case.said)
        or not _PERCENT.search(case.said)
    ):
        return None
    if not re.search(
        r"\b(?:not|never|n't|without|instead of|rather than|absolute|raw)\b", case.said
    ):
        return None
    gaps = list(_gaps(file))
    if len(gaps) != 1:
        return None
    value = gaps[0]
    span = Span(_EVALUATE, value.lineno, value.end_lineno)
    shown = f"{_EVALUATE}:{value.lineno} has {code(ast.unparse(value), 80)}"
    by_hundred = any(
        isinstance(node, ast.Constant) and node.value in (100, 100.0) for node in ast.walk(value)
    )
    if by_hundred:
        return remark(f"{shown}: a percentage", span)
    return (
        confirmed(f"{shown}, and nothing multiplies it by 100", span)
        if not re.search(r"gap\w* ?\*|\b100\b", file.text)
        else None
    )


def _gaps(file: PythonFile) -> Iterator[ast.expr]:
    """The differences that a name or an entry called gap gets; a constant that it starts with is
    none.
    """
    for node in file.nodes:
        if isinstance(node, ast.Assign) and any(
            "gap" in ast.unparse(target).casefold() for target in node.targets
        ):
            if minuend(node.value) is not None:
                yield node.value
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None and template(key) == "gap" and minuend(value) is not None:
                    yield value


_NEVER_MADE = re.compile(
    r"(?P<name>[\w-]+\.(?:json|jsonl|csv|pt|pth|npy|npz|pkl|parquet|ckpt|safetensors))[`'\")]*[^;]*?\b(?:never|not|"
    r"nothing|n't)\b[^;]*?"
    r"\b(?:writ\w*|sav\w*|creat\w*|produc\w*|stor\w*|generat\w*|emit\w*|dump\w*)\b"
)


@check("file_is_written")
def file_is_written(case: Case) -> Answer:
    """A data file is written where train.py gives its name to a call that writes."""
    match = _NEVER_MADE.search(case.said)
    if match is None or case.claim.hedged or not re.search(r"\btrain", f"{case.said}"):
        return None
    name = match["name"]
    for output in case.facts.tracking.json_outputs:
        if output.target.casefold() == name:
            return remark(f"{output.span} writes {code(output.target)}", output.span)
    train = case.facts.python.get("src/train.py")
    for call in (
        train.calls_of("torch.save", ".save", ".to_csv", ".savez", ".to_parquet", ".to_json")
        if train
        else ()
    ):
        if any(
            template(part).casefold().endswith(name)
            for part in ast.walk(call.node)
            if isinstance(part, ast.Constant | ast.JoinedStr)
        ):
            return remark(
                f"src/train.py:{call.line} writes {code(name)}", Span("src/train.py", call.line)
            )
    return None
