"""Builds and parses the addresses of the trends page, and of the inbox behind each mark."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from dashboard.addresses import inbox_address, inbox_query
from reviewers.store.inbox import InboxQuery
from reviewers.store.trends import Dimension, Over, Period, TrendsQuery

_FILTERS = (
    "reviewer", "criterion", "category", "lineage", "generator", "contract", "model", "dataset",
    "since", "until", "refuted",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TrendsView:
    """What the page shows.

    Attributes:
        over: None for what fits the query.
        by: None for the first that anything is known of.
    """

    query: TrendsQuery
    over: Over | None
    by: Dimension | None


def trends_view(params: Mapping[str, str]) -> TrendsView:
    """Parse the trends view from the address; invalid filters are ignored. The filters are those of
    the inbox.
    """
    filters = inbox_query(params)
    return TrendsView(
        TrendsQuery(**{name: getattr(filters, name) for name in _FILTERS}),
        Over(params["over"]) if params.get("over") in set(Over) else None,
        Dimension(params["by"]) if params.get("by") in set(Dimension) else None,
    )


def trends_params(view: TrendsView) -> dict[str, str]:
    """Return the parameters of the page, without those that say nothing."""
    found = {name: getattr(view.query, name) for name in _FILTERS[:-1]}
    found |= {"refuted": "1" if view.query.refuted else "", "over": view.over, "by": view.by}
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


def _latest(one: date | None, other: date | None) -> date | None:
    return max(one, other) if one and other else one or other


def _earliest(one: date | None, other: date | None) -> date | None:
    return min(one, other) if one and other else one or other
