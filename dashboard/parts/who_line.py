"""Who speaks, and whether this browser judges blind: in the bar above every page, kept in
cookies.
"""

from collections.abc import Callable

from dashboard.parts.component import acknowledged, load
from dashboard.parts.plain import one_line

AUTHOR_COOKIE = "areachair_author"
BLIND_COOKIE = "areachair_blind"

_mount = load("who_line")


def who_line(
    name: str, *, given: bool, fixed: bool, blind: bool, key: str, on_events: Callable[[], None]
) -> None:
    """Draw the name and the switch; events: `author` (name) and `blind` (on).

    Args:
        given: whether a person gave the name; else it is the one under which the server runs, and
            no cookie keeps it.
        fixed: whether the name comes from signing in, and cannot be changed here.
    """
    data = {
        "name": name,
        "shown": one_line(name, 40),
        "given": given,
        "fixed": fixed,
        "blind": blind,
        "cookies": [AUTHOR_COOKIE, BLIND_COOKIE],
        "done": acknowledged(key),
    }
    _mount(key=key, data=data, on_events_change=on_events)
