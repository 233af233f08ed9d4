"""What must not be cut apart in a sentence: quotes, code and brackets."""

import re
from collections.abc import Mapping

FILLER = "\x1a"
"""Stands for every protected character in a mask: never a letter, a space or a punctuation mark."""

_SPACES = re.compile(r"([^\S\n]{8})[^\S\n]+")
"""What looks for the end of a clause takes quadratic time over one run of spaces."""
_LONGEST_QUOTE = 400
_LONGEST_APOSTROPHES = 80
_CLOSING = {'"': '"', "“": "”", "„": "“”", "«": "»", "‘": "’", "‚": "‘’", "「": "」", "'": "'"}
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_BRACKET_OR_BREAK = re.compile(r"[(\[{}\])]|\n[ \t]*\n")
_OPENING = re.compile("`+|[" + "".join(_CLOSING) + "]")


def mask(text: str) -> str:
    """Return the text, of the same length, with the inside of every quote, code and bracket filled
    up.

    A quote or bracket that is not closed within some hundred characters and within its paragraph
    was never meant as one. The marks themselves stay.
    """
    masked = _fill(text, _quotes(text))
    filled = _fill(masked, _bracket_ends(masked))
    return _SPACES.sub(lambda run: run[1] + FILLER * (len(run.group()) - len(run[1])), filled)


def trimmed(text: str, start: int, end: int, also: str = "") -> tuple[int, int]:
    """Return where a stretch of a text stands without white space, or other marks, at its ends."""
    while start < end and (text[start].isspace() or text[start] in also):
        start += 1
    while start < end and (text[end - 1].isspace() or text[end - 1] in also):
        end -= 1
    return start, end


def _quotes(text: str) -> dict[int, int]:
    """Every quote and piece of code: index of its first mark to the index of its last one; none
    lies within another.
    """
    ends: dict[int, int] = {}
    position = 0
    while opening := _OPENING.search(text, position):
        start, after = opening.start(), opening.end()
        end = _code_end(text, start, after) if text[start] == "`" else _quote_end(text, start)
        if end is not None:
            ends[start] = end
        position = after if end is None else end + 1
    return ends


def _fill(text: str, ends: Mapping[int, int]) -> str:
    parts: list[str] = []
    position = 0
    for start in sorted(ends):
        if start < position:
            continue
        end = ends[start]
        # A sentence may end within a quote.
        stop = end - 1 if text[end - 1] in ".!?" and text[start] in _CLOSING else end
        parts += (text[position : start + 1], FILLER * (stop - start - 1), text[stop : end + 1])
        position = end + 1
    return "".join(parts) + text[position:]


def _bracket_ends(text: str) -> dict[int, int]:
    """Each opening bracket that is closed, with the place of its closing one."""
    ends: dict[int, int] = {}
    open_at: list[tuple[str, int]] = []
    for match in _BRACKET_OR_BREAK.finditer(text):
        mark, at = match.group(), match.start()
        if mark in "([{":
            open_at.append((mark, at))
        elif mark in _BRACKETS and open_at and open_at[-1][0] == _BRACKETS[mark]:
            start = open_at.pop()[1]
            if at - start <= _LONGEST_QUOTE:
                ends[start] = at
        else:
            open_at.clear()
    return ends


def _code_end(text: str, start: int, after: int) -> int | None:
    """A run of backticks is closed by a run of the same length."""
    ticks = text[start:after]
    closing = text.find(ticks, after, start + _LONGEST_QUOTE)
    if closing < 0 or "\n\n" in text[start:closing]:
        return None
    return closing + len(ticks) - 1


def _quote_end(text: str, start: int) -> int | None:
    opening = text[start]
    if opening in "'\"" and not _may_open(text, start):
        return None
    if opening in "'‘":
        return _apostrophe_end(text, start, _CLOSING[opening])
    limit = start + _LONGEST_QUOTE
    ends = [end for mark in _CLOSING[opening] if (end := text.find(mark, start + 1, limit)) > 0]
    if not ends or "\n\n" in text[start : min(ends)]:
        return None
    return min(ends)


def _may_open(text: str, start: int) -> bool:
    """An opening mark stands after a space or bracket; after a letter it is an apostrophe, or it
    closes.
    """
    return (
        (start == 0 or not text[start - 1].isalnum())
        and start + 1 < len(text)
        and not text[start + 1].isspace()
    )


def _apostrophe_end(text: str, start: int, closing: str) -> int | None:
    """A mark within a word closes nothing: `'don't'`."""
    limit = start + _LONGEST_APOSTROPHES
    position = text.find(closing, start + 1, limit)
    while position > 0:
        if text[position - 1].isspace() or "\n" in text[start:position]:
            return None
        if position + 1 >= len(text) or not text[position + 1].isalnum():
            return position
        position = text.find(closing, position + 1, limit)
    return None
