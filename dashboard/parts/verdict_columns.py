"""The reviewers side by side: progress, verdict, fact checks, cost and changes after a rebuttal."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from dashboard.panels import AskedReviewer, PanelState
from dashboard.parts.cards import Card
from dashboard.parts.component import load
from dashboard.parts.figures import UNKNOWN, duration, money, tokens
from dashboard.parts.plain import one_line, visible
from dashboard.parts.words import verdict_words
from dashboard.reviewer_marks import reviewer_marks
from reviewers.batch.effective_reviews import EffectiveReviews
from reviewers.records import Check, Finding, Review, Severity, counted
from reviewers.store.triage import RECORDED, RULES

_mount = load("verdict_columns")
_BEGINNING = 400
_RAW = 20_000
_EARLIER = 8_000


def verdict_columns(
    reviews: EffectiveReviews,
    cards: Sequence[Card],
    asked: Sequence[AskedReviewer] = (),
    can_ask: Collection[str] = (),
    *,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw one column a reviewer; events: `cancel`, `again`, `evidence` and `prompt`, each with the
    reviewer's `name`.

    Args:
        asked: who is or was lately asked; what came is among the reviews.
        can_ask: names of the configured reviewers that have all they need.
    """
    told = {each.reviewer: each for each in asked if each.state is not PanelState.ARRIVED}
    columns = [
        _column(
            name,
            reviews,
            cards,
            told.pop(stored.review.reviewer, None),
            stored.review.reviewer in can_ask,
        )
        for name, stored in reviews.stored.items()
    ]
    columns += [_empty(each, each.reviewer in can_ask) for each in told.values()]
    # As the store will sort them, so that no column moves when its review comes.
    columns.sort(key=lambda column: (column["name"] != RECORDED, column["name"]))
    marks = reviewer_marks([column["reviewer"] for column in columns])
    shown = [column | marks[column["reviewer"]] for column in columns]
    _mount(key=key, data={"columns": shown}, on_events=on_events)


def _column(
    name: str,
    reviews: EffectiveReviews,
    everyone: Sequence[Card],
    asked: AskedReviewer | None,
    can_ask: bool,
) -> dict[str, Any]:
    stored = reviews.stored[name]
    review = stored.review
    cards = [card for card in everyone if card.reviewer == name]
    checks = Counter(card.check for card in cards)
    live = asked is not None and asked.state.live
    return {
        **_empty(asked, False),
        "name": review.reviewer,
        "reviewer": one_line(name),
        "model": one_line(
            review.model or ("static checks" if review.reviewer == RULES else "model unknown")
        ),
        "verdict": review.verdict and str(review.verdict),
        "words": verdict_words(review.verdict, partial=bool(review.partial)),
        "counts": {
            str(check): checks[check]
            for check in (Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED)
        },
        "missed": _missed(reviews.missed.get(name, ()), everyone),
        "took": took(review),
        "tokens": _tokens(review),
        "prompt": _prompt(review),
        "at": stored.at.isoformat(),
        "beginning": one_line(review.text, _BEGINNING) if review.text else _summary(cards),
        "failure": visible(review.failure or review.partial_words),
        "raw": visible(review.raw[:_RAW]) if review.failure and review.raw else "",
        "raw_cut": len(review.raw or "") > _RAW,
        "before": _before(name, reviews),
        "can": _actions(reviews, name) if can_ask and not live else [],
    }


def _empty(asked: AskedReviewer | None, can_ask: bool) -> dict[str, Any]:
    """The column of a reviewer that has not answered, or what is added to one that has."""
    if asked is None:
        return {"live": None, "ended": ""}
    live = (
        {"state": str(asked.state), "started": asked.started.isoformat(), "again": asked.again}
        if asked.state.live
        else None
    )
    ended = {
        PanelState.CANCELLED: f"cancelled after {duration(asked.seconds)}",
        PanelState.FAILED: visible(asked.problem),
    }
    return {
        "name": asked.reviewer,
        "reviewer": one_line(asked.reviewer),
        "model": one_line(asked.model),
        "verdict": None,
        "words": "",
        "live": live,
        "ended": ended.get(asked.state, ""),
        "can": ["again"] if can_ask and live is None else [],
    }


def _actions(reviews: EffectiveReviews, name: str) -> list[str]:
    again = reviews.stored[name].review.verdict is None
    return ["again"] * again + ["evidence"] * (reviews.to_show(name) is not None)


def _missed(findings: Sequence[Finding], cards: Sequence[Card]) -> list[dict[str, str]]:
    """The confirmed blockers that a reviewer does not report, with their places."""
    shown = {card.finding.id: card for card in reversed(cards)}
    found = ((shown[finding.id], finding) for finding in findings)
    return [
        {"key": card.key, "file": card.file, "gist": one_line(finding.message, _BEGINNING)}
        for card, finding in found
    ]


def took(review: Review) -> str:
    """Time and cost as far as known; an unknown cost of a model is shown as unknown."""
    is_model = review.request is not None
    told = (
        (review.seconds is not None, duration(review.seconds)),
        (
            is_model or review.cost_usd is not None,
            money(review.cost_usd) if review.cost_usd is not None else f"cost {UNKNOWN}",
        ),
    )
    return " · ".join(words for known, words in told if known)


def _tokens(review: Review) -> str:
    known = review.input_tokens is not None or review.output_tokens is not None
    return tokens(review.input_tokens, review.cached_tokens, review.output_tokens) if known else ""


def _prompt(review: Review) -> str:
    return "" if review.prompt is None else f"prompt {one_line(review.prompt)}"


def _before(name: str, reviews: EffectiveReviews) -> dict[str, str] | None:
    """What a rebuttal changed, and the initial review to be read."""
    before, changed = reviews.stored[name].before, reviews.changes(name)
    if before is None or changed is None:
        return None
    return {
        "verdict": str(before.verdict),
        "words": verdict_words(before.verdict),
        "changes": one_line(changed.summary, 500),
        "text": visible((before.text or before.raw or "")[:_EARLIER]),
    }


def _summary(cards: Sequence[Card]) -> str:
    """Words for a reviewer that answers with findings alone."""
    counts = Counter(card.severity for card in cards if not card.folded)
    told = (
        counted(count, "blocker") if severity is Severity.BLOCKER else f"{count} {severity}"
        for severity in Severity
        if (count := counts[severity])
    )
    return ", ".join(told) or "No findings."
