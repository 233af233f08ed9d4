"""The person's name and the blind-mode switch in the bar above every page, kept in cookies."""

from collections.abc import Callable

from dashboard.parts.component import load
from dashboard.signing import NAME_COOKIE
from reviewers.store.authors import LONGEST_NAME

BLIND_COOKIE = "areachair_blind"

_mount = load("identity_bar")


def identity_bar(
    name: str,
    *,
    offered: str,
    fixed: bool,
    blind: bool,
    in_use: str,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw the name and the switch, and ask for the name before the first record of this browser.

    Events: `author` (name, and whether to correct the one before), `join`, `apart` or `keep` (what
    a person says to `in_use`), and `blind` (on).

    Args:
        name: who signs here; empty where nobody gave a name yet.
        offered: the name that one key accepts; empty if there is none to offer.
        fixed: whether the name comes from signing in, and cannot be changed here.
        in_use: what a correction to a name in use would do; empty where none waits.
    """
    data = {
        "name": name,
        "offered": offered,
        "longest": LONGEST_NAME,
        "fixed": fixed,
        "blind": blind,
        "in_use": in_use,
        "cookies": [NAME_COOKIE, BLIND_COOKIE],
    }
    _mount(key=key, data=data, on_events=on_events)
