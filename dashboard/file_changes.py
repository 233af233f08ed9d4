"""Compares the files of two attempts: added, removed, renamed or changed, with line counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz.distance import LCSseq

from dashboard.line_diff import steps
from reviewers.records import Submission, lines_of

_MOST_LINES = 20_000
_MOST_COMPARED = 1_500_000_000
"""Lines times lines, over all files; what is left then has no counts."""
_RENAMED = 0.5
"""Share of its lines that a file has in common with the one that it was."""
_SAME_NAME = 0.2
_MOST_RENAMED = 40
_FEWEST_LINES = 3


class ChangedFile(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file that is not as it was.

    Attributes:
        was: its path in the earlier attempt; None if it was not there.
        came, gone: lines; None if there are too many to be counted.
    """

    change: ChangedFile
    was: str | None
    came: int | None
    gone: int | None


def file_changes(before: Submission, after: Submission) -> Mapping[str, FileChange]:
    """Return what differs, by path in the later submission, or in the earlier one for what was
    removed.
    """
    one, other = (
        {path: file.text for path, file in submission.by_path.items()}
        for submission in (before, after)
    )
    removed, added = (
        [path for path in one if path not in other],
        [path for path in other if path not in one],
    )
    was = dict(
        _renamed({path: one[path] for path in removed}, {path: other[path] for path in added})
    )
    counted = _Counted()
    found: dict[str, FileChange] = {}
    for path, text in other.items():
        old = was.get(path, path if path in one else None)
        if old is None:
            found[path] = FileChange(ChangedFile.ADDED, None, len(lines_of(text)), 0)
        elif old != path or one[old] != text:
            change = ChangedFile.RENAMED if old != path else ChangedFile.CHANGED
            found[path] = FileChange(change, old, *counted.lines(one[old], text))
    gone = (path for path in removed if path not in was.values())
    return found | {
        path: FileChange(ChangedFile.REMOVED, path, 0, len(lines_of(one[path]))) for path in gone
    }


class _Counted:
    """Counts added and removed lines until the time is used up."""

    def __init__(self) -> None:
        self._left = _MOST_COMPARED

    def lines(self, before: str, after: str) -> tuple[int | None, int | None]:
        one, other = lines_of(before), lines_of(after)
        self._left -= len(one) * len(other)
        if self._left < 0 or max(len(one), len(other)) > _MOST_LINES:
            return None, None
        changed = [step for step in steps(one, other) if not step.same]
        return sum(step.onto_end - step.onto for step in changed), sum(
            step.end - step.start for step in changed
        )


def _renamed(removed: Mapping[str, str], added: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Pairs of a new path and the old one, the most alike first; each is taken once."""
    if max(len(removed), len(added)) > _MOST_RENAMED:
        return
    old, new = (
        {path: lines_of(text)[: _MOST_LINES // 10] for path, text in side.items()}
        for side in (removed, added)
    )
    alike = [
        (share + _SAME_NAME * (path.rpartition("/")[2] == was.rpartition("/")[2]), path, was)
        for path, lines in new.items()
        for was, others in old.items()
        if min(len(lines), len(others)) >= _FEWEST_LINES
        and (share := _shared(lines, others) / max(len(lines), len(others))) >= _RENAMED
    ]
    taken: set[str] = set()
    for _, path, was in sorted(alike, key=lambda each: (-each[0], *each[1:])):
        if not {path, f"was {was}"} & taken:
            taken |= {path, f"was {was}"}
            yield path, was


def _shared(one: list[str], other: list[str]) -> int:
    numbers: dict[str, int] = {}
    left, right = (
        [numbers.setdefault(line, len(numbers)) for line in lines] for lines in (one, other)
    )
    return int(LCSseq.similarity(left, right))
