"""What a browser's session holds: the open store, who is speaking, and the problem to be shown."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import unquote

import streamlit as st

from dashboard.parts.plain import plain
from dashboard.parts.remember import COOKIE
from reviewers import settings
from reviewers.errors import AreachairError
from reviewers.store import Store

_AUTHOR = "author"
_PROBLEM = "problem"
_LONGEST_NAME = 80


_served: list[str] = []


def serve_store(url: str) -> None:
    """Say which store the sessions of this process open, where it is not the one of the settings."""
    _served[:] = [url]


def store() -> Store:
    """Return the store that the process has open; all sessions share it.

    Raises:
        StoreError: it cannot be opened.
    """
    return _open(_served[0] if _served else settings.store_url())


@st.cache_resource(show_spinner=False, on_release=Store.close)
def _open(url: str) -> Store:
    return Store.open(url)


def author() -> str:
    """Return who speaks: the name given last in this browser, else the login name of the process."""
    cookie = st.context.cookies.get(COOKIE)
    # Streamlit's AppTest has no browser and gives no text here.
    remembered = unquote(cookie).strip() if isinstance(cookie, str) else ""
    return str(st.session_state.get(_AUTHOR) or remembered)[:_LONGEST_NAME] or settings.author()


def set_author(name: str) -> None:
    """Remember who speaks."""
    st.session_state[_AUTHOR] = name.strip()[:_LONGEST_NAME]


def problem(words: str) -> None:
    """Keep a problem for `show_problem`."""
    st.session_state[_PROBLEM] = words


@contextmanager
def reporting() -> Iterator[None]:
    """Turn an error of ours inside a callback into a problem that `show_problem` shows."""
    try:
        yield
    except AreachairError as error:
        problem(str(error))


def show_problem() -> None:
    """Show the problem of the last callback, once."""
    if words := st.session_state.pop(_PROBLEM, None):
        st.error(plain(words))
