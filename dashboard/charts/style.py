"""What all charts share: colours for both themes, links to the inbox, intervals in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from dashboard.parts.plain import one_line
from reviewers.agreement import wilson
from reviewers.store.trends import Period

FEWEST = 5  # submissions or claims of which a share is drawn
FEWEST_POINTS = 3  # that make a line
BAR = 26
# Each stands out from both themes' backgrounds by at least 3 to 1.
ACCENT, GREY = "#6b86f6", "#8590a0"
STAYS = "still there (Kaplan–Meier)"
SHARES = frozenset({"share", "low 95 %", "high 95 %", STAYS})
"""Columns of a table that hold shares, from 0 to 1."""
PALETTE = ("#4c6ef5", "#c96a12", "#2b8a4b", "#a14fd0", "#0f8b9e", "#d6455a")
SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "star")
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
CHECKS = {"confirmed": "✓", "unverified": "?", "refuted": "✗"}
INKS = ("#3d4550", "#c6cdd6")
"""Of axes and labels, in light and dark: at least 7 to 1."""
LEGEND = {
    "orientation": "h",
    "yanchor": "top",
    "itemclick": False,
    "itemdoubleclick": False,
    "title": None,
}


@dataclass(frozen=True, slots=True)
class Chart:
    """One question with its answer.

    Attributes:
        title: the question.
        figure: its marks carry `[address, submissions, words]` as custom data; None if there is
            too little to draw.
        rows: the table, by heading; every row has the same headings.
        links: the address behind each row, in their order; empty if there is none.
        note: what it counts, its n, and what it leaves out; in words of ours.
    """

    key: str
    title: str
    figure: go.Figure | None
    rows: Sequence[Mapping[str, Any]]
    links: Sequence[str]
    note: str


def mark(address: str, submissions: int, words: str) -> list[Any]:
    """Return the custom data of a mark.

    Args:
        words: what its hover text says; escaped here, lines parted by `\\n`.
    """
    return [
        address,
        submissions,
        "<br>".join(escape(one_line(line, 160)) for line in words.split("\n")),
    ]


HOVER = "%{customdata[2]}<extra></extra>"


def period_labels(periods: Sequence[Period], every: int = 1) -> list[str]:
    """Return short names of every nth period for an axis; the first period of a year carries the
    year if there are several years.
    """
    names = list(map(str, periods))
    years = [name[:4] if len(name) == len("2025-10-20") else "" for name in names]
    several = len(set(years)) > 1
    named = list(zip(names, years, strict=True))[::every]
    before = ["", *(year for _, year in named)]
    return [
        (name[5:] if year else name) + (f"<br>{year}" if several and year != last else "")
        for (name, year), last in zip(named, before, strict=False)
    ]


def label(text: str, limit: int = 44) -> str:
    """Return a text for an axis or a legend."""
    return escape(one_line(text, limit))


def percent(part: int, of: int) -> str:
    """Return a share in words; unknown is not 0."""
    return f"{part / of:.0%}" if of else "—"


def interval(part: int, of: int) -> str:
    """Return the 95 % interval of a share (Wilson) in words."""
    found = wilson(part, of)
    return "—" if found is None else f"{found.low:.0%}–{found.high:.0%}"


def figures(part: int, of: int) -> dict[str, Any]:
    """Return the columns of a share in a table; a share of nothing is None."""
    found = wilson(part, of)
    return {
        "submissions": part,
        "of": of,
        "share": None if found is None else round(found.share, 4),
        "low 95 %": None if found is None else round(found.low, 4),
        "high 95 %": None if found is None else round(found.high, 4),
    }


def period_columns(period: Period) -> dict[str, Any]:
    """Return the columns that say which period a row is about."""
    if period.attempt is not None:
        return {"attempt": period.attempt}
    return {
        "since": period.since and period.since.isoformat(),
        "until": period.until and period.until.isoformat(),
    }


def laid_out(figure: go.Figure, height: int, **layout: Any) -> go.Figure:
    """Return the figure with what all of them have in common."""
    figure.update_layout(
        height=height,
        dragmode=False,
        hovermode="closest",
        hoverlabel={"align": "left"},
        **{"showlegend": False, "margin": {"l": 8, "r": 8, "t": 6, "b": 8}, **layout},
    )
    return figure


def shade(strength: float, dark: bool, ends: tuple[str, str, str, str]) -> tuple[str, str]:
    """Return the colour of a cell and of its text, with a contrast of at least 4.5 to 1.

    Args:
        strength: from 0 to 1.
        ends: the weakest and strongest colour in light, then in dark.
    """
    weak, strong = ends[2:] if dark else ends[:2]
    parts = [
        round(one + (other - one) * strength)
        for one, other in zip(_rgb(weak), _rgb(strong), strict=True)
    ]
    light = _luminance(parts)
    ink = "#ffffff" if 1.05 / (light + 0.05) > (light + 0.05) / 0.05 else "#000000"
    return "#" + "".join(f"{part:02x}" for part in parts), ink


def _rgb(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def _luminance(parts: Sequence[int]) -> float:
    red, green, blue = (_linear(part / 255) for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
