"""The lines of a submission that later commits had to change, followed through chains of fixes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from rapidfuzz.distance import Indel

from reviewers.records import Span

# The subjects of commits that fix what a run broke on, by people and by machines; a revert takes a
# fix back and is not one.
FIX = re.compile(
    r"^(?!revert\b)(\[CI\].{0,40}\bfix|fix(\([^)]{0,40}\))?!?:.*\bCI\b|.{0,40}\bautomated fix)",
    re.IGNORECASE,
)
_MAX_COMPARED = (
    4e8  # lines of one text times lines of the other, what differs of them: 50 MB of memory
)

Texts = Mapping[str, Sequence[str]]  # lines by path


@dataclass(frozen=True, slots=True)
class HistoryFix:
    """A commit that fixes a submission which had been accepted.

    Attributes:
        commit: its id in full.
        at: when it was written, in UTC; None if the commit does not say.
        before: id of the submission that was accepted, before the first of the fixes.
        after: id of the submission as this fix leaves it.
        changed: the lines of `before` that this fix changed or took away, and those after which it
            added some (the first line where it added at the very top); without lines for a file
            that it added, took away or filled.
        number: 1 for the first fix of `before`, 2 for the next one.
        lineage: of the submission; None only where `before` has none.
    """

    commit: str
    at: datetime | None
    message: str
    before: str
    after: str
    changed: tuple[Span, ...]
    number: int
    lineage: str | None


@dataclass(frozen=True, slots=True)
class LineOrigins:
    """From which lines of an earlier state the lines of a later one come.

    Attributes:
        lines: by path, for each line the earlier line (1-based) that it was, that it replaces, or
            after which it was added (0 for the very top); a path that is not there stands for a
            file that is unchanged.
        absent: paths that the earlier state lacks.
    """

    lines: Mapping[str, Sequence[int]] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()


def follow(
    origins: LineOrigins, before: Texts, after: Texts
) -> tuple[LineOrigins, tuple[Span, ...]]:
    """Carry origins over one commit.

    Args:
        origins: those of `before`.
        before, after: all files around the commit.

    Returns:
        The origins of `after`, and the places of the earliest state that the commit touches.
    """
    lines = dict(origins.lines)
    absent = set(origins.absent)
    spans: list[Span] = []
    for path in sorted(before.keys() | after.keys()):
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        if not old or new is None or path in absent:
            spans.append(Span(path))
            absent.add(path)
        else:
            lines[path], touched = _carried(lines.get(path, range(1, len(old) + 1)), old, new)
            spans += _spans(path, touched)
    return LineOrigins(lines, frozenset(absent)), tuple(spans)


def _carried(
    known: Sequence[int], old: Sequence[str], new: Sequence[str]
) -> tuple[list[int], set[int]]:
    """The origins of the new lines, and those of the lines that were changed or after which some
    were added.
    """
    came: list[int] = []
    touched: set[int] = set()
    at = 0
    for start, end, added in _changes(old, new):
        came += known[at:start]
        replaced = known[start:end] or (known[start - 1] if start else 0,)
        came += [replaced[min(number, len(replaced) - 1)] for number in range(added)]
        touched.update(replaced)
        at = end
    came += known[at:]
    return came, touched


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterable[tuple[int, int, int]]:
    """Start and end (exclusive) of each run of old lines that went, and how many new lines came in
    its place.
    """
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    rest = 0
    while rest < min(len(old), len(new)) - same and old[-1 - rest] == new[-1 - rest]:
        rest += 1
    left, right = list(old[same : len(old) - rest]), list(new[same : len(new) - rest])
    if len(left) * len(right) > _MAX_COMPARED:
        yield same, same + len(left), len(right)
        return
    start = end = added = 0
    for step in Indel.opcodes(left, right):
        if step.tag == "equal":
            if end > start or added:
                yield same + start, same + end, added
            start, added = step.src_end, 0
        else:
            added += step.dest_end - step.dest_start
        end = step.src_end
    if end > start or added:
        yield same + start, same + end, added


def _spans(path: str, lines: Iterable[int]) -> list[Span]:
    """Runs of lines, the very top shown as the first line."""
    spans: list[Span] = []
    for line in sorted({max(line, 1) for line in lines}):
        if spans and spans[-1].end_line == line - 1:
            spans[-1] = Span(path, spans[-1].line, line)
        else:
            spans.append(Span(path, line, line))
    return spans
