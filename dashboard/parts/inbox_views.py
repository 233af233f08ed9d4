"""The saved views of the inbox with their counts, the overall progress, and the link to the next
submission.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from dashboard.addresses import inbox_address, submission_address
from dashboard.parts.component import load
from dashboard.parts.upload import LARGEST
from reviewers.store.inbox import InboxPage, InboxQuery, View

_mount = load("inbox_views")

VIEW_WORDS = {
    View.NEEDS_DECISION: ("Needs a decision", "No one has decided yet"),
    View.DISAGREE: ("Reviewers disagree", "One reviewer says ready, another not ready"),
    View.CONTRADICTED: (
        "Ready, but contradicted",
        "A reviewer says ready despite a confirmed blocker",
    ),
    View.REFUTED: ("Refuted claims", "At least one claim of a reviewer is refuted by the code"),
    View.DECIDED: ("Decided", "Someone has decided"),
    View.ALL: ("All", "Every submission"),
}
KEY = "inbox-views"
_OFF = (
    "Off in blind mode: it would reveal what others say about submissions you have not decided on"
)
_MINE = ("Undecided by me", "You have not decided yet, whatever others did")


def inbox_views(
    query: InboxQuery,
    counts: Mapping[View, int | None],
    mine: int,
    me: str,
    found: InboxPage,
    progress: tuple[int, int],
    following: str | None,
    *,
    blind: bool,
    large: int,
    on_events: Callable[[], None],
) -> None:
    """Draw the views, each a link.

    Events: `large` with the `names` of files that are dropped and too large to be sent.

    Args:
        counts: how many submissions each view holds; one without a count is off.
        mine: how many submissions `me`, an author's id, has not decided on; without anybody there
            is not a view.
        progress: how many submissions are decided, and how many there are.
        following: id of the submission to decide next in this view; None if all are decided.
        blind: whether what is decided counts what `me` decided alone.
        large: how many files were too large the last time.
    """
    views = [
        _view(*VIEW_WORDS[view], InboxQuery(view=view), counts[view], _is_now(query, view))
        for view in VIEW_WORDS
    ]
    if me:
        views.insert(1, _view(*_MINE, InboxQuery(undecided_by=me), mine, query.undecided_by == me))
    # In what is undecided by one person, what others decided says nothing of how far the work is.
    narrowed = found.total != progress[1] and query.undecided_by is None
    data = {
        "views": views,
        "decided": progress[0],
        "total": progress[1],
        "by": "decided by you" if blind else "decided",
        "here": {"decided": found.decided, "total": found.total} if narrowed else None,
        "next": following and submission_address(following, replace(query, offset=0)),
        "large": large,
        "most": LARGEST,
    }
    _mount(key=KEY, data=data, on_events=on_events)


def _view(
    words: str, about: str, query: InboxQuery, count: int | None, now: bool
) -> dict[str, object]:
    return {
        "words": words,
        "about": _OFF if count is None else about,
        "href": inbox_address(query),
        "count": count,
        "now": now,
    }


def _is_now(query: InboxQuery, view: View) -> bool:
    return query.view is view and query.undecided_by is None
