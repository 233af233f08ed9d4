"""What the person of a session may do: their role, and the store that refuses all else.

Controls that a role does not allow are not drawn, and that is only a courtesy: whatever a browser
sends, the guarded store decides, and `require` where something other than the store is changed.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dashboard import login
from dashboard.open_store import server_store
from dashboard.parts.plain import plain
from dashboard.server_state import reach
from reviewers import settings
from reviewers.cli.serving import Audience
from reviewers.errors import NotPermitted
from reviewers.roles import Act, Role, highest, refusal
from reviewers.store import Store
from reviewers.store.person_roles import role_given

_ROLE = "access:role"


def role_of(claims: Mapping[str, Any]) -> Role | None:
    """Return the role of who is signed in, as it is now: the higher one of what the provider's
    groups and the store say. None if nobody is signed in, or the provider tells no subject.

    Args:
        claims: what the provider told when the person signed in.

    Raises:
        AreachairError: the store cannot be read, or a setting is invalid.
    """
    account = login.account_of(claims, settings.login())
    if account is None:
        return None
    groups = settings.group_roles()
    given = role_given(server_store(), account.id)
    return highest((groups.of(claims), given), groups.otherwise)


def current_role() -> Role | None:
    """Return the role of this session's person, as it is now; None if nobody is signed in where
    people must.
    """
    match reach():
        case Audience.ALONE:
            return Role.OPERATOR
        case Audience.OPEN:
            return Role.REVIEWER
        case _:
            return role_of(st.user.to_dict())


def look() -> None:
    """Look up the role that this run of the page is drawn for."""
    st.session_state[_ROLE] = current_role()


def role() -> Role | None:
    """Return the role that the page is drawn for."""
    if _ROLE not in st.session_state:
        look()
    found: Role | None = st.session_state[_ROLE]
    return found


def may(act: Act) -> bool:
    """Whether to draw what does this."""
    now = role()
    return now is not None and now.may(act)


def why_not(act: Act) -> str:
    """Return the sentence that says why there is no control for an act; empty if there is one."""
    return "" if may(act) else _refusal(role(), act)


def note_why_not(act: Act) -> None:
    """Draw `why_not`; nothing if it is empty."""
    if words := why_not(act):
        st.caption(plain(words))


def require(act: Act | None) -> None:
    """Refuse an act, None for one without a name, that the person may not do now.

    Raises:
        NotPermitted: the person's role does not allow it.
    """
    now = current_role()
    if now is None or not now.may(act):
        raise NotPermitted(_refusal(now, act))


def _refusal(now: Role | None, act: Act | None) -> str:
    if reach() is Audience.OPEN:
        return "This desk is open to everyone, so only somebody on the server may do that."
    return refusal(now, act)


def guarded_store() -> Store:
    """Return the store for the person of this session: it refuses what their role does not allow.

    Raises:
        StoreError: it cannot be opened.
    """
    return server_store().guarded(require)
