"""One line of words with a link to a page of ours."""

from dashboard.parts.component import load
from dashboard.parts.plain import visible

_mount = load("note_line")


def note_line(words: str, link: str, address: str, *, key: str) -> None:
    """Draw the line; the address is relative to the page, an empty link is none."""
    _mount(key=key, data={"words": visible(words), "link": link, "address": address})
