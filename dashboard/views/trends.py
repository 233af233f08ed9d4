"""What fails most, and is it getting better? Categories over all submissions; every mark opens the
inbox filtered to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.charts.page import CHARTS, categories, chart, dimension_of, over_of
from dashboard.charts.ranked import TEST_WORDS, change_words, sides_words
from dashboard.dates import days_words
from dashboard.parts.change_list import ChangeLine, change_list
from dashboard.parts.chart_card import TURNED, chart_card
from dashboard.parts.closed_page import closed_page
from dashboard.parts.page import lazy_section, tab_title
from dashboard.parts.plain import one_line, plain
from dashboard.parts.trend_filters import trend_filters
from dashboard.parts.uncategorised_card import uncategorised_card
from dashboard.trend_addresses import TrendsView, behind, trends_params, trends_view
from reviewers.records import counted
from reviewers.rubric import category_title
from reviewers.store.trends import CategoryCount, Dimension, Looked, Over, TrendsQuery, looked_at
from reviewers.store.trends_change import Halves

_FEW = 10
# The two columns, at once and below the fold; charts that are not named here come last.
_FIRST = (("category",), ("changes", "time"))
_LEFT = ("reviewer", "group", "outcome", "uncategorised")
_LATER = (_LEFT, tuple(key for key in CHARTS if key not in {*_LEFT, *_FIRST[0], *_FIRST[1]}))
_OVER = {Over.ATTEMPT: "Attempts", Over.DAY: "Days", Over.WEEK: "Weeks", Over.MONTH: "Months"}
_BY = {
    Dimension.GENERATOR: "Generator",
    Dimension.CONTRACT: "Contract",
    Dimension.MODEL: "Model",
    Dimension.DATASET: "Data set",
    Dimension.LINEAGE: "Lineage",
}


def page() -> None:
    """Draw the trends."""
    view = trends_view(st.query_params)
    tab_title("Trends")
    st.title("What fails most, and is it getting better?", anchor=False)
    if closed_page(session.store()):
        return
    # Seen only where a large store is opened for the first time.
    with st.spinner("Counting…"):
        looked = looked_at(session.store(), view.query)
    trend_filters(view, looked)
    if not looked.size or not categories(looked)[0]:
        _nothing(looked)
        return
    st.caption(plain(_sizes(looked)))
    with st.container(key="trends"):
        _cards(_FIRST, looked, view)
        lazy_section(partial(_cards, _LATER, looked, view), key="trends-later")


def _cards(keys: Sequence[Sequence[str]], looked: Looked, view: TrendsView) -> None:
    for column, mine in zip(st.columns(2, gap="small"), keys, strict=True):
        with column:
            for key in mine:
                _card(key, looked, view)


def _card(key: str, looked: Looked, view: TrendsView) -> None:
    if key == "changes":
        _changes(*categories(looked), view.query)
        return
    if key == "uncategorised":
        uncategorised_card(session.store())
        return
    drawn = chart(key, looked, view, st.context.theme.type == "dark")
    if key == "time":
        chart_card(drawn, lambda: _over(over_of(looked, view)))
    elif key == "group":
        chart_card(drawn, lambda: _by(dimension_of(looked, view)))
    else:
        chart_card(drawn)


def _nothing(looked: Looked) -> None:
    if looked.query != TrendsQuery():
        st.info(
            "No submission that matches these filters has such a finding. Clear a filter to see"
            " more."
        )
    else:
        st.info("No submission has a finding yet. Import some to see what keeps failing.")


def _sizes(looked: Looked) -> str:
    # What is chosen behind "More filters" stands nowhere else on the page.
    chosen = [
        f"{title.lower()} {one_line(value, 60)}"
        for by, title in _BY.items()
        if by is not Dimension.LINEAGE and (value := getattr(looked.query, by)) is not None
    ]
    words = f"{counted(looked.size, 'submission')} reviewed"
    words += f", {', '.join(chosen)}: " if chosen else ": "
    words += days_words(looked)
    few = (
        f". Only {looked.size} so far, so each new one will change the shares below."
        if looked.size < _FEW
        else ""
    )
    return words + few


def _changes(counts: Sequence[CategoryCount], compared: Halves | None, query: TrendsQuery) -> None:
    changed = [count for count in counts if count.change is not None]
    with st.container(border=True, key="card-change"):
        st.subheader("What is new, rising, falling?", anchor=False)
        if compared is None:
            st.caption(
                plain(
                    "Too few submissions, or no dates or attempts to order them by. At least"
                    " ten are needed on either side."
                )
            )
            return
        if not changed:
            st.caption(
                plain(
                    f"No share differs by more than chance explains: {sides_words(compared)}."
                    f" {TEST_WORDS}"
                )
            )
            return
        st.caption(plain(f"{sides_words(compared)}. {TEST_WORDS}"))
        lines = [
            ChangeLine(
                str(count.change),
                category_title(count.category),
                change_words(count),
                _later(query, compared, count),
            )
            for count in changed
        ]
        change_list(lines, key="changes")


def _later(query: TrendsQuery, compared: Halves, count: CategoryCount) -> str:
    """The later submissions that have it; if none is left, the page of the category."""
    if compared.attempt is not None:
        return behind(query, category=count.category, mark=f"attempt-{compared.attempt}")
    return behind(query, category=count.category, since=compared.since)


def _over(over: Over) -> None:
    _segments("Over", "trends-over", _OVER, over)


def _by(by: Dimension) -> None:
    _segments("By", "trends-by", _BY, by)


def _segments(title: str, key: str, words: Mapping[Any, str], chosen: StrEnum) -> None:
    st.session_state[key] = chosen
    look: dict[str, Any] = {"required": True, "label_visibility": "collapsed"}
    st.segmented_control(
        title, list(words), format_func=words.__getitem__, key=key, on_change=_turn, **look
    )


def _turn() -> None:
    """Store a choice in the address and redraw the page: other charts use the same periods."""
    before = trends_view(st.query_params)
    over, by = st.session_state.get("trends-over"), st.session_state.get("trends-by")
    view = replace(before, over=over or before.over, by=by or before.by)
    st.query_params.from_dict(trends_params(view))
    st.session_state[TURNED] = True
