"""How two places lie to each other; the second signal."""

from collections.abc import Iterable

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
    return max(_between(mine, its) for mine in here for its in there)


def _between(one: Located, other: Located) -> Nearness:
    (here, is_sure), (there, is_its_sure) = one, other
    if here.file != there.file:
        return Nearness.ELSEWHERE
    if here.line is None or there.line is None:
        return Nearness.WHOLE_FILE
    if not here.is_near(there, CLOSE):
        return Nearness.SAME_FILE
    if not (is_sure and is_its_sure) or max(_length(here), _length(there)) > LONGEST_PLACE:
        return Nearness.WHOLE_FILE
    return Nearness.SAME_LINES if here.is_near(there) else Nearness.NEAR


def _length(span: Span) -> int:
    return 0 if span.line is None else (span.end_line or span.line) - span.line + 1
