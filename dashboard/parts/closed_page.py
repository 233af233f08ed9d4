"""The notice that replaces overall figures in blind mode."""

import streamlit as st

from dashboard import inbox_scope
from reviewers.records import counted
from reviewers.store import Store


def closed_page(store: Store) -> bool:
    """Say why these figures are not shown, if they are not; whether that is so."""
    left = inbox_scope.closed(store)
    if left:
        with st.container(key="closed"):
            st.info(
                "**Blind mode is on.** These figures would reveal what reviewers and other"
                f" people think of the {counted(left, 'submission')} you have not"
                " decided on. The page opens when you have decided on all of them or turn blind"
                " mode off: press `b`, or use the switch *Blind* at the top."
            )
    return bool(left)
