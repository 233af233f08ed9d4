"""Remember in the browser who speaks, so that a name is typed once."""

from dashboard.parts.component import load

COOKIE = "areachair_author"

_mount = load("remember")


def remember_author(name: str) -> None:
    """Keep the name in a cookie for a year."""
    _mount(key="remember", data={"cookie": COOKIE, "value": name})
