"""What became of each finding from one attempt to the next: unchanged, moved, fixed or new.

A cascade, surest first, without line numbers: each step pairs what the steps before it left over.
Nothing is paired twice, and neither the order of the findings nor which of the two submissions is
called the earlier changes a pair.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from reviewers.matching.likeness import (
    Alike,
    Likeness,
    claims_alike,
    defects_alike,
    same_place,
)
from reviewers.matching.thresholds import AMONG
from reviewers.matching.traces import Alignment, FindingTrace, Side
from reviewers.records import Finding, Ruling

_MOST_COMPARED = 250_000
"""Pairs of findings of one rule or kind whose words are compared; more are compared by file and
definition, or not at all.
"""
_MOST_IN_ALL = 4_000_000


class FindingState(StrEnum):
    """What became of a finding."""

    UNCHANGED = "unchanged"
    MOVED = "moved"
    NEW = "new"
    FIXED = "fixed"
    RETURNED = "returned"  # only over a lineage: it was there, was gone, and is there again


class How(StrEnum):
    """By what two findings were known for one defect, the surest first."""

    SAME = "same"  # the same fingerprint, the same code
    CODE = "code"  # the same code elsewhere in the file
    RENAMED = "renamed"  # the same line of a definition that has another name
    FILE = "file"  # the same code in another file
    MESSAGE = "message"  # the same message, or what a rule names, numbers aside
    LINE = "line"  # its line stands for the other one
    WORDING = "wording"  # similar words about similar code
    AMONG = (  # of the places that one finding tells, an unchanged line is among those of the other
        "among"
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """One defect in two attempts.

    Attributes:
        score: how alike the two are, 0 to 100.
        same_code: whether the code that they speak of is the same, spacing aside.
    """

    before: Finding
    after: Finding
    state: FindingState
    how: How
    score: float
    same_code: bool


@dataclass(frozen=True, slots=True)
class Matching:
    """Every finding of two sides, each once; all three are sorted by rule or kind, file and line.

    Attributes:
        standing: those among `fixed` whose code stands in the later attempt as before. A rule's
            cause may lie elsewhere, but a claim was perhaps only not made again.
    """

    pairs: tuple[Pair, ...]
    fixed: tuple[Finding, ...]
    new: tuple[Finding, ...]
    standing: tuple[Finding, ...] = ()

    def states(self) -> Iterator[tuple[FindingState, Finding]]:
        """Yield each defect once, with the later finding where there are two."""
        yield from ((pair.state, pair.after) for pair in self.pairs)
        yield from ((FindingState.FIXED, finding) for finding in self.fixed)
        yield from ((FindingState.NEW, finding) for finding in self.new)


def match(before: Side, after: Side, surest: bool = False) -> Matching:
    """Return what became of each finding of the earlier side, and what is new in the later one.

    Args:
        surest: leave out the steps that compare words and lines, and heed only equal code and equal
            messages.
    """
    turned = _rank(after) < _rank(before)
    one, other = (after, before) if turned else (before, after)
    cascade = _Cascade(one, other)
    cascade.run(surest)
    pairs = [
        (right, left, how, score) if turned else (left, right, how, score)
        for left, right, how, score in cascade.pairs
    ]
    pairs.sort(key=lambda pair: (pair[0].order, pair[1].order))
    left, right = (cascade.right, cascade.left) if turned else (cascade.left, cascade.right)
    return Matching(
        tuple(
            Pair(old.finding, now.finding, _state(old, now, how), how, score, old.code == now.code)
            for old, now, how, score in pairs
        ),
        tuple(trace.finding for trace in left),
        tuple(trace.finding for trace in right),
        tuple(trace.finding for trace in left if after.has(trace)),
    )


def carried_rulings(
    matching: Matching, rulings: Mapping[str, Ruling]
) -> Mapping[str, tuple[Ruling, str]]:
    """Return the rulings that hold on for findings of the later attempt, each with the earlier
    finding it was given on.

    A ruling that was withdrawn holds for nothing. Whether the code is still the same says
    `Pair.same_code`.

    Args:
        rulings: a person's word by finding id, on findings of the earlier attempt.
    """
    given = ((pair, rulings.get(pair.before.id)) for pair in matching.pairs)
    return {
        pair.after.id: (ruling, pair.before.id)
        for pair, ruling in given
        if ruling is not None and ruling is not Ruling.WITHDRAWN
    }


def _rank(side: Side) -> tuple[object, ...]:
    return (side.submission.id, len(side.traces), [trace.order for trace in side.traces])


def _state(before: FindingTrace, after: FindingTrace, how: How) -> FindingState:
    """A claim's definition is often only guessed, so that its file alone says whether it moved."""
    stays = before.file == after.file and (
        how is How.SAME or before.is_claim or before.scope == after.scope
    )
    return FindingState.UNCHANGED if stays else FindingState.MOVED


Key = Callable[[FindingTrace], Hashable]
_Sides = tuple[list[FindingTrace], list[FindingTrace]]
"""Findings of the one attempt and of the other."""

_EXACT: Sequence[tuple[How, Key]] = (
    (How.SAME, lambda trace: (trace.id, trace.code, trace.words)),
    (How.SAME, lambda trace: (trace.id, trace.code)),
    (How.CODE, lambda trace: (trace.file, trace.code, trace.words) if trace.code else None),
    (
        How.CODE,
        lambda trace: (
            None if trace.is_claim or not trace.code else (trace.file, trace.code, trace.subject)
        ),
    ),
    (
        How.RENAMED,
        lambda trace: (
            (trace.file, trace.body, trace.masked) if trace.body and not trace.is_claim else None
        ),
    ),
    (How.MESSAGE, lambda trace: (trace.file, trace.scope, trace.words)),
    (How.FILE, lambda trace: (trace.code, trace.words) if trace.code else None),
    (
        How.FILE,
        lambda trace: (trace.body, trace.masked) if trace.body and not trace.is_claim else None,
    ),
    (How.MESSAGE, lambda trace: (trace.file, trace.words)),
)
"""What two findings of one rule or kind have in common, step by step; None takes no part in a step.
"""


class _Cascade:
    """What is paired so far, and what is left of both sides."""

    def __init__(self, one: Side, other: Side) -> None:
        self._texts = one.texts, other.texts
        self._alignments: dict[str, Alignment] = {}
        self.left, self.right = list(one.traces), list(other.traces)
        self.pairs: list[tuple[FindingTrace, FindingTrace, How, float]] = []

    def run(self, surest: bool) -> None:
        for how, key in _EXACT:
            self._equal(how, key)
        if not surest:
            self._alike(How.LINE, lambda trace: (trace.says, trace.file), self._same_line)
            self._alike(How.WORDING, lambda trace: (trace.says, trace.file), defects_alike)
            self._alike(How.AMONG, lambda trace: trace.says, self._among)
            self._alike(How.WORDING, lambda trace: trace.says, claims_alike, claims=True)

    def _equal(self, how: How, key: Key) -> None:
        """Pair what has the same key: first what stands on lines that are one line, then in the
        order of the text.
        """
        told = lambda trace: None if (found := key(trace)) is None else (trace.says, found)  # noqa: E731
        taken: set[int] = set()
        for left, right in _grouped((self.left, self.right), told):
            for one, other in self._in_order(left, right):
                self.pairs.append((one, other, how, 100.0))
                taken |= {id(one), id(other)}
        self._drop(taken)

    def _in_order(
        self, left: list[FindingTrace], right: list[FindingTrace]
    ) -> Iterator[tuple[FindingTrace, FindingTrace]]:
        if len(left) + len(right) > 2:
            at = {(trace.file, trace.line): trace for trace in reversed(right)}
            stays = [
                (one, at.pop((one.file, onto[0]), None))
                for one in left
                if (onto := self._onto(one)) and onto[1]
            ]
            found = [(one, other) for one, other in stays if other is not None]
            yield from found
            taken = {id(trace) for pair in found for trace in pair}
            left, right = (
                [trace for trace in traces if id(trace) not in taken] for traces in (left, right)
            )
        yield from zip(left, right, strict=False)

    def _alike(self, how: How, block: Key, likeness: Likeness, claims: bool = False) -> None:
        """Pair what is alike within a block, the most alike first."""
        taken: set[int] = set()
        for left, right in self._blocks(block, claims):
            found = [
                (score, one, other)
                for one, other, score in likeness(left, right)
                if id(one) not in taken and id(other) not in taken
            ]
            for score, one, other in sorted(
                found,
                key=lambda each: (
                    -each[0],
                    self._far(each[1], each[2]),
                    each[1].order,
                    each[2].order,
                ),
            ):
                if id(one) not in taken and id(other) not in taken:
                    self.pairs.append((one, other, how, score))
                    taken |= {id(one), id(other)}
        self._drop(taken)

    def _blocks(self, key: Key, claims: bool) -> Iterator[_Sides]:
        """Yield what may be compared: the smallest blocks first, until there was enough."""
        within = lambda trace: (key(trace),) if trace.is_claim is claims else None  # noqa: E731
        narrow = [
            part
            for pair in _grouped((self.left, self.right), within)
            for part in ([pair] if _size(pair) <= _MOST_COMPARED else _grouped(pair, _scope))
        ]
        compared = 0
        for pair in sorted(narrow, key=_size):
            compared += _size(pair)
            if _size(pair) > _MOST_COMPARED or compared > _MOST_IN_ALL:
                return
            yield pair

    def _same_line(self, left: Sequence[FindingTrace], right: Sequence[FindingTrace]) -> Alike:
        """Findings on lines that stand for each other and are alike."""
        at: dict[int | None, list[FindingTrace]] = defaultdict(list)
        for other in right:
            at[other.line].append(other)
        for one in left:
            onto = self._onto(one)
            for other in at.get(onto[0], ()) if onto else ():
                yield from same_place(one, other)

    def _among(self, left: Sequence[FindingTrace], right: Sequence[FindingTrace]) -> Alike:
        """Findings that tell all places of a defect at once: which place is the first says
        nothing.
        """
        told = [(other, places) for other in right if len(places := other.places) > 1]
        for one in left:
            own = one.places if told else frozenset()
            stays = {
                (file, onto[0])
                for file, line in own
                if (onto := self._stands(file, line)) and onto[1]
            }
            for other, places in told if len(own) > 1 else ():
                if (share := len(stays & places) / min(len(own), len(places))) >= AMONG:
                    yield one, other, 100.0 * share

    def _onto(self, trace: FindingTrace) -> tuple[int, bool] | None:
        return (
            None
            if trace.file is None or trace.line is None
            else self._stands(trace.file, trace.line)
        )

    def _stands(self, file: str, line: int) -> tuple[int, bool] | None:
        """Where a line of the left side stands in the right one, and whether unchanged."""
        if any(file not in texts for texts in self._texts):
            return None
        if file not in self._alignments:
            self._alignments[file] = Alignment(*(texts[file] for texts in self._texts))
        return self._alignments[file].of(line)

    def _far(self, one: FindingTrace, other: FindingTrace) -> int:
        onto = self._onto(one)
        return (
            abs(onto[0] - other.line)
            if onto and other.line is not None and one.file == other.file
            else 1_000_000
        )

    def _drop(self, taken: set[int]) -> None:
        self.left = [trace for trace in self.left if id(trace) not in taken]
        self.right = [trace for trace in self.right if id(trace) not in taken]


def _size(pair: _Sides) -> int:
    return len(pair[0]) * len(pair[1])


def _scope(trace: FindingTrace) -> Hashable:
    return trace.file, trace.scope


def _grouped(sides: _Sides, key: Key) -> Iterator[_Sides]:
    """Those of both sides that have the same key, where both have some."""
    groups: dict[Hashable, _Sides] = defaultdict(lambda: ([], []))
    for place, traces in enumerate(sides):
        for trace in traces:
            if (found := key(trace)) is not None:
                groups[found][place].append(trace)
    return (group for group in groups.values() if all(group))
