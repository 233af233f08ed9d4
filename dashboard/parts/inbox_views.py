"""The inbox' saved views with how many submissions each holds, how far the work is, and where it
goes on.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from dashboard.addresses import inbox_address, submission_address
from dashboard.parts.component import acknowledged, load
from dashboard.parts.upload import LARGEST
from reviewers.store.inbox import InboxPage, InboxQuery, View

_mount = load("inbox_views")

_WORDS = {
    View.NEEDS_DECISION: ("Needs a decision", "Nobody has decided on it yet"),
    View.DISAGREE: ("Reviewers disagree", "One says ready, another not ready"),
    View.CONTRADICTED: (
        "Ready, but contradicted",
        "A reviewer says ready, and a confirmed blocker says no",
    ),
    View.REFUTED: ("Refuted claims", "At least one claim of a reviewer is refuted by the code"),
    View.DECIDED: ("Decided", "Somebody has decided"),
    View.ALL: ("All", "Every submission"),
}
KEY = "inbox-views"
_MINE = ("Undecided by me", "You have not decided on it, whatever others did")


def inbox_views(
    query: InboxQuery,
    counts: Mapping[View, int],
    mine: int,
    me: str,
    found: InboxPage,
    following: str | None,
    *,
    large: int,
    on_events: Callable[[], None],
) -> None:
    """Draw the views, each a link.

    Events: `large` with the `names` of files that are dropped and too large to be sent.

    Args:
        mine: how many submissions `me`, an author's id, has not decided on; without anybody there
            is no such view.
        following: id of the submission to decide next in this view; None where all are decided.
        large: how many files were too large the last time.
    """
    views = [
        _view(*_WORDS[view], InboxQuery(view=view), counts[view], _is_now(query, view))
        for view in _WORDS
    ]
    if me:
        views.insert(1, _view(*_MINE, InboxQuery(undecided_by=me), mine, query.undecided_by == me))
    # In what is undecided by one person, what others decided says nothing of how far the work is.
    narrowed = found.total != counts[View.ALL] and query.undecided_by is None
    data = {
        "views": views,
        "decided": counts[View.DECIDED],
        "total": counts[View.ALL],
        "here": {"decided": found.decided, "total": found.total} if narrowed else None,
        "next": following and submission_address(following, replace(query, offset=0)),
        "large": large,
        "most": LARGEST,
        "done": acknowledged(KEY),
    }
    _mount(key=KEY, data=data, on_events_change=on_events)


def _view(words: str, about: str, query: InboxQuery, count: int, now: bool) -> dict[str, object]:
    return {
        "words": words,
        "about": about,
        "href": inbox_address(query),
        "count": count,
        "now": now,
    }


def _is_now(query: InboxQuery, view: View) -> bool:
    return query.view is view and query.undecided_by is None
