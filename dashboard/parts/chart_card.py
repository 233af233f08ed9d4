"""A chart with its question as title, its table as CSV, and marks that can be clicked."""

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from dashboard.parts.plain import one_line

_FORMULA = re.compile(r"^[=+\-@\t\r]")


def chart_card(
    title: str, figure: Any, rows: Sequence[Any], *, key: str, choice: Callable[[], None] | None = None, note: str = ""
) -> list[Any] | None:
    """Draw a chart.

    Args:
        figure: a plotly figure whose marks carry `customdata`.
        rows: the frozen records behind it; their fields become the columns of table and CSV.
        choice: draws a widget that chooses what the chart shows.
        note: what the chart leaves out, in words of ours.

    Returns:
        The `customdata` of the mark that was clicked in this run, else None.
    """
    with st.container(border=True, key=f"card-{key}"):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.subheader(title, anchor=False)
            with st.container(horizontal=True, vertical_alignment="center", width="content"):
                if choice:
                    choice()
                _table(rows, key)
        if note:
            st.caption(note)
        event = st.plotly_chart(figure, key=key, on_select="rerun", selection_mode="points", config={"displayModeBar": False})
    return _clicked(event)


def to_csv(rows: Sequence[Any]) -> str:
    """Return records as CSV; a cell that a spreadsheet would run as a formula gets an apostrophe before it."""
    out = io.StringIO()
    if rows:
        writer = csv.DictWriter(out, list(asdict(rows[0])))
        writer.writeheader()
        for row in rows:
            writer.writerow({name: _cell(value) for name, value in asdict(row).items()})
    return out.getvalue()


def _table(rows: Sequence[Any], key: str) -> None:
    with st.popover("Table", type="tertiary", key=f"table-{key}", on_change="rerun") as opened:
        if opened.open:
            shown = [
                {name: one_line(value) if isinstance(value, str) else value for name, value in asdict(row).items()}
                for row in rows
            ]
            st.dataframe(shown, hide_index=True, width=560)
            st.download_button("Download CSV", to_csv(rows), file_name=f"areachair-{key}.csv", mime="text/csv", key=f"csv-{key}")


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _clicked(event: Mapping[str, Any]) -> list[Any] | None:
    points = (event.get("selection") or {}).get("points") or []
    data = points[0].get("customdata") if points else None
    # Streamlit gives a list for some traces and a mapping of places for others.
    return list(data.values()) if isinstance(data, Mapping) else data
