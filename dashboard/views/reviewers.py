"""The reviewers that can be asked: who they are, whether they answer, and what their past is worth."""

import asyncio
from dataclasses import replace

import streamlit as st

from dashboard import session
from dashboard.parts.component import drain
from dashboard.parts.figures import money, number
from dashboard.parts.past_list import past_list
from dashboard.parts.plain import plain
from dashboard.parts.reviewer_form import empty, fill, filled, reviewer_form
from dashboard.parts.reviewer_table import reviewer_table
from dashboard.trial import try_out
from reviewers import settings
from reviewers.backends.configured import BudgetConfig, Configuration, ReviewerConfig, keep, remove
from reviewers.errors import ReviewerError

_TABLE = "reviewer-table"
_FORM = "reviewer-open"
_PROBLEM = "reviewer-problem"
_TRIALS = "reviewer-trials"
# Never asked: the form begins with a name and a model to be typed.
_BLANK = ReviewerConfig(name="x", model="x")


def page() -> None:
    """Draw the reviewers."""
    st.title("Who can be asked?", anchor=False)
    path = settings.reviewers_file()
    try:
        known = session.configuration()
    except ReviewerError as error:
        st.error(plain(str(error)))
        st.caption("Mend the file, then load this page again. Nothing else depends on it.")
        known = None
    if known is not None:
        _configured(known)
    st.caption("They stand in this file, which holds names of environment variables and never a key:")
    st.code(str(path), language=None)
    st.subheader("What is their past worth?", anchor=False)
    if past := session.past():
        past_list(past, key="past")
    else:
        st.caption("Nothing was reviewed yet.")


def _configured(known: Configuration) -> None:
    session.show_problem()
    if known.reviewers:
        reviewer_table(known.reviewers, st.session_state.get(_TRIALS, {}), key=_TABLE, on_events=_on_events)
    else:
        st.markdown("No LLM reviewer yet. Add a model of OpenAI, or one that vLLM, Ollama or llama.cpp serves on this machine.")
    opened = st.session_state.get(_FORM)
    if opened is None:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button("Add a reviewer", on_click=_open, args=("", _BLANK), type="secondary" if known.reviewers else "primary")
            st.caption(plain(_budget(known.budget)))
    else:
        title = plain(f"Edit {opened}") if opened else "A new reviewer"
        reviewer_form(title, st.session_state.get(_PROBLEM, ""), _keep, _leave)


def _budget(budget: BudgetConfig) -> str:
    limits = [money(budget.usd)] * (budget.usd is not None) + [f"{number(budget.tokens)} tokens"] * (budget.tokens is not None)
    if not limits:
        return "No budget is set: write usd or tokens under [budget] into the file to limit what one click may cost."
    return f"One click may cost at most {' and '.join(limits)}."


def _on_events() -> None:
    for event in drain(_TABLE):
        with session.reporting():
            match event:
                case {"kind": "try", "name": str(name)}:
                    _try(session.configuration().find(name))
                case {"kind": "edit", "name": str(name)}:
                    _open(name, session.configuration().find(name))
                case {"kind": "copy", "name": str(name)}:
                    _open("", replace(session.configuration().find(name), name=f"{name[:50]} copy"))
                case {"kind": "remove", "name": str(name)}:
                    remove(settings.reviewers_file(), name)
                    if st.session_state.get(_FORM) == name:
                        _leave()


def _try(config: ReviewerConfig) -> None:
    with st.spinner("Asking one line…"):
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
        config = filled()
        if former is None and any(config.name == other.name for other in session.configuration().reviewers):
            raise ReviewerError(f"another reviewer is called {config.name!r} already")
        keep(settings.reviewers_file(), config, instead_of=former)
    except ReviewerError as error:
        st.session_state[_PROBLEM] = str(error)
    else:
        st.session_state.get(_TRIALS, {}).pop(former or config.name, None)
        _leave()


def _leave() -> None:
    st.session_state.pop(_FORM, None)
    st.session_state.pop(_PROBLEM, None)
    empty()
