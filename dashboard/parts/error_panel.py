"""The message in place of a page that failed: what failed, what is safe, and what to do now."""

import streamlit as st

from dashboard.parts.note_line import note_line
from dashboard.parts.plain import plain
from reviewers.errors import AreachairError, DeletedSubmission, StoreError, UnknownSubmission

_SAFE = "Nothing was changed, and this browser keeps what you were typing."


def show_error(error: AreachairError) -> None:
    """Draw an error in the place of what could not be drawn."""
    with st.container(key="trouble"):
        st.error(plain(str(error)))
        match error:
            case DeletedSubmission():
                note_line(
                    "It is gone for good; imported again, it begins anew.",
                    "Show the submissions of this store",
                    "./",
                    key="trouble-way",
                )
            case UnknownSubmission():
                note_line(
                    "Nothing was lost: the link is incomplete or belongs to another store.",
                    "Show the submissions of this store",
                    "./",
                    key="trouble-way",
                )
            case StoreError():
                note_line(
                    f"{_SAFE} Try again. If the error persists, check that the store's file or"
                    " server is available.",
                    "Settings show where it is",
                    "settings?section=Data",
                    key="trouble-way",
                )
                st.button("Try again", type="primary", key="trouble-again")
            case _:
                note_line(_SAFE, "Back to the inbox", "./", key="trouble-way")
