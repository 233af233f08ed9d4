"""A person's verdict on a submission: the one that counts, and the form for a new one."""

from collections.abc import Callable

import streamlit as st

from dashboard import session
from dashboard.parts.decisions import decisions
from dashboard.parts.words import verdict_words
from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.submission import SubmissionRecord


def decision_form(store: Store, record: SubmissionRecord, onward: Callable[[], None] | None) -> None:
    """Draw the decision that counts and the form.

    Args:
        onward: goes to the next submission; None where there is no other to decide.
    """
    id = record.submission.id
    if decision := record.decision:
        with st.container(horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="decision-now"):
            decisions([decision], key=f"decision-{id}", compact=True)
            st.button("Withdraw", key=f"withdraw-{id}", on_click=_withdraw, args=(store, id), type="tertiary")
    with st.form("decision", border=False):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.segmented_control(
                "Your verdict",
                list(Verdict),
                format_func=lambda verdict: verdict_words(verdict).capitalize(),
                key=_key("verdict", id),
                label_visibility="collapsed",
            )
            st.text_input(
                "Your name", value=session.author(), key="decision-author", label_visibility="collapsed", placeholder="Your name"
            )
        st.text_area("Reason", key=_key("reason", id), placeholder="Reason (required)", label_visibility="collapsed", height=68)
        with st.container(horizontal=True, gap="small"):
            st.form_submit_button("Save decision", type="primary", on_click=_save, args=(store, id, None))
            if onward:
                st.form_submit_button("Save and next", on_click=_save, args=(store, id, onward))


def fill(id: str, verdict: Verdict, reason: str | None) -> None:
    """Put a verdict into the form, and a reason where one is given; to be called in a callback. Nothing is saved."""
    st.session_state[_key("verdict", id)] = verdict
    if reason is not None:
        st.session_state[_key("reason", id)] = reason


def _save(store: Store, id: str, onward: Callable[[], None] | None) -> None:
    verdict, reason = st.session_state[_key("verdict", id)], st.session_state[_key("reason", id)]
    session.set_author(st.session_state["decision-author"])
    with session.reporting():
        if verdict is None:
            session.problem("Choose Ready or Not ready before you save.")
        elif not reason.strip():
            session.problem("A decision needs a reason.")
        else:
            store.decide(id, verdict, reason.strip(), session.author())
            st.session_state[_key("reason", id)] = ""
            st.session_state[_key("verdict", id)] = None
            if onward:
                onward()


def _withdraw(store: Store, id: str) -> None:
    with session.reporting():
        store.decide(id, None, "withdrawn on the dashboard", session.author())


def _key(part: str, id: str) -> str:
    return f"decision-{part}-{id}"
