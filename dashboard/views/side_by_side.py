"""One submission: what each reviewer says of each defect, side by side over the whole width."""

from functools import partial

import streamlit as st

from dashboard import inbox_scope, session
from dashboard.addresses import inbox_address, side_by_side_address, submission_address
from dashboard.asking import act_on, prompt_dialog
from dashboard.blind_redaction import redaction_words
from dashboard.finding_events import record_event
from dashboard.panels import asked_about, reviewers_among
from dashboard.parts.ask_control import ask_control
from dashboard.parts.code_pane import code_pane
from dashboard.parts.component import drain
from dashboard.parts.error_panel import show_error
from dashboard.parts.inbox_bar import scope_words
from dashboard.parts.note_line import note_line
from dashboard.parts.page import is_chosen, tab_title
from dashboard.parts.side_table import side_table
from dashboard.parts.submission_head import submission_head
from dashboard.signing import acting
from dashboard.watching import watch
from reviewers.batch.effective_reviews import EffectiveReviews
from reviewers.errors import AreachairError
from reviewers.panel.consensus import Consensus
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.change_stamp import news
from reviewers.store.inbox import InboxQuery
from reviewers.store.submission import SubmissionRecord, load_submission

_LOOKED_AT = "looked-at"


def page() -> None:
    """Draw the reviewers of the submission that the address names."""
    if is_chosen("Side by side"):
        _desk()


@st.fragment
def _desk() -> None:
    # A click redraws the fragment alone, so errors must be caught here.
    try:
        _draw(session.store(), st.query_params.get("s", ""))
    except AreachairError as error:
        show_error(error)


def _draw(store: Store, beginning: str) -> None:
    # Read first: what is stored while the page is drawn must redraw it.
    came = news(store, beginning)
    record = load_submission(store, beginning)
    id, query = record.submission.id, inbox_scope.asked()
    every = asked_about(store, id)
    asked = reviewers_among(every)
    if asked:
        # Loaded again: a review may have arrived before its reviewer was looked up.
        record = load_submission(store, id)
    hidden = session.hides(record)
    reviews = session.reviews_of(record)
    tab_title(f"{record.submission.name} side by side")
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="center", key="submission-head"
    ):
        _head(store, query, record)
        if not hidden:
            key = f"ask-{id}"
            ask_control(record, asked, key=key, on_events=partial(_on_ask, store, reviews, key))
    with st.container(key="problem"):
        session.show_problem()
    if hidden:
        seen = id not in inbox_scope.unseen(store, [id])
        note_line(redaction_words(record, seen=seen), "", "", key="veil")
        return
    session.shown((id,))
    found, address = session.consensus_of(reviews), submission_address(id, query)
    with st.container(horizontal=True, wrap=False, gap="small", key="side-by-side"):
        with st.container(width="stretch", key="side-table"):
            key = f"side-{id}"
            side_table(
                reviews,
                found,
                asked,
                address=address,
                key=key,
                on_events=partial(_on_ruling, store, record.submission, key),
            )
        with st.container(width=440, key="side-pane"):
            _pane(reviews, found, address)
    prompt_dialog(reviews)
    watch(id, every, came)


# A look draws this and nothing else again.
@st.fragment
def _pane(reviews: EffectiveReviews, found: Consensus, address: str) -> None:
    key = f"pane-{reviews.record.submission.id}"
    wanted = st.session_state.get(_LOOKED_AT)
    code_pane(reviews, found, wanted, address=address, key=key, on_events=partial(_on_look, key))


def _head(store: Store, query: InboxQuery, record: SubmissionRecord) -> None:
    id = record.submission.id
    onward = inbox_scope.following(store, id, query)
    submission_head(
        record,
        back=inbox_address(query),
        onward=side_by_side_address(onward, query) if onward and onward != id else None,
        scope=scope_words(query),
        here=inbox_scope.narrowed(store, query),
        decided=inbox_scope.progress(store),
        across=("Back to the code", submission_address(id, query)),
        leads_on=True,
        lineages=query.by_lineage,
    )


def _on_ruling(store: Store, submission: Submission, key: str) -> None:
    for event in drain(key):
        with session.reporting():
            blind = submission.id in inbox_scope.unseen(store, [submission.id])
            record_event(store, submission, event, acting(), blind=blind)


def _on_look(key: str) -> None:
    for event in drain(key):
        if isinstance(wanted := event.get("key"), str):
            st.session_state[_LOOKED_AT] = wanted


def _on_ask(store: Store, reviews: EffectiveReviews, key: str) -> None:
    for event in drain(key):
        with session.reporting():
            act_on(store, reviews, event)
