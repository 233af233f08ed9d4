"""Decides on one, several or all matching submissions, undoes it, and says who looks after them."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import streamlit as st

from dashboard import asking_list, inbox_scope, session
from dashboard.parts.component import drain
from dashboard.parts.inbox_table import Done
from dashboard.parts.words import verdict_words
from dashboard.signing import acting
from reviewers.errors import StoreError
from reviewers.records import Verdict, counted
from reviewers.store import Store
from reviewers.store.assignments import assign, assignees, claim
from reviewers.store.authors import Author
from reviewers.store.inbox import InboxQuery, decided_of

_SAID = "inbox-said"
_OPENED = "inbox-opened"
_MOST_OPENED = 20
_MOST_UNDONE = 500
_FRESH_SECONDS = 60


def last_deed() -> Done | None:
    """Return the result of this browser's last decisions while they are recent."""
    said: Done | None = st.session_state.get(_SAID)
    return said if said and time.time() - said.at < _FRESH_SECONDS else None


def act(store: Store, query: InboxQuery, key: str) -> None:
    """Do what the events of the table ask for; to be called in its callback."""
    for event in drain(key):
        with session.reporting():
            match event:
                case {
                    "action": "decide",
                    "ids": list(ids),
                    "verdict": "ready" | "not_ready" as verdict,
                    "reason": str(reason),
                }:
                    _decide(store, tuple(map(str, ids)), Verdict(verdict), reason)
                case {"action": "decide_all", "verdict": "ready" | "not_ready" as verdict, **rest}:
                    every = _all(store, query, rest.get("total"), keep=rest.get("keep") is True)
                    _decide(store, every, Verdict(verdict), str(rest.get("reason", "")))
                case {"action": "ask"}:
                    asking_list.wish(store, query, event)
                case {"action": "undo"}:
                    _undo(store)
                case {"action": "claim" | "assign" as deed, **rest}:
                    _assign(store, query, rest, claims=deed == "claim")
                case {"action": "open", "first": str(first), "on": bool(on)}:
                    _open(first, on)
                case _:
                    session.problem("The page sent invalid data; reload it.")


def _all(store: Store, query: InboxQuery, agreed: object, *, keep: bool) -> tuple[str, ...]:
    found = inbox_scope.found(store, replace(query, limit=0, offset=0))
    now = found.total
    if found.more:
        raise StoreError(
            f"more than {now:,} submissions match; narrow the list with filters to decide on all"
        )
    if now != agreed:
        raise StoreError(
            f"{now:,} submissions match now, a different number than you confirmed; nothing was"
            " decided. Check the list again"
        )
    return inbox_scope.every(store, query, undecided=keep)


def _decide(store: Store, ids: tuple[str, ...], verdict: Verdict, reason: str) -> None:
    signer = acting()
    # Only what nobody had decided on can be put back to what it was.
    undo = ids if len(ids) <= _MOST_UNDONE and not decided_of(store, ids) else ()
    blind = inbox_scope.unseen(store, ids)
    count = store.decide_many(ids, verdict, reason, signer, blind=blind)
    what = counted(count, "submission")
    st.session_state[_SAID] = Done(
        f"Decided {what} {verdict_words(verdict)}: {reason.strip()}", time.time(), undo
    )


def opened() -> frozenset[str]:
    """Return the lineages whose attempts are shown in this browser, as `InboxRow.first`."""
    return frozenset(st.session_state.get(_OPENED, ()))


def _open(first: str, on: bool) -> None:
    others = [each for each in st.session_state.get(_OPENED, ()) if each != first]
    st.session_state[_OPENED] = [*others, first][-_MOST_OPENED:] if on else others


def _assign(store: Store, query: InboxQuery, asked: Mapping[str, Any], *, claims: bool) -> None:
    signer = acting()
    match asked:
        case {"ids": list(ids)}:
            wanted = tuple(map(str, ids))
        case _:
            wanted = _all(store, query, asked.get("total"), keep=False)
    to = asked.get("to")
    name = None if to is None else str(to).strip()
    done = claim(store, wanted, signer) if claims else assign(store, wanted, name, signer)
    what = counted(done.count, "submission")
    said = (
        f"Claimed {what}"
        if claims
        else f"Assigned {what} to {_called(store, name)}"
        if name
        else f"Released {what}"
    )
    st.session_state[_SAID] = Done(
        "; ".join([said, *_first_words(done.kept, store.now())]), time.time()
    )


def _first_words(kept: Sequence[tuple[str, Author, datetime]], now: datetime) -> Sequence[str]:
    """Say who was first."""
    told = [f"{author.name} was first on {name}, {_ago(now - at)}" for name, author, at in kept[:3]]
    return [*told, f"others were first on {len(kept) - 3} more"] if len(kept) > 3 else told


def _ago(past: timedelta) -> str:
    minutes = int(past.total_seconds() // 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{counted(minutes, 'minute')} ago"
    hours = minutes // 60
    return f"{counted(hours, 'hour')} ago" if hours < 48 else f"{hours // 24} days ago"


def _called(store: Store, id: str) -> str:
    return next((each.name for each in assignees(store) if each.id == id), id)


def _undo(store: Store) -> None:
    signer = acting()
    done: Done | None = st.session_state.pop(_SAID, None)
    if not done or not done.undo:
        raise StoreError(
            "there is nothing left to undo; open a submission to withdraw its decision"
        )
    # What another person decided on meanwhile is theirs.
    mine = decided_of(store, done.undo, by=signer.id)
    count = store.decide_many(mine, None, "undone at once", signer, blind=())
    words = f"Undone: {counted(count, 'decision')}"
    if left := len(decided_of(store, done.undo)):
        words += (
            f"; {left} {'stays' if left == 1 else 'stay'} because another person has decided"
            " there meanwhile"
        )
    st.session_state[_SAID] = Done(words, time.time())
