"""What an empty list says: what to do, and how many submissions each way out leads to."""

from collections.abc import Sequence
from dataclasses import replace

from dashboard import inbox_scope
from dashboard.addresses import inbox_address, inbox_params
from dashboard.parts.component import load
from dashboard.parts.inbox_bar import chips_of
from dashboard.parts.inbox_views import VIEW_WORDS
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, View

_mount = load("inbox_nothing")
_MOST = 6


def inbox_nothing(store: Store, query: InboxQuery) -> None:
    """Draw it."""
    unfiltered = inbox_params(query).keys() <= {"view", "undecided_by", "sort", "rows"}
    left = query.view is View.NEEDS_DECISION or query.undecided_by
    if left and unfiltered:
        words = "Everything here is decided."
        about = "Trends show what failed most; “All” lists every submission."
    elif left:
        words, about = "Everything that matches these filters is decided.", _ABOUT
    else:
        words, about = "No submission matches this view and these filters.", _ABOUT
    ways = [] if unfiltered and query.view is View.ALL else _ways(store, query)
    _mount(key="inbox-nothing", data={"words": words, "about": about, "ways": ways})


_ABOUT = "Take one condition away, or all of them."


def _ways(store: Store, query: InboxQuery) -> Sequence[dict[str, object]]:
    """Each condition without which there are submissions, and how many; then all of the store."""
    others: list[tuple[str, InboxQuery]] = []
    if query.view is not View.ALL:
        others.append((f"Leave “{VIEW_WORDS[query.view][0]}”", replace(query, view=View.ALL)))
    fresh = InboxQuery()
    for name, words in chips_of(query)[:_MOST]:
        field = "text" if name == "q" else name
        others.append((f"Remove {words}", replace(query, **{field: getattr(fresh, field)})))
    if len(others) > 1:
        every = InboxQuery(by_lineage=query.by_lineage, in_names=query.in_names, sort=query.sort)
        others.append(("Show every submission", every))
    counted = [
        (words, asked, inbox_scope.found(store, replace(asked, limit=0, offset=0)))
        for words, asked in others
    ]
    return [
        {
            "words": words,
            "href": inbox_address(replace(asked, offset=0)),
            "count": found.total,
            "more": found.more,
        }
        for words, asked, found in counted
        if found.total
    ]
