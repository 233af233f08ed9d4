"""A person's own sessions, with a button to end each of them."""

from functools import partial

import streamlit as st

from dashboard import session
from dashboard.parts.plain import one_line, plain
from dashboard.sessions import current_session
from reviewers.store.sessions import end_sessions, live_sessions

_SHOWN = 30
_LONGEST = 120


def session_list() -> None:
    """Draw the person's other sessions; nothing without signing in."""
    own = current_session()
    if own is None:
        return
    st.subheader("Where you are signed in", anchor=False)
    live = live_sessions(session.store(), own.issuer, own.subject)
    for each in live[:_SHOWN]:
        words = (
            f"since {each.began:%Y-%m-%d %H:%M}, until {each.until:%Y-%m-%d %H:%M} UTC:"
            f" {one_line(each.agent, _LONGEST) or 'unknown browser'}"
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if each.id == own.id:
                st.markdown(plain(f"This session, {words}"))
            else:
                st.button("End", key=f"end-session-{each.id}", on_click=partial(_end, each.id))
                st.markdown(plain(words))
    if len(live) > 1:
        st.button("End all other sessions", on_click=_end_others)


def _end(id: str) -> None:
    """End a session, where it is the person's own: what a browser sends is not believed."""
    own = current_session()
    if own is not None:
        live = live_sessions(session.store(), own.issuer, own.subject)
        end_sessions(session.store(), (each.id for each in live if each.id == id))


def _end_others() -> None:
    if own := current_session():
        live = live_sessions(session.store(), own.issuer, own.subject)
        end_sessions(session.store(), (each.id for each in live if each.id != own.id))
