"""The trends as plotly figures; each mark carries in `customdata` what a click on it filters by.

`plotly.express` is not used: importing it takes seconds. Labels go through `_label`, since plotly reads some HTML in them.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from html import escape

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.parts.plain import one_line
from dashboard.parts.words import category_title, criterion_title
from reviewers.rubric import UNCATEGORISED
from reviewers.store.trends import CategoryCount, CriterionCount, ReviewerCount, TimeCount

_BAR = 26
_ACCENT = "#5c7cfa"
_CHECK_COLOURS = {"confirmed": "#2f9e5b", "unverified": "#c99a2e", "refuted": "#9775d8"}
_GREY = "#8d99a8"
FEWEST = 5  # submissions of a period whose shares are worth drawing
MOST_PANELS = 4  # reviewers side by side
_PALETTE = ("#5c7cfa", "#e8833a", "#2f9e5b", "#b36ae2", "#15aabf", "#e05263")


def category_bars(rows: Sequence[CategoryCount]) -> go.Figure:
    """Categories ranked by the share of submissions that have them."""
    # What no category fits is no category; it stands last, in grey.
    ranked = sorted(rows, key=lambda row: (row.category != UNCATEGORISED, row.submissions, row.findings))
    bars = go.Bar(
        orientation="h",
        x=[_share(row.submissions, row.of) for row in ranked],
        y=[_label(category_title(row.category)) for row in ranked],
        text=[f"{_share(row.submissions, row.of):.0%}  {row.submissions} of {row.of}" for row in ranked],
        textposition="outside",
        cliponaxis=False,
        customdata=[[row.category, row.findings] for row in ranked],
        hovertemplate="%{y}: %{text} submissions, %{customdata[1]} findings<extra></extra>",
        marker={"color": [_GREY if row.category == UNCATEGORISED else _ACCENT for row in ranked]},
    )
    return _bars(go.Figure(bars), len(ranked), most=max((_share(row.submissions, row.of) for row in ranked), default=1))


def criterion_bars(rows: Sequence[CriterionCount]) -> go.Figure:
    """Criteria in their order, by the share of submissions with a finding under them."""
    ordered = sorted(rows, key=lambda row: -row.criterion)
    bars = go.Bar(
        orientation="h",
        x=[_share(row.submissions, row.of) for row in ordered],
        y=[_label(criterion_title(row.criterion)) for row in ordered],
        text=[f"{_share(row.submissions, row.of):.0%}  {row.submissions} of {row.of}" for row in ordered],
        textposition="outside",
        cliponaxis=False,
        customdata=[[row.criterion, row.findings] for row in ordered],
        hovertemplate="%{y}: %{text} submissions, %{customdata[1]} findings<extra></extra>",
        marker={"color": _ACCENT},
    )
    return _bars(go.Figure(bars), len(ordered), most=max((_share(row.submissions, row.of) for row in ordered), default=1))


def time_lines(rows: Sequence[TimeCount]) -> go.Figure:
    """The most frequent categories over days of import or attempts, as shares of the submissions of each period.

    The number of submissions stands under each period and sets the size of the marks, since a share of two says little.
    """
    totals: Counter[str] = Counter()
    for row in rows:
        if row.category != UNCATEGORISED:
            totals[row.category] += row.submissions
    of = {row.period: row.of for row in rows}
    periods = sorted(of)
    figure = go.Figure()
    for category, colour in zip([name for name, _ in totals.most_common()], _PALETTE, strict=False):
        counts = {row.period: row.submissions for row in rows if row.category == category}
        figure.add_scatter(
            mode="lines+markers",
            name=_label(category_title(category)),
            x=[_period(period) for period in periods],
            y=[_share(counts.get(period, 0), of[period]) for period in periods],
            customdata=[[category, counts.get(period, 0), of[period]] for period in periods],
            hovertemplate="%{fullData.name}: %{customdata[1]} of %{customdata[2]} submissions (%{y:.0%})<extra></extra>",
            marker={"size": [min(13, 4 + 1.6 * of[period] ** 0.5) for period in periods], "color": colour},
            line={"width": 2, "color": colour},
        )
    ticks = [f"{_period(period)}<br>n={of[period]}" for period in periods]
    figure.update_xaxes(type="category", tickvals=[_period(period) for period in periods], ticktext=ticks)
    figure.update_yaxes(tickformat=".0%", range=[-0.04, 1.04], title_text="share of submissions")
    legend = {"orientation": "h", "y": -0.22, "yanchor": "top", "itemclick": False, "itemdoubleclick": False}
    figure.update_layout(height=360, margin={"l": 8, "r": 8, "t": 8, "b": 8}, legend=legend, hovermode="closest", dragmode=False)
    return figure


def reviewer_bars(rows: Sequence[ReviewerCount]) -> go.Figure:
    """Findings of each reviewer by category, split by fact check; one panel a reviewer, so that the panels compare."""
    reviewers = sorted({row.reviewer for row in rows})
    totals: Counter[str] = Counter()
    for row in rows:
        totals[row.category] += row.confirmed + row.refuted + row.unverified
    categories = sorted(totals, key=lambda name: (name != UNCATEGORISED, totals[name]))
    figure = make_subplots(
        cols=len(reviewers), shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=[_label(name) for name in reviewers]
    )
    for column, reviewer in enumerate(reviewers, start=1):
        mine = {row.category: row for row in rows if row.reviewer == reviewer}
        for check, colour in _CHECK_COLOURS.items():
            figure.add_bar(
                orientation="h",
                name=check,
                legendgroup=check,
                showlegend=column == 1,
                x=[getattr(mine[name], check) if name in mine else 0 for name in categories],
                y=[_label(category_title(name)) for name in categories],
                customdata=[[name, reviewer] for name in categories],
                hovertemplate=f"%{{y}}: %{{x}} {check}<extra>{_label(reviewer)}</extra>",
                marker={"color": colour},
                row=1,
                col=column,
            )
    figure.update_layout(
        barmode="stack",
        dragmode=False,
        height=_BAR * len(categories) + 120,
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        bargap=0.3,
        legend={
            "orientation": "h",
            "y": -40 / (_BAR * len(categories)),
            "yanchor": "top",
            "itemclick": False,
            "itemdoubleclick": False,
        },
    )
    figure.update_xaxes(matches="x")
    figure.update_yaxes(automargin=True)
    figure.update_annotations(font_size=13)
    return figure


def _bars(figure: go.Figure, count: int, most: float) -> go.Figure:
    figure.update_layout(
        height=_BAR * max(count, 1) + 24, margin={"l": 8, "r": 8, "t": 4, "b": 4}, bargap=0.3, showlegend=False, dragmode=False
    )
    # Room for the figures that stand outside the longest bar.
    figure.update_xaxes(visible=False, range=[0, max(most, 0.01) * 1.35])
    figure.update_xaxes(matches="x")
    figure.update_yaxes(automargin=True)
    figure.update_annotations(font_size=13)
    return figure


def _share(part: int, of: int) -> float:
    return part / of if of else 0.0


def _period(period: date | int) -> str:
    return period.isoformat() if isinstance(period, date) else str(period)


def _label(text: str) -> str:
    return escape(one_line(text, 60))
