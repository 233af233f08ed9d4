"""A person's saved views of the inbox: their queries with counts, and what the page's events do to
them.
"""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from dashboard import inbox_scope, session, signing
from dashboard.addresses import inbox_params, inbox_query
from dashboard.parts.component import drain
from dashboard.parts.upload import tell_large
from reviewers.store import Store
from reviewers.store.desk_choices import delete_view, rename_view, save_view, saved_views
from reviewers.store.inbox import InboxQuery, inbox


def saved_queries(
    store: Store, me: str, stamp: object
) -> Mapping[str, tuple[InboxQuery, int | str | None]]:
    """Return the query and the count of each saved view by its name, the oldest first, a count as
    text where there are more; no count where blind mode would ignore a part of it.

    Args:
        me: the author's id.
        stamp: changes with what the store's own views count; counts are taken again then, and once
            a minute.
    """
    found: dict[str, tuple[InboxQuery, int | str | None]] = {}
    for name, address in saved_views(store, me).items():
        query = inbox_query(dict(parse_qsl(address)))
        if session.blind() and inbox_scope.reveals(query, me):
            found[name] = query, None
        else:
            found[name] = query, _count(store.place, repr(query), repr(stamp), store, query)
    return found


@st.cache_resource(show_spinner=False, max_entries=256, ttl=60)
def _count(place: str, asked: str, stamp: str, _store: Store, _query: InboxQuery) -> int | str:
    found = inbox(_store, replace(_query, limit=0, offset=0))
    return f"{found.total:,}+" if found.more else found.total


def act_on_views(store: Store, query: InboxQuery, key: str) -> None:
    """Do what the events of the views ask for; to be called in their callback."""
    for event in drain(key):
        with session.reporting():
            match event:
                case {"action": "large", "names": list(names)}:
                    tell_large(names)
                case {"action": "save_view", "name": str(name)}:
                    address = urlencode(inbox_params(replace(query, offset=0)), errors="replace")
                    save_view(store, name, address, signing.acting())
                case {"action": "rename_view", "old": str(old), "new": str(new)}:
                    rename_view(store, old, new, signing.acting())
                case {"action": "delete_view", "name": str(name)}:
                    delete_view(store, name, signing.acting())
                case _:
                    session.problem("The page sent invalid data; reload it.")
