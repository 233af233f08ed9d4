"""How hostile text is laid into a prompt: every line of it carries a mark in front, and nothing in
it can be invisible.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, groupby

from reviewers.records import Submission, lines_of

LONGEST_LINE = 2_000
"""Characters of a line that are shown; what is left out is said."""
_LONGEST_PATH = 200
_MOST_EMPTY = 3
_OPEN, _CLOSE = "⟦", "⟧"
# An emoji may have its variation selector or joiner; a lone one, or a row of them, can carry hidden
# text.
_EMOJI = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_INVISIBLE = re.compile(
    "[\0-\x08\x0a-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff\ue000-\uf8ff"
    f"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff{_OPEN}]"
    f"|(?<![{_EMOJI}])\ufe0f|(?<![{_EMOJI}\ufe0f])\u200d|\u200d(?![{_EMOJI}])"
)
_MARK = re.compile(f"{_OPEN}U\\+([0-9A-F]{{4,6}}){_CLOSE}")


def visible(text: str) -> str:
    """Return a text in which nothing is invisible and nothing ends a line: such characters stand as
    `⟦U+202E⟧`.

    Different texts stay different, since the opening bracket itself is shown so, too; tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return _INVISIBLE.sub(lambda found: f"{_OPEN}U+{ord(found[0]):04X}{_CLOSE}", text)


def as_written(text: str) -> str:
    """Return what `visible` was given, since a model quotes what it was shown; a NUL or half a
    surrogate pair stays a mark.
    """
    return _MARK.sub(_character, text) if _OPEN in text else text


def _character(mark: re.Match[str]) -> str:
    code = int(mark[1], 16)
    return mark[0] if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF else chr(code)


def numbered(text: str) -> str:
    """Return the lines of a file, each as number, space and text, as areachair counts them.

    An empty line is its number alone; of more than three in a row the first says how many there
    are.
    """
    return "\n".join(_numbered(lines_of(text)))


def _numbered(lines: Sequence[str]) -> Iterator[str]:
    for is_empty, rows in groupby(enumerate(lines, 1), lambda row: not row[1]):
        if not is_empty:
            yield from (f"{number} {_bounded(line)}" for number, line in rows)
        elif len(empty := [number for number, _ in rows]) > _MOST_EMPTY:
            yield f"{empty[0]} {_OPEN}{len(empty):,} empty lines{_CLOSE}"
        else:
            yield from map(str, empty)


def prefixed(text: str) -> str:
    """Return the lines of prose, each after `> `; nothing is left of what is blank."""
    return "\n".join(f"> {_bounded(line)}".rstrip() for line in lines_of(text.strip()))


def shown_path(path: str) -> str:
    """Return a path for a heading: on one line, visible, bounded."""
    if len(path) > _LONGEST_PATH:
        cut = len(path) - _LONGEST_PATH
        half = _LONGEST_PATH // 2
        return f"{_one_line(path[:half])}{_left_out(cut)}{_one_line(path[-half:])}"
    return _one_line(path)


def fence_of(submission: Submission) -> str:
    """Return a word for the fence lines that follows from the content and stands nowhere in it."""
    content = "\n".join(_everything(submission))
    words = (
        hashlib.sha256(f"{submission.id}:{number}".encode()).hexdigest()[:8] for number in count()
    )
    return next(word for word in words if word not in content)


def _everything(submission: Submission) -> Iterable[str]:
    for path, file in submission.by_path.items():
        yield from (path, file.text, file.reading)
    context = submission.context
    for fields in (context.hypothesis, context.design):
        yield from (part for field in fields.items() for part in field)
    yield from (context.method or "", context.primary_metric or "")


def _one_line(text: str) -> str:
    return visible(text).replace("\t", f"{_OPEN}U+0009{_CLOSE}")


def _bounded(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return visible(line)
    return visible(line[:LONGEST_LINE]) + _left_out(len(line) - LONGEST_LINE)


def _left_out(characters: int) -> str:
    return f"{_OPEN}{characters:,} more characters not shown{_CLOSE}"
