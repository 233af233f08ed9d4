"""The filters of the trends; their state is in the address, named as in the inbox."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import streamlit as st

from dashboard.parts.plain import one_line
from dashboard.parts.words import criterion_title
from dashboard.trend_addresses import TrendsView, days_param, period_of, trends_params, trends_view
from reviewers.rubric import category_title, rubric
from reviewers.store.trends import Dimension, Looked, Period, TrendsQuery, names_of
from reviewers.store.trends_change import Halves

_MOST_OPTIONS = 300
_NAMED = ("generator", "contract", "model", "dataset")
_MORE = (*_NAMED, "since", "until")
_TITLES = {"dataset": "Data set", "since": "Generated since", "until": "Generated until"}


def trend_filters(view: TrendsView, looked: Looked) -> None:
    """Draw one choice for each filter; those asked for less often in a popover that says how many
    of them are set.
    """
    query = view.query
    known = sorted({*rubric().categories, *looked.facts.names["category"]})
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="trends-filters"
    ):
        _choice("reviewer", query.reviewer, names_of(looked, "reviewer"), one_line)
        _choice("category", query.category, known, category_title, width=200)
        _choice("criterion", query.criterion, list(rubric().criteria), criterion_title, width=200)
        _choice("lineage", query.lineage, names_of(looked, "lineage"), one_line, width=200)
        chosen = sum(getattr(query, name) is not None for name in _MORE)
        with st.popover(f"More filters ({chosen})" if chosen else "More filters"):
            for name in _NAMED:
                _choice(name, getattr(query, name), names_of(looked, name), one_line, width=280)
            for name in _MORE[len(_NAMED) :]:
                _set(name, getattr(query, name))
                st.date_input(
                    f"{_TITLES[name]} (day in UTC)",
                    value=None,
                    key=f"trends-{name}",
                    on_change=_to_address,
                    width=280,
                )
        _set("refuted", query.refuted)
        st.toggle("Refuted claims instead", key="trends-refuted", on_change=_to_address)
        if query != TrendsQuery():
            st.button("Clear filters", type="tertiary", on_click=_clear)


def _choice(
    name: str, value: Any, options: Sequence[Any], words: Callable[[Any], str], width: int = 160
) -> None:
    title = _TITLES.get(name, name.capitalize())
    _set(name, value)
    known = [*options, *([value] if value is not None and value not in options else [])]
    look: dict[str, Any] = {"label_visibility": "collapsed", "width": width}
    if not known:
        st.selectbox(
            title, [], index=None, placeholder=f"{title}: none known", disabled=True, **look
        )
        return
    look |= {"key": f"trends-{name}", "on_change": _to_address}
    if len(known) > _MOST_OPTIONS:
        # So many names would weigh more than the page.
        st.text_input(title, placeholder=f"{title}, full name", **look)
    else:
        st.selectbox(
            title, known, index=None, placeholder=f"Any {title.lower()}", format_func=words, **look
        )


def _set(name: str, value: object) -> None:
    st.session_state[f"trends-{name}"] = value


def _to_address() -> None:
    chosen = st.session_state
    before = trends_view(st.query_params)
    found = {
        name: _chosen(chosen.get(f"trends-{name}", getattr(before.query, name))) for name in _FIELDS
    }
    query = TrendsQuery(**found, refuted=bool(chosen.get("trends-refuted")))
    st.query_params.from_dict(trends_params(replace(before, query=query)))


def _chosen(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip() or None
    return value if isinstance(value, int | date) else None


_FIELDS = ("reviewer", "criterion", "category", "lineage", *_MORE)


def _clear() -> None:
    before = trends_view(st.query_params)
    st.query_params.from_dict(trends_params(replace(before, query=TrendsQuery())))


def compare_choice(
    view: TrendsView, compared: Halves | None, groups: Sequence[str], days: tuple[date, date] | None
) -> None:
    """Draw what is compared side by side: of what kind, and which two.

    Args:
        groups: the names that there are to choose from, if it is not about periods.
        days: the first and last day of what is looked at.
    """
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="trends-compare"
    ):
        _set("by", view.by or "")
        look: dict[str, Any] = {"label_visibility": "collapsed", "on_change": _compare}
        st.selectbox(
            "Compare",
            list(_KINDS),
            format_func=_KINDS.__getitem__,
            key="trends-by",
            width=190,
            **look,
        )
        if view.by is None:
            _periods(view, compared, days, look)
        elif len(groups) > 1 and compared is not None and compared.groups is not None:
            _set("that", compared.groups[0])
            _set("this", compared.groups[1])
            options = list(dict.fromkeys([*groups[:_MOST_OPTIONS], *compared.groups]))
            look |= {"format_func": one_line, "width": 220}
            st.selectbox("This", options, key="trends-this", **look)
            st.caption("against", width="content")
            st.selectbox("That", options, key="trends-that", **look)
        else:
            st.caption(f"there are no two {_KINDS[view.by].split()[-1]} to compare")


_KINDS = {
    "": "Compare periods",
    Dimension.GENERATOR: "Compare generators",
    Dimension.CONTRACT: "Compare contracts",
    Dimension.MODEL: "Compare models",
    Dimension.DATASET: "Compare data sets",
    Dimension.LINEAGE: "Compare lineages",
}


def _periods(
    view: TrendsView, compared: Halves | None, days: tuple[date, date] | None, look: dict[str, Any]
) -> None:
    if days is None:
        return
    first, last = days
    sides = compared.periods if compared and compared.periods else None
    for name, title, place in (("this", "This period", 1), ("that", "The one before", 0)):
        told = sides[place] if sides else Period(first, last)
        period = period_of(getattr(view, name)) or told
        _set(name, (period.since, period.until))
        if name == "that":
            st.caption("against", width="content")
        st.date_input(title, key=f"trends-{name}", width=230, format="YYYY-MM-DD", **look)


def _compare() -> None:
    before, chosen = trends_view(st.query_params), st.session_state
    by = chosen.get("trends-by") or None
    this, that = chosen.get("trends-this"), chosen.get("trends-that")
    if by != before.by:
        this = that = ""
    elif by is None:
        sides = [_days(each) for each in (this, that)]
        if None in sides:  # the second day is still to be chosen
            return
        this, that = (str(each) for each in sides)
    view = replace(before, by=by, this=str(this or ""), that=str(that or ""))
    st.query_params.from_dict(trends_params(view))


def _days(chosen: object) -> str | None:
    match chosen:
        case (date() as since, date() as until):
            return days_param(Period(since, until))
    return None
