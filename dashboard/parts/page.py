"""What Streamlit's theme cannot say about the page itself, and which of its zones a narrow screen
shows.
"""

from pathlib import Path

import streamlit as st

from dashboard.parts.component import load
from dashboard.parts.plain import one_line

# Not isolated: these rules are for the page around the components.
_mount_style = st.components.v2.component(
    "areachair_page",
    css=Path(__file__).with_name("page.css").read_text("utf-8"),
    js=Path(__file__).with_name("page.js").read_text("utf-8"),
    isolate_styles=False,
)
_mount_zones = load("zones")


def page_style() -> None:
    """Put the page's own rules in force."""
    _mount_style(key="page-style")


def zone_choice() -> None:
    """Let a narrow screen choose between code and reviews; a wide one shows both and no choice."""
    _mount_zones(key="zones", data={"zones": [["code", "Code"], ["panel", "Reviews and decision"]]})


def tab_title(words: str) -> None:
    """Set the title of the browser tab and its history entry; each page does so itself, even when
    only a part is redrawn.
    """
    st.set_page_config(page_title=f"{one_line(words, 80)} · areachair")
