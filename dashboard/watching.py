"""Redraws the page of a submission once something about it has changed elsewhere."""

from contextlib import suppress

import streamlit as st

from dashboard import session
from dashboard.parts.page import visibility_poll
from reviewers.errors import AreachairError
from reviewers.store.change_stamp import news

_LOOK_SECONDS = 0.5


def watch(id: str, changes: int, came: tuple[int, ...], *, live: bool) -> None:
    """Redraw everything after a change of the panel or a record of another person; the browser
    counts seconds itself.

    Always to be called, so that a late poll still finds it; it polls only while it must.

    Args:
        changes, came: what the panel and the store said when the page was drawn.
        live: whether a model is being asked.
    """
    st.fragment(_look, run_every=_LOOK_SECONDS if live else None)(id, changes, came)


def _look(id: str, changes: int, came: tuple[int, ...]) -> None:
    visibility_poll(key="visibility-poll")
    with suppress(AreachairError):
        if session.panels().changes(id) != changes or news(session.store(), id) != came:
            st.rerun()
