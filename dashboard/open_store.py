"""The store that this process has open, as its owner: nothing is refused. Whoever acts for a person
takes `session.store`.
"""

from pathlib import Path
from urllib.parse import unquote, urlsplit

import streamlit as st

from dashboard.server_state import store_url
from reviewers.errors import StoreError
from reviewers.store import Store

_file_numbers: dict[str, int | None] = {}


def server_store() -> Store:
    """Return the store that the process has open; all sessions share it.

    Raises:
        StoreError: it cannot be opened, or its file is gone: SQLite would go on writing to what
            nobody can read again.
    """
    url = store_url()
    kept, now = opened(url), _file_number(url)
    if _file_numbers.setdefault(url, now) == now:
        return kept
    if now is None:
        raise StoreError("the store's file is missing; nothing can be saved until it is restored")
    opened.clear()
    _file_numbers[url] = now
    return opened(url)


def _file_number(url: str) -> int | None:
    """Identify a SQLite file, so that its replacement is noticed; None if there is no file."""
    parts = urlsplit(url)
    try:
        return (
            Path(unquote(parts.path[1:])).stat().st_ino
            if parts.scheme.startswith("sqlite")
            else None
        )
    except OSError:
        return None


@st.cache_resource(show_spinner=False, on_release=Store.close)
def opened(url: str) -> Store:
    """Return the store at an address, open until `let_go`."""
    return Store.open(url)


def let_go() -> None:
    """Close what the process has open; for its end."""
    opened.clear()
