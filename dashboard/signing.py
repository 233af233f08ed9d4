"""Determines who signs a record: the provider's person, else the name that was entered once.

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
    """Return the signer: the signed-in person, else the name entered in this browser, else the
    environment's on a private dashboard; None if unknown.
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
    """Return the signer of the record that is about to be written.

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
    """Return the signer's id; empty if unknown."""
    found = signer()
    return found.id if found else ""


def offered() -> str:
    """Return the name to offer to a person who has not entered one: the login name, but not on a
    shared dashboard.
    """
    if reach() is not Audience.ALONE:
        return ""
    try:
        return checked_name(settings.author())
    except StoreError:
        return ""


def give_name(name: str) -> None:
    """Store the name that a person entered; an invalid one is reported when it has to sign."""
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
