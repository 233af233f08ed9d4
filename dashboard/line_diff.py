"""A line diff as a person would describe it: unchanged, removed and added lines, and the changed
words in them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rapidfuzz import fuzz, process
from rapidfuzz.distance import LCSseq

_TELLS_NOTHING = re.compile(r"\W*(?:else|try|finally|pass|return|break|continue)?\W*")
_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_MOST_COMPARED = 1_600
"""Removed lines times added lines of one change, up to which each line's successor is looked for.
"""
_MOST_IN_ALL = 120_000
_LONGEST_LINE = 600
"""Characters of a line whose words are compared."""
_ALIKE = 55.0
"""From this likeness on a line counts as another one changed; below it, marks in it would cover
nearly all of it.
"""
_MOST_MARKED = 0.7
_SLIDES = 200
"""Lines by which a change is moved to where a person would see it."""

Mark = tuple[int, int]
"""First character of changed words, and the one after them."""


@dataclass(frozen=True, slots=True)
class DiffStep:
    """Lines that follow each other in both texts: all the same, or what was there before and what
    is there now.

    Attributes:
        start, end: lines of the earlier text, from 0, the end not included.
        onto, onto_end: lines of the later text.
    """

    same: bool
    start: int
    end: int
    onto: int
    onto_end: int


def steps(before: Sequence[str], after: Sequence[str]) -> tuple[DiffStep, ...]:
    """Return the edits from one text to the other with the fewest changed lines, placed as a person
    would.

    Time is quadratic with a small constant: a quarter of a second for 20,000 lines each, all of
    them changed.
    """
    numbers: dict[str, int] = {}
    # Equal numbers are equal lines; hashes of texts need not be.
    one, other = (
        [numbers.setdefault(line, len(numbers)) for line in lines] for lines in (before, after)
    )
    found = [
        DiffStep(code.tag == "equal", code.src_start, code.src_end, code.dest_start, code.dest_end)
        for code in LCSseq.opcodes(one, other)
    ]
    return tuple(_slid(_joined(_without_crumbs(_joined(found), before)), before, after))


def successors(
    before: Sequence[str], after: Sequence[str], changes: Sequence[DiffStep]
) -> Iterator[tuple[int, int]]:
    """Yield which removed line became which added one, both from 0; only where they are alike, and
    never crosswise.
    """
    left = _MOST_IN_ALL
    for step in changes:
        gone, came = before[step.start : step.end], after[step.onto : step.onto_end]
        size = len(gone) * len(came)
        if step.same or not size or size > _MOST_COMPARED or size > left:
            continue
        left -= size
        for one, other in _paired(gone, came):
            yield step.start + one, step.onto + other


def changed_words(before: str, after: str) -> tuple[tuple[Mark, ...], tuple[Mark, ...]]:
    """Return the removed words of one line and the added words of the other; nothing if the lines
    are hardly alike.
    """
    if max(len(before), len(after)) > _LONGEST_LINE:
        return (), ()
    # How far a line is indented is marked only where nothing else has changed.
    inner, its = before.lstrip(), after.lstrip()
    if inner == its:
        return _whole(len(before) - len(inner)), _whole(len(after) - len(its))
    one, other = _WORD.findall(inner), _WORD.findall(its)
    gone, came = [True] * len(one), [True] * len(other)
    for code in LCSseq.opcodes(one, other):
        if code.tag == "equal":
            gone[code.src_start : code.src_end] = [False] * (code.src_end - code.src_start)
            came[code.dest_start : code.dest_end] = [False] * (code.dest_end - code.dest_start)
    marks = _marks(one, gone, len(before) - len(inner)), _marks(other, came, len(after) - len(its))
    covered = sum(end - start for side in marks for start, end in side)
    inked = len("".join(before.split())) + len("".join(after.split()))
    return marks if covered <= _MOST_MARKED * inked else ((), ())


def _joined(found: Sequence[DiffStep]) -> list[DiffStep]:
    """Steps of one sort that follow each other as one."""
    joined: list[DiffStep] = []
    for step in found:
        if joined and joined[-1].same == step.same:
            last = joined.pop()
            step = DiffStep(step.same, last.start, step.end, last.onto, step.onto_end)
        joined.append(step)
    return joined


def _without_crumbs(found: Sequence[DiffStep], before: Sequence[str]) -> list[DiffStep]:
    """Take brackets and blank lines that are the same by chance, in the midst of what was
    rewritten, for rewritten too.
    """
    told = list(found)
    for place in range(1, len(found) - 1):
        step, earlier, later = found[place], found[place - 1], found[place + 1]
        lines = step.end - step.start
        around = (
            earlier.end - earlier.start,
            earlier.onto_end - earlier.onto,
            later.end - later.start,
            later.onto_end - later.onto,
        )
        if (
            step.same
            and min(around) > lines
            and all(_TELLS_NOTHING.fullmatch(line) for line in before[step.start : step.end])
        ):
            told[place] = DiffStep(False, step.start, step.end, step.onto, step.onto_end)
    return told


def _slid(
    found: Sequence[DiffStep], before: Sequence[str], after: Sequence[str]
) -> Iterator[DiffStep]:
    """Slide a pure insertion or deletion over equal lines, so that it begins and ends at a natural
    boundary.
    """
    told = list(found)
    for place in range(1, len(told) - 1):
        earlier, step, later = told[place - 1 : place + 2]
        if step.same or (step.end > step.start and step.onto_end > step.onto):
            continue
        lines, start, end = (
            (before, step.start, step.end)
            if step.end > step.start
            else (after, step.onto, step.onto_end)
        )
        by = _best_slide(
            lines,
            start,
            end,
            min(earlier.end - earlier.start, _SLIDES),
            min(later.end - later.start, _SLIDES),
        )
        if by:
            told[place - 1] = DiffStep(
                True, earlier.start, earlier.end + by, earlier.onto, earlier.onto_end + by
            )
            told[place] = DiffStep(
                False, step.start + by, step.end + by, step.onto + by, step.onto_end + by
            )
            told[place + 1] = DiffStep(
                True, later.start + by, later.end, later.onto + by, later.onto_end
            )
    yield from (step for step in told if step.end > step.start or step.onto_end > step.onto)


def _best_slide(lines: Sequence[str], start: int, end: int, up: int, down: int) -> int:
    """By how many lines to move `lines[start:end]`, negative upwards; of places that are as good,
    the lowest.
    """
    low = 0
    while low > -up and lines[start + low - 1] == lines[end + low - 1]:
        low -= 1
    high = 0
    while high < down and lines[start + high] == lines[end + high]:
        high += 1
    return min(
        range(high, low - 1, -1), key=lambda by: _depth(lines, start + by) + _depth(lines, end + by)
    )


def _depth(lines: Sequence[str], place: int) -> float:
    """How deep within a thought a cut before this line goes; a blank line before it is a good
    place.
    """
    following = next((line for line in lines[place : place + 4] if line.strip()), "")
    indent = float(len(following) - len(following.lstrip()))
    begins = place < len(lines) and bool(lines[place].strip())
    parted = place == 0 or not lines[place - 1].strip()
    return indent - (2.0 if parted and begins else 0.0)


def _paired(gone: Sequence[str], came: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The pairs of alike lines, in order on both sides, whose likeness is the most in all."""
    cut = [[line.strip()[:_LONGEST_LINE] for line in side] for side in (gone, came)]
    like = process.cdist(*cut, scorer=fuzz.ratio, score_cutoff=_ALIKE).tolist()
    best = [[0.0] * (len(came) + 1) for _ in range(len(gone) + 1)]
    for one in range(len(gone) - 1, -1, -1):
        for other in range(len(came) - 1, -1, -1):
            score = like[one][other]
            met = best[one + 1][other + 1] + score if score else 0.0
            best[one][other] = max(best[one + 1][other], best[one][other + 1], met)
    one = other = 0
    while one < len(gone) and other < len(came):
        if like[one][other] and best[one][other] == best[one + 1][other + 1] + like[one][other]:
            yield one, other
            one, other = one + 1, other + 1
        elif best[one][other] == best[one + 1][other]:
            one += 1
        else:
            other += 1


def _whole(length: int) -> tuple[Mark, ...]:
    return ((0, length),) if length else ()


def _marks(words: Sequence[str], changed: Sequence[bool], at: int) -> tuple[Mark, ...]:
    """The ranges of changed words in a line; spaces are marked only between changed words, or if
    nothing else changed.

    Args:
        at: the place of the first word.
    """
    only_spaces = not any(flag and word.strip() for flag, word in zip(changed, words, strict=True))
    marks: list[Mark] = []
    for flag, run in groupby(zip(changed, words, strict=True), key=lambda pair: pair[0]):
        text = "".join(word for _, word in run)
        if flag and (text.strip() or only_spaces):
            marks.append((at, at + len(text)))
        at += len(text)
    return tuple(marks)
