"""Where a claim belongs that names no place: the code that does what it speaks of, or the place
where that should be.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from reviewers.facts import Facts
from reviewers.facts.python_file import PythonFile
from reviewers.records import Span

_DRAWS = (".savefig", ".write_image", ".write_html")
_DOES_MORE = (
    ".history",
    ".scan_history",
    ".run",
    ".runs",
    "json.dump",
    "json.dumps",
    ".write_text",
)
"""What a function does that draws figures by the way, and not for others."""
_FIGURE_NAME = re.compile(r"\.(?:pdf|png|svg|jpe?g)$")
_CLOSE = 12
"""Calls with fewer lines between them are shown as one place."""


def anchor(name: str, facts: Facts, files: Iterable[str] = ()) -> Iterator[Span]:
    """Yield the places of an anchor, only in the files given if any are; unknown names have
    none.
    """
    find = _ANCHORS.get(name)
    if find is None:
        return
    wanted = [path for path in files if path in facts.submission.by_path]
    found = list(find(facts))
    yield from (span for span in found if not wanted or span.file in wanted)


def figures(facts: Facts) -> Iterator[Span]:
    """Where evaluate.py has its figures drawn: the calls of the functions that save them, and what
    saves them directly.
    """
    for path, file in _python(facts, "src/evaluate.py"):
        saves = list(file.calls_of(*_DRAWS))
        steps = {call.scope.split(".")[0] for call in file.calls_of(*_DOES_MORE)}
        drawing = {call.scope.split(".")[0] for call in saves} - steps - {""}
        outside = [
            call
            for call in file.calls
            if call.name in drawing and call.scope.split(".")[0] not in {*drawing, ""}
        ]
        entered = {call.name for call in outside}
        direct = [call.line for call in saves if call.scope.split(".")[0] not in entered]
        lines = [call.line for call in outside] + direct
        if not lines:
            lines = [
                literal.line
                for literal in file.strings
                if _FIGURE_NAME.search(literal.value) and not literal.is_docstring
            ]
        yield from _whole(path, lines)
        yield from _whole(path, [call.line for call in saves])


def _aggregate(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/evaluate.py"):
        yield from _joined(
            path,
            [literal.line for literal in file.strings if "aggregated_metrics" in literal.value],
        )
        yield from _joined(
            path,
            [
                literal.line
                for literal in file.strings
                if literal.value in ("primary_metric", "gap", "best_proposed")
            ],
        )


def _primary(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/evaluate.py"):
        yield from _joined(
            path,
            [
                node.lineno
                for node in file.nodes
                if isinstance(node, ast.Name) and "primary" in node.id.casefold()
            ],
        )
    yield from _aggregate(facts)


def _exports(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/evaluate.py"):
        named = [
            literal
            for literal in file.strings
            if literal.value.endswith("metrics.json") and not literal.is_docstring
        ]
        yield from _joined(
            path, [literal.line for literal in named if "aggregated" not in literal.value]
        )
    yield from _aggregate(facts)


def _tracking(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/train.py"):
        yield from _joined(
            path,
            [call.line for call in file.calls_of("wandb.log", ".log") if _is_tracking(call.name)],
        )
        yield from _joined(path, [call.line for call in file.calls_of("wandb.init")])


def _is_tracking(name: str | None) -> bool:
    return name is None or not name.startswith(("math.", "numpy.", "torch.", "logging.", "np."))


def _trial(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/train.py", "src/main.py", "src/preprocess.py"):
        for node in file.nodes:
            if isinstance(node, ast.If) and any(_is_trial(part) for part in ast.walk(node.test)):
                yield Span(path, node.lineno, node.body[-1].end_lineno or node.lineno)


def _is_trial(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return node.value == "trial"
    return isinstance(node, ast.Name | ast.Attribute) and "trial_mode" in ast.unparse(node)


def _optuna(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/train.py", "src/main.py"):
        yield from _joined(
            path, [call.line for call in file.calls_of("optuna.create_study", ".optimize")]
        )
        for definition in file.definitions:
            if "optuna" in definition.name.casefold() or "objective" in definition.name.casefold():
                yield Span(path, definition.line, definition.end_line)
        yield from _joined(
            path, [item.line for item in file.imports if item.module.startswith("optuna")]
        )


def _objective(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/train.py", "src/main.py"):
        for definition in file.definitions:
            if "objective" in definition.name.casefold():
                yield Span(path, definition.line, definition.end_line)
    yield from _optuna(facts)


def _hydra_main(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/main.py", "src/train.py", "src/evaluate.py"):
        yield from _joined(path, [call.line for call in file.calls_of("hydra.main")])


def _defaults(facts: Facts) -> Iterator[Span]:
    path = "config/config.yaml"
    lines = facts.lines(path)
    for number, line in enumerate(lines, 1):
        if line.startswith("defaults:"):
            last = number
            while last < len(lines) and (
                lines[last].startswith((" ", "-", "\t", "#")) and lines[last].strip()
            ):
                last += 1
            yield Span(path, number, last)
    yield from _hydra_main(facts)


def _config(facts: Facts) -> Iterator[Span]:
    path = "config/config.yaml"
    for number, line in enumerate(facts.lines(path), 1):
        if re.match(r"\s*-?\s*(?:runs?|run_ids?|available_runs|experiments?)\s*:", line):
            yield Span(path, number)
    if facts.text(path) is not None:
        yield Span(path)


def _subprocess(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/main.py", "src/train.py"):
        yield from _joined(
            path, [call.line for call in file.calls if (call.name or "").startswith("subprocess.")]
        )


def _train_end(facts: Facts) -> Iterator[Span]:
    for path, file in _python(facts, "src/train.py"):
        ends = [call.line for call in file.calls_of("wandb.finish", ".finish")]
        yield from _joined(path, ends[-1:])


def _python(facts: Facts, *paths: str) -> Iterator[tuple[str, PythonFile]]:
    for path in paths:
        if (file := facts.python.get(path)) is not None:
            yield path, file


def _whole(path: str, lines: list[int]) -> Iterator[Span]:
    if lines:
        yield Span(path, min(lines), max(lines))


def _joined(path: str, lines: list[int]) -> Iterator[Span]:
    """Lines as spans, those close to each other as one."""
    first = last = None
    for line in sorted(lines):
        if first is not None and last is not None and line - last > _CLOSE:
            yield Span(path, first, last)
            first = None
        first, last = (line if first is None else first), line
    if first is not None:
        yield Span(path, first, last)


_ANCHORS: dict[str, Callable[[Facts], Iterator[Span]]] = {
    "aggregate": _aggregate,
    "config": _config,
    "defaults": _defaults,
    "exports": _exports,
    "figures": figures,
    "hydra-main": _hydra_main,
    "objective": _objective,
    "optuna": _optuna,
    "primary": _primary,
    "subprocess": _subprocess,
    "tracking": _tracking,
    "train-end": _train_end,
    "trial": _trial,
}
