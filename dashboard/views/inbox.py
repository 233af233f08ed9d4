"""The inbox: which submissions need a person, and why."""

from collections.abc import Collection
from dataclasses import replace

import streamlit as st

from dashboard import inbox_scope, session, signing
from dashboard.addresses import inbox_params
from dashboard.parts.error_panel import show_error
from dashboard.parts.inbox_actions import act, last_deed
from dashboard.parts.inbox_bar import inbox_bar, known_choices
from dashboard.parts.inbox_table import Person, inbox_table
from dashboard.parts.inbox_views import KEY as VIEWS
from dashboard.parts.inbox_views import inbox_views
from dashboard.parts.page import tab_title
from dashboard.parts.upload import tell_large, too_large, upload, uploaded, uploads
from reviewers.errors import AreachairError
from reviewers.store import Store
from reviewers.store.inbox import (
    InboxPage,
    InboxQuery,
    View,
    decided_ids,
    given_reasons,
    reviewers_seen,
    undecided_count,
)
from reviewers.store.triage import RECORDED, RULES

_TABLE = "inbox-table"


def page() -> None:
    """Draw the inbox."""
    _desk()


# A decision runs this and nothing else again.
@st.fragment
def _desk() -> None:
    try:
        _draw()
    except AreachairError as error:
        show_error(error)


def _draw() -> None:
    store, me = session.store(), signing.author()
    counts, mine = inbox_scope.counts(store), undecided_count(store, me)
    progress = inbox_scope.progress_of(counts, mine)
    left = progress[1] - progress[0]
    tab_title(f"({left:,}) Inbox" if left else "Inbox")
    if not progress[1]:
        _empty()
        return
    query = inbox_scope.asked()
    found = inbox_scope.found(store, query)
    if not found.rows and found.total:
        # The address names a page beyond the last one.
        query = replace(query, offset=(found.total - 1) // query.limit * query.limit)
        found = inbox_scope.found(store, query)
    with st.container(horizontal=True, gap="medium", key="inbox-desk"):
        with st.container(width=210, gap="small", key="inbox-side"):
            inbox_views(
                query,
                counts,
                mine,
                me,
                found,
                progress,
                inbox_scope.following(store, "", query),
                blind=session.blind(),
                large=len(too_large()),
                on_events=lambda: tell_large(VIEWS),
            )
            # Under a new key it is closed, so that what happens to the files is not hidden behind
            # it.
            with (
                st.container(key="inbox-import"),
                st.popover("Import", width="stretch", key=f"inbox-import-{uploaded()}"),
            ):
                upload()
        with st.container(gap="small", key="inbox-main"):
            # There even while it is empty, so that what stands below keeps its place and what is
            # selected in it.
            with st.container(key="inbox-told"):
                session.show_problem()
                uploads()
            known = known_choices(store, progress[1])
            inbox_bar(
                query,
                known,
                inbox_scope.left_out(),
                blind=session.blind(),
                key="inbox-bar",
            )
            _list(store, query, found, me, contracts=len(known.contracts) > 1)


def _list(store: Store, query: InboxQuery, found: InboxPage, me: str, *, contracts: bool) -> None:
    # Of the whole store, so that no page and no filter moves a column.
    names = reviewers_seen(store)
    reviewers = sorted(names, key=lambda name: (name != RECORDED, name == RULES, name))
    signer = signing.signer()
    person = Person(
        signer.name if signer else "", given_reasons(store, me), _hidden(store, found, me)
    )
    done = last_deed()
    if found.rows or done:
        inbox_table(
            found,
            reviewers,
            query,
            person,
            done,
            contracts=contracts or query.contract is not None,
            meant=inbox_scope.meant_in(store, query, [row.id for row in found.rows]),
            key=_TABLE,
            on_events=lambda: act(store, query, _TABLE),
        )
    if not found.rows:
        _nothing(query)


def _nothing(query: InboxQuery) -> None:
    unfiltered = inbox_params(query).keys() <= {"view", "undecided_by", "sort"}
    left = query.view is View.NEEDS_DECISION or query.undecided_by
    with st.container(key="inbox-nothing"):
        if left and unfiltered:
            st.markdown(
                "**Everything here is decided.** Trends show what failed most; *All* lists"
                " every submission."
            )
        elif left:
            st.markdown(
                "**Everything that matches these filters is decided.** Remove a filter or"
                " choose another view."
            )
        else:
            st.markdown(
                "**No submission matches this view and these filters.** Remove a filter above"
                " or choose another view."
            )


def _hidden(store: Store, found: InboxPage, me: str) -> Collection[str]:
    """The submissions whose reviews blind mode hides."""
    if not session.blind():
        return ()
    ids = [row.id for row in found.rows]
    return set(ids) - decided_ids(store, me, ids)


def _empty() -> None:
    with st.container(key="empty"):
        st.subheader("No submissions yet", anchor=False)
        st.markdown(
            "Import recorded review logs, folders or archives of generated experiments on the"
            " command line, or drop them here."
        )
        st.code("areachair import PATH…", language=None)
        upload()
        uploads()
