"""One submission: is the reviewer right? Files, code with cards, verdicts, findings, and the person's decision."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.addresses import inbox_address, inbox_query, submission_address, submission_params
from dashboard.parts import place
from dashboard.parts.cards import Card, cards_of, files_of
from dashboard.parts.code_view import code_view
from dashboard.parts.component import drain
from dashboard.parts.context_panel import context_panel
from dashboard.parts.decision_form import decision_form
from dashboard.parts.decisions import decisions
from dashboard.parts.file_list import file_list
from dashboard.parts.findings_list import findings_list
from dashboard.parts.page import zone_choice
from dashboard.parts.plain import plain
from dashboard.parts.remember import remember_author
from dashboard.parts.review_text import review_text
from dashboard.parts.submission_head import submission_head
from dashboard.parts.verdict_columns import verdict_columns
from reviewers.errors import AreachairError
from reviewers.panel import review_all
from reviewers.records import Ruling
from reviewers.store import Store
from reviewers.store.inbox import next_undecided, progress
from reviewers.store.submission import SubmissionRecord, load_submission

_PANELS = ("Findings", "Review text", "Context", "History")


def page() -> None:
    """Draw the submission that the address names."""
    if not st.query_params.get("s"):
        st.info("Choose a submission in the inbox.")
        return
    _desk()


@st.fragment
def _desk() -> None:
    store = session.store()
    try:
        record = load_submission(store, st.query_params.get("s", ""))
    except AreachairError as error:
        st.error(plain(str(error)))
        return
    id = record.submission.id
    query = inbox_query(st.query_params)
    following = next_undecided(store, id, query)
    onward = following if following != id else None
    address = submission_address(onward, query) if onward else None
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="submission-head"):
        submission_head(record, back=inbox_address(query), onward=address, decided=progress(store), key="head")
        st.button("Run rules again", on_click=_run_rules, args=(store, record))
    session.show_problem()
    cards = cards_of(record)
    entries = files_of(record.submission, cards)
    path = place.shown_file(id, entries)
    on_events = partial(_on_events, store, id)
    zone_choice()
    with st.container(horizontal=True, wrap=False, gap="small", key="desk"):
        with st.container(key="zone-code", horizontal=True, wrap=False, gap="small", width="stretch"):
            with st.container(key="zone-files", width=230):
                file_list(entries, path, key=f"files-{id}", on_events=partial(on_events, f"files-{id}"))
            with st.container(key="zone-source", width="stretch"):
                code_view(
                    record.submission,
                    path,
                    cards,
                    entries,
                    focus=place.focus(id, path),
                    next_submission=address,
                    key=f"code-{id}",
                    on_events=partial(on_events, f"code-{id}"),
                )
        with st.container(key="zone-panel", width=440):
            verdict_columns(record, cards, key=f"verdicts-{id}")
            _panel(record, cards, on_events)
            with st.container(key="panel-decision"):
                decision_form(store, record, partial(_go, submission_params(onward, query)) if onward else None)
    remember_author(session.author())


def _panel(record: SubmissionRecord, cards: tuple[Card, ...], on_events: Callable[[str], None]) -> None:
    id = record.submission.id
    chosen = st.segmented_control("Panel", _PANELS, default=_PANELS[0], required=True, key="panel", label_visibility="collapsed")
    with st.container(key="panel-body"):
        match chosen:
            case "Review text":
                review_text(record, cards, key=f"text-{id}", on_events=partial(on_events, f"text-{id}"))
            case "Context":
                context_panel(record.submission, key=f"context-{id}")
            case "History":
                decisions(record.decisions, key=f"history-{id}")
            case _:
                findings_list(cards, key=f"findings-{id}", on_events=partial(on_events, f"findings-{id}"))


def _on_events(store: Store, id: str, key: str) -> None:
    for event in drain(key):
        match event:
            case {"kind": "rule", "key": str(card), "word": str(word), "reason": str(reason)} if word in set(Ruling):
                with session.reporting():
                    store.rule_on(id, card.rpartition("/")[2], Ruling(word), reason, session.author())
            case {"kind": "open"}:
                place.show(id, event)
            case {"kind": "line", "line": int(line)}:
                st.query_params["line"] = str(line)


def _run_rules(store: Store, record: SubmissionRecord) -> None:
    with session.reporting(), st.spinner("Running the rules…"):
        changed = [store.add_review(record.submission.id, review) for review in review_all(record.submission, ("rules",))]
        st.toast("The rules say something new." if any(changed) else "The rules say what they said before.")


def _go(params: dict[str, Any]) -> None:
    st.query_params.from_dict(params)
