"""A person's verdict on a submission: earlier decisions and the form for a new one."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from typing import Any

import streamlit as st

from dashboard import access, inbox_scope, session, signing
from dashboard.parts import place
from dashboard.parts.component import drain, load
from dashboard.parts.plain import one_line, plain
from dashboard.parts.verdict_sentence import VerdictSentence
from dashboard.parts.words import author_words, verdict_words
from reviewers.errors import AreachairError
from reviewers.records import Verdict, counted
from reviewers.roles import Act
from reviewers.store import Store
from reviewers.store.inbox import given_reasons
from reviewers.store.submission import Decision, SubmissionRecord

_mount = load("decision_form")
# One component for all submissions, so that nothing moves when the next one opens.
_KEY = "decision"
_REFUSED = "decision:refused"
_VERDICTS = frozenset(Verdict)
_LONGEST_REASON = 2_000
_MOST_PEOPLE = 2
_MOST_REASONS = 5


def decision_form(
    store: Store,
    record: SubmissionRecord,
    sentence: VerdictSentence | None,
    onward: Callable[[], None] | None,
) -> None:
    """Draw the current decisions and the form; typed text stays in the browser until it is stored.

    Args:
        record: the complete record, even in blind mode.
        sentence: what the reviews come to, which a person may adopt; None to say nothing.
        onward: opens the next submission; None if there is no other to decide.
    """
    me, signer = signing.author(), signing.signer()
    standing = [] if session.hides(record) else _standing(record.decisions)
    mine = next((decision for decision in standing if decision.author.id == me), None)
    data = {
        "id": record.submission.id,
        "sentence": sentence and sentence.data(),
        "name": one_line(record.submission.name, 60),
        "said": [_said(decision, me) for decision in standing[:_MOST_PEOPLE]],
        "others": max(0, len(standing) - _MOST_PEOPLE),
        # Only the current decision can be withdrawn.
        "mine": str(mine.verdict) if mine is not None and mine is standing[0] else None,
        "agreed": agreement(mine.verdict, record) if mine and mine.verdict else "",
        "reasons": {
            str(verdict): [one_line(reason, _LONGEST_REASON) for reason in reasons]
            for verdict, reasons in given_reasons(store, me, _MOST_REASONS).items()
        },
        "author": signer.name if signer else "",
        "onward": onward is not None,
        "longest": _LONGEST_REASON,
        "refused": st.session_state.get(_REFUSED),
        "why_not": access.why_not(Act.DECIDE),
    }
    _mount(key=_KEY, data=data, on_events=partial(_act, record, onward))


def agreement(verdict: Verdict, record: SubmissionRecord) -> str:
    """Say with how many reviewers a verdict agrees; empty if none gave a verdict."""
    given = [
        stored.review.verdict for stored in record.reviews if stored.review.verdict is not None
    ]
    agreeing = given.count(verdict)
    return f"agrees with {agreeing} of {counted(len(given), 'reviewer')}" if given else ""


def _standing(records: Sequence[Decision]) -> list[Decision]:
    """The last decision of each person since the last withdrawal, newest first; the first one is
    current.
    """
    words: dict[str, Decision] = {}
    for decision in takewhile(lambda decision: decision.verdict is not None, records):
        words.setdefault(decision.author.id, decision)
    return list(words.values())


def _said(decision: Decision, me: str) -> dict[str, Any]:
    assert decision.verdict is not None
    return {
        "verdict": str(decision.verdict),
        "words": verdict_words(decision.verdict),
        "author": one_line(decision.author.name, 80),
        "signed": one_line(author_words(decision.author), 160),
        "mine": decision.author.id == me,
        "at": decision.at.isoformat(),
        "reason": one_line(decision.reason, 300),
    }


def _act(record: SubmissionRecord, onward: Callable[[], None] | None) -> None:
    for event in drain(_KEY):
        try:
            _obey(record, event, onward)
            refused = ""
        except AreachairError as error:
            refused = one_line(str(error), 300)
        st.session_state[_REFUSED] = {"seq": event["seq"], "words": refused}


def _obey(
    record: SubmissionRecord, event: dict[str, Any], onward: Callable[[], None] | None
) -> None:
    match event:
        case {"kind": "open"}:
            place.show(record.submission.id, event)
        # The submission that the person saw, even if another one is open by now.
        case {
            "kind": "decide",
            "id": str(id),
            "verdict": str(word),
            "reason": str(reason),
            "next": bool(go_on),
        } if word in _VERDICTS:
            verdict = Verdict(word)
            was_hidden = session.hides(record)
            store, signer = session.store(), signing.acting()
            blind = id in inbox_scope.unseen(store, [id])
            store.decide(id, verdict, reason[:_LONGEST_REASON], signer, blind=blind)
            if go_on and onward:
                onward()
                if was_hidden and (words := agreement(verdict, record)):
                    session.shown([id])
                    st.toast(
                        plain(f"{one_line(record.submission.name, 60)}: your verdict {words}.")
                    )
        case {"kind": "withdraw", "id": str(id)}:
            words = "withdrawn on the dashboard"
            session.store().decide(id, None, words, signing.acting(), blind=False)
