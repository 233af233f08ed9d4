"""Saved views, search and filters of the inbox; the address says what they are set to."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.addresses import inbox_params
from dashboard.parts.plain import one_line
from dashboard.parts.words import category_title, criterion_title, verdict_words
from reviewers.records import Verdict
from reviewers.rubric import rubric
from reviewers.store.inbox import InboxQuery, View

_VIEWS = {
    View.ALL: "All",
    View.NEEDS_DECISION: "Undecided",
    View.DISAGREE: "Reviewers disagree",
    View.CONTRADICTED: "Ready, but blocked",
    View.REFUTED: "Refuted claims",
    View.DECIDED: "Decided",
}


def inbox_views(query: InboxQuery, counts: Mapping[View, int]) -> None:
    """Draw the saved views with how many submissions each holds."""
    _set("view", query.view)
    st.segmented_control(
        "View",
        list(_VIEWS),
        required=True,
        format_func=lambda view: f"{_VIEWS[view]} {counts.get(view, 0)}",
        key="inbox-view",
        label_visibility="collapsed",
        on_change=_to_address,
    )


def inbox_filters(query: InboxQuery, reviewers: Sequence[str], lineages: Sequence[str]) -> None:
    """Draw the search field and one choice for each filter."""
    _set("search", query.text)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="inbox-filters"):
        st.text_input(
            "Search",
            key="inbox-search",
            type="search",
            placeholder="Search names, hypotheses, findings   /",
            label_visibility="collapsed",
            width=270,
            on_change=_to_address,
        )
        _choice("reviewer", "Reviewer", query.reviewer, reviewers, one_line)
        _choice("verdict", "Verdict", query.verdict, list(Verdict), lambda verdict: verdict_words(verdict).capitalize())
        _choice("category", "Category", query.category, list(rubric().categories), category_title)
        _choice("criterion", "Criterion", query.criterion, list(rubric().criteria), criterion_title)
        _choice("lineage", "Lineage", query.lineage, lineages, one_line)
        _choice("decision", "Decision", query.decision, list(Verdict), lambda verdict: verdict_words(verdict).capitalize())
        if query.category or query.criterion or query.refuted:
            _set("refuted", query.refuted)
            st.toggle("Refuted claims instead", key="inbox-refuted", on_change=_to_address)
        if inbox_params(query).keys() - {"view", "page"}:
            st.button("Clear filters", type="tertiary", on_click=_clear)


def _choice(name: str, label: str, value: Any, options: Sequence[Any], words: Callable[[Any], str]) -> None:
    _set(name, value)
    # A filter from the address may ask for what is not among the options; it is shown nevertheless, since it filters.
    known = [*options, *([value] if value is not None and value not in options else [])]
    st.selectbox(
        label,
        known,
        index=None,
        placeholder=label,
        format_func=words,
        key=f"inbox-{name}",
        label_visibility="collapsed",
        width=150,
        on_change=_to_address,
    )


def _set(name: str, value: object) -> None:
    st.session_state[f"inbox-{name}"] = value


def _to_address() -> None:
    chosen = st.session_state
    query = InboxQuery(
        view=chosen.get("inbox-view") or View.ALL,
        text=(chosen.get("inbox-search") or "").strip(),
        reviewer=chosen.get("inbox-reviewer"),
        verdict=chosen.get("inbox-verdict"),
        category=chosen.get("inbox-category"),
        criterion=chosen.get("inbox-criterion"),
        refuted=bool(chosen.get("inbox-refuted")),
        lineage=chosen.get("inbox-lineage"),
        decision=chosen.get("inbox-decision"),
    )
    st.query_params.from_dict(inbox_params(query))


def _clear() -> None:
    view = st.session_state.get("inbox-view") or View.ALL
    st.query_params.from_dict(inbox_params(InboxQuery(view=view)))
