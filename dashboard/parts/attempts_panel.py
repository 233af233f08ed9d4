"""The attempts of a submission's lineage, newest first, and the form to join or split lineages."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from dashboard import access, session, signing
from dashboard.addresses import beginning, submission_address
from dashboard.attempt_comparison import Attempts, FindingFate, fates_between
from dashboard.dates import age_of
from dashboard.parts.component import load
from dashboard.parts.finding_fates import fate_counts
from dashboard.parts.plain import one_line, visible
from dashboard.parts.sign_first import ask_name, write_signed
from dashboard.parts.words import author_words, chip_data, verdict_words
from dashboard.reviewer_marks import reviewer_marks
from reviewers.attempts.lineages import OrderBy
from reviewers.exports.wording import attempt_words
from reviewers.roles import Act
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery
from reviewers.store.lineages import LineageAttempt, relate

_MOST_SHOWN = 60
_MOST_COUNTED = 12
"""Attempts around the one that is open whose findings are compared with those of the attempt
before.
"""
_ORDERS = {
    OrderBy.NAMES: "",
    OrderBy.SOURCE: "",
    OrderBy.CONTENT: "Ordered by their code.",
    OrderBy.GUESS: "The order is a guess.",
}

_mount = load("attempts_panel")


def attempts_panel(
    store: Store, attempts: Attempts, query: InboxQuery, *, key: str, on_events: Callable[[], None]
) -> None:
    """List the attempts over the form that joins and splits; a click on Compare queues the event
    `against` (attempt).

    Args:
        query: what the inbox shows, which every link keeps.
    """
    lineage = attempts.lineage
    shown = _around(lineage.attempts, attempts.place[0])
    counted = _counted(store, attempts)
    names = [chip.reviewer for each in shown for chip in each.chips]
    marks = reviewer_marks(names)
    rows = [_row(each, attempts, query, marks, counted.get(each.place)) for each in reversed(shown)]
    data = {
        "name": one_line(lineage.name or "", 120),
        "order": _ORDERS[lineage.order_by],
        "rows": rows,
        "left_out": len(lineage.attempts) - len(shown),
        "relations": [
            {
                "words": (
                    f"{said.one[:8]} {'joined with' if said.together else 'split from'}"
                    f" {said.other[:8]}"
                ),
                "author": visible(author_words(said.author)),
                "at": said.at.isoformat(),
                "reason": visible(said.reason),
            }
            for said in lineage.relations
        ],
    }
    _mount(key=key, data=data, on_events=on_events)
    if access.may(Act.RELATE):
        with st.expander("Join or split"):
            _form(store, attempts.record.submission.id)


def _around(attempts: tuple[LineageAttempt, ...], number: int) -> tuple[LineageAttempt, ...]:
    """Those nearest to the one that is open, where there are too many."""
    near = sorted(attempts, key=lambda each: abs(each.number - number))[:_MOST_SHOWN]
    return tuple(each for each in attempts if each in near)


def _counted(
    store: Store, attempts: Attempts
) -> Mapping[tuple[int, bool], Mapping[FindingFate, int]]:
    """What happened to the findings in each attempt since the one before it, by the attempt's
    place; what we repaired follows its original, and nothing follows it.
    """
    firsts = {each.place: each for each in reversed(attempts.lineage.attempts)}
    before = {(number, ours): (number if ours else number - 1, False) for number, ours in firsts}
    pairs = [(firsts[before[at]], each) for at, each in firsts.items() if before[at] in firsts]
    pairs.sort(key=lambda pair: abs(pair[1].number - attempts.place[0]))
    return {
        after.place: fates_between(store, earlier, after)
        for earlier, after in pairs[:_MOST_COUNTED]
    }


def _row(
    each: LineageAttempt,
    attempts: Attempts,
    query: InboxQuery,
    marks: Mapping[str, dict[str, Any]],
    counts: Mapping[FindingFate, int] | None,
) -> dict[str, Any]:
    is_here = each.id == attempts.record.submission.id
    beside = attempts.comparison
    commit = each.commits[0] if each.commits else None
    return {
        "n": each.number,
        "called": attempt_words(each.number),
        "id": each.id[:8],
        "attempt": beginning(each.id) if each.place < attempts.place else "",
        "href": submission_address(each.id, query),
        "here": is_here,
        "against": beside is not None and beside.before.submission.id == each.id,
        "name": one_line(each.name, 80),
        "ours": each.repaired,
        "age": age_of(each.generated, each.imported_at),
        "chips": [marks[chip.reviewer] | chip_data(chip) for chip in each.chips],
        "decision": (
            None
            if each.decision is None
            else {"verdict": str(each.decision), "words": verdict_words(each.decision)}
        ),
        "counts": fate_counts(counts or {}),
        "commit": one_line(f"{commit.commit[:10]} {commit.message}", 90) if commit else "",
        "why": f"{each.score:.0f} % alike" if each.score is not None else "",
    }


def _form(store: Store, id: str) -> None:
    turn = st.session_state.setdefault("relation-turn", 0)
    ask_name(f"relation-{id}")
    with st.form(f"relation-{turn}", border=False):
        st.text_input(
            "The other submission",
            key=_key("other", turn),
            placeholder="At least the first 8 characters of its id",
            max_chars=64,
        )
        st.text_input(
            "Reason",
            key=_key("why", turn),
            placeholder="Why they belong together, or do not",
            max_chars=500,
        )
        with st.container(horizontal=True, gap="small"):
            st.form_submit_button("Same experiment", on_click=_relate, args=(store, id, turn, True))
            st.form_submit_button(
                "Another experiment", on_click=_relate, args=(store, id, turn, False)
            )


def _relate(store: Store, id: str, turn: int, together: bool) -> None:
    other, reason = (st.session_state[_key(part, turn)].strip() for part in ("other", "why"))
    if not other or not reason:
        session.problem("Enter a prefix of the other submission's id and a reason.")
        return

    def write() -> None:
        relate(store, id, other, together, reason, signing.acting())
        st.session_state["relation-turn"] = turn + 1

    write_signed(f"relation-{id}", write)


def _key(part: str, turn: int) -> str:
    return f"relation-{part}-{turn}"
