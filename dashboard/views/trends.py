"""What fails most, and is it getting better? Categories over all submissions; every mark opens the
inbox filtered to it.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard import session
from dashboard.charts.dots import opened
from dashboard.charts.page import (
    CHARTS,
    categories,
    causes_of,
    chart,
    failures_of,
    groups_of,
    over_of,
)
from dashboard.charts.ranked import cause_lines
from dashboard.charts.style import Chart
from dashboard.dates import days_words
from dashboard.parts.chart_card import TURNED, card_head, chart_card
from dashboard.parts.closed_page import closed_page
from dashboard.parts.instruction_card import (
    instruction_answer,
    instruction_card,
    instruction_note,
)
from dashboard.parts.page import lazy_section, tab_title
from dashboard.parts.plain import one_line, plain
from dashboard.parts.trend_filters import compare_choice, trend_filters
from dashboard.parts.uncategorised_card import uncategorised_card
from dashboard.trend_addresses import TrendsView, trends_params, trends_view
from reviewers.records import counted
from reviewers.rubric import UNCATEGORISED
from reviewers.store.repairs import repaired_versions
from reviewers.store.trends import Dimension, Looked, Over, TrendsQuery, looked_at

_FEW = 10
# The two columns, at once and below the fold; charts that are not named here come last.
_FIRST = (("category",), ("instruction", "group"))
_LEFT = ("time", "reviewer")
_LATER = (_LEFT, tuple(key for key in CHARTS if key not in {*_LEFT, *_FIRST[0], *_FIRST[1]}))
_WIDTHS = (1.35, 1)
_OVER = {Over.ATTEMPT: "Attempts", Over.DAY: "Days", Over.WEEK: "Weeks", Over.MONTH: "Months"}
_NAMED = {
    Dimension.GENERATOR: "generator",
    Dimension.CONTRACT: "contract",
    Dimension.MODEL: "model",
    Dimension.DATASET: "data set",
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
    counts, compared = categories(looked, view)
    if not looked.size or not counts:
        _nothing(looked)
        return
    compare_choice(view, compared, groups_of(looked, view), looked.days)
    st.caption(plain(_sizes(looked)))
    with st.container(key="trends"):
        _cards(_FIRST, looked, view)
        lazy_section(partial(_cards, _LATER, looked, view), key="trends-later")


def _cards(keys: Sequence[Sequence[str]], looked: Looked, view: TrendsView) -> None:
    for column, mine in zip(st.columns(_WIDTHS, gap="small"), keys, strict=True):
        with column:
            for key in mine:
                _card(key, looked, view)


def _card(key: str, looked: Looked, view: TrendsView) -> None:
    if key == "instruction":
        _instruction(looked)
        return
    drawn = chart(key, looked, view, st.context.theme.type == "dark")
    if key == "category":
        chart_card(_with_causes(drawn, view))
        if view.opened == UNCATEGORISED:
            uncategorised_card(session.store())
    elif key == "time":
        chart_card(drawn, lambda: _over(over_of(looked, view)))
    else:
        chart_card(drawn)


def _with_causes(drawn: Chart, view: TrendsView) -> Chart:
    """The chart with the causes of the category that is opened; what has no category is told in a
    card of its own.
    """
    if view.opened in ("", UNCATEGORISED) or not drawn.dots:
        return drawn
    found = causes_of(session.store(), replace(view.query, category=view.opened))
    return replace(drawn, dots=[opened(drawn.dots[0], view.opened, cause_lines(found, view))])


def _instruction(looked: Looked) -> None:
    found = failures_of(session.store(), looked)
    with st.container(border=True, key="card-instruction"):
        card_head(
            "What to tell the generator",
            instruction_answer(found),
            instruction_note(found),
            "instruction",
        )
        instruction_card(found, key="instruction")


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
        f"{title} {one_line(value, 60)}"
        for by, title in _NAMED.items()
        if (value := getattr(looked.query, by)) is not None
    ]
    words = f"{counted(looked.size, 'submission')} reviewed"
    words += f", {', '.join(chosen)}: " if chosen else ": "
    words += days_words(looked)
    few = (
        f". Only {looked.size} so far, so each new one will change the shares below."
        if looked.size < _FEW
        else ""
    )
    ours = repaired_versions(session.store())
    left = f". {counted(ours, 'version')} repaired by areachair not counted" if ours else ""
    return words + few + left


def _over(over: Over) -> None:
    st.session_state["trends-over"] = over
    look: dict[str, Any] = {"required": True, "label_visibility": "collapsed"}
    st.segmented_control(
        "Over",
        list(_OVER),
        format_func=_OVER.__getitem__,
        key="trends-over",
        on_change=_turn,
        **look,
    )


def _turn() -> None:
    """Store a choice in the address and redraw the page: other charts use the same periods."""
    before = trends_view(st.query_params)
    over = st.session_state.get("trends-over") or before.over
    st.query_params.from_dict(trends_params(replace(before, over=over)))
    st.session_state[TURNED] = True
