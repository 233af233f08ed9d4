"""One submission: is the reviewer right? Files, code with cards, verdicts, findings, and the
person's decision.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from dashboard import lists, session
from dashboard.addresses import inbox_address, submission_address, submission_params
from dashboard.asking import act_on, prompt_dialog
from dashboard.blind import veil_words, veiled, veiled_attempts
from dashboard.compared import Attempts, attempts_beside
from dashboard.counted import Counted, counted
from dashboard.parts import place
from dashboard.parts.ask_control import ask_control, ask_note, askable
from dashboard.parts.attempts_panel import attempts_panel
from dashboard.parts.cards import Card, cards_of, files_of
from dashboard.parts.code_diff import removed_files
from dashboard.parts.code_view import code_view
from dashboard.parts.component import drain
from dashboard.parts.consensus_line import consensus_line
from dashboard.parts.consensus_matrix import consensus_matrix
from dashboard.parts.context_panel import context_panel
from dashboard.parts.contract_panel import contract_panel
from dashboard.parts.decision_form import decision_form
from dashboard.parts.decisions import decisions
from dashboard.parts.dry_run import dry_run_panel
from dashboard.parts.error_panel import trouble
from dashboard.parts.file_list import file_list
from dashboard.parts.findings_list import findings_list
from dashboard.parts.glance import glance
from dashboard.parts.inbox_bar import scope_words
from dashboard.parts.note_line import note_line
from dashboard.parts.outcome_cards import Happened, happened_to, outcome_cards
from dashboard.parts.outcomes_panel import outcomes_panel
from dashboard.parts.page import tab_title, zone_choice
from dashboard.parts.plain import one_line
from dashboard.parts.reading_form import ask_reading, reading_form
from dashboard.parts.review_text import review_text
from dashboard.parts.submission_head import submission_head
from dashboard.parts.verdict_columns import verdict_columns
from dashboard.signing import acting, author
from dashboard.words_on_findings import say
from reviewers.errors import AreachairError
from reviewers.panel.consensus import Consensus
from reviewers.panel.review import review_all
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.change_stamp import news
from reviewers.store.inbox import InboxQuery
from reviewers.store.lineages import LineageAttempt
from reviewers.store.submission import SubmissionRecord, load_submission

_LOOK_SECONDS = 0.5
_PANELS = ("Findings", "Consensus", "Review text", "Context", "Attempts", "Outcomes", "History")
_BLIND_PANELS = ("Context", "Findings")


def page() -> None:
    """Draw the submission that the address names."""
    if not st.query_params.get("s"):
        tab_title("Submission")
        st.info("Choose a submission in the inbox.")
        note_line("Enter opens the selected one.", "Go to the inbox", "./", key="choose")
        return
    _desk()


@st.fragment
def _desk() -> None:
    # A click draws the fragment alone, which no other place watches over.
    try:
        _draw(session.store(), st.query_params.get("s", ""))
    except AreachairError as error:
        trouble(error)


def _draw(store: Store, beginning: str) -> None:
    # In this order, what is said while all this is read is known as new, and is drawn anew.
    came = news(store, beginning)
    record = load_submission(store, beginning)
    tab_title(record.submission.name)
    id = record.submission.id
    changes, asked = session.panels().changes(id), session.panels().at(id)
    if asked:
        record = load_submission(store, id)
    everything, hidden = record, session.hides(record)
    if hidden:
        record, asked = veiled(record, author()), ()
    reviews = counted(record)
    query = lists.asked()
    following = lists.following(store, id, query)
    onward = following if following != id else None
    address = submission_address(onward, query) if onward else None
    attempts = attempts_beside(store, record, st.query_params.get("against"))
    if hidden:
        attempts = veiled_attempts(attempts, author())
    else:
        compared = attempts.comparison
        session.shown((id, compared.before.submission.id) if compared else (id,))
    to_attempt = partial(_to_attempt, query)
    on_ask = partial(_on_ask, store, reviews)
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="center", key="submission-head"
    ):
        submission_head(
            record,
            back=inbox_address(query),
            onward=address,
            scope=scope_words(query),
            here=lists.narrowed(store, query),
            decided=lists.progress(store),
            attempts=attempts.count,
            beside=(to_attempt(attempts.earlier[-1:]), to_attempt(attempts.later[:1])),
        )
        if not hidden:
            ask_control(record, asked, key=f"ask-{id}", on_events=partial(on_ask, f"ask-{id}"))
            st.button("Run rules again", on_click=_run_rules, args=(store, record))
    with st.container(key="problem"):
        session.show_problem()
    found = session.consensus_of(reviews)
    cards = cards_of(reviews, found.rows)
    entries = files_of(record.submission, cards)
    entries += removed_files(attempts, entries)
    reviewers = {name: stored.review.reviewer for name, stored in reviews.stored.items()}
    happened = () if hidden else happened_to(store, id, cards, reviewers)
    outcomes = outcome_cards(happened)
    path = place.shown_file(id, entries, cards)
    on_events = partial(_on_events, store, record.submission)
    zone_choice()
    with st.container(horizontal=True, wrap=False, gap="small", key="desk"):
        with st.container(
            key="zone-code", horizontal=True, wrap=False, gap="small", width="stretch"
        ):
            with st.container(key="zone-files", width=230):
                file_list(
                    entries,
                    path,
                    against=attempts,
                    happened=outcomes,
                    key=f"files-{id}",
                    on_events=partial(on_events, f"files-{id}"),
                )
                if passed := record.submission.passed_over:
                    with st.expander(f"Skipped: {len(passed)}"):
                        st.text("\n".join(one_line(str(each)) for each in passed))
            with st.container(key="zone-source", width="stretch"):
                code_view(
                    record.submission,
                    path,
                    (*cards, *outcomes),
                    entries,
                    focus=place.focus(id, path, (*cards, *attempts.gone)),
                    hidden=hidden,
                    next_submission=address,
                    against=attempts,
                    key=f"code-{id}",
                    on_events=partial(on_events, f"code-{id}"),
                )
        with st.container(key="zone-panel", width=440):
            with st.container(key="panel-note"):
                ask_note()
            names = {
                *(each.reviewer for each in asked),
                *(stored.review.reviewer for stored in record.reviews),
            }
            with st.container(key="many-columns" if len(names) > 2 else "columns"):
                if hidden:
                    seen = id not in lists.unseen(store, [id])
                    note_line(veil_words(everything, seen=seen), "", "", key="veil")
                else:
                    verdict_columns(
                        reviews,
                        cards,
                        asked,
                        {name for name in names if askable(name)},
                        key=f"verdicts-{id}",
                        on_events=partial(on_ask, f"verdicts-{id}"),
                    )
            with st.container(key="panel-run"):
                if (met := reviews.dry_run) is not None:
                    key = f"run-{id}"
                    dry_run_panel(met, cards, key=key, on_events=partial(on_events, key))
            # There even while it is empty: what comes below must not change its place, or the
            # person's cursor leaves the form.
            with st.container(key="panel-consensus"):
                if len(reviews.stored) > 1:
                    consensus_line(found, key=f"suggested-{id}")
            _panel(store, reviews, cards, found, attempts, happened, on_events, hidden)
            with st.container(key="panel-decision"):
                decision_form(
                    store,
                    everything,
                    partial(_go, submission_params(onward, query)) if onward else None,
                )
    prompt_dialog(reviews)
    if not hidden:
        reading_form(store, record)
    # Always there, so that a look that comes too late still finds it; it looks again only while
    # somebody is asked.
    live = any(each.state.live for each in asked)
    st.fragment(_watch, run_every=_LOOK_SECONDS if live else None)(id, changes, came)


def _watch(id: str, changes: int, came: tuple[int, ...]) -> None:
    """Draw everything anew once something about the panel has changed, or somebody else spoke;
    seconds tick in the browser.
    """
    glance(key="glance")
    with suppress(AreachairError):
        if session.panels().changes(id) != changes or news(session.store(), id) != came:
            st.rerun()


def _panel(
    store: Store,
    reviews: Counted,
    cards: tuple[Card, ...],
    found: Consensus,
    attempts: Attempts,
    happened: tuple[Happened, ...],
    on_events: Callable[[str], None],
    hidden: bool,
) -> None:
    record = reviews.record
    id = record.submission.id
    # What else there is would be empty, and its emptiness would read as if nobody had found
    # anything.
    names, key = (_BLIND_PANELS, "blind-panel") if hidden else (_PANELS, "panel")
    chosen = st.segmented_control(
        "Panel", names, default=names[0], required=True, key=key, label_visibility="collapsed"
    )
    with st.container(key="panel-body"):
        match chosen:
            case "Consensus":
                key = f"consensus-{id}"
                consensus_matrix(found, reviews.reviews, key=key, on_events=partial(on_events, key))
            case "Review text":
                review_text(
                    record, cards, key=f"text-{id}", on_events=partial(on_events, f"text-{id}")
                )
            case "Context":
                contract_panel(store, record.submission)
                context_panel(record.submission, key=f"context-{id}")
            case "Attempts":
                key = f"attempts-{id}"
                session.shown(each.id for each in attempts.lineage.attempts)
                attempts_panel(
                    store,
                    attempts,
                    lists.asked(),
                    key=key,
                    on_events=partial(on_events, key),
                )
            case "Outcomes":
                key = f"outcomes-{id}"
                outcomes_panel(
                    store, record.submission, happened, key=key, on_events=partial(on_events, key)
                )
            case "History":
                decisions(record.decisions, key=f"history-{id}")
            case _:
                findings_list(
                    cards,
                    against=attempts,
                    partial=[
                        f"{name}: {each.partial_words}"
                        for name, each in reviews.reviews.items()
                        if each.partial and not hidden
                    ],
                    key=f"findings-{id}",
                    on_events=partial(on_events, f"findings-{id}"),
                )


def _on_events(store: Store, submission: Submission, key: str) -> None:
    for event in drain(key):
        match event:
            case {"kind": "open"}:
                place.show(submission.id, event)
            case {"kind": "against", "attempt": str(attempt)}:
                place.compare(attempt)
            case {"kind": "reread", "key": str(claim)}:
                ask_reading(submission.id, claim)
            case _:
                with session.reporting():
                    blind = submission.id in lists.unseen(store, [submission.id])
                    say(store, submission, event, acting(), blind=blind)


def _on_ask(store: Store, reviews: Counted, key: str) -> None:
    for event in drain(key):
        if event["kind"] == "open":
            place.show(reviews.record.submission.id, event)
            continue
        with session.reporting():
            act_on(store, reviews, event)


def _run_rules(store: Store, record: SubmissionRecord) -> None:
    with session.reporting(), st.spinner("Running the rules…"):
        changed = [
            store.add_review(record.submission.id, review)
            for review in review_all(record.submission, ("rules",))
        ]
        st.toast(
            "The rules gave a new result."
            if any(changed)
            else "The rules gave the same result as before."
        )


def _to_attempt(query: InboxQuery, attempts: Sequence[LineageAttempt]) -> str | None:
    return submission_address(attempts[0].id, query) if attempts else None


def _go(params: dict[str, Any]) -> None:
    st.query_params.from_dict(params)
