"""Each reviewer's text with its claims marked by fact check, and the original answer."""

from collections.abc import Callable, Sequence
from typing import Any

from dashboard.parts.cards import Card
from dashboard.parts.component import load
from dashboard.parts.plain import one_line, visible
from dashboard.reviewer_marks import reviewer_marks
from reviewers.store.submission import SubmissionRecord

_mount = load("review_text")
_LONGEST = 200_000


def review_text(
    record: SubmissionRecord, cards: Sequence[Card], *, key: str, on_events: Callable[[], None]
) -> None:
    """Draw the texts and answers of all reviews that have one; a click on a claim elsewhere queues
    `open` with file and key.
    """
    marks = reviewer_marks(record.names)
    texts = [
        {
            **marks[name],
            "model": one_line(stored.review.model or ""),
            "failure": visible(stored.review.failure or ""),
            "parts": marked(
                (stored.review.text or "")[:_LONGEST],
                [card for card in cards if card.reviewer == name],
            ),
            "raw": visible((stored.review.raw or "")[:_LONGEST]),
            "cut": max(len(stored.review.text or ""), len(stored.review.raw or "")) > _LONGEST,
        }
        for name, stored in zip(record.names, record.reviews, strict=True)
        if stored.review.text or stored.review.raw
    ]
    _mount(key=key, data={"texts": texts}, on_events=on_events)


def marked(text: str, cards: Sequence[Card]) -> list[dict[str, Any]]:
    """Split a text at its claims; if two overlap, the earlier one keeps its full length."""
    parts: list[dict[str, Any]] = []
    at = 0
    claims = sorted(
        (card.finding.claim_at, card.key, card) for card in cards if card.finding.claim_at
    )
    for (start, end), _, card in claims:
        start, end = max(start, at), min(end, len(text))
        if start >= end:
            continue
        if start > at:
            parts.append({"text": visible(text[at:start])})
        parts.append(
            {
                "text": visible(text[start:end]),
                "key": card.key,
                "file": card.file,
                "check": str(card.check),
                "evidence": visible(card.finding.check.evidence),
            }
        )
        at = end
    if at < len(text):
        parts.append({"text": visible(text[at:])})
    return parts
