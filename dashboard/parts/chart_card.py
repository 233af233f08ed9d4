"""A chart with its question as the title, its data as a table and as CSV, and marks that open the
inbox.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard.charts.style import SHARES, Chart
from dashboard.parts.component import drain
from dashboard.parts.dots import dots
from dashboard.parts.facts_table import Cell, Linked, facts_table
from dashboard.parts.figures import UNKNOWN
from dashboard.parts.page import navigate
from dashboard.parts.plain import plain, safe_cell
from dashboard.trend_addresses import trends_params, trends_view
from reviewers.rubric import category_title

TURNED = "trends-turned"
"""Set by what `choice` draws: what was chosen turns the whole page, not this chart alone."""
_MOST_ROWS = 300
_CONFIG = {"displayModeBar": False, "doubleClick": False, "showAxisDragHandles": False}


def chart_card(chart: Chart, choice: Callable[[], None] | None = None) -> None:
    """Draw a chart under its answer; a click on a mark opens its submissions in the inbox without
    rerunning the page.

    Args:
        choice: draws a widget that chooses what the chart shows.
    """
    with st.container(border=True, key=f"card-{chart.key}"):
        _card(chart, choice)


@st.fragment
def _card(chart: Chart, choice: Callable[[], None] | None) -> None:
    card_head(chart.title, chart.answer, chart.note, chart.key, choice, partial(_table, chart))
    if chart.dots:
        key = f"dots-{chart.key}"
        dots(chart.title, chart.dots, key=key, on_events=partial(_opened, key))
        if st.session_state.pop(TURNED, False):
            st.rerun()
    if chart.figure is not None:
        event = st.plotly_chart(
            chart.figure,
            key=f"chart-{chart.key}",
            on_select="rerun",
            selection_mode="points",
            config=_CONFIG,
            theme=None,
        )
        if address := _clicked(event):
            navigate(address)


def card_head(
    question: str,
    answer: str,
    note: str,
    key: str,
    choice: Callable[[], None] | None = None,
    table: Callable[[], None] | None = None,
) -> None:
    """Draw the question, what belongs to it, and its answer in one sentence; the method is behind
    *How*.
    """
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"
    ):
        st.subheader(question, anchor=False)
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            if choice:
                choice()
                if st.session_state.pop(TURNED, False):
                    st.rerun()
            if table:
                table()
            with st.popover("How", type="tertiary", key=f"how-{key}"):
                st.markdown(plain(note, 1500))
    with st.container(key=f"answer-{key}"):
        st.markdown(f"**{plain(answer)}**")


def _opened(key: str) -> None:
    for event in drain(key):
        match event:
            case {"kind": "open", "key": str(category)}:
                view = replace(trends_view(st.query_params), opened=category)
                st.query_params.from_dict(trends_params(view))
                st.session_state[TURNED] = True


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV; a cell that a spreadsheet would run as a formula gets an apostrophe
    before it.
    """
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({name: safe_cell(value) for name, value in row.items()})
    return out.getvalue()


def _table(chart: Chart) -> None:
    key = chart.key
    if not chart.rows:
        return
    with st.popover("Table", type="tertiary", key=f"table-{key}", on_change="rerun") as opened:
        if not opened.open:
            return
        st.download_button(
            "Download CSV",
            to_csv(chart.rows),
            file_name=f"areachair-{key}.csv",
            mime="text/csv",
            key=f"csv-{key}",
        )
        headings = list(chart.rows[0])
        links = chart.links or [""] * len(chart.rows)
        rows: list[list[Cell]] = []
        for row, link in list(zip(chart.rows, links, strict=True))[:_MOST_ROWS]:
            first, *rest = (_words(name, value) for name, value in row.items())
            rows.append([Linked(first, link) if link else first, *rest])
        numbers = {
            place
            for place, name in enumerate(headings)
            if name not in _TITLES
            and all(isinstance(row[name], int | float | None) for row in chart.rows)
        }
        facts_table(chart.title, headings, rows, numbers=numbers, key=f"rows-{key}")
        if len(chart.rows) > _MOST_ROWS:
            st.caption(
                f"The first {_MOST_ROWS} of {len(chart.rows):,} rows; the CSV has all of them."
            )


_TITLES: Mapping[str, Callable[[Any], str]] = {"category": category_title}


def _words(column: str, value: Any) -> str:
    """A cell as it is read; the CSV has it as it is counted."""
    if value is None:
        return UNKNOWN
    if column in _TITLES:
        return _TITLES[column](value)
    if isinstance(value, float) and column in SHARES:
        return f"{value:.0%}".replace("%", "\u202f%")
    if isinstance(value, float):
        return f"{value:.2g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _clicked(event: Mapping[str, Any]) -> str:
    """The address in the custom data of the mark that was clicked in this run."""
    points = (event.get("selection") or {}).get("points") or []
    data = points[0].get("customdata") if points else None
    # Streamlit gives a list for some traces and a mapping of places for others.
    values = list(data.values()) if isinstance(data, Mapping) else data
    return str(values[0]) if values else ""
