"""Claims without a category, grouped by similar wording; a person can categorise a group."""

from collections.abc import Sequence

import streamlit as st

from dashboard import access
from dashboard.addresses import submission_address
from dashboard.parts.facts_table import Linked, facts_table
from dashboard.parts.plain import one_line, plain
from dashboard.signing import acting
from reviewers.errors import AreachairError
from reviewers.records import counted
from reviewers.roles import Act
from reviewers.rubric import UNCATEGORISED, category_title, rubric
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery
from reviewers.store.uncategorised import MOST, OpenClaim, alike, file_claims, open_claims

_SHOWN = 8
_LONGEST = 140
_KEY = "uncategorised"
_FILED = "uncategorised:filed"


def uncategorised_card(store: Store) -> None:
    """Draw the largest groups, each with a form to categorise it; nothing if every claim has a
    category.
    """
    claims = open_claims(store)
    if not claims and _FILED not in st.session_state:
        return
    with st.container(border=True, key="card-uncategorised"):
        st.subheader("Which claims have no category?", anchor=False)
        _filed(store)
        if claims:
            _groups(store, claims)
        else:
            st.caption("Every claim has a category.")


def _groups(store: Store, claims: Sequence[OpenClaim]) -> None:
    groups = alike(claims)
    is_cut = len({claim.submission for claim in claims}) >= MOST
    shown = groups[:_SHOWN]
    more = f", the {_SHOWN} largest of {len(groups)} groups" if len(groups) > _SHOWN else ""
    # The filters of the page do not apply here: a categorised claim counts in every chart.
    scope = f"the newest {MOST} submissions with one" if is_cut else "all submissions"
    st.caption(
        plain(
            f"{counted(len(claims), 'claim')} of {scope} without a category, grouped by similar"
            f" wording{more}. A claim you file counts under that category everywhere."
        )
    )
    rows = [
        (
            str(number),
            f"{len(group):,}",
            one_line(group[0].claim, _LONGEST),
            Linked(group[0].name, _address(group[0])),
        )
        for number, group in enumerate(shown, 1)
    ]
    facts_table(
        "Claims grouped by similar wording", ("Group", "Claims", "Example", "In"), rows, key=_KEY
    )
    if not access.may(Act.CATEGORISE):
        access.note_why_not(Act.CATEGORISE)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        at = st.selectbox(
            "Group",
            range(len(shown)),
            format_func=lambda at: f"{at + 1} · {one_line(shown[at][0].claim, 40)}",
            key=f"{_KEY}:group",
        )
        category = st.selectbox(
            "Category",
            [id for id in rubric().categories if id != UNCATEGORISED],
            index=None,
            format_func=category_title,
            placeholder="choose",
            key=f"{_KEY}:category",
        )
        if st.button(
            f"File {counted(len(shown[at]), 'claim')}", disabled=category is None, type="primary"
        ):
            _file(store, shown[at], str(category))


def _address(claim: OpenClaim) -> str:
    return submission_address(claim.submission, InboxQuery(), finding=claim.finding)


def _filed(store: Store) -> None:
    """The last categorisation, which can be undone."""
    match st.session_state.get(_FILED):
        case (claims, str(category)):
            with st.container(horizontal=True, vertical_alignment="center"):
                words = counted(len(claims), "claim")
                st.caption(plain(f"Filed {words} under {category_title(category)}."))
                if st.button("Undo"):
                    _file(store, claims, UNCATEGORISED)


def _file(store: Store, claims: Sequence[OpenClaim], category: str) -> None:
    try:
        file_claims(store, claims, category, acting())
    except AreachairError as error:
        st.error(plain(str(error)))
        return
    if category == UNCATEGORISED:
        st.session_state.pop(_FILED, None)
    else:
        st.session_state[_FILED] = (claims, category)
    for name in ("group", "category"):
        st.session_state.pop(f"{_KEY}:{name}", None)
    st.rerun()
