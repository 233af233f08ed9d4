"""The state of a browser session: the open store, the person, and the problem to show."""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Literal

import streamlit as st

from dashboard import access, open_store, signing
from dashboard.open_store import opened, server_store
from dashboard.parts.identity_bar import BLIND_COOKIE
from dashboard.parts.plain import plain
from dashboard.server_state import store_url
from dashboard.signing import author
from dashboard.viewing_memory import BROWSER_COOKIE, ViewingMemory, is_key, new_key
from reviewers import settings
from reviewers.backends.configured import Configuration, load
from reviewers.batch.effective_reviews import EffectiveReviews, Judged, effective_reviews
from reviewers.errors import AreachairError, NameInUse, StoreError
from reviewers.jobs.configuration_log import file_stamp, note_files
from reviewers.panel.consensus import Consensus, consensus
from reviewers.records import Reliability
from reviewers.store import Store
from reviewers.store.authors import checked_name
from reviewers.store.corrections import correct_name, has_signed
from reviewers.store.looks import Viewer
from reviewers.store.reliability import Past
from reviewers.store.reliability import past as past_of
from reviewers.store.submission import SubmissionRecord

_BLIND = "blind"
_BROWSER = "browser"
_IN_USE = "in-use"
_PROBLEM, _SHOWN = "problem", "problem-shown"


def store() -> Store:
    """Return the store for this person: it refuses what their role does not allow.

    Raises:
        StoreError: it cannot be opened, or its file is gone.
    """
    return access.guarded_store()


def let_go() -> None:
    """Close what the process has open; for its end."""
    _looks(store_url()).flush()
    open_store.let_go()


def configuration() -> Configuration:
    """Return the reviewers that can be asked, as the file says at this moment.

    Raises:
        ReviewerError: the file cannot be read, or something in it makes no sense.
    """
    path = settings.reviewers_file()
    return _configuration(store_url(), path, file_stamp(path))


@st.cache_resource(show_spinner=False, max_entries=4)
def _configuration(url: str, path: Path, stamp: tuple[int, int, int]) -> Configuration:
    with suppress(StoreError):
        note_files(server_store())  # somebody changed it on disk
    return load(path)


def past(without: str | None = None) -> Mapping[str, Reliability]:
    """Return how reliable each reviewer was, up to a minute old.

    Args:
        without: id of the submission in hand, whose own outcome says nothing of those who judge it.
    """
    whole, at = _past(store_url())
    return (
        whole.reliabilities
        if without is None
        else whole.without(_part(store_url(), without, at)).reliabilities
    )


# Counting a large store takes a second: who asks gets what is kept, while it is counted again.
@st.cache_resource(show_spinner=False, max_entries=4, ttl=60, refresh_mode="background")
def _past(url: str) -> tuple[Past, float]:
    at = time.monotonic()
    return past_of(opened(url)), at


# Kept as long as the whole is, so that what is taken away is what is in it.
@st.cache_resource(show_spinner=False, max_entries=256, ttl=600)
def _part(url: str, id: str, at: float) -> Past:
    return past_of(opened(url), only=id)


def _cookie(name: str) -> str:
    # Streamlit's AppTest has no browser and gives no text here.
    value = st.context.cookies.get(name)
    return value if isinstance(value, str) else ""


def rename(name: str, *, correct: bool) -> None:
    """Sign with another name from now on.

    Args:
        correct: show what this person signed so far under that name, too; where somebody signs with
            it already, all of it waits for `answer_in_use`.

    Raises:
        StoreError: the name cannot be kept.
    """
    before, new = signing.signer(), checked_name(name)
    st.session_state.pop(_IN_USE, None)
    if correct and before and before.issuer is None and has_signed(store(), before.id):
        try:
            correct_name(store(), before.name, new)
        except NameInUse as error:
            st.session_state[_IN_USE] = before.name, new, str(error)
            return
    _take(new)


def _take(name: str) -> None:
    # What was seen under the name so far, on other browsers too, goes along with the person.
    shown()
    _looks(store_url()).flush()
    signing.give_name(name)


def in_use() -> str:
    """Say what the correction that was asked for last would join; empty if nothing waits."""
    if _IN_USE not in st.session_state:
        return ""
    before, name, signed = st.session_state[_IN_USE]
    return f"{signed}. If you rename {before} to {name}, both become one person."


def answer_in_use(answer: Literal["join", "apart", "keep"]) -> None:
    """Say what happens to the correction that waits.

    Args:
        answer: `join` where those who sign with the name already are this person, and both become
            one; `apart` to sign with it from now on and correct nothing; `keep` to change nothing.
    """
    if (waits := st.session_state.pop(_IN_USE, None)) and answer != "keep":
        before, name, _ = waits
        if answer == "join":
            correct_name(store(), before, name, join=True)
        _take(name)


def blind() -> bool:
    """Whether blind mode is on."""
    kept = st.session_state.get(_BLIND)
    return _cookie(BLIND_COOKIE) == "1" if kept is None else bool(kept)


def set_blind(on: bool) -> None:
    """Judge blind from now on, or no longer."""
    st.session_state[_BLIND] = on


def shown(ids: Iterable[str] = ()) -> None:
    """Remember that this person has opened these submissions with what others say of them; their
    row in the inbox is not such a look.

    A browser's looks are attributed to the person who uses it, as soon as that is known.
    """
    # Where there is no store, nothing of it is shown.
    with suppress(StoreError):
        _looks(store_url()).look(server_store(), _viewer(), ids)


def unseen(ids: Iterable[str]) -> frozenset[str]:
    """Return those of the submissions that this person has not opened with what others say.

    Who switches blind mode off, looks, and switches it on again has seen it, in this browser and
    under this name.

    Raises:
        StoreError: the store cannot be read.
    """
    asked = frozenset(ids)
    return asked - _looks(store_url()).seen(server_store(), _viewer(), asked)


def _viewer() -> Viewer:
    return Viewer(browser(), author())


def browser() -> str:
    """The cookie that identifies this browser; this session if it sends none."""
    sent = _cookie(BROWSER_COOKIE)
    if is_key(sent):
        return sent
    kept: str = st.session_state.setdefault(_BROWSER, new_key())
    return kept


@st.cache_resource(show_spinner=False)
def _looks(url: str) -> ViewingMemory:
    return ViewingMemory()


def hides(record: SubmissionRecord) -> bool:
    """Whether reviews of a submission are hidden: in blind mode, until the person's newest decision
    is a verdict.
    """
    me = author()
    mine = (decision.verdict for decision in record.decisions if decision.author.id == me)
    return blind() and next(mine, None) is None


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
    words = st.session_state[_SHOWN] = st.session_state.pop(_PROBLEM, None)
    if words:
        st.error(plain(words))


def keep_problem() -> None:
    """Let the problem that is shown outlast a redraw that no person asked for."""
    if words := st.session_state.get(_SHOWN):
        st.session_state.setdefault(_PROBLEM, words)


def reviews_of(record: SubmissionRecord) -> EffectiveReviews:
    """Return a submission's reviews as they count; what follows from them is worked out only after
    a new review or a person's word on a finding.
    """
    return effective_reviews(record, partial(_kept, store_url(), record.submission.id))


def _kept(url: str, id: str, made: Judged) -> Judged:
    last = _last_judged(url, id, ascii([*made.stored]))
    if not last or last[0] != made:
        last[:] = [made]
        return made
    return last[0]


@st.cache_resource(show_spinner=False, max_entries=32)
def _last_judged(url: str, id: str, names: str) -> list[Judged]:
    return []


def consensus_of(reviews: EffectiveReviews) -> Consensus:
    """Return the consensus of a submission's reviews, weighed by what their past is worth now."""
    judged = reviews.judged
    worths = past(reviews.record.submission.id)
    return consensus(judged.reviews, worths, judged.mildest, judged.rows)
