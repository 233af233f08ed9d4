"""The table of charts of the trends page; each is computed on first use and cached until the store
changes.
"""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dashboard.charts.grids import criterion_grid, reviewer_grid
from dashboard.charts.lines import claim_lines, survival_lines
from dashboard.charts.outcomes import outcome_bars
from dashboard.charts.ranked import category_bars, group_bars
from dashboard.charts.style import INKS, Chart
from dashboard.trend_addresses import TrendsView
from reviewers.store.trends import (
    CategoryCount,
    Dimension,
    Looked,
    Over,
    by_category,
    by_dimension,
    by_period,
    by_reviewer,
    fitting,
    halves,
    names_of,
)
from reviewers.store.trends_change import Halves
from reviewers.store.trends_history import by_claims, by_fate, survival

_Made = Callable[[Looked, TrendsView, bool], Chart]


def over_of(looked: Looked, view: TrendsView) -> Over:
    """Return what the charts over time go over."""
    return view.over or fitting(looked)


def dimension_of(looked: Looked, view: TrendsView) -> Dimension:
    """Return the dimension that groups submissions: the chosen one, else the first with a known
    value.
    """
    known = (each for each in (Dimension.GENERATOR, Dimension.MODEL) if names_of(looked, each))
    return view.by or next(known, Dimension.LINEAGE)


def chart(key: str, looked: Looked, view: TrendsView, dark: bool) -> Chart:
    """Return a chart, ready to be drawn; callers must not change it."""
    return _kept(looked.facts.moment, repr(view), key, dark, looked, view)


@st.cache_resource(show_spinner=False, max_entries=128)
def _kept(
    moment: int, about: str, key: str, dark: bool, _looked: Looked, _view: TrendsView
) -> Chart:
    made = CHARTS[key](_looked, _view, dark)
    if made.figure is not None:
        ink = INKS[dark]
        made.figure.update_layout(font_color=ink, legend_font_color=ink)
        made.figure.update_xaxes(tickfont_color=ink, title_font_color=ink)
        made.figure.update_yaxes(tickfont_color=ink, title_font_color=ink)
        made.figure.update_annotations(font_color=ink)
    return made


def categories(looked: Looked) -> tuple[Sequence[CategoryCount], Halves | None]:
    """Return the categories that count, and what earlier and later is compared."""
    return _counted(looked.facts.moment, repr(looked.query), looked)


@st.cache_resource(show_spinner=False, max_entries=32)
def _counted(
    moment: int, about: str, _looked: Looked
) -> tuple[Sequence[CategoryCount], Halves | None]:
    compared = halves(_looked)
    return by_category(_looked, compared), compared


def _categories(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    counts, compared = categories(looked)
    return category_bars(counts, view.query, compared, dark)


def _time(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    over = over_of(looked, view)
    return criterion_grid(by_period(looked, over), view.query, over, dark)


def _reviewers(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    return reviewer_grid(by_reviewer(looked), view.query, looked.size, dark)


def _claims(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    over = over_of(looked, view)
    return claim_lines(by_claims(looked, over), view.query, over)


def _groups(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    by = dimension_of(looked, view)
    return group_bars(by_dimension(looked, by), view.query, by, dark)


CHARTS: Mapping[str, _Made] = {
    "category": _categories,
    "time": _time,
    "reviewer": _reviewers,
    "group": _groups,
    "survival": lambda looked, view, dark: survival_lines(survival(looked), view.query),
    "claims": _claims,
    "outcome": lambda looked, view, dark: outcome_bars(by_fate(looked), view.query),
}
