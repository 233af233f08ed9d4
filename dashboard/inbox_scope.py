"""The list that the address asks for, as who is speaking may see it: a person who judges blind gets
one that tells nothing of what others say.
"""

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

NEUTRAL_SORTS = (Sort.NAME, Sort.NEWEST, Sort.OLDEST)
_SORTED = Sort.NAME
NEUTRAL_FILTERS = frozenset(
    ("lineage", "attempt", "model", "dataset", "generator", "contract", "since", "until")
)
"""What a submission is, whatever anybody says of it."""


def asked() -> InboxQuery:
    """Return what the address asks for; what would tell of others' verdicts is left out for who
    judges blind.
    """
    query = inbox_query(st.query_params)
    return neutral(query, signing.author()) if session.blind() else query


def neutral(query: InboxQuery, me: str) -> InboxQuery:
    """Return what is left of a query without all that depends on what anybody else says."""
    kept = {name: getattr(query, name) for name in (*NEUTRAL_FILTERS, "text", "limit", "offset")}
    mine = me if query.undecided_by == me else None
    sort = query.sort if query.sort in NEUTRAL_SORTS else _SORTED
    return InboxQuery(**kept, undecided_by=mine, sort=sort, in_names=True)


def left_out() -> Sequence[str]:
    """Return the parameters of the address that are left out, in its order; none for who does not
    judge blind.
    """
    if not session.blind():
        return ()
    full = inbox_params(inbox_query(st.query_params))
    left = inbox_params(asked())
    return [name for name in full if name not in left or left[name] != full[name]]


def found(store: Store, query: InboxQuery) -> InboxPage:
    """Return a page of the list; for who judges blind, `decided` counts only their own."""
    page = inbox(store, query)
    if not session.blind():
        return page
    open_ones = inbox(store, replace(_mine(query), limit=0, offset=0)).total
    return replace(page, decided=page.total - open_ones)


def progress(store: Store) -> tuple[int, int]:
    """Return how many submissions are decided and how many there are; for who judges blind, how
    many they decided on.
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
    """Return how large the list is and how much of it is decided; None where it is all of the
    store. In what is undecided by one person, what others decided says nothing of how far the work
    is.
    """
    if query.undecided_by is not None or not inbox_params(
        replace(query, offset=0, sort=Sort.NEEDED)
    ):
        return None
    return found(store, replace(query, limit=0, offset=0))


def following(store: Store, after: str, query: InboxQuery) -> str | None:
    """Return the id of the next submission to decide in the list; None where there is none."""
    return next_undecided(store, after, _mine(query) if session.blind() else query)


def every(store: Store, query: InboxQuery, *, undecided: bool) -> tuple[str, ...]:
    """Return the ids of the whole list.

    Args:
        undecided: leave out what is decided; for who judges blind, what they decided on.
    """
    if undecided and session.blind():
        return matching_ids(store, _mine(query))
    return matching_ids(store, query, undecided=undecided)


def closed(store: Store) -> int:
    """Return on how many submissions a person who judges blind has yet to decide before what is
    counted over all of them may be seen; 0 for everybody else.
    """
    return undecided_count(store, signing.author()) if session.blind() else 0


def counts(store: Store) -> dict[View, int | None]:
    """Return how many submissions each view holds; None where that would tell of others'
    verdicts.
    """
    known = view_counts(store)
    return {
        view: None if session.blind() and view is not View.ALL else count
        for view, count in known.items()
    }


def unseen(store: Store, ids: Collection[str]) -> frozenset[str]:
    """Return those of the submissions that a person decides on blind: what others say is hidden,
    and was not looked at before; who decided on one has seen it, also after withdrawing that.
    """
    if not session.blind():
        return frozenset()
    return session.unseen(ids) - decided_ids(store, signing.author(), ids, ever=True)


def _mine(query: InboxQuery) -> InboxQuery:
    return replace(query, undecided_by=signing.author())
