"""How two places lie to each other; the second signal."""

from collections.abc import Iterable, Iterator
from math import inf

from reviewers.matching.thresholds import CLOSE, LONGEST_PLACE, Nearness
from reviewers.records import Finding, Found, Span

Located = tuple[Span, bool]
"""A place, and whether it is sure."""

_GUESSED = frozenset({Found.ANCHOR, Found.BORROWED, Found.WORDS, Found.FILE})
"""Places that a claim does not name itself and that do not decide it."""


def places_of(finding: Finding) -> tuple[Located, ...]:
    """Where a finding stands and where the code shows it."""
    found = finding.places[0].found if finding.places and finding.rule is None else None
    spans: dict[Span, bool] = {}
    if finding.span is not None:
        spans[finding.span] = found not in _GUESSED
    if finding.check.span is not None:
        spans.setdefault(finding.check.span, True)
    for place in finding.places:
        if finding.rule is not None or place.found not in _GUESSED:
            spans.setdefault(place.span, True)
    return tuple(spans.items())


def nearness(one: Iterable[Located], other: Iterable[Located]) -> Nearness:
    """Return how near the nearest two of these places are."""
    here, there = tuple(one), tuple(other)
    if not here or not there:
        return Nearness.UNKNOWN
    best = Nearness.ELSEWHERE
    for mine in here:
        for its in there:
            if mine[0].file == its[0].file and best is not Nearness.SAME_LINES:
                best = max(best, _between(mine, its))
    return best


def is_wide(span: Span) -> bool:
    """Whether a place says little of where in its file a defect is."""
    return span.line is None or _length(span) > LONGEST_PLACE


def tens_of(span: Span, around: int = 0) -> Iterator[tuple[str, int]]:
    """The tens of lines in which a place and so many lines around it lie; of a wide place the
    first.
    """
    if span.line is not None:
        last = min(span.end_line or span.line, span.line + LONGEST_PLACE)
        for tens in range((span.line - around) // 10, (last + around) // 10 + 1):
            yield span.file, tens


def _between(one: Located, other: Located) -> Nearness:
    """Of two places of one file."""
    (here, is_sure), (there, is_its_sure) = one, other
    apart = here.apart(there)
    if CLOSE < apart < inf:
        return Nearness.SAME_FILE
    if not (is_sure and is_its_sure) or is_wide(here) or is_wide(there):
        return Nearness.WHOLE_FILE
    return Nearness.SAME_LINES if apart <= 0 else Nearness.NEAR


def _length(span: Span) -> int:
    return 0 if span.line is None else (span.end_line or span.line) - span.line + 1
