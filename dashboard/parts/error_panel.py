"""What went wrong with a page: what failed, what is safe, and what to do now."""

import streamlit as st

from dashboard.parts.note_line import note_line
from dashboard.parts.plain import plain
from reviewers.errors import AreachairError, StoreError, UnknownSubmission

_SAFE = "Nothing was changed by this, and what you were typing is kept in this browser."


def trouble(error: AreachairError) -> None:
    """Draw an error in the place of what could not be drawn."""
    with st.container(key="trouble"):
        st.error(plain(str(error)))
        match error:
            case UnknownSubmission():
                note_line(
                    "Nothing was lost: the link is cut short, or leads to another store.",
                    "See what this store holds",
                    "./",
                    key="trouble-way",
                )
            case StoreError():
                note_line(
                    f"{_SAFE} Try again; if it stays so, check that the store's file or server is"
                    " where it was.",
                    "Settings say where",
                    "settings?section=Data",
                    key="trouble-way",
                )
                st.button("Try again", type="primary", key="trouble-again")
            case _:
                note_line(_SAFE, "Back to the inbox", "./", key="trouble-way")
