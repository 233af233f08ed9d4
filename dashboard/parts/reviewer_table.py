"""The configured reviewers as a table, with actions and the result of the last connection test."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from dashboard.estimates import key_problem
from dashboard.parts.component import load
from dashboard.parts.figures import number
from dashboard.parts.plain import one_line, visible
from dashboard.parts.spending_table import price_words
from dashboard.reviewer_marks import reviewer_marks
from reviewers.backends.configured import ReviewerConfig

_mount = load("reviewer_table")


def reviewer_table(
    reviewers: Sequence[ReviewerConfig],
    trials: Mapping[str, tuple[bool, str]],
    *,
    writable: bool,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw one row a reviewer; events: `try` and, where it is writable, `edit`, `copy` and
    `remove`, each with the reviewer's `name`.

    Args:
        trials: by name, whether the last trial brought an answer, and what it brought.
    """
    marks = reviewer_marks(config.name for config in reviewers)
    rows = [
        _row(config, trials.get(config.name)) | {"mark": marks[config.name]["mark"]}
        for config in reviewers
    ]
    _mount(key=key, data={"rows": rows, "writable": writable}, on_events=on_events)


def _row(config: ReviewerConfig, trial: tuple[bool, str] | None) -> dict[str, Any]:
    return {
        "name": config.name,
        "title": one_line(config.name),
        "cells": [
            one_line(config.model),
            one_line(urlsplit(config.base_url).netloc),
            _key(config),
            config.api,
            config.form,
            number(config.window),
            price_words(config.prices),
            f"{config.timeout:g} s",
            number(config.concurrency),
        ],
        "url": one_line(config.base_url),
        "keyless": key_problem(config) is not None,
        "trial": trial and {"ok": trial[0], "words": visible(trial[1])},
    }


def _key(config: ReviewerConfig) -> str:
    """Whether there is a key, never the key."""
    if config.key_variable is None:
        return "none needed"
    return f"{one_line(config.key_variable)}: {'no' if key_problem(config) else 'yes'}"
