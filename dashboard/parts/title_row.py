"""A page's title, and beside it the way to what is to be done next."""

import streamlit as st

from dashboard import inbox_scope
from dashboard.addresses import submission_address
from dashboard.parts.component import load
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery

_mount = load("title_row")


def title_row(store: Store, title: str) -> None:
    """Draw both: the next submission to decide; the trends once all are decided; the inbox while
    there is none.
    """
    query = inbox_scope.as_may_be_asked(InboxQuery())
    following = inbox_scope.following(store, "", query)
    words, address = (
        ("See what failed most", "trends")
        if inbox_scope.progress(store)[1]
        else ("Import submissions", "./")
    )
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="title-row"):
        st.title(title, anchor=False)
        _mount(
            key="onward",
            data={
                "next": following and submission_address(following, query),
                "words": words,
                "address": address,
            },
        )
