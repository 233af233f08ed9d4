"""The reviewers that can be asked about a submission, each with the size of its prompt, its cost
and earlier answers.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dashboard.estimates import Estimate
from dashboard.parts.component import load
from dashboard.parts.figures import money, number
from dashboard.parts.plain import one_line, visible
from dashboard.parts.words import verdict_words
from reviewers.backends.configured import BudgetConfig
from reviewers.backends.prices import Prices
from reviewers.records import Review

_mount = load("ask_list")


def ask_list(
    estimates: Sequence[Estimate],
    budget: BudgetConfig,
    live: frozenset[str],
    *,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw one row a reviewer, to be ticked; events: `ask` (names), `prompt` (name).

    Args:
        live: names of those who are being asked at this moment.
    """
    rows = [_row(estimate, estimate.config.name in live) for estimate in estimates]
    _mount(
        key=key,
        data={"rows": rows, "budget": _budget(budget)},
        on_events=on_events,
    )


def _row(estimate: Estimate, live: bool) -> dict[str, Any]:
    config, known = estimate.config, estimate.known
    return {
        "name": config.name,
        "title": one_line(config.name),
        "model": " · ".join(filter(None, [one_line(config.model), _price(config.prices)])),
        "template": estimate.question.prompts[0].template,
        "requests": len(estimate.question.prompts),
        "tokens": number(estimate.tokens),
        "window": number(config.window),
        "parts": [[one_line(part.title), number(part.tokens)] for part in estimate.parts],
        "cost": _cost(estimate),
        "usd": [estimate.least_usd, estimate.most_usd],
        "known": known and {"at": known.at.isoformat(), "words": _known(known.review)},
        "problem": "being asked" if live else visible(estimate.problem),
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


def _cost(estimate: Estimate) -> str:
    if estimate.most_usd is None:
        return "cost unknown: no prices configured"
    return f"input {money(estimate.least_usd)}, at most {money(estimate.most_usd)}"


def _budget(budget: BudgetConfig) -> str:
    limits = [money(budget.usd)] * (budget.usd is not None) + [
        f"{number(budget.tokens)} tokens"
    ] * (budget.tokens is not None)
    return " and ".join(limits)
