"""Claims about an Optuna study: whether its trials are logged, and whether a final run follows
it.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.facts.python_file import Call, Function, PythonFile
from reviewers.records import Span

_TRAIN = "src/train.py"
_FINAL = re.compile(
    r"\b(?:never|not|no|n't|without|fails?"
    r" to|missing)\b[^.;]*\b(?:final|production|full|last|best[- ]param\w*|"
    r"retrain\w*)\b[^.;]*"
    r"\b(?:run|training|train\w*|launched|executed|started|performed)\b|\bno (?:final|production)"
    r" (?:training )?run\b|"
    r"\b(?:never|not|n't) (?:re-?train|train)\w*\b"
)
_STILL_ON = re.compile(
    r"\bwhen trial is not none\b|\b(?:not|never|n't) (?:\w+ )?(?:disabled|switched off|turned"
    r" off|muted|silenced)\b|"
    r"\bwithout disabling\b"
)
_MODE_OF_WANDB = re.compile(r"\bwandb(?:\.|[-_ ])mode\b")
_OF_BEST = re.compile(
    r"\b(?:with|using|from|of) (?:the |its |those |these )?best\b|\bbest (?:\w+"
    r" )?(?:hyper-?)?param\w*"
)
_BEST = re.compile(
    r"\bbest\b|\boptuna\b|\bstudy\b|\bhyper-?param|\b(?:search|sweep|tuning|optimi[sz]ation)\b"
)
_LOGGED = re.compile(
    r"\b(?:optuna|intermediate|every|each|all)?"
    r" ?\btrials?\b[^.;]*\b(?:logged|logs?|reported|sent|written|"
    r"uploaded)\b[^.;]*\bwandb\b|"
    r"\bwandb\.(?:init|log)\b[^.;]*\b(?:trials?|objective)\b|\b(?:trials?|objective)\b[^.;]*\bwandb\.(?:init|log)\b|"
    r"\blogs? (?:intermediate |optuna )*trials?\b[^.;]*\bwandb\b"
)


@dataclass(frozen=True, slots=True)
class Study:
    """One call of `study.optimize`.

    Attributes:
        objective: the function or lambda that it gets.
        trained: names of the file's own functions that the objective calls, and that these call.
    """

    call: Call
    objective: ast.AST
    trained: frozenset[str]


def studies(file: PythonFile) -> Iterator[Study]:
    """Yield the studies of a file whose objective stands in the same file."""
    for call in file.calls_of(".optimize"):
        given = call.node.args[0] if call.node.args else call.keyword("func")
        objective: ast.AST | None = given if isinstance(given, ast.Lambda) else None
        if isinstance(given, ast.Name):
            objective = next(
                (
                    node
                    for node in file.nodes
                    if isinstance(node, Function) and node.name == given.id
                ),
                None,
            )
        if objective is None:
            continue
        yield Study(call, objective, frozenset(_called(file, objective)))


def _called(file: PythonFile, node: ast.AST) -> set[str]:
    """The file's own functions that are called within a node, and those that they call."""
    own = {name for name in file.functions if "." not in name}
    found: set[str] = set()
    left = [node]
    while left:
        inside = {
            getattr(part.func, "id", "")
            for part in ast.walk(left.pop())
            if isinstance(part, ast.Call)
        }
        left += [file.functions[name] for name in (inside & own) - found]
        found |= inside & own
    return found


@check("final_run")
def final_run(case: Case) -> Answer:
    """A final run follows a study where what its objective trains with is called again after it, on
    the same way through.
    """
    if (
        case.claim.hedged
        or not _FINAL.search(case.said)
        or re.search(
            r"\bevaluat|" r"\btest\b",
            case.said,
        )
        or not _BEST.search(f"{case.said} {case.claim.sentence}")
    ):
        return None
    for path, file in case.python(_TRAIN)[:1]:
        for study in studies(file):
            trainers = _trainers(file, study)
            calls = [
                call
                for call in file.calls
                if call.name in trainers and not _within(call.node, study.objective)
            ]
            if _OF_BEST.search(case.said) and not re.search(
                r"\bbest_(?:params|trials?)\b", file.text
            ):
                span = Span(path, study.call.line)
                return confirmed(
                    f"nothing in {path} reads best_params or best_trial of the study on line"
                    f" {span.line}",
                    span,
                )
            # Only what calls the training is looked for: a study whose objective trains by itself
            # has no name for it.
            if not study.trained or not calls:
                return None
            entries = [
                study.call,
                *(call for call in file.calls if call.name == study.call.scope.split(".")[0]),
            ]
            for call in calls:
                for entry in entries:
                    if (
                        call.scope == entry.scope
                        and call.line > entry.line
                        and not _otherwise(file, call.node, entry.node)
                    ):
                        span = Span(path, call.line)
                        return remark(
                            f"{span} calls {code(call.name or '')} after the study of line"
                            f" {study.call.line}",
                            span,
                        )
            if all(
                any(_otherwise(file, call.node, entry.node) for entry in entries) for call in calls
            ):
                span = Span(path, study.call.line)
                return confirmed(
                    f"after the study on line {study.call.line} of {path} nothing trains:"
                    f" {code(calls[0].name or '')} on line {calls[0].line} runs only where there is"
                    " no study",
                    span,
                )
    return None


def _trainers(file: PythonFile, study: Study) -> set[str]:
    """The functions that the objective calls and that train: they step an optimiser or run
    backward, themselves or by another.
    """
    return {
        name
        for name in study.trained
        if re.search(r"\.backward\(|\.step\(|\.train\(\)", ast.unparse(file.functions[name]))
    }


def _within(node: ast.AST, outer: ast.AST) -> bool:
    first, last = getattr(outer, "lineno", 0), getattr(outer, "end_lineno", 0) or 0
    return first <= getattr(node, "lineno", -1) <= last


def _otherwise(file: PythonFile, node: ast.AST, entry: ast.AST) -> bool:
    """Whether a node stands in the other branch of a condition around an entry."""
    for around in file.ancestors(node):
        if isinstance(around, ast.If) and any(
            _within(entry, part) for part in (*around.body, *around.orelse)
        ):
            mine = any(_within(node, part) for part in around.body)
            return mine != any(_within(entry, part) for part in around.body)
    return False


@check("trials_logged")
def trials_logged(case: Case) -> Answer:
    """Trials are logged where the objective starts WandB and nothing on the way switches it off."""
    if (
        case.claim.hedged
        or not _LOGGED.search(case.said)
        or (case.denies and not _STILL_ON.search(case.said))
    ):
        return None
    if re.search(
        r"\btrial[- ]?mode|\bmode\b", _MODE_OF_WANDB.sub(" ", case.said)
    ) and not re.search(
        r"\boptuna|" r"\bobjective",
        case.said,
    ):
        return None
    for path, file in case.python(_TRAIN)[:1]:
        for study in studies(file):
            off = _switched_off(study.objective)
            if off is not None:
                return remark(f"{path}:{off} switches WandB off in the objective", Span(path, off))
            for name in sorted(study.trained):
                function = file.functions[name]
                starts = [
                    call for call in file.calls_of("wandb.init") if _within(call.node, function)
                ]
                starts = [
                    call
                    for call in starts
                    if getattr(call.keyword("mode"), "value", None) != "disabled"
                ]
                if (
                    starts
                    and _switched_off_for_trials(file, function) is None
                    and not _guarded(file, starts[0].node)
                ):
                    span = Span(path, starts[0].line)
                    return confirmed(
                        f"the objective of the study on line {study.call.line} gets to"
                        f" {code(name)}, which starts WandB on line {starts[0].line} for"
                        " trials, too",
                        span,
                    )
    return None


def _switched_off(node: ast.AST) -> int | None:
    """Where WandB's mode is set to "disabled"."""
    for part in ast.walk(node):
        if (
            isinstance(part, ast.Assign)
            and isinstance(part.value, ast.Constant)
            and part.value.value == "disabled"
        ):
            targets = " ".join(map(ast.unparse, part.targets))
            if re.search(r"wandb", targets, re.IGNORECASE):
                return part.lineno
        if isinstance(part, ast.Call) and re.search(
            r"wandb[\w.]*mode.*disabled", ast.unparse(part), re.IGNORECASE | re.DOTALL
        ):
            return part.lineno
    return None


def _switched_off_for_trials(file: PythonFile, function: ast.AST) -> int | None:
    for part in ast.walk(function):
        if isinstance(part, ast.If) and re.search(r"\btrial\b", ast.unparse(part.test)):
            inside = re.search(r"WANDB_MODE|disabled", "\n".join(map(ast.unparse, part.body)))
            if inside:
                return part.lineno
    return None


def _guarded(file: PythonFile, node: ast.AST) -> bool:
    """Whether a condition on the trial stands around a node."""
    return any(
        isinstance(around, ast.If) and re.search(r"\btrial\b", ast.unparse(around.test))
        for around in file.ancestors(node)
    )
