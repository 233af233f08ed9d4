"""The reliability of each reviewer, measured against the reference that the page's address names;
cached until the store changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from reviewers.agreement import FEW, Confusion
from reviewers.records import Verdict
from reviewers.store import Store
from reviewers.store.agreement import (
    Against,
    CategoryClaims,
    GroundTruth,
    Ruled,
    Together,
    TrackRecord,
    readers,
    refuted_categories,
    ruled,
    stamp,
    together,
    track_records,
)
from reviewers.store.inbox import InboxQuery
from reviewers.store.readers import ReaderTally
from reviewers.store.spending import Spending, spending

TRUTHS: Mapping[GroundTruth, str] = {
    GroundTruth.DECISIONS: "People's decisions",
    GroundTruth.RULINGS: "People's rulings",
    GroundTruth.BLOCKERS: "Confirmed blockers",
    GroundTruth.OUTCOMES: "Real runs",
    GroundTruth.REVIEWER: "Another reviewer",
}


@dataclass(frozen=True)
class Trust:
    """What the page shows.

    Attributes:
        records: ordered by agreement beyond chance; reviewers with few cases come last.
        ruled: by the reviewer's name, for `Truth.RULINGS`; otherwise empty.
        chosen: the reviewer shown in detail; None if there are no reviews.
    """

    against: Against
    records: Sequence[TrackRecord]
    ruled: Mapping[str, Ruled]
    together: Together
    spending: Sequence[Spending]
    chosen: TrackRecord | None
    readers: Sequence[ReaderTally]


def trust(store: Store, params: Mapping[str, str]) -> Trust:
    """Return the figures that the address asks for; invalid parameters are ignored."""
    now = stamp(store)
    ask = partial(_ask, store, now)
    against = _against(params, ask)
    records = sorted(ask(track_records, against), key=lambda record: _surest(record.beside))
    of_rulings: Mapping[str, Ruled] = ask(ruled) if against.truth is GroundTruth.RULINGS else {}
    named = next((record for record in records if record.name == params.get("reviewer")), None)
    first = next(
        (record for record in records if record.beside and record.beside.cases),
        records[0] if records else None,
    )
    return Trust(
        against,
        records,
        of_rulings,
        _ask(store, now, together, blind=against.blind),
        ask(spending),
        named or first,
        ask(readers),
    )


def categories(store: Store, reviewer: str) -> Sequence[CategoryClaims]:
    """Return the categories in which a reviewer's findings are refuted most."""
    found: Sequence[CategoryClaims] = _ask(store, stamp(store), refuted_categories, reviewer)
    return found


def cell_query(
    record: TrackRecord, against: Against, said: Verdict | None, truly: Verdict
) -> InboxQuery:
    """Return the inbox query of one cell of the confusion matrix; it finds as many submissions as
    the cell counts.
    """
    mine: dict[str, Any] = (
        {"failed_by": record.name} if said is None else {"reviewer": record.name, "verdict": said}
    )
    match against.truth:
        case GroundTruth.BLOCKERS:
            return InboxQuery(**mine, proven=truly is Verdict.NOT_READY)
        case GroundTruth.OUTCOMES:
            return InboxQuery(**mine, outcome="failed" if truly is Verdict.NOT_READY else "ran")
        case GroundTruth.REVIEWER:
            return InboxQuery(**mine, other=against.reviewer, other_verdict=truly)
        case _ if against.blind:
            return InboxQuery(**mine, blind_decision=truly)
        case _:
            return InboxQuery(**mine, decision=truly)


def _against(params: Mapping[str, str], ask: Callable[..., Any]) -> Against:
    word, other = params.get("against"), params.get("other", "")
    if word == GroundTruth.REVIEWER and other:
        return Against(GroundTruth.REVIEWER, other)
    if params.get("blind") == "1" and word in (None, GroundTruth.DECISIONS):
        return Against(blind=True)
    if word in set(GroundTruth) - {GroundTruth.REVIEWER}:
        return Against(GroundTruth(word))
    # There may be no decisions yet, but proven blockers exist from the first day.
    decided = any(record.beside and record.beside.cases for record in ask(track_records, Against()))
    return Against() if decided else Against(GroundTruth.BLOCKERS)


def _surest(beside: Confusion | None) -> tuple[int, float, int]:
    found = beside.kappa if beside else None
    cases = beside.cases if beside else 0
    # A result from few cases says little, so it must not come first.
    return (2, 0.0, -cases) if found is None else (int(cases < FEW), -found.value, -cases)


def _ask(store: Store, now: int, question: Callable[..., Any], *about: Any, **how: Any) -> Any:
    answer = partial(question, store, *about, **how)
    return _kept(store.place, now, question.__name__, repr((about, how)), answer)


@st.cache_resource(show_spinner=False, max_entries=64)
def _kept(place: str, now: int, question: str, about: str, _answer: Callable[[], Any]) -> Any:
    return _answer()
