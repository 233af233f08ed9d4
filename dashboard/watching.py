"""Redraws the page of a submission once something about it has changed elsewhere."""

from contextlib import suppress

import streamlit as st

from dashboard import session
from dashboard.panels import AskedReviewer, asked_about, live
from dashboard.parts.page import visibility_poll
from reviewers.errors import AreachairError
from reviewers.store.change_stamp import news

_LOOK_SECONDS = 0.5


def watch(id: str, asked: tuple[AskedReviewer, ...], came: tuple[int, ...]) -> None:
    """Redraw everything after a change of the panel or a record of another person; the browser
    counts seconds itself.

    Always to be called, so that a late poll still finds it; it polls only while it must.

    Args:
        asked, came: what the jobs and the store said when the page was drawn.
    """
    st.fragment(_look, run_every=_LOOK_SECONDS if live(asked) else None)(id, asked, came)


def _look(id: str, asked: tuple[AskedReviewer, ...], came: tuple[int, ...]) -> None:
    visibility_poll(key="visibility-poll")
    with suppress(AreachairError):
        store = session.store()
        if asked_about(store, id) != asked or news(store, id) != came:
            session.keep_problem()
            st.rerun()
