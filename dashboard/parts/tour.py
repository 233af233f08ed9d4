"""Three hints for newcomers, shown one at a time in the bar above the page until dismissed."""

from dashboard.parts.component import load

_mount = load("tour")
_HINTS = {
    "": ("move", "j and k move through the list, Enter opens a submission."),
    "submission": ("walk", "j and k move between findings; c confirms one, d dismisses it."),
}
_LAST = (
    "decide",
    "1 is ready, 2 not ready; Enter saves and opens the next one. ? lists every key.",
)


def tour(page: str) -> None:
    """Draw the hint that this page has and this browser has not seen; nothing if there is none.

    Args:
        page: the page's path in the address.
    """
    first = _HINTS.get("" if page == "inbox" else page)
    hints = [] if first is None else [first] if page != "submission" else [first, _LAST]
    _mount(key="tour", data={"hints": [{"name": name, "words": words} for name, words in hints]})
