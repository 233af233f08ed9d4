"""The line above the inbox that says which of its rows are samples, and sets them aside."""

from functools import partial

import streamlit as st

from dashboard import access, samples, session, signing
from dashboard.parts.component import drain, load
from reviewers.batch.samples import samples as every_sample
from reviewers.roles import Act
from reviewers.store import Store
from reviewers.store.aside import AsideCounts, counts, set_aside

_LOOK_SECONDS = 1.0
_KEY = "samples-note"
_mount = load("samples_note")


def samples_note(store: Store) -> None:
    """Draw the line while samples are listed; nothing otherwise. While they are being reviewed the
    page follows.
    """
    now = counts(store, every_sample())
    if now.kept > now.aside:
        every = _LOOK_SECONDS if samples.filling() else None
        st.fragment(_watch, run_every=every)(store, now, every is not None)


def _watch(store: Store, drawn: AsideCounts, was_filling: bool) -> None:
    filling = samples.filling()
    now = counts(store, every_sample()) if was_filling else drawn
    data = {"kept": now.kept, "reviewed": now.reviewed if filling else None}
    _mount(key=_KEY, data=data, on_events=partial(_on_events, _KEY))
    if was_filling and (now != drawn or not filling):
        # The table is to show what came.
        st.rerun()


def samples_come() -> None:
    """Draw the page again once the samples that are on their way are kept."""
    if samples.filling():
        st.fragment(_wait, run_every=_LOOK_SECONDS / 4)(session.store())


def _wait(store: Store) -> None:
    if counts(store, every_sample()).kept:
        st.rerun()


def samples_again() -> None:
    """Draw what shows the samples again where they are set aside; nothing otherwise."""
    if counts(session.store(), every_sample()).aside:
        samples_button("Show the samples again", aside=False)


def _on_events(key: str) -> None:
    if any(event.get("kind") == "aside" for event in drain(key)):
        _set_aside(True)


def samples_button(words: str, *, aside: bool) -> None:
    """Draw the button that hides the samples everywhere, or shows them again, for who may."""
    if access.may(Act.SET_ASIDE):
        st.button(words, on_click=_set_aside, args=(aside,))


def _set_aside(aside: bool) -> None:
    with session.reporting():
        set_aside(session.store(), every_sample(), aside, signing.signer())
