"""The dashboard's addresses: what the inbox shows, which submission is open at which place, as parameters."""

from collections.abc import Mapping
from urllib.parse import urlencode

from reviewers.records import Verdict
from reviewers.store.inbox import InboxQuery, View

PAGE_SIZE = 50
_ID = 16


def inbox_query(params: Mapping[str, str]) -> InboxQuery:
    """Read what the inbox shall show; what makes no sense does not filter."""
    return InboxQuery(
        view=View(params["view"]) if params.get("view") in set(View) else View.ALL,
        text=params.get("q", ""),
        reviewer=params.get("reviewer") or None,
        verdict=_verdict(params.get("verdict")),
        category=params.get("category") or None,
        criterion=int(params["criterion"]) if params.get("criterion") in set("123456789") else None,
        refuted=params.get("refuted") == "1",
        lineage=params.get("lineage") or None,
        decision=_verdict(params.get("decision")),
        limit=PAGE_SIZE,
        offset=(page_number(params) - 1) * PAGE_SIZE,
    )


def page_number(params: Mapping[str, str]) -> int:
    """Return which page of the inbox is shown, from 1."""
    page = params.get("page", "")
    return max(1, int(page)) if page.isascii() and page.isdigit() and len(page) < 7 else 1


def inbox_params(query: InboxQuery) -> dict[str, str]:
    """Return the parameters of an inbox query, without those that do not filter."""
    params = {
        "view": "" if query.view is View.ALL else str(query.view),
        "q": query.text,
        "reviewer": query.reviewer,
        "verdict": query.verdict and str(query.verdict),
        "category": query.category,
        "criterion": str(query.criterion) if query.criterion is not None else "",
        "refuted": "1" if query.refuted else "",
        "lineage": query.lineage,
        "decision": query.decision and str(query.decision),
        "page": str(query.offset // PAGE_SIZE + 1) if query.offset else "",
    }
    return {name: value for name, value in params.items() if value}


def inbox_address(query: InboxQuery) -> str:
    """Return the address of the inbox, relative to any page."""
    params = inbox_params(query)
    return f"./?{urlencode(params)}" if params else "./"


def submission_address(submission_id: str, query: InboxQuery) -> str:
    """Return the address of a submission, with the inbox query along, so that the ways back and onward are known."""
    return f"submission?{urlencode(submission_params(submission_id, query))}"


def submission_params(submission_id: str, query: InboxQuery) -> dict[str, str]:
    """Return the parameters of `submission_address`."""
    return {"s": submission_id[:_ID], **inbox_params(query)}


def _verdict(word: str | None) -> Verdict | None:
    return Verdict(word) if word in set(Verdict) else None
