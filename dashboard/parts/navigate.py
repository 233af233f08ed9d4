"""Go to another page from Python, with one entry in the browser's history (`st.switch_page` leaves
two).
"""

from dashboard.parts.component import load

_mount = load("navigate")
_mount_reload = load("reload_page")


def navigate(address: str) -> None:
    """Send the browser to an address of ours, relative to the page; the script runs on until the
    browser has gone.
    """
    _mount(key="navigate", data={"address": address})


def reload_page() -> None:
    """Make the browser reload the current address."""
    _mount_reload(key="reload-page", data={"now": True})
