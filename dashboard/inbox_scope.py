"""The submissions that an inbox address selects, without anything that blind mode hides."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from dashboard import session, signing
from dashboard.addresses import inbox_params, inbox_query
from reviewers.store import Store
from reviewers.store.inbox import (
    InboxPage,
    InboxQuery,
    Sort,
    View,
    decided_ids,
    inbox,
    matching_ids,
    next_undecided,
    undecided_count,
    view_counts,
)
from reviewers.store.trends import TrendsQuery
from reviewers.store.trends_causes import meant
from reviewers.store.trends_marks import CAUSE

NEUTRAL_SORTS = (Sort.NAME, Sort.NEWEST, Sort.OLDEST)
_SORTED = Sort.NAME
NEUTRAL_FILTERS = frozenset(
    (
        *("lineage", "attempt", "model", "dataset", "generator", "contract", "since", "until"),
        *("assigned_to", "unassigned"),
    )
)
"""What a submission is and who looks after it, whatever anybody says of it."""


def asked() -> InboxQuery:
    """Return the query of the address, without parts that would reveal others' verdicts in blind
    mode.
    """
    return as_may_be_asked(inbox_query(st.query_params))


def as_may_be_asked(query: InboxQuery) -> InboxQuery:
    """Return a query; in blind mode what is left of it."""
    return neutral(query, signing.author()) if session.blind() else query


def neutral(query: InboxQuery, me: str) -> InboxQuery:
    """Return what is left of a query without all that depends on what anybody else says."""
    names = (*NEUTRAL_FILTERS, "text", "by_lineage", "limit", "offset")
    kept = {name: getattr(query, name) for name in names}
    mine = me if query.undecided_by == me else None
    sort = query.sort if query.sort in NEUTRAL_SORTS else _SORTED
    return InboxQuery(**kept, undecided_by=mine, sort=sort, in_names=True)


def reveals(query: InboxQuery, me: str) -> bool:
    """Whether blind mode ignores a part of a query, its order aside."""
    left = inbox_params(neutral(query, me))
    return any(
        left.get(name) != value for name, value in inbox_params(query).items() if name != "sort"
    )


def left_out() -> Sequence[str]:
    """Return the parameters that blind mode ignores, in the order of the address."""
    if not session.blind():
        return ()
    full = inbox_params(inbox_query(st.query_params))
    left = inbox_params(asked())
    return [name for name in full if name not in left or left[name] != full[name]]


def found(store: Store, query: InboxQuery) -> InboxPage:
    """Return a page of the list; in blind mode `decided` counts only the person's own decisions."""
    page = inbox(store, query)
    if not session.blind() or page.more:
        return page
    open_ones = inbox(store, replace(_mine(query), limit=0, offset=0)).total
    return replace(page, decided=page.total - open_ones)


def progress(store: Store) -> tuple[int, int]:
    """Return the numbers of decided and of all submissions; in blind mode of the person's own
    decisions.
    """
    mine = undecided_count(store, signing.author()) if session.blind() else 0
    return progress_of(counts(store), mine)


def progress_of(counts: Mapping[View, int | None], mine: int) -> tuple[int, int]:
    """Return `progress` from what is known already.

    Args:
        counts: as `counts` gives them.
        mine: how many submissions this person has not decided on.
    """
    total, decided = counts[View.ALL] or 0, counts[View.DECIDED]
    return (total - mine if decided is None else decided), total


def narrowed(store: Store, query: InboxQuery) -> InboxPage | None:
    """Return how large the list is and how much of it is decided; None if it is all of the
    store. In what is undecided by one person, what others decided says nothing of how far the work
    is.
    """
    if query.undecided_by is not None or not inbox_params(
        replace(query, offset=0, sort=Sort.NEEDED, by_lineage=False)
    ):
        return None
    return found(store, replace(query, limit=0, offset=0))


def following(store: Store, after: str, query: InboxQuery) -> str | None:
    """Return the id of the next submission to decide in the list; None if there is none."""
    return next_undecided(store, after, query, by=signing.author() if session.blind() else None)


def every(store: Store, query: InboxQuery, *, undecided: bool) -> tuple[str, ...]:
    """Return the ids of the whole list.

    Args:
        undecided: leave out what is decided; for who judges blind, what they decided on.
    """
    if undecided and session.blind():
        return matching_ids(store, _mine(query))
    return matching_ids(store, query, undecided=undecided)


def closed(store: Store) -> int:
    """Return how many submissions a blinded person must still decide on before overall figures
    open; 0 without blind mode.
    """
    return undecided_count(store, signing.author()) if session.blind() else 0


def counts(store: Store) -> dict[View, int | None]:
    """Return the number of submissions in each view; None if it would reveal verdicts."""
    known = view_counts(store)
    return {
        view: None if session.blind() and view is not View.ALL else count
        for view, count in known.items()
    }


def unseen(store: Store, ids: Collection[str]) -> frozenset[str]:
    """Return those submissions that a person decides on blind: reviews are hidden and were never
    seen, and the person has not decided before, even if that was withdrawn.
    """
    if not session.blind():
        return frozenset()
    return session.unseen(ids) - decided_ids(store, signing.author(), ids, ever=True)


def _mine(query: InboxQuery) -> InboxQuery:
    return replace(query, undecided_by=signing.author())


def meant_in(store: Store, query: InboxQuery, ids: Sequence[str]) -> Mapping[str, str]:
    """Return the findings that a query is about, by submission; none if it is about none."""
    kind, _, cause = (query.mark or "").partition(":")
    cause = cause if kind == CAUSE else ""
    if not (cause or query.category or query.criterion or query.refuted):
        return {}
    told = TrendsQuery(
        reviewer=query.reviewer,
        criterion=query.criterion,
        category=query.category,
        refuted=query.refuted,
    )
    return meant(store, told, ids, cause)
