"""The saved views of the inbox with their counts, the overall progress, and the link to the next
submission.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from dashboard.addresses import inbox_address, inbox_params, submission_address
from dashboard.parts.component import load
from dashboard.parts.plain import one_line
from dashboard.parts.upload import LARGEST
from reviewers.store.desk_choices import LONGEST_VIEW_NAME
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
_ASSIGNED = ("Assigned to me", "You claimed them, or somebody assigned them to you")


def inbox_views(
    query: InboxQuery,
    counts: Mapping[View, int | None],
    mine: int,
    assigned: int,
    saved: Mapping[str, tuple[InboxQuery, int | str | None]],
    me: str,
    found: InboxPage,
    progress: tuple[int, int],
    following: str | None,
    *,
    blind: bool,
    large: int,
    on_events: Callable[[], None],
) -> None:
    """Draw the views, each a link, and below them those that this person saved.

    Events: `large` with the `names` of files that are dropped and too large to be sent;
    `save_view` with a `name`, `rename_view` with `old` and `new`, `delete_view` with a `name`.

    Args:
        counts: how many submissions each view holds; one without a count is off.
        mine, assigned: how many submissions `me`, an author's id, has not decided on, and looks
            after; without anybody there are no such views.
        saved: query, as it was saved, and count of each saved view by its name.
        progress: how many submissions are decided, and how many there are.
        following: id of the submission to decide next in this view; None if all are decided.
        blind: whether what is decided counts what `me` decided alone.
        large: how many files were too large the last time.
    """
    # Rows stay attempts or lineages, whatever view one turns to.
    plain = InboxQuery(by_lineage=query.by_lineage)
    views = [
        _view(
            *VIEW_WORDS[view], replace(plain, view=view), counts[view], _is_now(query, view, saved)
        )
        for view in VIEW_WORDS
    ]
    if me:
        own = [
            (_MINE, replace(plain, undecided_by=me), mine),
            (_ASSIGNED, replace(plain, assigned_to=me), assigned),
        ]
        views[1:1] = [
            _view(*words, asked, count, _shown(asked) == _shown(query))
            for words, asked, count in own
        ]
    # In what is undecided by one person, what others decided says nothing of how far the work is.
    narrowed = found.total != progress[1] and query.undecided_by is None
    data = {
        "views": views,
        "saved": [
            _view(
                one_line(name, LONGEST_VIEW_NAME),
                "A view that you saved",
                asked,
                count,
                _shown(asked) == _shown(query),
            )
            | {"name": name}
            for name, (asked, count) in saved.items()
        ],
        "savable": bool(_shown(query))
        and not any(_shown(asked) == _shown(query) for asked, _ in saved.values()),
        "longest": LONGEST_VIEW_NAME,
        "lineages": query.by_lineage,
        "decided": progress[0],
        "total": progress[1],
        "by": "decided by you" if blind else "decided",
        "here": (
            {"decided": found.decided, "total": found.total}
            if narrowed and not found.more
            else None
        ),
        "next": following and submission_address(following, replace(query, offset=0)),
        "large": large,
        "most": LARGEST,
    }
    _mount(key=KEY, data=data, on_events=on_events)


def _view(
    words: str, about: str, query: InboxQuery, count: int | str | None, now: bool
) -> dict[str, object]:
    return {
        "words": words,
        "about": _OFF if count is None else about,
        "href": inbox_address(query),
        "count": count,
        "now": now,
    }


def _is_now(
    query: InboxQuery, view: View, saved: Mapping[str, tuple[InboxQuery, int | str | None]]
) -> bool:
    if any(_shown(asked) == _shown(query) for asked, _ in saved.values()):
        return False
    own = query.undecided_by is not None or _shown(query).keys() == {"assigned_to"}
    return query.view is view and not own


def _shown(query: InboxQuery) -> Mapping[str, str]:
    """What a query asks for, whatever its page and its rows are."""
    return inbox_params(replace(query, offset=0, by_lineage=False))
