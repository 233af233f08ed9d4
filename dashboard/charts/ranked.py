"""Ranked bar charts, by category and by group of submissions: the share of submissions, its 95 %
interval and its change.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import plotly.graph_objects as go

from dashboard.charts.style import (
    ACCENT,
    BAR,
    GREY,
    HOVER,
    INKS,
    Chart,
    figures,
    interval,
    label,
    laid_out,
    mark,
    percent,
)
from dashboard.trend_addresses import behind
from reviewers.agreement import wilson
from reviewers.records import counted
from reviewers.rubric import UNCATEGORISED, category_title
from reviewers.store.trends import CategoryCount, Dimension, GroupCount, ShareChange, TrendsQuery
from reviewers.store.trends_change import Halves
from reviewers.store.trends_marks import BLOCKED

MOST_GROUPS = 8
_MOST_ROWS = 2_000
_SMALLEST_P = 0.0001
_LETTER = 7  # pixels that a letter is wide, or a little less
TEST_WORDS = (
    "Fisher's exact test; at most 5 % of the reported changes are expected to be due to chance"
    " (Benjamini–Hochberg). Attempts of one lineage resemble each other, so borderline changes"
    " are uncertain."
)
SIGNS = {
    ShareChange.NEW: "● new",
    ShareChange.RISING: "▲ rising",
    ShareChange.FALLING: "▼ falling",
    None: "",
}
_ALIKE = "Choose a category above to see differences."
_GROUPS = {
    Dimension.GENERATOR: "generators",
    Dimension.CONTRACT: "contracts",
    Dimension.MODEL: "models",
    Dimension.DATASET: "data sets",
    Dimension.LINEAGE: "lineages",
}


def category_bars(
    counts: Sequence[CategoryCount], query: TrendsQuery, compared: Halves | None, dark: bool
) -> Chart:
    """Which failures recur: categories by the share of submissions that have them."""
    within = [count for count in counts if count.submissions]
    # What fits no category is not a category; it stands last, in grey.
    ranked = sorted(
        within,
        key=lambda count: (count.category == UNCATEGORISED, -count.submissions, count.category),
    )
    bars = [
        _Bar(
            category_title(count.category),
            count.submissions,
            count.of,
            behind(query, category=count.category),
            SIGNS[count.change],
            f"{count.findings} findings"
            + (f"\n{change_words(count)}" if count.p is not None else ""),
            GREY if count.category == UNCATEGORISED else ACCENT,
        )
        for count in ranked
    ]
    rows = [
        {
            "category": count.category,
            **figures(count.submissions, count.of),
            "findings": count.findings,
            "earlier": count.earlier,
            "earlier of": count.earlier_of,
            "later": count.later,
            "later of": count.later_of,
            "p": None if count.p is None else round(count.p, 5),
            "change": None if count.change is None else str(count.change),
        }
        for count in counts
    ]
    kind = "a refuted or dismissed claim" if query.refuted else "such a finding"
    note = (
        f"Share of {_n(counts)} with {kind}; whiskers: 95 % interval (Wilson)."
        f" {_comparison(compared, len(counts))}"
    )
    links = [behind(query, category=count.category) for count in counts]
    return Chart("category", "Which failures recur?", _bars(bars, dark), rows, links, note)


def group_bars(
    counts: Sequence[GroupCount], query: TrendsQuery, by: Dimension, dark: bool
) -> Chart:
    """In whose submissions: groups by the share of submissions that fail."""
    narrowed = query.category is not None or query.criterion is not None or query.refuted
    changes: dict[str, Any] = {} if narrowed else {"mark": BLOCKED}
    known = [count for count in counts if count.group is not None]
    unknown = next(
        (
            f" Unknown for {counted(count.of, 'submission')}."
            for count in counts
            if count.group is None
        ),
        "",
    )
    counts = counts[:_MOST_ROWS]
    links = [
        "" if count.group is None else behind(query, **{**changes, str(by): count.group})
        for count in counts
    ]
    drawn = [
        _Bar(count.group or "", count.submissions, count.of, link, "", "", ACCENT)
        for count, link in list(zip(counts, links, strict=True))[:MOST_GROUPS]
        if count.group is not None
    ]
    drawn.sort(key=lambda bar: -bar.submissions / max(bar.of, 1))
    rows = [
        {str(by): count.group or "unknown", **figures(count.submissions, count.of)}
        for count in counts
    ]
    what = "a finding that matches the filters" if narrowed else "a reviewer's confirmed blocker"
    left = (
        f" Shown are the {MOST_GROUPS} largest of {len(known)} {_GROUPS[by]}."
        if len(known) > MOST_GROUPS
        else ""
    )
    note = f"Share of each one's reviewed submissions with {what}.{left}{unknown}"
    if len({Fraction(count.submissions, count.of) for count in known}) == 1 < len(known):
        same = percent(known[0].submissions, known[0].of)
        note = (
            f"All {len(known)} {_GROUPS[by]} are the same: {same} of the submissions of each"
            f" have {what}. {_ALIKE}{unknown}"
        )
        drawn = []
    return Chart(
        "group",
        "Where do failures occur?",
        _bars(drawn, dark) if drawn else None,
        rows,
        links,
        note,
    )


def change_words(count: CategoryCount) -> str:
    """Say the shares before and after, with their n and how likely chance makes such a
    difference.
    """
    before, after = (
        (count.earlier or 0, count.earlier_of or 0),
        (count.later or 0, count.later_of or 0),
    )
    said = [f"{percent(part, of)} ({part:,} of {of:,})" for part, of in (before, after)]
    chance = 1.0 if count.p is None else count.p
    return f"{said[0]} → {said[1]}, " + (
        f"p = {chance:.2g}" if chance >= _SMALLEST_P else f"p < {_SMALLEST_P}"
    )


def sides_words(compared: Halves) -> str:
    """Say what is compared with what."""
    earlier, later = compared.sizes
    if compared.since is not None:
        return (
            f"{later:,} submissions since {compared.since:%-d %B %Y} (UTC) compared with"
            f" {earlier:,} before"
        )
    return (
        f"{later:,} submissions from attempt {compared.attempt} onwards compared with"
        f" {earlier:,} of earlier attempts"
    )


def _comparison(compared: Halves | None, tests: int) -> str:
    if compared is None:
        return "Too few submissions to compare earlier and later ones."
    return (
        f"Marked categories changed more than chance explains, tested over {tests} categories:"
        f" {sides_words(compared)}."
    )


def _n(counts: Sequence[CategoryCount]) -> str:
    return counted(counts[0].of if counts else 0, "reviewed submission")


class _Bar:
    def __init__(
        self, name: str, submissions: int, of: int, address: str, sign: str, words: str, colour: str
    ) -> None:
        self.name, self.submissions, self.of, self.colour = name, submissions, of, colour
        found = wilson(submissions, of)
        self.share, self.low, self.high = (
            (found.share, found.low, found.high) if found else (0.0, 0.0, 0.0)
        )
        self.text = f"{percent(submissions, of)}  {submissions:,} of {of:,}" + (
            f"  {sign}" if sign else ""
        )
        said = (
            f"{name}: {percent(submissions, of)}, {submissions:,} of {counted(of, 'submission')}\n"
        )
        said += f"95 % interval {interval(submissions, of)}"
        self.mark = mark(address, submissions, said + (f"\n{words}" if words else ""))


def _bars(bars: Sequence[_Bar], dark: bool) -> go.Figure:
    top_down = list(reversed(bars))
    # Two of one beginning would share a bar, were their names the axis.
    places = list(range(len(top_down)))
    most = max((bar.high for bar in top_down), default=1.0)
    figure = go.Figure(
        go.Bar(
            orientation="h",
            x=[bar.share for bar in top_down],
            y=places,
            customdata=[bar.mark for bar in top_down],
            hovertemplate=HOVER,
            marker={"color": [bar.colour for bar in top_down]},
            error_x={
                "array": [bar.high - bar.share for bar in top_down],
                "arrayminus": [bar.share - bar.low for bar in top_down],
                "color": INKS[dark],
                "thickness": 1.2,
                "width": 3,
            },
        )
    )
    # Beyond the whiskers, where the figures are in a column and nothing crosses them.
    figure.add_scatter(
        mode="text",
        x=[most * 1.02] * len(top_down),
        cliponaxis=False,
        y=places,
        text=[bar.text for bar in top_down],
        textposition="middle right",
        customdata=[bar.mark for bar in top_down],
        hovertemplate=HOVER,
    )
    figure.update_xaxes(range=[0, most * 1.02], visible=False)
    figure.update_yaxes(
        tickvals=places,
        ticktext=[label(bar.name) for bar in top_down],
        automargin=True,
        showgrid=False,
        range=[-0.6, len(bars) - 0.4],
    )
    room = 12 + _LETTER * max((len(bar.text) for bar in bars), default=0)
    return laid_out(
        figure, BAR * max(len(bars), 1) + 20, bargap=0.3, margin={"l": 8, "r": room, "t": 6, "b": 8}
    )
