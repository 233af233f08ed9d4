"""Builds and parses the addresses of the trends page, and of the inbox behind each mark."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import Any

from dashboard.addresses import inbox_address, inbox_query
from reviewers.store.inbox import InboxQuery
from reviewers.store.trends import Dimension, Over, Period, TrendsQuery
from reviewers.store.trends_change import Halves

_FILTERS = (
    "reviewer", "criterion", "category", "lineage", "generator", "contract", "model", "dataset",
    "since", "until", "refuted",
)  # fmt: skip
_SHOWN = ("this", "that", "opened")
_DAYS = re.compile(r"(\d{4}-\d\d-\d\d)\.\.(\d{4}-\d\d-\d\d)")


@dataclass(frozen=True, slots=True)
class TrendsView:
    """What the page shows.

    Attributes:
        over: None for what fits the query.
        by: what is compared side by side; None for periods.
        this, that: the two sides: names, or days as `2025-11-03..2025-11-08`; empty for the two
            that suggest themselves.
        opened: the category whose causes are shown; empty if none are.
    """

    query: TrendsQuery
    over: Over | None
    by: Dimension | None
    this: str = ""
    that: str = ""
    opened: str = ""


def trends_view(params: Mapping[str, str]) -> TrendsView:
    """Parse the trends view from the address; invalid filters are ignored. The filters are those of
    the inbox.
    """
    filters = inbox_query(params)
    return TrendsView(
        TrendsQuery(**{name: getattr(filters, name) for name in _FILTERS}),
        Over(params["over"]) if params.get("over") in set(Over) else None,
        Dimension(params["by"]) if params.get("by") in set(Dimension) else None,
        **{name: params.get(name, "") for name in _SHOWN},
    )


def trends_params(view: TrendsView) -> dict[str, str]:
    """Return the parameters of the page, without those that say nothing."""
    found = {name: getattr(view.query, name) for name in _FILTERS[:-1]}
    found |= {"refuted": "1" if view.query.refuted else "", "over": view.over, "by": view.by}
    found |= {name: getattr(view, name) for name in _SHOWN}
    return {name: str(value) for name, value in found.items() if value not in (None, "")}


def behind(query: TrendsQuery, period: Period | None = None, **changes: Any) -> str:
    """Return the address of the inbox on exactly the submissions that a mark counts.

    Args:
        period: the one in which they were generated, or the attempt that they are.
        changes: fields of `InboxQuery` in the place of the query's.
    """
    wanted: dict[str, Any] = {name: getattr(query, name) for name in _FILTERS} | changes
    if period is not None:
        wanted["since"] = _latest(query.since, period.since)
        wanted["until"] = _earliest(query.until, period.until)
        wanted["attempt"] = period.attempt
    if wanted["refuted"] and not (wanted["category"] or wanted["criterion"] or wanted.get("mark")):
        wanted["mark"] = "refuted"
    return inbox_address(InboxQuery(**wanted))


def behind_side(
    query: TrendsQuery, view: TrendsView, compared: Halves, later: bool, **changes: Any
) -> str:
    """Return the address of the inbox on what a mark counts of one of two sides; empty if a mark in
    `changes` says something else already.
    """
    if compared.periods is not None:
        period = compared.periods[later]
        return behind(query, **changes, since=period.since, until=period.until)
    if compared.groups is not None and view.by is not None:
        return behind(query, **{**changes, str(view.by): compared.groups[later]})
    word = f"{'attempt' if later else 'before'}-{compared.attempt}"
    return "" if "mark" in changes else behind(query, **changes, mark=word)


def days_param(period: Period) -> str:
    """Return a period as `this` and `that` of an address name it."""
    return f"{period.since}..{period.until}"


def period_of(words: str) -> Period | None:
    """Return the period that such words name; None if they name none."""
    found = _DAYS.fullmatch(words)
    with suppress(ValueError):
        since, until = map(date.fromisoformat, found.groups() if found else ("", ""))
        return Period(since, until) if since <= until else None
    return None


def _latest(one: date | None, other: date | None) -> date | None:
    return max(one, other) if one and other else one or other


def _earliest(one: date | None, other: date | None) -> date | None:
    return min(one, other) if one and other else one or other
