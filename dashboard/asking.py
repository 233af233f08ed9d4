"""Handles the controls for models on the submission page: ask, stop, ask again, rebuttal, show the
prompt.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard import jobs
from dashboard.estimates import estimate, questioner
from dashboard.parts import ask_control
from dashboard.parts.prompt_view import prompt_view
from reviewers.backends.configured import Form, ReviewerConfig
from reviewers.batch.effective_reviews import EffectiveReviews
from reviewers.jobs.handing_in import Ask
from reviewers.jobs.names import READ, SECOND
from reviewers.panel.llm import Question
from reviewers.panel.prompts import Prompt, build_prompt
from reviewers.store import Store
from reviewers.store.jobs import cancel

_SHOWN = "prompt-shown"
_FIRST, _STORED = "first", "stored"
_NOT_THE_SAME = (
    "Rebuilt with today's settings and templates; the original prompt may have differed."
)


def act_on(store: Store, reviews: EffectiveReviews, event: Mapping[str, Any]) -> None:
    """Do what an event of the list of reviewers or of their columns asks for.

    Raises:
        ReviewerError: the file of reviewers cannot be read, or a reviewer is no longer in it.
    """
    id = reviews.record.submission.id
    match event:
        case {"kind": "ask", "names": list(names)}:
            ask_control.close()
            wanted = dict.fromkeys(name for name in names if isinstance(name, str))
            jobs.enqueue(store, [Ask(id, ask_control.chosen_reviewer(name)) for name in wanted])
        case {"kind": "read", "name": str(name)}:
            ask_control.close()
            jobs.enqueue(store, [Ask(id, ask_control.chosen_reviewer(name), READ)])
        case {"kind": "again", "name": str(name)}:
            jobs.enqueue(store, [Ask(id, ask_control.chosen_reviewer(name), fresh=True)])
        case {"kind": "evidence", "name": str(name)}:
            _second_look(store, reviews, name)
        case {"kind": "cancel", "name": str(name)}:
            cancel(store, submission_id=id, reviewer=name)
        case {"kind": "prompt", "name": str(name), "of": "list"}:
            ask_control.close()
            st.session_state[_SHOWN] = (id, _FIRST, name)
        case {"kind": "prompt", "name": str(name)}:
            st.session_state[_SHOWN] = (id, _STORED, name)


def prompt_dialog(reviews: EffectiveReviews) -> None:
    """Show the prompt that was asked for last; remembered until it is closed, so that the coming of
    a review closes nothing.
    """
    match st.session_state.get(_SHOWN):
        case (id, kind, str(name)) if id == reviews.record.submission.id:
            prompts, note = (
                _first_prompts(reviews, name) if kind == _FIRST else _stored_prompts(reviews, name)
            )
            if prompts:
                _dialog(prompts, note)
        case (_, _, _):
            _forget()


def _second_look(store: Store, reviews: EffectiveReviews, name: str) -> None:
    if reviews.to_show(_on_screen(reviews, name)) is not None:
        config = ask_control.chosen_reviewer(name)
        ask = Ask(reviews.record.submission.id, config, look=SECOND, fresh=True)
        jobs.enqueue(store, [ask])


def _first_prompts(reviews: EffectiveReviews, name: str) -> tuple[tuple[Prompt, ...], str]:
    config = next(
        (config for config in ask_control.known_configuration().reviewers if config.name == name),
        None,
    )
    return ((), "") if config is None else (estimate(reviews.record, config).question.prompts, "")


def _stored_prompts(reviews: EffectiveReviews, name: str) -> tuple[tuple[Prompt, ...], str]:
    """Return the prompts of a stored review, rebuilt, and a note if they may differ from the
    originals.
    """
    review = next(
        (stored.review for stored in reviews.stored.values() if stored.review.reviewer == name),
        None,
    )
    submission = reviews.record.submission
    if review is None or review.prompt is None:
        return (), ""
    config = ask_control.askable(name)
    if config is None:
        form: Form = "recorded" if review.prompt.startswith("recorded") else "findings"
        return (build_prompt(submission, form),), _NOT_THE_SAME
    question = _question(reviews, config, review.revises is not None, name)
    return question.prompts, "" if question.id == review.request else _NOT_THE_SAME


def _question(
    reviews: EffectiveReviews, config: ReviewerConfig, again: bool, name: str
) -> Question:
    reviewer, submission = questioner(config), reviews.record.submission
    before = reviews.stored[_on_screen(reviews, name)].before
    if not again or before is None:
        return reviewer.first_look(submission)
    ruled = reviews.ruled(before)
    return reviewer.second_look(submission, ruled, reviews.missed_in(ruled))


def _on_screen(reviews: EffectiveReviews, name: str) -> str:
    return next(shown for shown, stored in reviews.stored.items() if stored.review.reviewer == name)


def _forget() -> None:
    st.session_state.pop(_SHOWN, None)


@st.dialog("What the model is asked", width="large", on_dismiss=_forget)
def _dialog(prompts: Sequence[Prompt], note: str) -> None:
    if note:
        st.caption(note)
    prompt_view(prompts, key="prompt-view")
