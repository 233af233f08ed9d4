"""One submission: is the reviewer right? Files, code with cards, verdicts, findings, and the
person's decision.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from dashboard import access, inbox_scope, jobs, session
from dashboard.addresses import (
    beginning,
    inbox_address,
    side_by_side_address,
    submission_address,
    submission_params,
)
from dashboard.asking import act_on, prompt_dialog
from dashboard.attempt_comparison import Attempts, attempts_beside
from dashboard.blind_redaction import redact, redact_attempts, redaction_words
from dashboard.finding_events import record_event
from dashboard.panels import AskedReviewer, PanelState, asked_about, reviewers_among
from dashboard.parts import place
from dashboard.parts.ask_control import ask_control, ask_note, askable
from dashboard.parts.attempts_panel import attempts_panel
from dashboard.parts.cards import NO_PLACE, Card, by_weight, cards_of, files_of
from dashboard.parts.code_diff import removed_files
from dashboard.parts.code_view import code_view
from dashboard.parts.component import drain
from dashboard.parts.context_panel import context_panel
from dashboard.parts.contract_panel import contract_panel
from dashboard.parts.decision_form import decision_form
from dashboard.parts.decisions import decisions
from dashboard.parts.dry_run import dry_run_panel
from dashboard.parts.error_panel import show_error
from dashboard.parts.file_list import file_list
from dashboard.parts.findings_list import findings_list
from dashboard.parts.inbox_bar import scope_words
from dashboard.parts.note_line import note_line
from dashboard.parts.outcome_cards import Happened, happened_to, outcome_cards
from dashboard.parts.outcomes_panel import outcomes_panel
from dashboard.parts.page import is_chosen, panel_divider, tab_title, zone_choice
from dashboard.parts.panel_tabs import panel_tabs
from dashboard.parts.plain import one_line
from dashboard.parts.reading_form import ask_reading, reading_form
from dashboard.parts.repair_data import repairs_data
from dashboard.parts.repairs_panel import outlook, repairs_panel
from dashboard.parts.review_text import review_text
from dashboard.parts.submission_head import submission_head
from dashboard.parts.verdict_columns import verdict_columns
from dashboard.parts.verdict_sentence import VerdictSentence, verdict_sentence
from dashboard.repairing import Repairs, act_on_repairs, repairs_beside
from dashboard.signing import acting, author
from dashboard.watching import watch
from reviewers.batch.effective_reviews import EffectiveReviews
from reviewers.errors import AreachairError
from reviewers.panel.consensus import Consensus
from reviewers.records import Submission
from reviewers.roles import Act
from reviewers.store import Store
from reviewers.store.change_stamp import news
from reviewers.store.inbox import InboxQuery
from reviewers.store.lineages import LineageAttempt
from reviewers.store.submission import SubmissionRecord, load_submission

_PANELS = ("Findings", "Repairs", "Review text")
_MORE_PANELS = ("Context", "Attempts", "Outcomes", "History")
_RULES = "rules-run"
_MENDING = "mending"
_REPAIRS = (
    *("repair", "repair_all", "repair_decline", "repair_edit", "repair_own", "mend", "prove"),
)
_BLIND_PANELS = ("Context", "Findings")


def page() -> None:
    """Draw the submission that the address names."""
    if is_chosen("Submission"):
        _desk()


@st.fragment
def _desk() -> None:
    # A click redraws the fragment alone, so errors must be caught here.
    try:
        _draw(session.store(), st.query_params.get("s", ""))
    except AreachairError as error:
        show_error(error)


@dataclass(frozen=True, slots=True)
class _Desk:
    """What the zones of one submission draw.

    Attributes:
        everything: the record as stored; `reviews` and the rest are redacted in blind mode.
        cards: in reading order; `order` has their keys as the list has them.
        watched: the jobs about it, those about its repairs among them.
        repairs: None where nothing is to be repaired, or blind mode hides it.
        repairs_drawn: as `repairs_data` gives them.
        hidden: whether blind mode hides what others say.
        sentence: what the reviews come to; None where there are none, or they are hidden.
        onward: the next submission of the list; None for the last one.
    """

    store: Store
    query: InboxQuery
    everything: SubmissionRecord
    reviews: EffectiveReviews
    attempts: Attempts
    found: Consensus
    cards: tuple[Card, ...]
    order: Sequence[str]
    happened: tuple[Happened, ...]
    asked: tuple[AskedReviewer, ...]
    watched: tuple[AskedReviewer, ...]
    repairs: Repairs | None
    repairs_drawn: Mapping[str, dict[str, Any]]
    hidden: bool
    onward: str | None
    sentence: VerdictSentence | None

    @property
    def record(self) -> SubmissionRecord:
        return self.reviews.record

    @property
    def id(self) -> str:
        return self.record.submission.id

    @property
    def viewer(self) -> str:
        """Who looks at which submission, for what the browser remembers."""
        return f"{author()}/{self.id}"

    @property
    def onward_address(self) -> str | None:
        return submission_address(self.onward, self.query) if self.onward else None

    def events(self, key: str) -> Callable[[], None]:
        """Return the callback for events of the component `key`."""
        return partial(_on_events, self.store, self.record.submission, key)

    def asks(self, key: str) -> Callable[[], None]:
        """Return the callback for review requests of the component `key`."""
        return partial(_on_ask, self.store, self.reviews, key)


def _draw(store: Store, beginning: str) -> None:
    # Read first: what is stored while the page is drawn must redraw it.
    came = news(store, beginning)
    record = load_submission(store, beginning)
    id = record.submission.id
    asked = asked_about(store, id)
    _tell_rules(asked)
    desk = _load(store, record, asked)
    _go_to_mended(desk)
    tab_title(desk.record.submission.name)
    _head(desk)
    with st.container(key="problem"):
        session.show_problem()
    zone_choice()
    with st.container(horizontal=True, wrap=False, gap="small", key="desk"):
        _code_zone(desk)
        panel_divider()
        with st.container(key="zone-panel", width=440):
            _panel_zone(desk)
    prompt_dialog(desk.reviews)
    if not desk.hidden and access.may(Act.READ_CLAIM):
        reading_form(store, desk.record)
    watch(id, desk.watched, came)


def _load(store: Store, record: SubmissionRecord, watched: tuple[AskedReviewer, ...]) -> _Desk:
    """Collect what the zones draw, as the person may see it."""
    id = record.submission.id
    asked = reviewers_among(watched)
    if asked:
        # Loaded again: a review may have arrived before its reviewer was looked up.
        record = load_submission(store, id)
    everything = record
    attempts = attempts_beside(store, record, st.query_params.get("against"))
    if hidden := session.hides(record):
        record, asked = redact(record, author()), ()
        attempts = redact_attempts(attempts, author())
    else:
        compared = attempts.comparison
        session.shown((id, compared.before.submission.id) if compared else (id,))
    reviews = session.reviews_of(record)
    found = session.consensus_of(reviews)
    repairs = None if hidden else repairs_beside(store, id, reviews, watched)
    if repairs is not None and repairs.proving:
        watched = asked_about(store, id)
    drawn = repairs_data(repairs)
    cards = cards_of(reviews, found.rows, drawn)
    reviewers = {name: stored.review.reviewer for name, stored in reviews.stored.items()}
    query = inbox_scope.asked()
    following = inbox_scope.following(store, id, query)
    return _Desk(
        store=store,
        query=query,
        everything=everything,
        reviews=reviews,
        attempts=attempts,
        found=found,
        cards=cards,
        order=place.kept_order(id, [card.key for card in by_weight(cards, reviews.dry_run)]),
        happened=() if hidden else happened_to(store, id, cards, reviewers),
        asked=asked,
        watched=watched,
        repairs=repairs,
        repairs_drawn=drawn,
        hidden=hidden,
        onward=following if following != id else None,
        sentence=verdict_sentence(found, reviews.dry_run, cards),
    )


def _head(desk: _Desk) -> None:
    store, query, attempts = desk.store, desk.query, desk.attempts
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="center", key="submission-head"
    ):
        submission_head(
            desk.record,
            back=inbox_address(query),
            onward=desk.onward_address,
            scope=scope_words(query),
            here=inbox_scope.narrowed(store, query),
            decided=inbox_scope.progress(store),
            attempts=attempts.count,
            beside=(
                _to_attempt(query, attempts.earlier[-1:]),
                _to_attempt(query, attempts.later[:1]),
            ),
            across=(
                None if desk.hidden else ("Side by side", side_by_side_address(desk.id, query))
            ),
            lineages=query.by_lineage,
        )
        if not desk.hidden:
            key = f"ask-{desk.id}"
            ask_control(desk.record, desk.asked, key=key, on_events=desk.asks(key))
            if access.may(Act.REVIEW):
                st.button("Run rules again", on_click=_run_rules, args=(store, desk.record))


def _code_zone(desk: _Desk) -> None:
    """The files on the left, the code with its cards in the middle."""
    id, submission = desk.id, desk.record.submission
    entries = files_of(submission, desk.cards)
    entries += removed_files(desk.attempts, entries)
    outcomes = outcome_cards(desk.happened)
    path = place.shown_file(id, entries, desk.cards, _first(desk))
    with st.container(key="zone-code", horizontal=True, wrap=False, gap="small", width="stretch"):
        with st.container(key="zone-files", width=230):
            file_list(
                entries,
                path,
                desk.viewer,
                against=desk.attempts,
                happened=outcomes,
                key=f"files-{id}",
                on_events=desk.events(f"files-{id}"),
            )
            if passed := submission.passed_over:
                with st.expander(f"Skipped: {len(passed)}"):
                    st.text("\n".join(one_line(str(each)) for each in passed))
        with st.container(key="zone-source", width="stretch"):
            code_view(
                submission,
                path,
                (*desk.cards, *outcomes),
                entries,
                desk.viewer,
                focus=place.focus(id, path, (*desk.cards, *desk.attempts.gone)),
                hidden=desk.hidden,
                next_submission=desk.onward_address,
                against=desk.attempts,
                key=f"code-{id}",
                on_events=desk.events(f"code-{id}"),
            )


def _first(desk: _Desk) -> Card | None:
    """The finding to open at: the one that the sentence names, else the weightiest one that has a
    place.
    """
    named = desk.sentence and desk.sentence.card
    placed = {card.key: card for card in desk.cards if card.file != NO_PLACE}
    return named or next((placed[key] for key in desk.order if key in placed), None)


def _panel_zone(desk: _Desk) -> None:
    """The reviewers, what a run would meet, the findings and the decision on the right."""
    with st.container(key="panel-note"):
        ask_note()
    _reviewers(desk)
    with st.container(key="panel-run"):
        if (met := desk.reviews.dry_run) is not None:
            key = f"run-{desk.id}"
            dry_run_panel(
                met, desk.cards, outlook(desk.repairs), key=key, on_events=desk.events(key)
            )
    _panel(desk)
    with st.container(key="panel-decision"):
        onward = desk.onward and partial(_go, submission_params(desk.onward, desk.query))
        decision_form(desk.store, desk.everything, desk.sentence, onward or None)


def _reviewers(desk: _Desk) -> None:
    names = {
        *(each.reviewer for each in desk.asked),
        *(stored.review.reviewer for stored in desk.record.reviews),
    }
    with st.container(key="reviewers"):
        if desk.hidden:
            seen = desk.id not in inbox_scope.unseen(desk.store, [desk.id])
            note_line(redaction_words(desk.everything, seen=seen), "", "", key="veil")
        else:
            key = f"verdicts-{desk.id}"
            may_ask = {name for name in names if askable(name)}
            verdict_columns(
                desk.reviews, desk.cards, desk.asked, may_ask, key=key, on_events=desk.asks(key)
            )


def _panel(desk: _Desk) -> None:
    record, id, cards = desk.record, desk.id, desk.cards
    # The other panels would be empty in blind mode, as if nobody had found anything.
    tabs, more = (_BLIND_PANELS, ()) if desk.hidden else (_PANELS, _MORE_PANELS)
    # As the list merges them.
    defects = len({card.key if card.row is None else (card.file, card.row) for card in cards})
    offered = len(desk.repairs.open) if desk.repairs else 0
    counts = {"Findings": defects, "Repairs": offered, "Attempts": desk.attempts.count or 0}
    chosen = panel_tabs(tabs, more, counts, key="blind-panel" if desk.hidden else "panel")
    key = f"{chosen.lower().replace(' ', '-')}-{id}"
    on_events = desk.events(key)
    with st.container(key="panel-body"):
        match chosen:
            case "Repairs":
                repairs_panel(
                    desk.repairs,
                    desk.repairs_drawn,
                    cards,
                    href=_mended_address(desk),
                    name=record.submission.name,
                    key=key,
                    on_events=on_events,
                )
            case "Review text":
                review_text(record, cards, key=key, on_events=on_events)
            case "Context":
                contract_panel(desk.store, record.submission)
                context_panel(record.submission, key=key)
            case "Attempts":
                session.shown(each.id for each in desk.attempts.lineage.attempts)
                attempts_panel(desk.store, desk.attempts, desk.query, key=key, on_events=on_events)
            case "Outcomes":
                outcomes_panel(
                    desk.store, record.submission, desk.happened, key=key, on_events=on_events
                )
            case "History":
                decisions(record.decisions, key=key)
            case _:
                findings_list(
                    cards,
                    desk.order,
                    desk.viewer,
                    against=desk.attempts,
                    partial=[
                        f"{name}: {each.partial_words}"
                        for name, each in desk.reviews.reviews.items()
                        if each.partial and not desk.hidden
                    ],
                    key=key,
                    on_events=on_events,
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
            case {"kind": kind} if kind in _REPAIRS:
                with session.reporting():
                    if kind == "mend":
                        st.session_state[_MENDING] = submission.id
                    act_on_repairs(store, submission.id, event, acting())
            case _:
                with session.reporting():
                    blind = submission.id in inbox_scope.unseen(store, [submission.id])
                    record_event(store, submission, event, acting(), blind=blind)


def _on_ask(store: Store, reviews: EffectiveReviews, key: str) -> None:
    for event in drain(key):
        if event["kind"] == "open":
            place.show(reviews.record.submission.id, event)
            continue
        with session.reporting():
            act_on(store, reviews, event)


def _run_rules(store: Store, record: SubmissionRecord) -> None:
    with session.reporting():
        jobs.run_rules(store, record.submission.id)
        st.session_state[_RULES] = True


def _mended_address(desk: _Desk) -> str | None:
    """The address of the repaired version beside its original, where the store has it."""
    if desk.repairs is None or desk.repairs.mended is None:
        return None
    return f"{submission_address(desk.repairs.mended, desk.query)}&against={beginning(desk.id)}"


def _go_to_mended(desk: _Desk) -> None:
    """Open the repaired version that this person asked for, as soon as it is there."""
    if st.session_state.get(_MENDING) != desk.id or desk.repairs is None or desk.repairs.mending:
        return
    st.session_state.pop(_MENDING)
    if desk.repairs.mended is not None:
        params = submission_params(desk.repairs.mended, desk.query)
        st.query_params.from_dict({**params, "against": beginning(desk.id)})
        st.rerun()


def _tell_rules(asked: Sequence[AskedReviewer]) -> None:
    """Say what came of the rules that this person had run again."""
    run = next((each for each in asked if each.reviewer == "rules"), None)
    if run is not None and not run.state.live and st.session_state.pop(_RULES, False):
        told = run.words if run.state is PanelState.ARRIVED else run.problem
        st.toast(f"{told[:1].upper()}{told[1:]}.")


def _to_attempt(query: InboxQuery, attempts: Sequence[LineageAttempt]) -> str | None:
    return submission_address(attempts[0].id, query) if attempts else None


def _go(params: dict[str, Any]) -> None:
    st.query_params.from_dict(params)
