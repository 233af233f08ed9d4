"""The inbox: which submissions need a person, and why."""

from dataclasses import replace

import streamlit as st

from dashboard import session
from dashboard.addresses import PAGE_SIZE, inbox_params, inbox_query, page_number
from dashboard.parts.inbox_filters import inbox_filters, inbox_views
from dashboard.parts.inbox_table import inbox_table
from dashboard.parts.upload import upload
from reviewers.store.inbox import inbox, progress, reviewers_seen, view_counts
from reviewers.store.trends import lineages


def page() -> None:
    """Draw the inbox."""
    store = session.store()
    decided, total = progress(store)
    if not total:
        _empty()
        return
    query = inbox_query(st.query_params)
    reviewers = sorted(reviewers_seen(store), key=lambda name: (name != "recorded", name == "rules", name))
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="inbox-head"):
        inbox_views(query, view_counts(store))
        with st.container(horizontal=True, vertical_alignment="center", width="content", key="inbox-work"):
            st.progress(decided / total, text=f"{decided} of {total} decided", width=220)
            with st.popover("Upload"):
                upload(store)
    inbox_filters(query, reviewers, lineages(store))
    found = inbox(store, query)
    if found.rows:
        inbox_table(found.rows, reviewers, query, key="inbox-table")
    else:
        st.info("No submission fits these filters.")
    _pages(found.total, len(found.rows), query.offset)


def _empty() -> None:
    with st.container(key="empty"):
        st.subheader("No submissions yet", anchor=False)
        st.markdown(
            "Import recorded review logs, folders or archives of generated experiments on the command line, or upload them here."
        )
        st.code("areachair import PATH…", language=None)
        upload(session.store())


def _pages(total: int, shown: int, offset: int) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="inbox-foot"):
        st.caption(f"{offset + 1}–{offset + shown} of {total}" if shown else f"0 of {total}")
        pages = -(-total // PAGE_SIZE)
        if pages > 1:
            number = min(page_number(st.query_params), pages)
            key = f"inbox-page-{number}"
            st.pagination(pages, default=number, key=key, on_change=_turn, args=(key,))


def _turn(key: str) -> None:
    query = replace(inbox_query(st.query_params), offset=(st.session_state[key] - 1) * PAGE_SIZE)
    st.query_params.from_dict(inbox_params(query))
