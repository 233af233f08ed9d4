"""Delays what a Streamlit form records until the person has entered a name."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard import session, signing
from dashboard.parts.component import drain, load

_mount = load("sign_first")


def ask_name(key: str) -> None:
    """Ask for the name where a record under `key` waits for it."""
    turn, write = st.session_state.get(key, (0, None))
    if write is not None:
        _mount(key=f"{key}-sign", data={"turn": turn}, on_events=partial(_signed, key))


def write_signed(key: str, write: Callable[[], None]) -> None:
    """Write a record at once, or let it wait under `key` until `ask_name` brings a name."""
    if signing.signer() is None:
        # Each is asked about once.
        st.session_state[key] = st.session_state.get(key, (0, None))[0] + 1, write
    else:
        _report(write)


def _signed(key: str) -> None:
    turn, write = st.session_state[key]
    if drain(f"{key}-sign") and write is not None:
        # Where the name is refused, the browser asks for another one.
        if signing.signer() is not None:
            st.session_state[key] = turn, None
        _report(write)


def _report(write: Callable[[], None]) -> None:
    with session.reporting():
        write()
