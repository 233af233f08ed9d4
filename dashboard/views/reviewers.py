"""The reviewers page: the reliability of each reviewer, and the models that can be asked."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from dashboard import access, session, signing
from dashboard.connection_test import try_out
from dashboard.parts.agreement_table import agreement_table
from dashboard.parts.ask_control import chosen_reviewer
from dashboard.parts.closed_page import closed_page
from dashboard.parts.component import drain
from dashboard.parts.confusion_matrix import confusion_matrix, rulings_matrix
from dashboard.parts.figures import money, number
from dashboard.parts.page import tab_title
from dashboard.parts.plain import one_line, plain
from dashboard.parts.readers_table import readers_table
from dashboard.parts.refuted_table import refuted_table
from dashboard.parts.reviewer_form import empty, fill, filled, reviewer_form
from dashboard.parts.reviewer_table import reviewer_table
from dashboard.parts.spending_table import spending_table
from dashboard.parts.title_row import title_row
from dashboard.parts.trust_words import (
    beside_words,
    matrix_words,
    meaning,
    refuted_title,
    refuted_words,
    together_words,
)
from dashboard.trust import TRUTHS, Trust, categories, trust
from reviewers import settings
from reviewers.backends.configured import BudgetConfig, Configuration, ReviewerConfig, keep, remove
from reviewers.backends.prices import Prices
from reviewers.errors import ReviewerError, StoreError
from reviewers.jobs.configuration_log import note_files
from reviewers.providers import TITLES
from reviewers.roles import Act
from reviewers.store import Store
from reviewers.store.agreement import GroundTruth, TrackRecord

_AGREEMENT = "agreement"
_AGAINST = "trust-against"
_OTHER = "trust-other"
_BLIND = "trust-blind"
_DECISIONS = {False: "All decisions", True: "Made blind only"}
_TABLE = "reviewer-table"
_FORM = "reviewer-open"
_PROBLEM = "reviewer-problem"
_TRIALS = "reviewer-trials"
# Never asked: the form begins with a name and a model to be typed.
_BLANK = ReviewerConfig(name="x", model="x")


def page() -> None:
    """Draw the reviewers."""
    tab_title("Reviewers")
    title_row(session.store(), "How reliable is each reviewer?")
    with st.container(key="trust"):
        _trust()
    st.header("Which models can be asked?", anchor=False)
    _asked()


@st.fragment
def _trust() -> None:
    store = session.store()
    if closed_page(store):
        return
    found = trust(store, st.query_params.to_dict())
    if found.chosen is None:
        st.markdown(
            "No reviews yet. Import submissions in the inbox; this page then measures their"
            " recorded reviewers and the rules."
        )
        return
    _truth(found)
    agreement_table(found, session.past(), key=_AGREEMENT, on_events=_on_choice)
    st.caption(plain(together_words(found.together)))
    close, refuted = st.columns(2, gap="small")
    with close, st.container(border=True):
        _close(found, found.chosen)
    with refuted, st.container(border=True):
        _refuted(store, found.chosen)
    if found.readers:
        st.header("How reliable are the readers?", anchor=False)
        readers_table(found.readers, key="readers")
        st.caption(
            "A claim counts for the reader whose reading is used: a person before a model, a"
            " model before the offline reader. Shares have 95 % intervals. Overruled: a person"
            " reads the claim differently or ruled against its fact check."
        )
    st.header("What does a review cost?", anchor=False)
    spending_table(found.spending, _prices(), key="spending")


def _truth(found: Trust) -> None:
    """Let a person choose the reference and explain it."""
    st.session_state[_AGAINST] = found.against.truth
    st.session_state[_OTHER] = found.against.reviewer or None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.segmented_control(
            "Reference",
            list(TRUTHS),
            format_func=TRUTHS.__getitem__,
            required=True,
            key=_AGAINST,
            on_change=_measure,
            args=(tuple(record.name for record in found.records),),
            label_visibility="collapsed",
        )
        if found.against.truth is GroundTruth.DECISIONS:
            st.session_state[_BLIND] = found.against.blind
            st.segmented_control(
                "Which decisions",
                list(_DECISIONS),
                format_func=_DECISIONS.__getitem__,
                required=True,
                key=_BLIND,
                on_change=_measure,
                label_visibility="collapsed",
            )
        if found.against.truth is GroundTruth.REVIEWER:
            names = [record.name for record in found.records]
            known = names if found.against.reviewer in names else [found.against.reviewer, *names]
            st.selectbox(
                "Which",
                known,
                key=_OTHER,
                format_func=one_line,
                on_change=_measure,
                label_visibility="collapsed",
                width=280,
            )
    st.caption(plain(meaning(found.against)))


def _close(found: Trust, record: TrackRecord) -> None:
    st.header(
        plain(f"{record.name} compared with {beside_words(found.against)}", 160), anchor=False
    )
    if found.against.truth is GroundTruth.RULINGS:
        if of_rulings := found.ruled.get(record.name):
            rulings_matrix(of_rulings, key="rulings-matrix")
            st.caption("The cells count findings, so they do not open the inbox.")
        else:
            st.caption("No one has confirmed or dismissed any of its findings yet.")
    elif record.beside is None:
        st.caption("The others are compared with this reviewer. Choose another one in the table.")
    else:
        confusion_matrix(record, found.against, key="matrix")
        st.caption(plain(matrix_words(record, found.against)))


def _refuted(store: Store, record: TrackRecord) -> None:
    st.header(plain(refuted_title(record), 160), anchor=False)
    counts = categories(store, record.reviewer)
    shown = [count for count in counts if count.refuted]
    if not shown:
        st.caption("None of its findings is refuted.")
        return
    refuted_table(shown, record.reviewer, key="refuted")
    st.caption(plain(refuted_words(counts, record)))


def _measure(names: tuple[str, ...] = ()) -> None:
    truth = st.session_state[_AGAINST]
    st.query_params["against"] = str(truth)
    other = st.session_state.get(_OTHER) or next(iter(names), "")
    if truth is GroundTruth.REVIEWER and other:
        st.query_params["other"] = other
    else:
        st.query_params.pop("other", None)
    if truth is GroundTruth.DECISIONS and st.session_state.get(_BLIND):
        st.query_params["blind"] = "1"
    else:
        st.query_params.pop("blind", None)


def _on_choice() -> None:
    for event in drain(_AGREEMENT):
        match event:
            case {"kind": "choose", "name": str(name)}:
                st.query_params["reviewer"] = name


def _prices() -> Mapping[str, Prices]:
    """What the configured reviewers cost; a file that cannot be read is mentioned further down."""
    try:
        return {config.name: config.prices for config in session.configuration().reviewers}
    except ReviewerError:
        return {}


def _asked() -> None:
    path = settings.reviewers_file()
    try:
        known = session.configuration()
    except ReviewerError as error:
        st.error(plain(str(error)))
        st.caption("Correct the file, then reload this page. Nothing else depends on it.")
    else:
        _configured(known)
    st.caption(
        (
            "They are configured in this file, which contains names of environment variables"
            " but never a key:"
        )
        if _is_writable()
        else plain(f"{access.why_not(Act.CONFIGURE)} They are configured in this file:")
    )
    st.code(str(path), language=None)


def _configured(known: Configuration) -> None:
    session.show_problem()
    for entry in known.broken:
        st.error(
            plain(f"Cannot be asked: {entry.problem}. Correct it there; the others can be asked.")
        )
    if known.reviewers:
        reviewer_table(
            known.reviewers,
            st.session_state.get(_TRIALS, {}),
            writable=_is_writable(),
            key=_TABLE,
            on_events=_on_events,
        )
    elif not _is_writable():
        if not known.broken:
            st.markdown("No LLM reviewer is configured.")
    elif not known.broken:
        st.markdown(
            f"No LLM reviewer yet. Add a model from {TITLES}, or one that vLLM, Ollama or"
            " llama.cpp serves on this machine."
        )
    opened = st.session_state.get(_FORM)
    if not _is_writable():
        st.caption(plain(_budget(known.budget)))
    elif opened is None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button("Add a reviewer", on_click=_open, args=("", _BLANK))
            st.caption(plain(_budget(known.budget)))
    else:
        title = plain(f"Edit {opened}") if opened else "New reviewer"
        reviewer_form(title, st.session_state.get(_PROBLEM, ""), _keep, _leave)


def _budget(budget: BudgetConfig) -> str:
    limits = [money(budget.usd)] * (budget.usd is not None) + [
        f"{number(budget.tokens)} tokens"
    ] * (budget.tokens is not None)
    if not limits:
        return (
            "No budget is set. To limit the cost of one click, add usd or tokens under [budget]"
            " to the file."
        )
    return f"One click may cost at most {' and '.join(limits)}."


def _is_writable() -> bool:
    """Whether this page lets the person change the file, which names servers and key variables."""
    return access.may(Act.CONFIGURE)


def _on_events() -> None:
    for event in drain(_TABLE):
        with session.reporting():
            match event:
                case {"kind": "try", "name": str(name)}:
                    access.require(Act.ASK)
                    _try(chosen_reviewer(name))
                case {"kind": str(kind), "name": str(name)}:
                    access.require(Act.CONFIGURE)
                    _change(kind, name)


def _change(kind: str, name: str) -> None:
    match kind:
        case "edit":
            _open(name, session.configuration().find(name))
        case "copy":
            _open("", replace(session.configuration().find(name), name=f"{name[:50]} copy"))
        case "remove":
            remove(settings.reviewers_file(), name)
            note_files(session.store(), signing.signer())
            if st.session_state.get(_FORM) == name:
                _leave()


def _try(config: ReviewerConfig) -> None:
    with st.spinner("Testing the connection…"):
        st.session_state.setdefault(_TRIALS, {})[config.name] = asyncio.run(try_out(config))


def _open(name: str, config: ReviewerConfig) -> None:
    """Open the form; an empty name is a reviewer that is not kept yet."""
    fill(config)
    if config is _BLANK:
        st.session_state["reviewer-form-name"] = st.session_state["reviewer-form-model"] = ""
    st.session_state[_FORM] = name
    st.session_state.pop(_PROBLEM, None)


def _keep() -> None:
    former = st.session_state.get(_FORM) or None
    try:
        access.require(Act.CONFIGURE)
        config = filled()
        known = session.configuration()
        taken = {each.name for each in known.reviewers} | {each.name for each in known.broken}
        if former is None and config.name in taken:
            raise ReviewerError(f"a reviewer named {config.name!r} already exists")
        keep(settings.reviewers_file(), config, instead_of=former)
        note_files(session.store(), signing.signer())
    except (ReviewerError, StoreError) as error:
        st.session_state[_PROBLEM] = str(error)
    else:
        st.session_state.get(_TRIALS, {}).pop(former or config.name, None)
        _leave()


def _leave() -> None:
    st.session_state.pop(_FORM, None)
    st.session_state.pop(_PROBLEM, None)
    empty()
