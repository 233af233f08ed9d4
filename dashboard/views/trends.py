"""What fails most, and is it getting better? Categories over all submissions; every mark opens the inbox filtered to it."""

from collections import Counter
from collections.abc import Sequence
from datetime import date

import streamlit as st

from dashboard import session
from dashboard.addresses import inbox_address
from dashboard.charts import FEWEST, MOST_PANELS, category_bars, criterion_bars, reviewer_bars, time_lines
from dashboard.parts.chart_card import chart_card
from dashboard.parts.navigate import navigate
from dashboard.parts.plain import one_line
from dashboard.parts.words import criterion_title
from reviewers.rubric import rubric
from reviewers.store import Store
from reviewers.store.inbox import InboxQuery, reviewers_seen
from reviewers.store.trends import TimeCount, TrendsQuery, by_attempt, by_category, by_criterion, by_day, by_reviewer, lineages

_FEW = 10
_AXES = ("By attempt", "By day of import")


def page() -> None:
    """Draw the trends."""
    store = session.store()
    st.title("What fails most, and is it getting better?", anchor=False)
    query = _filters(store)
    categories = by_category(store, query)
    if not categories:
        st.info("Nothing to count yet: no submission has such a finding.")
        return
    if categories[0].of < _FEW:
        st.caption(f"Only {categories[0].of} submissions so far: the shares below will move with every new one.")
    with st.container(key="trends"):
        left, right = st.columns(2, gap="small")
    with left:
        if mark := chart_card("Which failures recur?", category_bars(categories), categories, key="category"):
            _open(query, category=mark[0])
        _criteria(store, query)
    with right:
        _over_time(store, query)
        _reviewers(store, query)


def _filters(store: Store) -> TrendsQuery:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="trends-filters"):
        reviewer = st.selectbox(
            "Reviewer",
            reviewers_seen(store),
            index=None,
            placeholder="Every reviewer",
            format_func=one_line,
            label_visibility="collapsed",
            width=180,
        )
        criterion = st.selectbox(
            "Criterion",
            list(rubric().criteria),
            index=None,
            placeholder="Every criterion",
            format_func=criterion_title,
            label_visibility="collapsed",
            width=220,
        )
        lineage = st.selectbox(
            "Lineage",
            lineages(store),
            index=None,
            placeholder="Every lineage",
            format_func=one_line,
            label_visibility="collapsed",
            width=220,
        )
        refuted = st.toggle("Refuted claims instead", key="trends-refuted")
    return TrendsQuery(reviewer=reviewer, criterion=criterion, lineage=lineage, refuted=refuted)


def _criteria(store: Store, query: TrendsQuery) -> None:
    rows = by_criterion(store, query)
    if mark := chart_card("Under which criteria?", criterion_bars(rows), rows, key="criterion"):
        _open(query, criterion=int(mark[0]))


def _reviewers(store: Store, query: TrendsQuery) -> None:
    rows = by_reviewer(store, query)
    if not rows:
        return
    totals = Counter({row.reviewer: 0 for row in rows})
    for row in rows:
        totals[row.reviewer] += row.confirmed + row.refuted + row.unverified
    most = {name for name, _ in totals.most_common(MOST_PANELS)}
    note = f"The {MOST_PANELS} reviewers with most findings; all of them stand in the table." if len(totals) > MOST_PANELS else ""
    figure = reviewer_bars([row for row in rows if row.reviewer in most])
    if mark := chart_card("Who finds what, and is it true?", figure, rows, key="reviewer", note=note):
        _open(query, category=mark[0], reviewer=mark[1])


def _over_time(store: Store, query: TrendsQuery) -> None:
    # Attempts first: they say whether a generator learns; days say so only once imports are spread over time.
    axis = st.session_state.get("trends-axis") or _AXES[0]
    rows: Sequence[TimeCount] = by_attempt(store, query) if axis == _AXES[0] else by_day(store, query)
    drawn = [row for row in rows if row.of >= FEWEST]
    if len({row.period for row in drawn}) < 2:
        drawn = list(rows)
    left_out = len({row.period for row in rows} - {row.period for row in drawn})
    note = (
        f"{left_out} {'attempts' if axis == _AXES[0] else 'days'} with fewer than {FEWEST} submissions stand in the table only."
        if left_out
        else ""
    )
    if len({row.period for row in drawn}) > 1:
        title = "Is it getting better?"
        if mark := chart_card(title, time_lines(drawn), rows, key="time", choice=_axis, note=note):
            _open(query, category=mark[0])
    else:
        with st.container(border=True):
            st.subheader("Is it getting better?", anchor=False)
            st.caption(_why_not(rows, axis))
            _axis()


def _axis() -> None:
    st.segmented_control("Over", _AXES, default=_AXES[0], required=True, key="trends-axis", label_visibility="collapsed")


def _why_not(rows: Sequence[TimeCount], axis: str) -> str:
    if axis == _AXES[0]:
        return "No lineage has two attempts yet, so there is nothing to compare."
    days = {row.period for row in rows if isinstance(row.period, date)}
    return (
        f"All submissions were imported on {min(days):%d %B %Y}; a second day will show a direction."
        if days
        else "Nothing was imported yet."
    )


def _open(query: TrendsQuery, *, category: str | None = None, criterion: int | None = None, reviewer: str | None = None) -> None:
    """Open the inbox on what a mark counts."""
    wanted = InboxQuery(
        category=category,
        criterion=criterion or query.criterion,
        reviewer=reviewer or query.reviewer,
        refuted=query.refuted,
        lineage=query.lineage,
    )
    navigate(inbox_address(wanted))
