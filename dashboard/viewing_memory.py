"""Remembers who has opened a submission with other people's reviews; blind mode relies on it. A
visit belongs to the browser, identified by a random cookie, and to the author once a name is known.
"""

import re
import secrets
import threading
from collections.abc import Iterable, Mapping

from reviewers.errors import StoreError
from reviewers.store import Store
from reviewers.store.looks import Viewer, keep_looks, seen, seen_counts

BROWSER_COOKIE = "areachair_browser"
_KEY = re.compile(r"[0-9a-f]{32}")
_MOST_JOINED = 10_000


def new_key() -> str:
    """Return a new random key that identifies a browser."""
    return secrets.token_hex(16)


def is_key(text: str) -> bool:
    """Whether this is such a key; what else a browser sends names none."""
    return _KEY.fullmatch(text) is not None


class ViewingMemory:
    """The submissions that were looked at, as the store has them. What is new is written behind the
    page, and known to this process before that; any thread may ask.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._new: dict[Viewer, set[str]] = {}
        self._joined: dict[Viewer, Mapping[str, int]] = {}
        self._writer: threading.Thread | None = None

    def look(self, store: Store, viewer: Viewer, ids: Iterable[str] = ()) -> None:
        """Remember what a viewer looks at now; without ids, that this browser is the author's."""
        wanted = set(ids)
        if not wanted and not viewer.author:
            return
        with self._lock:
            self._new.setdefault(viewer, set()).update(wanted)
            if self._writer is None:
                self._writer = threading.Thread(
                    target=self._write, args=(store,), name="looks", daemon=True
                )
                self._writer.start()

    def seen(self, store: Store, viewer: Viewer, ids: Iterable[str]) -> frozenset[str]:
        """Return those of the submissions that a viewer has looked at.

        Raises:
            StoreError: the store cannot be read.
        """
        asked, mine = frozenset(ids), {*viewer.keys}
        with self._lock:
            new = {id for each, ids in self._new.items() if mine & {*each.keys} for id in ids}
        return seen(store, viewer, asked) | (asked & new)

    def flush(self) -> None:
        """Wait until what is new is in the store, or could not be written."""
        if (writer := self._writer) is not None:
            writer.join()

    def _write(self, store: Store) -> None:
        while True:
            with self._lock:
                if not self._new:
                    self._writer = None
                    return
                new = {viewer: frozenset(ids) for viewer, ids in self._new.items()}
            try:
                self._keep(store, new)
            except StoreError:
                # It stays in memory, and the next look tries again.
                with self._lock:
                    self._writer = None
                return
            with self._lock:
                for viewer, ids in new.items():
                    self._new[viewer] -= ids
                    if not self._new[viewer]:
                        del self._new[viewer]

    def _keep(self, store: Store, new: Mapping[Viewer, frozenset[str]]) -> None:
        """Write what the store lacks: at most clicks that is nothing, and nobody waits for it."""
        wanted: dict[Viewer, frozenset[str]] = {}
        for viewer, ids in new.items():
            left = ids - seen(store, viewer, ids) if ids else ids
            if left or (viewer.author and self._joined.get(viewer) != seen_counts(store, viewer)):
                wanted[viewer] = left
        if wanted:
            keep_looks(store, wanted)
        for viewer in wanted:
            if viewer.author:
                self._joined[viewer] = seen_counts(store, viewer)
        while len(self._joined) > _MOST_JOINED:
            del self._joined[next(iter(self._joined))]
