"""The frame of every page: style, zones, title, navigation, and sections that are drawn later."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from dashboard.parts.component import drain, load
from dashboard.parts.note_line import note_line
from dashboard.parts.plain import one_line

# Its rules come with the page's first bytes (first_paint.py).
_mount_style = st.components.v2.component(
    "areachair_page",
    js=Path(__file__).with_name("page.js").read_text("utf-8"),
    isolate_styles=False,
)
_mount_zones = load("zones")
_mount_divider = load("panel_divider")
_mount_way = load("navigate")
_mount_reload = load("reload_page")
_mount_poll = load("visibility_poll")
_mount_rest = load("lazy_section")
_mount_theme = load("theme_switch")


def page_style() -> None:
    """Tell the page's own rules the theme's ground."""
    _mount_style(key="page-style")


def zone_choice() -> None:
    """Let a narrow screen choose between code and reviews; a wide one shows both and no choice."""
    _mount_zones(key="zones", data={"zones": [["code", "Code"], ["panel", "Reviews and decision"]]})


def panel_divider() -> None:
    """Draw the line between code and panel, to be dragged; the browser keeps the width."""
    _mount_divider(key="panel-divider", data={"here": True})


def theme_switch() -> None:
    """Draw the switch between the system's choice, light and dark; the browser keeps it."""
    _mount_theme(key="theme-switch", data={"here": True})


def is_chosen(title: str) -> bool:
    """Whether the address names a submission; where it does not, the page says how to choose one.

    Args:
        title: of the page without a submission.
    """
    if st.query_params.get("s"):
        return True
    tab_title(title)
    st.info("Choose a submission in the inbox.")
    note_line("Enter opens the selected one.", "Go to the inbox", "./", key="choose")
    return False


def tab_title(words: str) -> None:
    """Set the title of the browser tab and its history entry; each page does so itself, even when
    only a part is redrawn.
    """
    st.set_page_config(page_title=f"{one_line(words, 80)} · areachair")


def navigate(address: str) -> None:
    """Send the browser to an address of ours, relative to the page, with one entry in its history
    (`st.switch_page` leaves two); the script runs on until the browser has gone.
    """
    _mount_way(key="navigate", data={"address": address})


def reload_page() -> None:
    """Make the browser reload the current address."""
    _mount_reload(key="reload-page", data={"now": True})


def visibility_poll(*, key: str) -> None:
    """Rerun the enclosing fragment when the page becomes visible, and periodically while a person
    uses it.
    """
    _mount_poll(key=key, data={}, on_events=partial(drain, key))


@st.fragment
def lazy_section(draw: Callable[[], None], *, key: str) -> None:
    """Draw at once where that was done on this visit of the page, else once the browser has drawn
    what is above the fold.
    """
    shown = bool((st.session_state.get(key) or {}).get("shown"))
    _mount_rest(key=key, data={"shown": shown}, default={"shown": False}, on_shown_change=_again)
    if shown:
        draw()
    else:
        st.caption("Loading the rest…")


def _again() -> None:
    """Nothing but the run that follows is wanted."""
