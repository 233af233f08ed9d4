"""The reviewers' verdicts side by side: what each says, how its claims fared, what it took, and how its text begins."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from dashboard.parts.cards import Card, reviewer_names
from dashboard.parts.component import load
from dashboard.parts.plain import one_line, visible
from dashboard.parts.words import verdict_words
from reviewers.records import Check, Severity
from reviewers.store.submission import StoredReview, SubmissionRecord

_mount = load("verdict_columns")
_BEGINNING = 400
_RAW = 20_000


def verdict_columns(record: SubmissionRecord, cards: Sequence[Card], *, key: str) -> None:
    """Draw one column a reviewer."""
    named = zip(reviewer_names(record), record.reviews, strict=True)
    _mount(key=key, data={"columns": [_column(name, stored, cards) for name, stored in named]})


def _column(name: str, stored: StoredReview, everyone: Sequence[Card]) -> dict[str, Any]:
    review = stored.review
    cards = [card for card in everyone if card.reviewer == name]
    checks = Counter(card.check for card in cards)
    return {
        "reviewer": one_line(name),
        "model": one_line(review.model or ("static checks" if review.reviewer == "rules" else "model unknown")),
        "verdict": review.verdict and str(review.verdict),
        "words": verdict_words(review.verdict),
        "counts": {str(check): checks[check] for check in (Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED)},
        "missed": sum(name in card.missed_by for card in everyone),
        "took": _took(review.seconds, review.cost_usd),
        "at": stored.at.isoformat(),
        "beginning": one_line(review.text, _BEGINNING) if review.text else _summary(cards),
        "failure": visible(review.failure or ""),
        "raw": visible(review.raw[:_RAW]) if review.failure and review.raw else "",
        "raw_cut": len(review.raw or "") > _RAW,
    }


def _took(seconds: float | None, cost: float | None) -> str:
    """What is not known is a dash, never 0."""
    time = "—" if seconds is None else f"{seconds:.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"
    return f"time {time} · cost {'—' if cost is None else f'${cost:.4f}'}"


def _summary(cards: Sequence[Card]) -> str:
    """Words for a reviewer that answers with findings alone."""
    counts = Counter(card.finding.severity for card in cards if card.check is not Check.REFUTED)
    words = {Severity.BLOCKER: "blocker" if counts[Severity.BLOCKER] == 1 else "blockers"}
    return (
        ", ".join(f"{counts[severity]} {words.get(severity, severity)}" for severity in Severity if counts[severity])
        or "Nothing found."
    )
