"""The bar above every page: a hint for newcomers, the person's name, blind mode and the keys."""

from functools import partial

import streamlit as st

from dashboard import access, session, signing
from dashboard.parts.component import drain
from dashboard.parts.help_sheet import help_sheet
from dashboard.parts.identity_bar import identity_bar
from dashboard.parts.tour import tour
from reviewers.roles import Act

_WHO = "who"


def frame(page: str) -> None:
    """Draw the right half of the bar; `page` is the page's path in the address."""
    session.shown()
    with st.container(key="frame", horizontal=True, wrap=False, vertical_alignment="center"):
        if access.may(Act.DECIDE):
            tour(page)
        signer = signing.signer()
        identity_bar(
            signer.name if signer else "",
            offered=signing.offered(),
            fixed=signer is not None and signer.issuer is not None,
            blind=session.blind(),
            in_use=session.in_use(),
            key=_WHO,
            on_events=partial(_on_who, _WHO),
        )
        help_sheet(page)


def _on_who(key: str) -> None:
    for event in drain(key):
        match event:
            case {"kind": "author", "name": str(name), **rest}:
                with session.reporting():
                    session.rename(name, correct=rest.get("correct") is True)
            case {"kind": "join" | "apart" | "keep" as answer}:
                with session.reporting():
                    session.answer_in_use(answer)
            case {"kind": "blind", "on": bool(on)}:
                session.set_blind(on)
