"""Who signs what a person writes here: the provider's person, else the name that was given once.

Nothing is written without a name that somebody gave: the browser asks for it before the first
record (identity_bar.js), and `acting` refuses what comes without.
"""

from urllib.parse import unquote

import streamlit as st

from dashboard import login
from dashboard.server_state import is_open, reach
from reviewers import settings
from reviewers.cli.serving import Audience
from reviewers.errors import StoreError
from reviewers.store.authors import Signer, checked_name

NAME_COOKIE = "areachair_author"
_NAME = "author"
_REFUSED = "author:refused"


def signer() -> Signer | None:
    """Return who signs: who is signed in, else the name given in this browser, else the one that
    the environment gives on a desk for one; None where nobody is known yet.
    """
    configured = settings.login()
    known = login.account(configured)
    # Where people sign in, nobody signs by a name that was typed.
    if known is not None or configured is not None:
        return known
    try:
        name = checked_name(_given())
    except StoreError:
        return None
    return Signer(name)


def acting() -> Signer:
    """Return who signs the record that is about to be written.

    Raises:
        StoreError: nobody gave a name that can be kept.
    """
    refused = st.session_state.pop(_REFUSED, None)
    if refused is not None:
        raise StoreError(refused)
    found = signer()
    if found is None and settings.login() is not None:
        raise StoreError("nothing was saved: the provider did not identify you")
    if found is None:
        if given := _given():
            checked_name(given)
        raise StoreError("nothing was saved because no name was given: enter your name first")
    return found


def author() -> str:
    """Return the id of who signs, by which records are theirs; empty where nobody is known yet."""
    found = signer()
    return found.id if found else ""


def offered() -> str:
    """Return the name that is offered to who was not asked yet: the login name, which on a desk
    that others reach is nobody's who asks.
    """
    if reach() is not Audience.ALONE:
        return ""
    try:
        return checked_name(settings.author())
    except StoreError:
        return ""


def give_name(name: str) -> None:
    """Take the name that a person gave; one that cannot be kept is told when it is to sign."""
    try:
        st.session_state[_NAME] = checked_name(name)
        st.session_state.pop(_REFUSED, None)
    except StoreError as error:
        st.session_state[_REFUSED] = str(error)


def _given() -> str:
    # Streamlit's AppTest has no browser and gives no text here.
    cookie = st.context.cookies.get(NAME_COOKIE)
    given = st.session_state.get(_NAME) or (unquote(cookie) if isinstance(cookie, str) else "")
    if given.strip():
        return str(given)
    return settings.author() if settings.author_given() and not is_open() else ""
