"""The table of charts of the trends page; each is computed on first use and cached until the store
changes.
"""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dashboard.charts.grids import reviewer_grid
from dashboard.charts.lines import period_steps, survival_steps
from dashboard.charts.ranked import category_dots, group_dots
from dashboard.charts.reliability import claim_dots, fate_dots
from dashboard.charts.style import Chart, in_theme
from dashboard.reviewer_marks import reviewer_marks
from dashboard.trend_addresses import TrendsView, period_of
from reviewers.store import Store
from reviewers.store.trends import (
    CategoryCount,
    Dimension,
    Looked,
    Over,
    TrendsQuery,
    between,
    by_category,
    by_dimension,
    by_period,
    by_reviewer,
    fitting,
    grouped_sides,
    halves,
    looked_at,
)
from reviewers.store.trends_causes import CauseCount, FirstFailures, causes, first_failures
from reviewers.store.trends_change import Halves
from reviewers.store.trends_history import by_claims, by_fate, survival

_Made = Callable[[Looked, TrendsView, bool], Chart]


def over_of(looked: Looked, view: TrendsView) -> Over:
    """Return what the charts over time go over."""
    return view.over or fitting(looked)


def sides_of(looked: Looked, view: TrendsView) -> Halves | None:
    """Return what the page compares: what the view names, else what suggests itself; None if a side
    has nothing.
    """
    sides = halves(looked) if view.by is None else _largest(looked, view, view.by)
    later, earlier = period_of(view.this), period_of(view.that)
    if view.by is None and earlier and later:
        sides = between(looked, earlier, later)
    return sides if sides is not None and min(sides.sizes) else None


def _largest(looked: Looked, view: TrendsView, by: Dimension) -> Halves | None:
    """Two groups, the largest in the place of those that the view does not name."""
    names = groups_of(looked, view)
    this = view.this if view.this in names else next(iter(names), "")
    others = [name for name in names if name != this]
    that = view.that if view.that in others else next(iter(others), "")
    return grouped_sides(looked, by, that, this) if that else None


def groups_of(looked: Looked, view: TrendsView) -> Sequence[str]:
    """Return the names of the groups that can be compared, the largest first."""
    if view.by is None:
        return ()
    return [each.group for each in by_dimension(looked, view.by) if each.group is not None]


def chart(key: str, looked: Looked, view: TrendsView, dark: bool) -> Chart:
    """Return a chart, ready to be drawn; callers must not change it."""
    return _kept(looked.facts.moment, repr(view), key, dark, looked, view)


@st.cache_resource(show_spinner=False, max_entries=128)
def _kept(
    moment: int, about: str, key: str, dark: bool, _looked: Looked, _view: TrendsView
) -> Chart:
    made = CHARTS[key](_looked, _view, dark)
    if made.figure is not None:
        in_theme(made.figure, dark)
    return made


def categories(looked: Looked, view: TrendsView) -> tuple[Sequence[CategoryCount], Halves | None]:
    """Return the categories that count, and what is compared."""
    return _counted(looked.facts.moment, repr(view), looked, view)


@st.cache_resource(show_spinner=False, max_entries=32)
def _counted(
    moment: int, about: str, _looked: Looked, _view: TrendsView
) -> tuple[Sequence[CategoryCount], Halves | None]:
    compared = sides_of(_looked, _view)
    return by_category(_looked, compared), compared


def causes_of(store: Store, query: TrendsQuery) -> Sequence[CauseCount]:
    """Return the causes of what a query counts."""
    looked = looked_at(store, query)
    return _causes(looked.facts.moment, repr(query), store, looked)


@st.cache_resource(show_spinner=False, max_entries=32)
def _causes(moment: int, about: str, _store: Store, _looked: Looked) -> Sequence[CauseCount]:
    return causes(_store, _looked)


def failures_of(store: Store, looked: Looked) -> FirstFailures:
    """Return what runs would meet first."""
    return _failures(looked.facts.moment, repr(looked.query), store, looked)


@st.cache_resource(show_spinner=False, max_entries=32)
def _failures(moment: int, about: str, _store: Store, _looked: Looked) -> FirstFailures:
    return first_failures(_store, _looked)


def _categories(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    counts, compared = categories(looked, view)
    return category_dots(counts, view, compared)


def _time(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    over = over_of(looked, view)
    # It is about time, whatever else is compared.
    counts, compared = categories(looked, TrendsView(view.query, None, None))
    return period_steps(by_period(looked, over), counts, compared, view.query, over, dark)


def _reviewers(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    counts = by_reviewer(looked)
    marks = reviewer_marks(count.reviewer for count in counts)
    return reviewer_grid(counts, marks, view.query, looked.size, dark)


def _claims(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    totals, counts = by_claims(looked, Over.MONTH), by_claims(looked, over_of(looked, view))
    marks = reviewer_marks(count.reviewer for count in totals)
    return claim_dots(totals, counts, marks, view.query)


def _groups(looked: Looked, view: TrendsView, dark: bool) -> Chart:
    return group_dots(looked, view, categories(looked, view)[1])


CHARTS: Mapping[str, _Made] = {
    "category": _categories,
    "group": _groups,
    "time": _time,
    "survival": lambda looked, view, dark: survival_steps(survival(looked), view.query, dark),
    "reviewer": _reviewers,
    "claims": _claims,
    "outcome": lambda looked, view, dark: fate_dots(by_fate(looked), view.query),
}
