"""A run's output as plain lines, without colours, progress bars and the prefixes of CI systems and
launchers.
"""

import re

_MOST = 2_000_000
"""Characters at the end that are read; a traceback further up is looked for by its first line."""
_LONGEST_LINE = 4_000
_HEAD = "Traceback (most recent call last)"

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-9;:?]{0,40}[ -/]?[@-~]|\][^\x07\x1b\n]{0,400}(?:\x07|\x1b\\)|[@-_])"
)
_BEFORE = re.compile(
    r"(?:\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z? |\[rank\d{1,4}\]:"
    r" ?|\[default\d{1,4}\]:|"
    r"[\w.-]{1,60} {1,40}\| (?=\S| {2}))"
)


def printed_lines(text: str) -> list[str]:
    """Return the last lines of an output as a terminal would show them, without colours; in linear
    time, whatever the text.

    Where the last two million characters hold no traceback and an earlier part does, the lines
    around that one are returned.
    """
    part = text[-_MOST:]
    if _HEAD not in part and (found := text.rfind(_HEAD)) >= 0:
        part = text[max(0, found - _MOST // 4) : found + _MOST]
    return [_plain(line) for line in part.replace("\r\n", "\n").split("\n")]


def _plain(line: str) -> str:
    if len(line) > 4 * _LONGEST_LINE:
        # A progress bar that never ended its line: what stands last is what can be seen.
        line = line[-4 * _LONGEST_LINE :]
    if "\x1b" in line:
        line = _ESCAPE.sub("", line)
    if "\r" in line:
        line = next((part for part in reversed(line.split("\r")) if part), "")
    if before := _BEFORE.match(line):
        line = line[before.end() :]
    return line[:_LONGEST_LINE].rstrip()
