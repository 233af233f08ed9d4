"""The names of a submission, for a reader that sees no code: paths, definitions, imports, keys,
runs.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from reviewers.facts import Facts, yaml_config

_LONGEST_LINE = 160
_MOST_LINES = 600
_MOST_KEYS = 150  # of one file


def symbols_text(facts: Facts) -> str:
    """Every symbol that a claim may name, a line each; a large submission's first ones."""
    lines = [line[:_LONGEST_LINE] for line in _lines(facts)]
    if more := len(lines) - _MOST_LINES:
        lines = [*lines[:_MOST_LINES], f"({more:,} lines more)"] if more > 0 else lines
    return "\n".join(lines)


def _lines(facts: Facts) -> Iterator[str]:
    submission = facts.submission
    for file in submission.files:
        yield f"file {file.path}{'' if file.data.strip() else ' (empty)'}"
    for run in facts.runs:
        yield f"run {run.run_id} in {run.file.path}"
    for path in submission.by_path:
        if path.endswith((".yaml", ".yml")):
            values = yaml_config.plain_values(facts.text(path) or "", path)
            keys = [key for key, _ in zip(_keys(values, ""), range(_MOST_KEYS), strict=False)]
            yield from (f"key {path}: {key}" for key in keys)
    for path, code in facts.python.items():
        imported = sorted({*code.aliases.values()})
        if imported:
            yield f"imports {path}: {', '.join(imported)}"
        for name, function in code.functions.items():
            yield f"def {path}::{name}({_signature(function)})"
        yield from (f"class {path}::{name}" for name in code.classes)


def _signature(function: Any) -> str:
    node = getattr(function, "node", function)
    arguments = getattr(node, "args", None)
    return ast.unparse(arguments)[:_LONGEST_LINE] if isinstance(arguments, ast.arguments) else ""


def _keys(values: Any, above: str) -> Iterator[str]:
    if isinstance(values, Mapping):
        for name, value in values.items():
            key = f"{above}{name}"
            yield key
            yield from _keys(value, f"{key}.")
