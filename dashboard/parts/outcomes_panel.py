"""Results of real runs, who predicted them, and the form to add one."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.parts.component import load
from dashboard.parts.outcome_cards import Happened, said_by
from dashboard.parts.plain import one_line, visible
from reviewers.outcomes import Stage, outcome_of_run
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.outcomes import add_outcome

_MEGABYTES = 20
_MOST_TYPED = 200_000
"""Characters in the field; a longer output is dropped as a file."""
_EXIT_CODES = 2**31 - 1
_MOST_SHOWN = 60
_MOST_PLACES = 12

_mount = load("outcomes_panel")


def outcomes_panel(
    store: Store,
    submission: Submission,
    happened: Sequence[Happened],
    *,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """List what happened, the newest first, over the form; a click on a place queues the event
    `open` (file, line, key).
    """
    data = {
        "outcomes": [_row(each) for each in happened[:_MOST_SHOWN]],
        "more": max(0, len(happened) - _MOST_SHOWN),
    }
    _mount(key=key, data=data, on_events=on_events)
    with st.expander("Add a real run", expanded=not happened):
        _form(store, submission)


def _row(happened: Happened) -> dict[str, Any]:
    outcome = happened.outcome
    return {
        "title": happened.title,
        "failed": outcome.failed,
        "exit": outcome.exit_code,
        "source": one_line(outcome.source, 60),
        "at": outcome.at.isoformat(),
        "message": said_by(outcome),
        "category": happened.category,
        "places": [
            {"file": span.file, "line": span.line, "place": visible(str(span))}
            for span in happened.spans[:_MOST_PLACES]
        ],
        "fates": happened.fates(),
        "excerpt": visible(outcome.excerpt).strip("\n"),
    }


def _form(store: Store, submission: Submission) -> None:
    id = submission.id
    turn = st.session_state.setdefault("outcome-turn", 0)
    with st.form(f"outcome-{turn}", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.segmented_control(
                "Run",
                list(Stage),
                default=Stage.TRIAL,
                format_func=str.capitalize,
                required=True,
                key=_key("stage", id, turn),
            )
            st.number_input(
                "Exit code",
                -_EXIT_CODES,
                _EXIT_CODES,
                value=None,
                step=1,
                key=_key("exit", id, turn),
            )
        st.text_area(
            "Standard error output",
            max_chars=_MOST_TYPED,
            height=110,
            placeholder="Traceback (most recent call last): …",
            key=_key("output", id, turn),
            help="Keys and passwords are hidden before anything is stored.",
        )
        st.file_uploader(
            "or upload it as a file", max_upload_size=_MEGABYTES, key=_key("file", id, turn)
        )
        st.form_submit_button("Add this run", on_click=_add, args=(store, submission, turn))


def _add(store: Store, submission: Submission, turn: int) -> None:
    id = submission.id
    state = st.session_state
    stage, exit_code = state[_key("stage", id, turn)], state[_key("exit", id, turn)]
    if exit_code is None:
        session.problem("Enter the exit code of the run; 0 means success.")
        return
    file = state[_key("file", id, turn)]
    typed = state[_key("output", id, turn)] or ""
    dropped = file.getvalue()[-_MEGABYTES * 1_000_000 :].decode("utf-8", "replace") if file else ""
    with session.reporting():
        made, _ = outcome_of_run(
            submission,
            "\n".join(filter(None, (dropped, typed))),
            int(exit_code),
            Stage(stage),
            store.now(),
        )
        if not add_outcome(store, made):
            session.problem("This run is already recorded; nothing was added.")
        state["outcome-turn"] = turn + 1


def _key(part: str, id: str, turn: int) -> str:
    return f"outcome-{part}-{id}-{turn}"
