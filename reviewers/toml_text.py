"""Parses untrusted TOML; every failure is one error of ours, in one line."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reviewers.errors import printable

_AT = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$|\s+at line (\d+) col \d+$")
_HUGE = re.compile(r"\d{4301}")  # what Python turns into no number
_LONGEST = 200


class TomlProblem(ValueError):
    """A text is no TOML, or a file cannot be read.

    Attributes:
        reason: in a few words, without the place.
        line: 1-based; None if no line is to blame.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        self.reason = printable(reason)[:_LONGEST]
        self.line = line
        super().__init__(self.reason if line is None else f"{self.reason}, on line {line}")


def parse_toml(text: str, parser: Callable[[str], Any] = tomllib.loads) -> Any:
    """Return what a text says.

    Args:
        parser: `tomllib.loads`, or another one's that raises ValueError.

    Raises:
        TomlProblem: it is no TOML, or holds a number that no reader takes.
    """
    try:
        return parser(text)
    except RecursionError:
        raise TomlProblem("nested too deeply") from None
    except ValueError as error:
        if found := _HUGE.search(text):
            start = text.count("\n", 0, found.start()) + 1
            raise TomlProblem("a number has too many digits", start) from None
        place = _AT.search(str(error))
        number = place and (place[1] or place[2])
        line = int(number) if number else len(text.splitlines()) or 1
        raise TomlProblem(_AT.sub("", str(error)), line) from None


def read_toml(path: Path, most_bytes: int, parser: Callable[[str], Any] = tomllib.loads) -> Any:
    """Return what a file of the user's says.

    Raises:
        TomlProblem: it is too large, not UTF-8 or no TOML.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise TomlProblem(f"larger than {most_bytes:,} bytes, which no such file is")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TomlProblem("not valid TOML: not UTF-8", line) from None
    try:
        return parse_toml(text, parser)
    except TomlProblem as problem:
        raise TomlProblem(f"not valid TOML: {problem.reason}", problem.line) from None
