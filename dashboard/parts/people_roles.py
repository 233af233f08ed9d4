"""Who may do what: everybody who signs in, with their roles, and the form that gives a role."""

import streamlit as st

from dashboard import session, signing
from dashboard.parts.facts_table import facts_table
from dashboard.parts.plain import one_line, plain
from reviewers import settings
from reviewers.roles import Role
from reviewers.store import Store
from reviewers.store.person_roles import PersonRole, give_role, people_with_roles

_WHO, _ROLE = "role-person", "role-given"
_TAKE_BACK = "none given here"
_SHOWN = 500


def people_roles(store: Store) -> None:
    """Draw the table, and the form that gives a role."""
    people = {each.key: each for each in people_with_roles(store)[:_SHOWN]}
    groups = settings.group_roles()
    rows = [
        (
            one_line(each.name, 60),
            one_line(each.subject, 60),
            each.role(groups.otherwise),
            each.given or "—",
            each.by_groups or "—",
        )
        for each in people.values()
    ]
    headings = ("Person", "Subject", "Role", "Given here", "By groups")
    facts_table("Who may do what", headings, rows, key="people")
    st.caption(
        plain(
            "The higher role counts. A viewer reads; a reviewer also judges, imports and asks"
            " models; an operator also configures and gives roles. Everybody else who signs in is"
            f" a{'n' if groups.otherwise is Role.OPERATOR else ''} {groups.otherwise}. Groups are"
            " as they were when the person signed in last."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.selectbox(
            "Person",
            [*people],
            format_func=lambda key: one_line(f"{people[key].name} ({people[key].subject})", 90),
            key=_WHO,
            width=320,
        )
        st.selectbox("Role given here", [*Role, _TAKE_BACK], key=_ROLE, width=200)
        st.button("Give this role", on_click=_give, args=(store, people), disabled=not people)


def _give(store: Store, people: dict[str, PersonRole]) -> None:
    chosen, word = st.session_state.get(_WHO), st.session_state.get(_ROLE)
    if chosen in people and word is not None:
        with session.reporting():
            role = None if word == _TAKE_BACK else Role(word)
            give_role(store, people[chosen], role, signing.acting())
