"""A slim pane beside the table: the lines that a finding speaks of, and what the code says to all
who speak of the same defect.
"""

from collections.abc import Callable
from typing import Any

from dashboard.parts.cards import NO_PLACE_TITLE
from dashboard.parts.component import load
from dashboard.parts.plain import one_line, visible
from dashboard.parts.tokens import source_tokens
from dashboard.reviewer_marks import reviewer_marks
from reviewers.batch.effective_reviews import EffectiveReviews
from reviewers.matching.rows import MergedFinding
from reviewers.panel.consensus import Consensus
from reviewers.records import Span, Submission

_BEFORE, _AFTER, _MOST = 8, 12, 60
_LONGEST = 2_000

_mount = load("code_pane")


def code_pane(
    reviews: EffectiveReviews,
    found: Consensus,
    wanted: str | None,
    *,
    address: str,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw the pane; event: `look` (key of a finding, or nothing to close it).

    Args:
        wanted: the key of the finding to show, as the browser sent it.
        address: of the submission's own page.
    """
    row = next((row for row in found.rows if wanted and _speaks(row, wanted)), None)
    data = {"key": None} if row is None or wanted is None else _shown(reviews, row, wanted)
    _mount(key=key, data={**data, "submission": address}, on_events=on_events)


def _speaks(row: MergedFinding, wanted: str) -> bool:
    name, _, id = wanted.rpartition("/")
    return any(each.finding.id == id for each in row.mentions.get(name, ()))


def _shown(reviews: EffectiveReviews, row: MergedFinding, wanted: str) -> dict[str, Any]:
    name, _, id = wanted.rpartition("/")
    mention = next(each for each in row.mentions[name] if each.finding.id == id)
    span = mention.head.span or mention.finding.span or row.span
    marks = reviewer_marks(list(reviews.stored))
    return {
        "key": wanted,
        "id": id,
        "title": one_line(row.title, 400),
        "place": visible(str(span)) if span else NO_PLACE_TITLE,
        "file": span.file if span else None,
        **_lines(reviews.record.submission, span),
        "told": [
            {
                **marks[reviewer],
                "check": str(each.check),
                "words": visible(each.words[:_LONGEST]),
                "evidence": visible(each.head.check.evidence[:_LONGEST]),
            }
            for reviewer, said in row.mentions.items()
            for each in said
        ],
    }


def _lines(submission: Submission, span: Span | None) -> dict[str, Any]:
    """The lines around a place, the first one's number, and which of them are meant."""
    file = submission.by_path.get(span.file) if span else None
    if span is None or file is None:
        absent = f"{visible(span.file)} is not among the submission's files." if span else ""
        return {"lines": [], "from": 0, "marked": [0, -1], "note": absent}
    lines = source_tokens(span.file, file.reading).lines
    first = span.line or 1
    last = max(first, span.end_line or first)
    start = max(0, first - 1 - _BEFORE)
    end = min(len(lines), last + _AFTER, start + _MOST)
    return {
        "lines": lines[start:end],
        "from": start + 1,
        "marked": [first, last] if span.line else [0, -1],
        "note": "",
    }
