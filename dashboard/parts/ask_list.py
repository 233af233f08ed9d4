"""The reviewers that can be asked about a submission or a list of them, each with the size of what
is sent, its cost and earlier answers.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dashboard.estimates import Estimate, ListEstimate
from dashboard.parts.component import load
from dashboard.parts.figures import money, number
from dashboard.parts.plain import one_line, visible
from dashboard.parts.words import verdict_words
from dashboard.reviewer_marks import reviewer_marks
from reviewers.backends.configured import BudgetConfig, Configuration, ReviewerConfig
from reviewers.backends.prices import Prices
from reviewers.records import Review, counted

_mount = load("ask_list")


def ask_list(
    estimates: Sequence[Estimate | ListEstimate],
    known: Configuration,
    live: frozenset[str] = frozenset(),
    *,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw one row a reviewer, to be ticked; events: `ask` (names), `prompt` and `read` (name).

    Args:
        known: the whole configuration; an entry that is broken is named beside the others.
        live: names of those who are being asked at this moment.
    """
    marks = reviewer_marks(estimate.config.name for estimate in estimates)
    rows = [
        _row(estimate, estimate.config.name in live)
        if isinstance(estimate, Estimate)
        else _list_row(estimate)
        for estimate in estimates
    ]
    data = {
        "rows": [row | {"mark": marks[row["name"]]["mark"]} for row in rows],
        "broken": [visible(entry.problem) for entry in known.broken],
        "budget": _budget(known.budget),
        "budget_usd": known.budget.usd,
    }
    _mount(key=key, data=data, on_events=on_events)


def _row(estimate: Estimate, live: bool) -> dict[str, Any]:
    config, known, prompts = estimate.config, estimate.known, estimate.question.prompts
    asked = f"{prompts[0].template}, {len(prompts)} requests"
    window = number(config.window) if config.window else "an unknown window"
    return {
        **_named(config),
        "asked": asked if len(prompts) > 1 else prompts[0].template,
        "size": f"{number(estimate.tokens)} tokens of {window}",
        "parts": [[one_line(part.title), number(part.tokens)] for part in estimate.parts],
        "cost": _cost(estimate.least_usd, estimate.most_usd),
        "usd": [estimate.least_usd, estimate.most_usd],
        "known": known and {"at": known.at.isoformat(), "words": _known(known.review)},
        "problem": "being asked" if live else visible(estimate.problem),
    }


def _list_row(estimate: ListEstimate) -> dict[str, Any]:
    about = "" if estimate.exact else "about "
    left_out = [
        f"{about}{number(estimate.of_all(count))} {words}"
        for count, words in (
            (estimate.answered, "already answered, skipped"),
            (estimate.too_long, "too long for it"),
        )
        if count
    ]
    sampled = [] if estimate.exact else [f"estimated from {estimate.looked_at}"]
    return {
        **_named(estimate.config),
        "asked": f"{about}{counted(estimate.asked, 'submission')}",
        "size": f"{about}{number(estimate.of_all(estimate.tokens))} tokens",
        "parts": [],
        "cost": " · ".join([_cost(*estimate.usd), *left_out, *sampled]),
        "usd": estimate.usd,
        "known": None,
        "problem": visible(estimate.problem),
    }


def _named(config: ReviewerConfig) -> dict[str, str]:
    return {
        "name": config.name,
        "title": one_line(config.name),
        "model": " · ".join(filter(None, [one_line(config.model), _price(config.prices)])),
    }


def _known(review: Review) -> str:
    return (
        "Failed on this before"
        if review.verdict is None
        else f"Already answered: {verdict_words(review.verdict)}"
    )


def _price(prices: Prices) -> str:
    return (
        f"${prices.input:g} in, ${prices.output:g} out per million tokens" if prices.known else ""
    )


def _cost(least: float | None, most: float | None) -> str:
    if most is None:
        return "cost unknown: no prices configured"
    return f"input {money(least)}, at most {money(most)}"


def _budget(budget: BudgetConfig) -> str:
    limits = [money(budget.usd)] * (budget.usd is not None) + [
        f"{number(budget.tokens)} tokens"
    ] * (budget.tokens is not None)
    return " and ".join(limits)
