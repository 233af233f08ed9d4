"""What all charts share: colours for both themes, links to the inbox, intervals in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import plotly.graph_objects as go

from dashboard.charts.dots import Dots
from dashboard.parts.plain import one_line
from reviewers.agreement import Interval, wilson
from reviewers.store.trends import Period

FEWEST = 5  # submissions or claims; of fewer a share is hatched, and its n said
STAYS = "still there (Kaplan–Meier)"
SHARES = frozenset({"share", "low 95 %", "high 95 %", STAYS})
"""Columns of a table that hold shares, from 0 to 1."""
GREY = "#8590a0"
"""Of lines around cells; it stands out from both themes' backgrounds by at least 3 to 1."""
INKS = ("#3d4550", "#c6cdd6")
"""Of axes and labels, in light and dark: at least 7 to 1."""
LINES = (("#3b5bdb", "#14181f", "#5d6875"), ("#8aa2ff", "#e4e8ee", "#98a2b0"))
"""Of the lines that have a name, in light and dark: at least 3 to 1. Categories have no colours of
their own; the first is what the sentence is about.
"""
GROUNDS = ("#ffffff", "#161b22")
_GRIDS = ("#e3e7ec", "#272d35")
_LETTERS = '"Source Sans", sans-serif'
_SIZE = 12
_SPACE = "\u202f"  # narrow, and breaks no line


@dataclass(frozen=True, slots=True)
class Chart:
    """One question with its answer.

    Attributes:
        title: the question.
        answer: in one sentence, of the figures.
        figure: its marks carry `[address, submissions, words]` as custom data; None if there is
            none, or too little to draw.
        dots: shares with their intervals, drawn by a component of ours; one or two scales.
        rows: the table, by heading; every row has the same headings.
        links: the address behind each row, in their order; empty if there is none.
        note: how: what it counts, its n, and what it leaves out; in words of ours.
    """

    key: str
    title: str
    answer: str
    rows: Sequence[Mapping[str, Any]]
    links: Sequence[str]
    note: str
    figure: go.Figure | None = None
    dots: Sequence[Dots] = ()


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


def period_labels(periods: Sequence[Period]) -> list[str]:
    """Return short names of periods for an axis; days carry the year only if there are several."""
    several = len({period.since.year for period in periods if period.since}) > 1
    return [_label(period, several) for period in periods]


def _label(period: Period, with_year: bool) -> str:
    if period.since is None or period.until is None:
        return str(period.attempt)
    if (period.until - period.since).days > 6:
        return f"{period.since:%b %Y}"
    return f"{period.since:%-d %b %y}" if with_year else f"{period.since:%-d %b}"


def label(text: str, limit: int = 44) -> str:
    """Return a text for an axis or a legend."""
    return escape(one_line(text, limit))


def percent(part: int, of: int) -> str:
    """Return a share in words; unknown is not 0."""
    return percent_of(part / of) if of else "—"


def percent_of(share: float) -> str:
    """Return a share from 0 to 1 in words."""
    return f"{share:.0%}".replace("%", f"{_SPACE}%")


def interval(part: int, of: int) -> str:
    """Return the 95 % interval of a share (Wilson) in words."""
    found = wilson(part, of)
    return "—" if found is None else f"{found.low:.0%}–{found.high:.0%}".replace("%", f"{_SPACE}%")


def points(found: Interval) -> str:
    """Return a difference in percentage points with its interval."""
    return f"{_signed(found.share)} ({_signed(found.low)} to {_signed(found.high)})"


def _signed(share: float) -> str:
    return f"{round(100 * share):+d}".replace("-", "−").replace("+0", "0")


def sentence_case(words: str) -> str:
    """Return words with a capital at the beginning, unless they begin with a name of code."""
    first = words.partition(" ")[0]
    return words if not first.isalpha() else f"{words[:1].upper()}{words[1:]}"


def span_words(period: Period) -> str:
    """Say from which day to which a period lasts."""
    if period.since is None or period.until is None:
        return f"attempt {period.attempt}"
    since, until = period.since, period.until
    if since == until:
        return f"{until:%-d %b %Y}"
    same = since.year == until.year
    return f"{since:%-d %b}{'' if same else f' {since:%Y}'} – {until:%-d %b %Y}"


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
        hoverlabel_align="left",
        **{"showlegend": False, "margin": {"l": 8, "r": 8, "t": 6, "b": 8}, **layout},
    )
    return figure


def in_theme(figure: go.Figure, dark: bool) -> None:
    """Give a figure the colours and letters of the page."""
    ink, ground = INKS[dark], GROUNDS[dark]
    figure.update_layout(
        font={"color": ink, "size": _SIZE, "family": _LETTERS},
        hoverlabel={
            "bgcolor": ground,
            "bordercolor": ink,
            "font": {"color": ink, "size": 13, "family": _LETTERS},
        },
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
    )
    figure.update_yaxes(gridcolor=_GRIDS[dark])


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
