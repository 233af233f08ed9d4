"""Draws what is below the fold after the browser has drawn what is above it."""

from collections.abc import Callable

import streamlit as st

from dashboard.parts.component import load

_mount = load("lazy_section")


@st.fragment
def lazy_section(draw: Callable[[], None], *, key: str) -> None:
    """Draw at once where that was done on this visit of the page, else as soon as the rest of the
    page is drawn.
    """
    shown = bool((st.session_state.get(key) or {}).get("shown"))
    _mount(key=key, data={"shown": shown}, default={"shown": False}, on_shown_change=_again)
    if shown:
        draw()
    else:
        st.caption("Loading the rest…")


def _again() -> None:
    """Nothing but the run that follows is wanted."""
