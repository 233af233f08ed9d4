"""The inbox: which submissions need a person, and why."""

import time
from collections.abc import Collection, Sequence
from dataclasses import replace

import streamlit as st

from dashboard import access, asking_list, inbox_scope, session, signing
from dashboard.exports import export_button
from dashboard.parts.component import drain
from dashboard.parts.error_panel import show_error
from dashboard.parts.inbox_actions import act, last_deed, opened
from dashboard.parts.inbox_bar import Csv, inbox_bar, known_choices
from dashboard.parts.inbox_columns import InboxColumn, as_csv, choose, chosen_columns, columns
from dashboard.parts.inbox_nothing import inbox_nothing
from dashboard.parts.inbox_table import Person, RowDetails, inbox_table
from dashboard.parts.inbox_views import KEY as VIEWS
from dashboard.parts.inbox_views import inbox_views
from dashboard.parts.page import tab_title
from dashboard.parts.samples_note import samples_again, samples_come, samples_note
from dashboard.parts.saved_views import act_on_views, saved_queries
from dashboard.parts.upload import too_large, upload, uploaded, uploads
from reviewers.errors import AreachairError
from reviewers.roles import Act
from reviewers.store import Store
from reviewers.store.assignments import assignees, people
from reviewers.store.inbox import (
    InboxPage,
    InboxQuery,
    decided_ids,
    given_reasons,
    matching_attempts,
    undecided_count,
)
from reviewers.store.search_places import search_places

_TABLE, _BAR = "inbox-table", "inbox-bar"
_FILE = "inbox-file"
_MOST_ROWS = 20_000
"""In one CSV file."""


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
        samples_come()
        return
    query = inbox_scope.asked()
    found = inbox_scope.found(store, query)
    if not found.rows and found.shown:
        # The address names a page beyond the last one.
        query = replace(query, offset=(found.shown - 1) // query.limit * query.limit)
        found = inbox_scope.found(store, query)
    with st.container(horizontal=True, gap="medium", key="inbox-desk"):
        with st.container(width=210, gap="small", key="inbox-side"):
            inbox_views(
                query,
                counts,
                mine,
                inbox_scope.found(store, InboxQuery(assigned_to=me, limit=0)).total if me else 0,
                saved_queries(store, me, (counts, mine)),
                me,
                found,
                progress,
                inbox_scope.following(store, "", query),
                blind=session.blind(),
                large=len(too_large()),
                on_events=lambda: act_on_views(store, query, VIEWS),
            )
            # Under a new key it is closed, so that what happens to the files is not hidden behind
            # it.
            if access.may(Act.IMPORT):
                with (
                    st.container(key="inbox-import"),
                    st.popover("Import", width="stretch", key=f"inbox-import-{uploaded()}"),
                ):
                    upload()
            export_button(store, query, found)
            if asking_list.can_ask():
                st.button(
                    "Ask reviewers",
                    help="About everything in this list; the price comes first",
                    width="stretch",
                    on_click=_ask,
                    args=(store, query),
                )
            access.note_why_not(Act.DECIDE)
        with st.container(gap="small", key="inbox-main"):
            # There even while it is empty, so that what stands below keeps its place and what is
            # selected in it.
            with st.container(key="inbox-told"):
                session.show_problem()
                uploads()
                asking_list.progress()
            samples_note(store)
            _list(store, query, found, me, progress[1])
    asking_list.ask_dialog(store)


def _list(store: Store, query: InboxQuery, found: InboxPage, me: str, total: int) -> None:
    known = known_choices(store, total)
    every = columns(
        known.reviewers,
        known,
        total,
        chosen_columns(store),
        contracts=len(known.contracts) > 1 or query.contract is not None,
        by_lineage=query.by_lineage,
    )
    shown = [column for column in every if column.shown]
    places = search_places(
        store, [row.id for row in found.rows], query.text, in_names=query.in_names
    )
    # Who signed records is something that blind mode keeps to itself.
    known_people = [
        (person.id, person.name) for person in (assignees if session.blind() else people)(store)
    ]
    inbox_bar(
        query,
        known,
        inbox_scope.left_out(),
        every,
        known_people,
        places,
        st.session_state.pop(_FILE, None),
        blind=session.blind(),
        key=_BAR,
        on_events=lambda: _on_bar(store, query, shown, me),
    )
    attempts = {
        first: matching_attempts(store, query, first)
        for first in opened() & {row.first for row in found.rows if query.by_lineage}
        if first is not None
    }
    ids = [row.id for row in (*found.rows, *(each for of in attempts.values() for each in of))]
    signer = signing.signer()
    person = Person(
        signer.name if signer else "", given_reasons(store, me), _hidden(store, ids, me), me
    )
    done = last_deed()
    if found.rows or done:
        inbox_table(
            found,
            shown,
            query,
            person,
            done,
            RowDetails(places, attempts, known_people, inbox_scope.meant_in(store, query, ids)),
            can_ask=asking_list.can_ask(),
            key=_TABLE,
            on_events=lambda: act(store, query, _TABLE),
        )
    if not found.rows:
        inbox_nothing(store, query)


def _ask(store: Store, query: InboxQuery) -> None:
    with session.reporting():
        asking_list.wish(store, query, {})


def _on_bar(store: Store, query: InboxQuery, shown: Sequence[InboxColumn], me: str) -> None:
    for event in drain(_BAR):
        match event:
            case {"action": "columns", "shown": dict(chosen)}:
                choose(store, chosen)
            case {"action": "csv"}:
                with session.reporting():
                    st.session_state[_FILE] = _file(store, query, shown, me)
            case _:
                session.problem("The page sent invalid data; reload it.")


def _file(store: Store, query: InboxQuery, shown: Sequence[InboxColumn], me: str) -> Csv:
    """All rows of the list, on every page, in its order."""
    found = inbox_scope.found(store, replace(query, limit=_MOST_ROWS, offset=0))
    hidden = _hidden(store, [row.id for row in found.rows], me)
    text = as_csv(found.rows, shown, hidden, by_lineage=query.by_lineage)
    return Csv(text, time.time(), found.shown - len(found.rows), more=found.more)


def _hidden(store: Store, ids: Sequence[str], me: str) -> Collection[str]:
    """Those of the submissions whose reviews blind mode hides."""
    if not session.blind():
        return ()
    return set(ids) - decided_ids(store, me, ids)


def _empty() -> None:
    with st.container(key="empty"):
        st.subheader("No submissions yet", anchor=False)
        st.markdown(
            "Import recorded review logs, folders or archives of generated experiments on the"
            " command line, or drop them here."
        )
        samples_again()
        st.code("areachair import PATH…", language=None)
        if access.may(Act.IMPORT):
            upload()
            uploads()
        access.note_why_not(Act.IMPORT)
