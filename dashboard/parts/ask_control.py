"""The control for asking models about a submission: the list of available reviewers, or what is
missing.
"""

from collections.abc import Callable, Sequence

import streamlit as st

from dashboard import access, jobs, session
from dashboard.estimates import estimate, key_problem
from dashboard.panels import AskedReviewer
from dashboard.parts.ask_list import ask_list
from dashboard.parts.note_line import note_line
from dashboard.server_state import reach
from reviewers.backends.configured import Configuration, ReviewerConfig
from reviewers.cli.serving import Audience
from reviewers.errors import ReviewerError
from reviewers.roles import Act
from reviewers.store.submission import SubmissionRecord

_OPEN = "ask"


def ask_control(
    record: SubmissionRecord,
    asked: Sequence[AskedReviewer],
    *,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw the list that unfolds, where there is anybody to ask; events as those of `ask_list`."""
    known = known_configuration()
    if not (known.reviewers or known.broken) or not access.may(Act.ASK):
        return
    with st.popover("Ask reviewers", key=_OPEN, on_change="rerun") as opened:
        if opened.open:
            jobs.own_worker.begin()  # it loads while the price is read
            live = frozenset(each.reviewer for each in asked if each.state.live)
            estimates = [estimate(record, config) for config in known.reviewers]
            ask_list(estimates, known, live, key=key, on_events=on_events)


def ask_note() -> None:
    """Say in one line why no model can be asked; draw nothing if one can, and for who may not."""
    if not access.may(Act.ASK):
        return
    try:
        known = session.configuration()
    except ReviewerError as error:
        words = f"No model can be asked: {error}"
        note_line(words, "Reviewers", "reviewers", failed=True, key="ask-note")
        return
    if known.broken:
        words = " ".join(f"{entry.problem}." for entry in known.broken)
        words = f"Cannot be asked: {words}"
        note_line(words, "Reviewers", "reviewers", failed=True, key="ask-note")
        return
    missing = list(dict.fromkeys(map(key_problem, known.reviewers)))
    if not known.reviewers:
        link = "Add one" if access.may(Act.CONFIGURE) else "Reviewers"
        note_line("No LLM reviewer is configured.", link, "reviewers", key="ask-note")
    elif None not in missing:
        problems = "; ".join(filter(None, missing))
        note_line(
            f"No model can be asked: {problems}.",
            "Reviewers",
            "reviewers",
            key="ask-note",
        )


def close() -> None:
    """Fold the list away; to be called in a callback."""
    st.session_state[_OPEN] = False


def askable(name: str) -> ReviewerConfig | None:
    """Return a reviewer that can be asked now; None if it is not configured, its key cannot be
    sent, or the person may not ask.
    """
    if not access.may(Act.ASK):
        return None
    try:
        config = chosen_reviewer(name)
    except ReviewerError:
        return None
    return None if key_problem(config) else config


def chosen_reviewer(name: str) -> ReviewerConfig:
    """Return the reviewer of this name. On a desk that others reach it is one of the server's file:
    any other model would be asked with the operator's key, and at the operator's cost.

    Raises:
        ReviewerError: there is none, or its entry is invalid.
    """
    return session.configuration().find(name, made_up=reach() is Audience.ALONE)


def known_configuration() -> Configuration:
    """Return what is configured; nothing if the file cannot be read."""
    try:
        return session.configuration()
    except ReviewerError:
        return Configuration()
