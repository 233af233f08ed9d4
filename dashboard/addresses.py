"""Builds and parses the dashboard's URLs: the inbox's filters, the open submission and the place in
it.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import Any, Literal
from urllib.parse import urlencode

from reviewers.records import Verdict
from reviewers.store.inbox import InboxQuery, ReadAs, Sort, View
from reviewers.store.search_places import SearchPlace

PAGE_SIZE = 50
SIDE_BY_SIDE = "side-by-side"
_ID = 16

# Each is a parameter of the same name.
_NAMES = (
    "reviewer", "other", "category", "lineage", "undecided_by", "model", "dataset", "generator",
    "contract", "missed_by", "failed_by", "read_by", "mark", "assigned_to",
)  # fmt: skip
_VERDICTS = ("verdict", "other_verdict", "decision", "blind_decision")
_DAYS = ("since", "until")
_OUTCOMES: Mapping[str, Literal["failed", "ran"]] = {"failed": "failed", "ran": "ran"}
_PROVEN = {"1": True, "0": False}
_COUNT = re.compile("[1-9][0-9]{0,5}")
_DAY = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


def inbox_query(params: Mapping[str, str]) -> InboxQuery:
    """Parse the inbox query from the address; invalid filters are ignored."""
    same: dict[str, Any] = {name: params.get(name) or None for name in _NAMES}
    same |= {name: _verdict(params.get(name)) for name in _VERDICTS}
    same |= {name: _day(params.get(name)) for name in _DAYS}
    return InboxQuery(
        view=View(params["view"]) if params.get("view") in set(View) else View.ALL,
        text=params.get("q", ""),
        criterion=int(params["criterion"]) if params.get("criterion") in set("123456789") else None,
        refuted=params.get("refuted") == "1",
        unassigned=params.get("unassigned") == "1",
        by_lineage=params.get("rows") == "lineages",
        attempt=int(params["attempt"]) if _COUNT.fullmatch(params.get("attempt", "")) else None,
        outcome=_OUTCOMES.get(params.get("outcome", "")),
        proven=_PROVEN.get(params.get("proven", "")),
        reading=ReadAs(params["reading"]) if params.get("reading") in set(ReadAs) else None,
        sort=Sort(params["sort"]) if params.get("sort") in set(Sort) else Sort.NEEDED,
        limit=PAGE_SIZE,
        offset=(page_number(params) - 1) * PAGE_SIZE,
        **same,
    )


def page_number(params: Mapping[str, str]) -> int:
    """Return which page of the inbox is shown, from 1."""
    page = params.get("page", "")
    return max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 7 else 1


def inbox_params(query: InboxQuery) -> dict[str, str]:
    """Return the parameters of an inbox query, without those that do not filter."""
    named = {
        name: getattr(query, name)
        for name in (*_NAMES, *_VERDICTS, *_DAYS, "criterion", "attempt", "outcome", "reading")
    }
    params = {
        "view": "" if query.view is View.ALL else query.view,
        "q": query.text,
        **named,
        "refuted": "1" if query.refuted else "",
        "unassigned": "1" if query.unassigned else "",
        "rows": "lineages" if query.by_lineage else "",
        "proven": "" if query.proven is None else str(int(query.proven)),
        "sort": "" if query.sort is Sort.NEEDED else query.sort,
        "page": query.offset // PAGE_SIZE + 1 if query.offset else "",
    }
    return {name: str(value) for name, value in params.items() if value not in (None, "")}


def inbox_address(query: InboxQuery) -> str:
    """Return the address of the inbox, relative to any page."""
    params = inbox_params(query)
    return f"./?{urlencode(params, errors='replace')}" if params else "./"


def beginning(submission_id: str) -> str:
    """Return as much of an id as addresses name a submission by."""
    return submission_id[:_ID]


def submission_address(
    submission_id: str,
    query: InboxQuery,
    place: SearchPlace | None = None,
    *,
    finding: str | None = None,
) -> str:
    """Return the address of a submission, with the inbox query along, so that the ways back and
    onward are known.

    Args:
        place: where to open it.
        finding: the one at which it opens, where no place is given.
    """
    params = submission_params(submission_id, query)
    at: dict[str, object] = {"finding": finding}
    if place is not None:
        at = {"file": place.file, "line": place.line, "finding": place.finding}
    params |= {name: str(value) for name, value in at.items() if value is not None}
    return f"submission?{urlencode(params, errors='replace')}"


def side_by_side_address(submission_id: str, query: InboxQuery) -> str:
    """Return the address of what the reviewers say of a submission, side by side."""
    return submission_address(submission_id, query).replace("submission", SIDE_BY_SIDE, 1)


def submission_params(submission_id: str, query: InboxQuery) -> dict[str, str]:
    """Return the parameters of `submission_address`."""
    return {"s": beginning(submission_id), **inbox_params(query)}


def _verdict(word: str | None) -> Verdict | None:
    return Verdict(word) if word in set(Verdict) else None


def _day(word: str | None) -> date | None:
    with suppress(ValueError):
        return date.fromisoformat(word) if word and _DAY.fullmatch(word) else None
    return None
