"""Reads the rest of a file that Python rejects: the smallest statement that does not parse is set
aside, and everything else keeps its lines and its meaning.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewers.facts.parsing import SyntaxProblem, parse
from reviewers.records import lines_of
from reviewers.steps import spend

_MOST_STATEMENTS = 20  # set aside; a file with more is no Python
_MOST_TRIES = 120  # of parsing the file once more
_CHARACTERS_OF_A_STEP = 50
# Without their head, what is in them would belong to what is around them.
_DEFINING = ("def ", "class ", "async def ", "@")
_CLOSING = (")", "]", "}")


@dataclass(frozen=True, slots=True)
class Readable:
    """What can be read of a file that does not parse.

    Attributes:
        tree: of everything else, in the lines of the file; where a statement was set aside stands
            `pass`, and for the head of a block `if True:`.
        set_aside: the 1-based lines of each statement, first and last.
    """

    tree: ast.Module
    set_aside: tuple[tuple[int, int], ...]


def readable(text: str) -> Readable | None:
    """What is left of a text that does not parse; None if too much would have to go."""
    if "\0" in text:
        # A sign that Python takes within texts and comments, and there a NUL byte means nothing.
        text = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    spend(len(text) // _CHARACTERS_OF_A_STEP)
    problem = parse(text)
    if not isinstance(problem, SyntaxProblem):
        return Readable(problem, ()) if problem else None
    lines = list(lines_of(text))
    aside: list[tuple[int, int]] = []
    tries = 0
    while len(aside) < _MOST_STATEMENTS:
        best: tuple[int, tuple[int, int], list[str], SyntaxProblem] | None = None
        for first, last, keeps_block in dict.fromkeys(_extents(lines, problem)):
            tries += 1
            if tries > _MOST_TRIES:
                return None
            without = _without(lines, first, last, keeps_block)
            rest = "\n".join(without)
            spend(len(rest) // _CHARACTERS_OF_A_STEP)
            parsed = parse(rest)
            if parsed is None:
                return None
            if isinstance(parsed, ast.Module):
                return Readable(parsed, (*aside, (first, last)))
            # Not the first that only moves the error on: what stays may be the rest of a statement.
            if parsed.line > last and (best is None or parsed.line - last > best[0]):
                best = (parsed.line - last, (first, last), without, parsed)
        if best is None:
            return None
        _, extent, lines, problem = best
        aside.append(extent)
    return None


def _extents(lines: Sequence[str], problem: SyntaxProblem) -> Iterator[tuple[int, int, bool]]:
    """The first and last lines that may be what is wrong, the smallest first, and whether only the
    head of a block goes; one may come twice.
    """
    at = min(problem.line, len(lines))
    last = _end(lines, at)
    if last == at < len(lines) and problem.column > len(lines[at - 1].rstrip()):
        # The line is unfinished, so that the next one may be its end.
        yield at, _end(lines, at + 1), False
    # An error after the head of a block, or after an open bracket, is reported where it shows.
    before = next((n for n in range(at - 1, 0, -1) if lines[n - 1].strip()), at)
    for start in (at, before):
        if (head := lines[start - 1].strip()).endswith(":") and not head.startswith(_DEFINING):
            yield start, start, True
        yield start, start, False
        yield start, _end(lines, start), False
    start = at
    while True:
        yield start, _end(lines, start), False
        depth = _indent(lines[start - 1])
        outer = (n for n in range(start - 1, 0, -1) if _opens(lines[n - 1], depth))
        if not depth or (start := next(outer, 0)) == 0:
            break
    yield at, len(lines), False


def _end(lines: Sequence[str], start: int) -> int:
    """The last line of the statement that begins in a line, as its indentation tells."""
    depth, end = _indent(lines[start - 1]), start
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1].strip()
        if line and not line.startswith("#"):
            inside = _indent(lines[number - 1]) > depth
            if not inside and not line.startswith(_CLOSING):
                break
            end = number
            if not inside:
                break
    return end


def _opens(line: str, depth: int) -> bool:
    return bool(line.strip()) and _indent(line) < depth and not line.lstrip().startswith("#")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _without(lines: Sequence[str], first: int, last: int, keeps_block: bool) -> list[str]:
    head = lines[first - 1]
    instead = head[: _indent(head)] + ("if True:" if keeps_block else "pass")
    return [*lines[: first - 1], instead, *[""] * (last - first), *lines[last:]]
