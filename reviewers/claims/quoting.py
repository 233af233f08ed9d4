"""What must not be cut apart in a sentence: quotes, code and brackets."""

import re
from collections.abc import Mapping

FILLER = "\x1a"
"""Stands for every protected character in a mask: never a letter, a space or a punctuation mark."""

CODE = re.compile(r"`[^`\n]{1,80}`|\w+(?:\.[A-Za-z_]\w*)+|\w+_\w+|\w*[a-z][A-Z]\w*|\w+\(\)")
"""What only code has: names of several parts, calls, and what stands in backticks."""
_SPACES = re.compile(r"([^\S\n]{8})[^\S\n]+")
"""What looks for the end of a clause takes quadratic time over one run of spaces."""
_LONGEST_QUOTE = 400
_QUOTE = re.compile(
    r"""
    (?P<quote>
        (?P<ticks>`++) (?:(?!\n\n)[\s\S]){0,398}? (?P=ticks)
      | (?<![^\W_]) " (?!\s) (?:(?!\n\n)[^"]){0,398}+ "
      | “ (?:(?!\n\n)[^”]){0,398}+ ” | « (?:(?!\n\n)[^»]){0,398}+ »
      | „ (?:(?!\n\n)[^“”]){0,398}+ [“”] | ‚ (?:(?!\n\n)[^‘’]){0,398}+ [‘’]
      | 「 (?:(?!\n\n)[^」]){0,398}+ 」
        # A mark within a word closes nothing: 'don't'.
      | (?<![^\W_]) ' (?!\s) (?:[^'\n]|(?<!\s)'(?=[^\W_])){0,78}+ (?<!\s) ' (?![^\W_])
      | ‘ (?:[^’\n]|(?<!\s)’(?=[^\W_])){0,78}+ (?<!\s) ’ (?![^\W_])
    )
    | `++
    """,
    re.VERBOSE,
)
"""An opening mark of the plain kind stands after a space or bracket; after a letter it is an
apostrophe, or it closes.
"""
_OPENING = "\"“„«‘‚「'"
_BRACKETS = {")": "(", "]": "[", "}": "{"}
_BRACKET_OR_BREAK = re.compile(r"[(\[{}\])]|\n[ \t]*\n")


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
    return {each.start(): each.end() - 1 for each in _QUOTE.finditer(text) if each["quote"]}


def _fill(text: str, ends: Mapping[int, int]) -> str:
    parts: list[str] = []
    position = 0
    for start in sorted(ends):
        if start < position:
            continue
        end = ends[start]
        # A sentence may end within a quote.
        stop = end - 1 if text[end - 1] in ".!?" and text[start] in _OPENING else end
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
