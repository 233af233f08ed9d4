"""The filters of the trends; their state is in the address, named as in the inbox."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

import streamlit as st

from dashboard.parts.plain import one_line
from dashboard.parts.words import criterion_title
from dashboard.trend_addresses import TrendsView, trends_params, trends_view
from reviewers.rubric import category_title, rubric
from reviewers.store.trends import Looked, TrendsQuery, names_of

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
    st.query_params.from_dict(trends_params(TrendsView(query, before.over, before.by)))


def _chosen(value: Any) -> Any:
    if isinstance(value, str):
        return value.strip() or None
    return value if isinstance(value, int | date) else None


_FIELDS = ("reviewer", "criterion", "category", "lineage", *_MORE)


def _clear() -> None:
    before = trends_view(st.query_params)
    st.query_params.from_dict(trends_params(TrendsView(TrendsQuery(), before.over, before.by)))
