"""Remembers who has opened a submission with other people's reviews; blind mode relies on it. A
visit belongs to the browser, identified by a random cookie, and to the author once a name is known.
"""

import re
import secrets
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from threading import Lock

BROWSER_COOKIE = "areachair_browser"
_KEY = re.compile(r"[0-9a-f]{32}")
_MOST_KEPT = 200_000  # looks of all browsers together


def new_key() -> str:
    """Return a new random key that identifies a browser."""
    return secrets.token_hex(16)


def is_key(text: str) -> bool:
    """Whether this is such a key; what else a browser sends names none."""
    return _KEY.fullmatch(text) is not None


class ViewingMemory:
    """The submissions that were looked at, as long as the process runs; any thread may ask."""

    def __init__(self) -> None:
        self._of_browser: OrderedDict[str, set[str]] = OrderedDict()
        self._of_author: defaultdict[str, set[str]] = defaultdict(set)
        self._lock = Lock()

    def of(self, browser: str, author: str, new: Iterable[str] = ()) -> frozenset[str]:
        """Return the ids of what was looked at in a browser or by an author.

        Who is known in a browser has seen what was looked at there, and takes it to every other
        one; what nameless people look at elsewhere stays with their browsers.

        Args:
            author: id; empty where nobody gave a name yet.
            new: ids of what is looked at now.
        """
        with self._lock:
            seen = self._of_browser.get(browser, set()).union(new)
            if author:
                seen |= self._of_author[author]
                self._of_author[author] |= seen
            if seen:
                self._of_browser[browser] = seen
                self._of_browser.move_to_end(browser)
                self._forget()
            return frozenset(seen)

    def _forget(self) -> None:
        """Drop the browsers that were away longest where there are too many looks."""
        kept = sum(map(len, self._of_browser.values()))
        while kept > _MOST_KEPT and len(self._of_browser) > 1:
            kept -= len(self._of_browser.popitem(last=False)[1])
