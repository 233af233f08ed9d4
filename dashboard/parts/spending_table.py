"""Time, money and the price per million tokens of reviews, by reviewer, as far as known."""

from collections.abc import Mapping, Sequence

from dashboard.parts.facts_table import Cell, Reviewer, facts_table
from dashboard.parts.figures import UNKNOWN, duration, money, number
from dashboard.reviewer_marks import reviewer_marks
from reviewers.backends.prices import Prices
from reviewers.store.spending import Measure, Spending

_HEADINGS = (
    "Reviewer", "Reviews", "Time, median", "Total time", "Cost, median", "Cost per review",
    "Total cost", "$ per million tokens",
)  # fmt: skip


def spending_table(spent: Sequence[Spending], prices: Mapping[str, Prices], *, key: str) -> None:
    """Draw one row a reviewer, those that can be asked and were not yet among them.

    Args:
        prices: of the configured reviewers, by name.
    """
    unasked = [
        Spending(name, 0, Measure(), Measure())
        for name in prices
        if name not in {each.name for each in spent}
    ]
    every = (*spent, *unasked)
    marks = reviewer_marks(each.name for each in every)
    rows: list[list[Cell]] = [
        [
            Reviewer(each.name, marks[each.name]["mark"]),
            number(each.reviews),
            duration(each.seconds.median),
            _time(each.seconds.total) + _of(each.seconds, each.reviews),
            money(each.cost.median),
            money(each.cost.mean),
            money(each.cost.total) + _of(each.cost, each.reviews),
            price_words(prices[each.name]) if each.name in prices else UNKNOWN,
        ]
        for each in every
    ]
    facts_table("Time and cost of reviews", _HEADINGS, rows, key=key)


def price_words(prices: Prices) -> str:
    """Return US dollars for a million tokens of input, cached input, output."""
    if not prices.known:
        return UNKNOWN
    return " / ".join(
        UNKNOWN if price is None else f"{price:g}"
        for price in (prices.input, prices.cached, prices.output)
    )


def _of(measure: Measure, reviews: int) -> str:
    """How many of the reviews a sum is of, if it is not all of them."""
    return f" (of {number(measure.known)})" if 0 < measure.known < reviews else ""


def _time(seconds: float | None) -> str:
    if seconds is None or seconds < 120:
        return duration(seconds)
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
