"""The rubric category of a real failure, and the failures that cannot be predicted from code."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from reviewers.outcomes.deaths import CRASHED
from reviewers.outcomes.failure import Form, RunFailure
from reviewers.records import Span
from reviewers.rubric import UNCATEGORISED

ENVIRONMENT = "environment"
"""In place of a category: the machine, the network or an account was at fault."""

_LONGEST = 4_000  # characters of a text that patterns are tried on
_OF_VALUES = frozenset(
    {
        "AssertionError", "IndexError", "KeyError", "OverflowError", "RuntimeError", "TypeError",
        "ValueError", "ZeroDivisionError",
    }
)  # fmt: skip
"""Errors that tell of a value, and not of what was wrong with it: there the place has to say it."""


def category_of(failure: RunFailure, span: Span | None) -> str:
    """Return a category of the rubric, `environment`, or `uncategorised` where neither message nor
    place says enough.

    Args:
        span: the place of the failure in the submission, as `place_of` gives it.
    """
    told = f"{failure.type}: {failure.message}"
    outer = f"{failure.outer.type}: {failure.outer.message}" if failure.outer else ""
    if _is_environment(told) or _is_environment(outer):
        return ENVIRONMENT
    match failure.form:
        case Form.DEATH:
            return UNCATEGORISED if failure.type == CRASHED else ENVIRONMENT
        case Form.SYNTAX:
            return "syntax-invalid"
        case Form.INSTALLER:
            return "packaging-invalid"
        case Form.COMMAND_LINE:
            return _of_command(failure, span)
        case Form.HYDRA if failure.type.startswith("hydra."):
            return "hydra-composition"
    named = _by_words(told)
    return named if named != UNCATEGORISED else _by_place(failure, span)


def category_of_words(text: str) -> str:
    """Return the category of an error that a sentence tells of: a commit's message, a person's
    note.
    """
    return ENVIRONMENT if _is_environment(text) else _by_words(text)


def _is_environment(text: str) -> bool:
    return any(pattern.search(text[:_LONGEST]) for pattern in _tables()[0])


def _by_words(text: str) -> str:
    return next(
        (category for category, pattern in _tables()[1] if pattern.search(text[:_LONGEST])),
        UNCATEGORISED,
    )


def _of_command(failure: RunFailure, span: Span | None) -> str:
    if failure.name in ("ModuleNotFoundError", "ImportError"):
        absent = span is not None and span.line is None
        return (
            "file-structure" if absent else "hydra-composition"
        )  # a child that was started in Hydra's own folder
    return ENVIRONMENT if failure.type == "CommandNotFound" else "cli-contract"


def _by_place(failure: RunFailure, span: Span | None) -> str:
    """Files have their tasks; an error in a value there is mostly one of that task."""
    if span is None:
        return UNCATEGORISED
    if span.file.endswith((".yaml", ".yml")):
        return "hydra-composition"
    if span.file == "src/evaluate.py":
        return "evaluation-incomplete"
    if span.file == "src/preprocess.py" and failure.name in _OF_VALUES | {"FileNotFoundError"}:
        return "data-pipeline-incomplete"
    return (
        "tensor-or-runtime"
        if failure.name in _OF_VALUES and span.file in ("src/train.py", "src/model.py")
        else UNCATEGORISED
    )


@cache
def _tables() -> tuple[tuple[re.Pattern[str], ...], tuple[tuple[str, re.Pattern[str]], ...]]:
    """The patterns of the environment's failures, and those of the categories in their order."""
    tables = tomllib.loads((files(__package__) / "said_by_errors.toml").read_text("utf-8"))
    environment = tuple(_compiled(pattern) for pattern in tables["environment"]["patterns"])
    return environment, tuple(
        (table["id"], _compiled(pattern))
        for table in tables["category"]
        for pattern in table["patterns"]
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)
