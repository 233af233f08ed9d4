"""Asks reviewers about a list of submissions: the price first, then how far it is."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard import access, inbox_scope, jobs, session
from dashboard.addresses import submission_address
from dashboard.estimates import list_estimates
from dashboard.parts.ask_control import chosen_reviewer, known_configuration
from dashboard.parts.ask_list import ask_list
from dashboard.parts.component import drain
from dashboard.parts.note_line import note_line
from dashboard.parts.works_list import works_list
from reviewers.errors import StoreError
from reviewers.jobs.handing_in import Ask
from reviewers.jobs.names import EXPORT, UPLOAD
from reviewers.records import counted
from reviewers.roles import Act
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery
from reviewers.store.jobs import Job, JobState, Work, cancel, jobs_of, put_away, retry

MOST = 5_000
"""Submissions that can be asked about at once."""

_WISH, _MINE, _CLOSED = "ask-about", "works-mine", "works-closed"
_LOOK_SECONDS = 1.0
_LIST, _WORKS = "ask-list", "works"


def can_ask() -> bool:
    """Whether there is anybody to ask, and a person who may see what comes of it."""
    known = known_configuration()
    asks = bool(known.reviewers or known.broken) and not session.blind()
    return asks and access.may(Act.ASK)


def wish(store: Store, query: InboxQuery, event: Mapping[str, Any]) -> None:
    """Keep what is to be asked about, for `ask_dialog`; to be called in a callback.

    Args:
        event: `ids` of the selected submissions, or the `total` of the whole list.

    Raises:
        StoreError: the list is another one by now, or too long.
    """
    match event:
        case {"ids": list(ids)}:
            wanted = tuple(dict.fromkeys(map(str, ids)))
        case _:
            now = inbox_scope.found(store, replace(query, limit=0, offset=0)).total
            if now != event.get("total", now):
                raise StoreError(
                    f"{now:,} submissions match now, a different number than you selected; nobody"
                    " was asked. Check the list again"
                )
            wanted = inbox_scope.every(store, query, undecided=False)
    if len(wanted) > MOST:
        raise StoreError(
            f"{len(wanted):,} submissions are more than the {MOST:,} that can be asked about at"
            " once; narrow the list with filters"
        )
    st.session_state[_WISH] = wanted


def ask_dialog(store: Store) -> None:
    """Show what asking about the submissions of the last wish would mean, until it is confirmed or
    closed.
    """
    if (ids := st.session_state.get(_WISH)) and can_ask():
        jobs.own_worker.begin()  # it loads while the price is read
        st.dialog(
            f"Ask reviewers about {counted(len(ids), 'submission')}",
            width="small",
            on_dismiss=_forget,
        )(_dialog)(store, ids)


def _dialog(store: Store, ids: Sequence[str]) -> None:
    if _WISH not in st.session_state:
        # Asked: the whole page is drawn without the dialog.
        st.rerun()
    session.show_problem()
    known = known_configuration()
    with st.spinner("Counting tokens…"):
        estimates = list_estimates(store, ids, known.reviewers)
    ask_list(estimates, known, key=_LIST, on_events=partial(_on_list, store, ids))
    note_line("Prices, keys and the budget of a click:", "Reviewers", "reviewers", key="ask-where")


def _on_list(store: Store, ids: Sequence[str]) -> None:
    for event in drain(_LIST):
        match event:
            case {"kind": "ask", "names": list(names)}:
                with session.reporting():
                    configs = [chosen_reviewer(str(name)) for name in dict.fromkeys(names)]
                    number = jobs.enqueue(
                        store,
                        [Ask(id, config, unless_answered=True) for id in ids for config in configs],
                    )
                    mine(number)
                    _forget()


def mine(number: int) -> None:
    """Show this browser how far a work is."""
    st.session_state.setdefault(_MINE, set()).add(number)


def _forget() -> None:
    st.session_state.pop(_WISH, None)


def progress() -> None:
    """Draw how far the lists are that are being asked about, by whomever; nothing if there are
    none.
    """
    works = _shown()
    live = any(work.live for work in works)
    st.fragment(_watch, run_every=_LOOK_SECONDS if live else None)(live)


def _watch(was_live: bool) -> None:
    works = _shown()
    if works:
        works_list([_told(work) for work in works], key=_WORKS, on_events=_on_works)
    if was_live and not any(work.live for work in works):
        # The table is to show what came.
        st.rerun()


def _shown() -> Sequence[Work]:
    closed, mine = st.session_state.get(_CLOSED, ()), st.session_state.get(_MINE, ())
    return [
        work
        for work in jobs.works(session.store())
        if work.number not in closed and (work.number in mine or _concerns_all(work))
    ]


def _concerns_all(work: Work) -> bool:
    """Whether it is shown to everybody: not what a submission's own page shows, nor what the
    browser that sent files or exports does.
    """
    alone = work.submissions == 1 or work.tasks in ((UPLOAD,), (EXPORT,))
    return not alone or bool(work.counts[JobState.ASIDE])


def _told(work: Work) -> dict[str, Any]:
    failed: dict[tuple[str, str], list[Job]] = defaultdict(list)
    for job in work.troubles:
        failed[job.reviewer or "", job.problem].append(job)
    return {
        "number": work.number,
        "by": work.by,
        "task": work.tasks[0] if work.tasks else "",
        "reviewers": [*work.reviewers],
        "counts": {str(state): work.counts[state] for state in JobState},
        "usd": work.usd,
        "live": work.live,
        "words": _export_words(work),
        "failed": [
            {
                "reviewer": reviewer,
                "problem": problem,
                "about": [
                    (
                        job.about,
                        submission_address(job.submission_id, InboxQuery())
                        if job.submission_id
                        else "",
                    )
                    for job in found
                ],
            }
            for (reviewer, problem), found in failed.items()
        ],
    }


def _export_words(work: Work) -> str:
    """How far an export is; empty for other works."""
    if work.tasks != (EXPORT,):
        return ""
    (job,) = jobs_of(session.store(), work.number)
    done = job.state is JobState.DONE and not job.problem
    return f"{job.progress}; fetch it under Export" * done or job.progress


def _on_works() -> None:
    for event in drain(_WORKS):
        jobs.look_again()
        with session.reporting():
            match event:
                case {"kind": "cancel", "number": int(number)}:
                    cancel(session.store(), work=number)
                case {"kind": "retry", "number": int(number)}:
                    retry(session.store(), number)
                    jobs.own_worker.begin()
                case {"kind": "close", "number": int(number)}:
                    _close(number)


def _close(number: int) -> None:
    """Show a work here no longer; what was set aside is put away for everybody, by who may."""
    aside = (work.counts[JobState.ASIDE] for work in _shown() if work.number == number)
    if any(aside) and access.may(Act.STEER):
        put_away(session.store(), number)
    st.session_state.setdefault(_CLOSED, set()).add(number)
