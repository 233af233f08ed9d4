"""One line of text with a link to another page of the dashboard."""

from dashboard.parts.component import load
from dashboard.parts.plain import visible

_mount = load("note_line")


def note_line(words: str, link: str, address: str, *, failed: bool = False, key: str) -> None:
    """Draw the line; the address is relative to the page, an empty link is left out.

    Args:
        failed: whether it tells of something that is broken, which must not be overlooked.
    """
    data = {"words": visible(words), "link": link, "address": address, "failed": failed}
    _mount(key=key, data=data)
