"""One submission: is the reviewer right? Files, code with cards, verdicts, findings, and the person's decision."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.addresses import inbox_address, inbox_query, submission_address, submission_params
from dashboard.asking import act_on, prompt_dialog
from dashboard.counted import Counted, counted
from dashboard.parts import place
from dashboard.parts.ask_control import ask_control, ask_note, askable
from dashboard.parts.cards import Card, cards_of, files_of
from dashboard.parts.code_view import code_view
from dashboard.parts.component import drain
from dashboard.parts.consensus_line import consensus_line
from dashboard.parts.consensus_matrix import consensus_matrix
from dashboard.parts.context_panel import context_panel
from dashboard.parts.decision_form import decision_form, fill
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
from reviewers.panel.consensus import Consensus
from reviewers.panel.review import review_all
from reviewers.records import Ruling
from reviewers.store import Store
from reviewers.store.inbox import next_undecided, progress
from reviewers.store.submission import SubmissionRecord, load_submission

_LOOK_SECONDS = 0.5
_PANELS = ("Findings", "Consensus", "Review text", "Context", "History")


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
        id = record.submission.id
        # In this order, what changes in between is drawn at the next look, if not at once.
        changes = session.panels().changes(id)
        asked = session.panels().at(id)
        if asked:
            record = load_submission(store, id)
    except AreachairError as error:
        st.error(plain(str(error)))
        return
    reviews = counted(record)
    query = inbox_query(st.query_params)
    following = next_undecided(store, id, query)
    onward = following if following != id else None
    address = submission_address(onward, query) if onward else None
    on_ask = partial(_on_ask, store, reviews)
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key="submission-head"):
        submission_head(record, back=inbox_address(query), onward=address, decided=progress(store), key="head")
        ask_control(record, asked, key=f"ask-{id}", on_events=partial(on_ask, f"ask-{id}"))
        st.button("Run rules again", on_click=_run_rules, args=(store, record))
    with st.container(key="problem"):
        session.show_problem()
    cards = cards_of(reviews)
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
            with st.container(key="panel-note"):
                ask_note()
            names = {*(each.reviewer for each in asked), *(stored.review.reviewer for stored in record.reviews)}
            with st.container(key="many-columns" if len(names) > 2 else "columns"):
                verdict_columns(
                    reviews,
                    cards,
                    asked,
                    {name for name in names if askable(name)},
                    key=f"verdicts-{id}",
                    on_events=partial(on_ask, f"verdicts-{id}"),
                )
            found = session.consensus_of(reviews)
            # There even while it is empty: what comes below must not change its place, or the person's cursor leaves the form.
            with st.container(key="panel-consensus"):
                if len(reviews.stored) > 1:
                    consensus_line(found, key=f"suggested-{id}", on_events=partial(_take_over, id, found, f"suggested-{id}"))
            _panel(reviews, cards, found, on_events)
            with st.container(key="panel-decision"):
                decision_form(store, record, partial(_go, submission_params(onward, query)) if onward else None)
    remember_author(session.author())
    prompt_dialog(reviews)
    # Always there, so that a look that comes too late still finds it; it looks again only while somebody is asked.
    live = any(each.state.live for each in asked)
    st.fragment(_watch, run_every=_LOOK_SECONDS if live else None)(id, changes)


def _watch(id: str, changes: int) -> None:
    """Draw everything anew once something about the panel has changed; the seconds tick in the browser."""
    if session.panels().changes(id) != changes:
        st.rerun()


def _panel(reviews: Counted, cards: tuple[Card, ...], found: Consensus, on_events: Callable[[str], None]) -> None:
    record = reviews.record
    id = record.submission.id
    chosen = st.segmented_control("Panel", _PANELS, default=_PANELS[0], required=True, key="panel", label_visibility="collapsed")
    with st.container(key="panel-body"):
        match chosen:
            case "Consensus":
                key = f"consensus-{id}"
                consensus_matrix(found, reviews.reviews, key=key, on_events=partial(on_events, key))
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


def _take_over(id: str, found: Consensus, key: str) -> None:
    for event in drain(key):
        if event["kind"] == "take" and found.suggestion is not None:
            fill(id, found.suggestion, None if event.get("typed") else found.because)


def _on_ask(store: Store, reviews: Counted, key: str) -> None:
    for event in drain(key):
        with session.reporting():
            act_on(store, reviews, event)


def _run_rules(store: Store, record: SubmissionRecord) -> None:
    with session.reporting(), st.spinner("Running the rules…"):
        changed = [store.add_review(record.submission.id, review) for review in review_all(record.submission, ("rules",))]
        st.toast("The rules say something new." if any(changed) else "The rules say what they said before.")


def _go(params: dict[str, Any]) -> None:
    st.query_params.from_dict(params)
