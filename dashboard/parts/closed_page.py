"""What stands instead of figures over all submissions while a person judges blind."""

import streamlit as st

from dashboard import lists
from reviewers.store import Store


def closed_page(store: Store) -> bool:
    """Say why these figures are not shown, where they are not; whether that is so."""
    left = lists.closed(store)
    if left:
        with st.container(key="closed"):
            st.info(
                "**You judge blind.** What is counted here tells what reviewers and other people"
                f" say, also of the {left:,} submission{'s' * (left != 1)} that you have not"
                " decided on. It opens once you have decided on all of them, or when you leave"
                " blind mode: press `b`, or the switch *Blind* at the top."
            )
    return bool(left)
