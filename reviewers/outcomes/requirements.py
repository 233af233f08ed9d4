"""The place in pyproject.toml that an installer's error is about."""

import re
from collections.abc import Iterator, Sequence

from reviewers.outcomes.failure import RunFailure
from reviewers.records import Span, Submission, lines_of

_FILE = "pyproject.toml"
_AT_LINE = re.compile(r"\(?at line (?P<line>\d{1,6}),? col")
_KEY = re.compile(r"[`'\"]?\b(?P<key>(?:project|build-system|tool)(?:\.[\w-]{1,60}){1,4})")
_PACKAGE = re.compile(
    r"(?:no versions? of|satisfies the requirement|distribution found"
    r" for|requirement:?|only|and|depends on|for|download|build)"
    r" [`'\"]?(?P<name>[A-Za-z][\w.-]{0,80}?)(?=[`'\"\[<>=!~@\s,;{(]|$)"
)
_WORDS = re.compile(
    "a|all|an|any|are|is|it|project|python|requirements|that|the|this|version|versions|we|wheel|you|your"
)
_MOST_NAMES = 20
_QUOTED = re.compile(r"[`'\"](?P<name>[A-Za-z][\w.-]{1,80})")


def place_in_pyproject(failure: RunFailure, submission: Submission) -> Span:
    """Return the line of pyproject.toml that an installer complains of, the file as a whole where
    it names none.
    """
    file = submission.by_path.get(_FILE)
    if file is None:
        return Span(_FILE)
    lines = lines_of(file.text)
    message = "\n".join(told.message for told in (failure, failure.outer) if told)
    if (at := _AT_LINE.search(message)) and 0 < int(at["line"]) <= len(lines):
        return Span(_FILE, int(at["line"]))
    line = next(iter((*_of_keys(message, lines), *_of_packages(message, lines))), None)
    if line is None and ("packages" in message or "files to ship" in message):
        line = _line_with(re.compile(r"^\[build-system\]"), lines)
    return Span(_FILE, line)


def _of_keys(message: str, lines: Sequence[str]) -> Iterator[int]:
    """Where a key such as `project.dependencies` stands, as a table or within one."""
    for found in _KEY.finditer(message):
        table, _, key = found["key"].rpartition(".")
        yield from _line_if(rf"^\s*\[+{re.escape(found['key'])}\]", lines)
        start = _line_with(re.compile(rf"^\s*\[+{re.escape(table)}\]"), lines)
        if start:
            inside = _line_with(re.compile(rf"^\s*[\"']?{re.escape(key)}[\"']?\s*="), lines[start:])
            if inside:
                yield start + inside


def _of_packages(message: str, lines: Sequence[str]) -> Iterator[int]:
    """Where a package is required that the complaint names."""
    names = [
        found["name"] for pattern in (_PACKAGE, _QUOTED) for found in pattern.finditer(message)
    ]
    telling = dict.fromkeys(
        name.rstrip(".,") for name in names if not _WORDS.fullmatch(name.lower())
    )
    for name in list(telling)[:_MOST_NAMES]:
        spelled = "[-_.]".join(map(re.escape, re.split(r"[-_.]", name)))
        yield from _line_if(
            rf"""(?i)^\s*(?:dependencies\s*=\s*\[.*)?["']?{spelled}(?:["'\[<>=!~@\s;,]|$)(?!\s*=\s*\[)""",
            lines,
        )


def _line_if(pattern: str, lines: Sequence[str]) -> Iterator[int]:
    line = _line_with(re.compile(pattern), lines)
    if line is not None:
        yield line


def _line_with(pattern: re.Pattern[str], lines: Sequence[str]) -> int | None:
    return next(
        (number for number, line in enumerate(lines, 1) if pattern.search(line[:1_000])), None
    )
