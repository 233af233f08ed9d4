"""A patch of ours as old and new lines side by side, bounded; all of it is text of a submission."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, zip_longest
from typing import Any

from dashboard.line_diff import DiffStep, changed_words, successors
from dashboard.parts.code_diff import marked
from dashboard.parts.plain import mark, one_line
from dashboard.parts.tokens import source_tokens

_MOST_FILES = 6
_MOST_ROWS = 48  # of one file
_LONGEST_LINE = 300
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NO_TEXT = re.compile("[\ud800-\udfff]")  # bytes that are not UTF-8, in a patch of ours
_ABSENT = "/dev/null"

Row = list[Any]
"""`[number, tokens, number, tokens, changed]`: the old line and the new one; 0 is no line."""


@dataclass(slots=True)
class _File:
    path: str
    is_new: bool
    rows: list[tuple[int, str, int, str]]
    came: int = 0
    gone: int = 0


@dataclass(frozen=True, slots=True)
class PatchSize:
    """How many files a patch changes, and the lines that come and go."""

    files: int
    came: int
    gone: int

    def data(self) -> dict[str, int]:
        """Return it as the browser draws it."""
        return {"files": self.files, "came": self.came, "gone": self.gone}


@lru_cache(maxsize=128)
def patch_lines(patch: str) -> tuple[PatchSize, Sequence[dict[str, Any]]]:
    """Return the size of a patch and its first files as the browser draws them; read-only.

    Args:
        patch: as `reviewers.repairs.patch` writes it.
    """
    found = list(_files(patch))
    size = PatchSize(len(found), sum(each.came for each in found), sum(each.gone for each in found))
    return size, [_data(each) for each in found[:_MOST_FILES]]


def _files(patch: str) -> Iterator[_File]:
    """The files of a patch. What a hunk's head counts is code, whatever it looks like."""
    lines = iter(patch.split("\n"))
    now: _File | None = None
    old = _ABSENT
    for line in lines:
        if line.startswith("--- "):
            old = line[4:]
        elif line.startswith("+++ "):
            if now is not None:
                yield now
            new = line[4:]
            now = _File((new if new != _ABSENT else old)[2:], old == _ABSENT, [])
        elif now is not None and (head := _HUNK.match(line)):
            _read_hunk(now, head, lines)
    if now is not None:
        yield now


def _read_hunk(file: _File, head: re.Match[str], lines: Iterator[str]) -> None:
    old, new = int(head[1]), int(head[3])
    left = [int(1 if head[at] is None else head[at]) for at in (2, 4)]
    gone: list[str] = []
    came: list[str] = []

    def flush() -> None:
        nonlocal old, new
        for one, other in _side_by_side(gone, came):
            numbers = (old if one is not None else 0, new if other is not None else 0)
            file.rows.append((numbers[0], one or "", numbers[1], other or ""))
            old, new = old + (one is not None), new + (other is not None)
        file.gone, file.came = file.gone + len(gone), file.came + len(came)
        gone.clear()
        came.clear()

    while any(left):
        line = next(lines, None)
        if line is None:
            break
        sign, text = line[:1], line[1:]
        if sign == "-":
            gone.append(text)
            left[0] -= 1
        elif sign == "+":
            came.append(text)
            left[1] -= 1
        elif sign == " ":
            flush()
            file.rows.append((old, text, new, text))
            old, new = old + 1, new + 1
            left = [count - 1 for count in left]
    flush()


def _side_by_side(
    gone: Sequence[str], came: Sequence[str]
) -> Iterator[tuple[str | None, str | None]]:
    """Each removed line beside what it became; what is like nothing else fills the rows between."""
    change = DiffStep(False, 0, len(gone), 0, len(came))
    at = onto = 0
    for one, other in (*successors(gone, came, [change]), (len(gone), len(came))):
        yield from zip_longest(gone[at:one], came[onto:other])
        if one < len(gone):
            yield gone[one], came[other]
        at, onto = one + 1, other + 1


def _data(file: _File) -> dict[str, Any]:
    shown = list(islice(file.rows, _MOST_ROWS))
    cut = sum(max(len(row[1]), len(row[3])) > _LONGEST_LINE for row in shown)
    left = [f"{len(file.rows) - len(shown):,} more lines"] * (len(file.rows) > len(shown))
    left += [f"{cut} long {'line is' if cut == 1 else 'lines are'} cut"] * bool(cut)
    # Its place says how deep it stands; here each side has half of a card.
    deep = min(_indents(shown), default=0)
    sides = ([row[1][deep:] for row in shown], [row[3][deep:] for row in shown])
    olds, news = (
        source_tokens(file.path, "\n".join([*map(_line, side), ""])).lines for side in sides
    )
    return {
        "path": one_line(file.path),
        "is_new": file.is_new,
        "rows": [_row(*each) for each in zip(shown, olds, news, strict=True)],
        "left": ", ".join(left),
    }


def _indents(rows: Sequence[tuple[int, str, int, str]]) -> Iterator[int]:
    for row in rows:
        yield from (len(text) - len(text.lstrip(" ")) for text in (row[1], row[3]) if text.strip())


def _row(row: tuple[int, str, int, str], one: list[str], other: list[str]) -> Row:
    old, before, new, after = row
    if old and new and before != after:
        marks, its = changed_words("".join(one[1::2]), "".join(other[1::2]))
        one, other = marked(one, marks), marked(other, its)
    changed = before != after or not (old and new)
    return [old, one if old else [], new, other if new else [], changed]


def _line(text: str) -> str:
    text = _NO_TEXT.sub("\ufffd", text.removesuffix("\r").replace("\r", mark("\r")))
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]} …"
