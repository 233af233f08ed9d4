"""What is known of names that libraries renamed, and of words that stand for each other."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any


@cache
def renamed() -> Mapping[str, Any]:
    """The tables of `renamed.toml`."""
    text = resources.files("reviewers.repairs").joinpath("renamed.toml").read_text("utf-8")
    return tomllib.loads(text)
