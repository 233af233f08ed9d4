"""Claims about train.py: files that it dumps, placeholders, and what trial mode does."""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.anchors import anchor
from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, partly, remark
from reviewers.claims.tokens import token_count
from reviewers.facts.python_file import PythonFile
from reviewers.records import Span

_TRAIN = "src/train.py"
_JSON_FILE = re.compile(r"[\w.-]+\.json\b")
_DUMPS = re.compile(
    r"\b(?:writes?|dumps?|saves?|prints?|stores?|creates?|produces?|emits?|written|dumped|saved|outputs?)\b"
)


@check("json_dump")
def json_dump(case: Case) -> Answer:
    """train.py writes a JSON file where it calls json.dump, or writes json.dumps of something."""
    if (
        not _DUMPS.search(case.said)
        or case.claim.hedged
        or re.search(r"\b(?:not|n't|never|no)\b|n't\b", case.said)
    ):
        return None
    files = dict(case.python(_TRAIN))
    file = files.get(_TRAIN)
    if file is None or file.tree is None or len(files) > 1:
        return None
    dumps = [
        call.line
        for call in file.calls
        if call.name in ("json.dump", "json.dumps") or (call.name or "").endswith(".to_json")
    ]
    named = _JSON_FILE.findall(case.claim.text)
    lines = {
        name: literal.line
        for name in named
        for literal in file.strings
        if literal.value.endswith(name)
    }
    if not dumps:
        return (
            remark(
                f"Nothing in {_TRAIN} writes JSON: it calls neither json.dump nor json.dumps nor"
                " to_json",
                Span(_TRAIN),
            )
            if "json" in case.said
            else None
        )
    gone = [name for name in named if name not in lines]
    if gone and lines:
        return partly(
            f"{_TRAIN} names {join(list(lines))}, but not {join(gone)}",
            Span(_TRAIN, min(lines.values())),
        )
    if gone:
        return None
    where = sorted(lines.values()) or dumps
    return confirmed(
        f"{_TRAIN} writes JSON on {'line' if len(dumps) == 1 else 'lines'} "
        f"{join([str(line) for line in dumps])}{': ' + join(list(lines)) if lines else ''}",
        Span(_TRAIN, where[0]),
    )


_PLACEHOLDER = re.compile(
    r"\bplace-?holder|\bstub|\btodo\b|\bfor"
    r" brevity\b|\bsimplified\b|\bdummy\b|\bcomment\b|notimplemented|"
    r"\bunchanged\b|\bdemonstration\b|\bfabricat"
)
_SETTING = re.compile(r"\b[a-z_]\w* ?= ?[\w.]+\b")
_RAISES = re.compile(r"\braises? (?:a )?`?notimplementederror")


@check("placeholder")
def placeholder(case: Case) -> Answer:
    """A placeholder is there where its words, or the raised NotImplementedError, stand in the
    code.
    """
    if (
        not _PLACEHOLDER.search(case.said)
        or case.claim.hedged
        or re.search(r"\bno (?:todo|placeholder|stub)|\bonly contain\b", case.said)
    ):
        return None
    if _RAISES.search(case.said):
        return _not_implemented(case)
    paths = [path for path in case.claim.files if path in case.facts.submission.by_path] or list(
        case.facts.python
    )
    for quote in case.claim.own.quotes:
        if token_count(quote) < 2 or not re.search(r"[a-z]{3}", quote):
            continue
        hit = case.search.quoted(quote.lstrip("# "), paths)
        if hit is not None and _marks(case, hit.span):
            settings = [
                written
                for written in _SETTING.findall(case.claim.text)
                if case.search.quoted(written, paths) is None
            ]
            if settings:
                return partly(
                    f"{hit.span} says {code(quote)}, but {join([code(each) for each in settings])}"
                    " stands nowhere",
                    hit.span,
                )
            return confirmed(f"{hit.span} says {code(quote)}", hit.span)
    return None


def _marks(case: Case, span: Span) -> bool:
    """Whether the quoted line is a comment, or itself speaks of something unfinished."""
    line = case.facts.lines(span.file)[(span.line or 1) - 1 : span.end_line]
    text = " ".join(line).casefold()
    return (
        "#" in text
        or '"""' in text
        or bool(_PLACEHOLDER.search(text))
        or not span.file.endswith(".py")
    )


def _not_implemented(case: Case) -> Answer:
    files = case.python() or list(case.facts.python.items())
    for path, file in files:
        raised = [
            node
            for node in file.nodes
            if isinstance(node, ast.Raise)
            and node.exc is not None
            and "NotImplementedError" in ast.unparse(node.exc)
        ]
        if raised:
            return confirmed(
                f"{path}:{raised[0].lineno} raises {code(ast.unparse(raised[0].exc or raised[0]))}",
                Span(path, raised[0].lineno),
            )
    if all(file.tree is not None for _, file in files) and not any(
        "NotImplemented" in file.text for file in case.facts.python.values()
    ):
        return remark(
            "No file has the word NotImplementedError",
            Span(files[0][0]) if len(files) == 1 else None,
        )
    return None


_TRIALS = re.compile(
    r"\b(?:only )?(?:limited|reduced|set)\b[^.;]{0,20}\b(\d+|two|one|three)\b(?: optuna)?"
    r" trials?\b|"
    r"\bn_trials\b[^.;]{0,15}\b(\d+)\b|\b(\d+|two|one|three) (?:optuna )?trials instead of\b"
)
_NUMBERS = {"zero": 0, "one": 1, "two": 2, "three": 3}
_LIMITS = re.compile(
    r"islice|max_steps|max_batches|limit|\bbreak\b|num_batches|total_steps|max_train|\[:\s*\w+\]|\.select\(|"
    r"Subset\(|\.take\(|n_batches|trial_batches|fast_dev|steps_per"
)
_UNLIMITED = re.compile(
    r"\bbatch\w*\b[^.;]{0,60}\b(?:not|n't|never)\b[^.;]{0,20}\b(?:reduced|limited|subsampled|restricted|"
    r"truncated)\b|\b(?:loaders?|dataloaders?|loops?)\b[^.;]{0,20}\bstill iterate\w*\b|\bdata-?set "
    r"size\b[^.;]{0,20}\bnot\b"
)


@check("trial_limits")
def trial_limits(case: Case) -> Answer:
    """What the trial branch sets, and whether anything in the code can cut the number of
    batches.
    """
    if answer := _n_trials(case):
        return answer
    if _UNLIMITED.search(case.said) and not case.claim.hedged:
        found = [
            path
            for path in (_TRAIN, "src/preprocess.py", "src/main.py")
            if _LIMITS.search(_without_comments(case, path))
        ]
        if (
            not found
            and all(file.tree is not None for file in case.facts.python.values())
            and _TRAIN in case.facts.python
        ):
            span = next(anchor("trial", case.facts, (_TRAIN,)), None)
            return confirmed(
                "Nothing in src/train.py, src/preprocess.py or src/main.py limits batches or takes"
                " part of a data set: no break, islice, slice, subset or step limit",
                span,
            )
    return None


def _without_comments(case: Case, path: str) -> str:
    return "\n".join(line.split("#")[0] for line in case.facts.lines(path))


def _n_trials(case: Case) -> Answer:
    match = _TRIALS.search(case.said)
    if match is None:
        return None
    said = next(group for group in match.groups() if group)
    number = _NUMBERS.get(said) if said in _NUMBERS else int(said)
    set_to = [
        (value, f"{path}:{line} sets n_trials = {value} in trial mode", Span(path, line))
        for path, file in case.facts.python.items()
        for branch, value, line in _trial_settings(file)
        if branch == "n_trials" and isinstance(value, int)
    ]
    for value, what, span in set_to:
        if value == number:
            return confirmed(what, span)
    return remark(set_to[0][1], set_to[0][2]) if set_to else None


def _trial_settings(file: PythonFile) -> Iterator[tuple[str, object, int]]:
    """Attribute, constant value and line of what branches on "trial" assign."""
    for node in file.nodes:
        if (
            not isinstance(node, ast.If)
            or "trial" not in ast.unparse(node.test)
            or re.search(r"!=|\bnot\b|trial is\b|trial\.", ast.unparse(node.test))
        ):
            continue
        for part in node.body:
            for inner in ast.walk(part):
                if (
                    isinstance(inner, ast.Assign)
                    and isinstance(inner.targets[0], ast.Attribute)
                    and isinstance(inner.value, ast.Constant)
                ):
                    yield inner.targets[0].attr, inner.value.value, inner.lineno


_NO_MODE = re.compile(
    r"\b(?:no|without)\b[^.;]{0,20}\bmode\b|\bmode(?:-based)?\b[^.;]{0,40}\b(?:ignored|never|not"
    r" (?:handled|"
    r"implemented|read|used))\b|\bmode-based behaviou?r\b[^.;]*\bviolated\b"
)


@check("mode_handling")
def mode_handling(case: Case) -> Answer:
    """Mode is handled nowhere where no file has the word trial."""
    if not _NO_MODE.search(case.said) or case.claim.hedged:
        return None
    if any("trial" in file.text.casefold() for file in case.facts.python.values()) or any(
        file.tree is None for file in case.facts.python.values()
    ):
        return None
    return confirmed(
        "No Python file has the word `trial` or reads a mode",
        Span(_TRAIN) if _TRAIN in case.facts.python else None,
    )
