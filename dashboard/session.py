"""What a browser's session holds: the open store, who is speaking, and the problem to be shown."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

import streamlit as st

from dashboard.counted import Counted
from dashboard.panels import Panels
from dashboard.parts.plain import plain
from dashboard.parts.remember import COOKIE
from reviewers import settings
from reviewers.backends.configured import Configuration, load
from reviewers.backends.opening import Servers
from reviewers.errors import AreachairError
from reviewers.panel.consensus import Consensus, consensus
from reviewers.records import Worth
from reviewers.store import Store
from reviewers.store.worth import worths

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
    return _open(_store_url())


def _store_url() -> str:
    return _served[0] if _served else settings.store_url()


@st.cache_resource(show_spinner=False, on_release=Store.close)
def _open(url: str) -> Store:
    return Store.open(url)


@st.cache_resource(show_spinner=False, on_release=Panels.close)
def panels() -> Panels:
    """Return who is being asked at this moment; all sessions share it."""
    return Panels(lambda: Servers(settings.abilities_file(), settings.replies_folder()))


def let_go() -> None:
    """Stop asking, and close what the process has open; for its end."""
    panels.clear()
    _open.clear()


def configuration() -> Configuration:
    """Return the reviewers that can be asked, as the file says at this moment.

    Raises:
        ReviewerError: the file cannot be read, or something in it makes no sense.
    """
    path = settings.reviewers_file()
    try:
        state = path.stat()
        stamp = state.st_mtime_ns, state.st_size, state.st_ino
    except OSError:
        stamp = 0, 0, 0
    return _configuration(path, stamp)


@st.cache_resource(show_spinner=False, max_entries=4)
def _configuration(path: Path, stamp: tuple[int, int, int]) -> Configuration:
    return load(path)


def past(without: str | None = None) -> Mapping[str, Worth]:
    """Return what each reviewer's past is worth, up to a minute old.

    Args:
        without: id of the submission in hand, whose own outcome says nothing of those who judge it.
    """
    return _past(_store_url(), without)


@st.cache_resource(show_spinner=False, max_entries=64, ttl=60)
def _past(url: str, without: str | None) -> Mapping[str, Worth]:
    return worths(_open(url), without)


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


def consensus_of(reviews: Counted) -> Consensus:
    """Return what the reviews of a submission come to; worked out again only where a review, a ruling or the past is new."""
    record = reviews.record
    worths = past(record.submission.id)
    stamp = (
        *((name, stored.at, stored.review.request) for name, stored in reviews.stored.items()),
        *((id, ruling.ruling, ruling.at) for id, ruling in sorted(record.ruling_of.items())),
        *((name, worth.weight) for name, worth in worths.items()),
    )
    return _consensus(_store_url(), record.submission.id, repr(stamp), reviews, worths)


@st.cache_resource(show_spinner=False, max_entries=32)
def _consensus(url: str, id: str, stamp: str, _reviews: Counted, _worths: Mapping[str, Worth]) -> Consensus:
    return consensus(_reviews.reviews, _worths)
