"""A grid of cells, each a figure on a shade: categories by reviewer and fact check."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from dashboard.charts.answers import found_answer
from dashboard.charts.style import (
    GREY,
    HOVER,
    Chart,
    label,
    laid_out,
    mark,
    shade,
)
from dashboard.trend_addresses import behind
from reviewers.records import Check
from reviewers.rubric import UNCATEGORISED, category_title
from reviewers.store.trends import ReviewerCount, TrendsQuery

MOST_REVIEWERS = 4
_CELL = 27
_ROOMY = 6
_SHADES = {
    Check.CONFIRMED: ("#e3f4e8", "#14713a", "#15261b", "#5bd182"),
    Check.UNVERIFIED: ("#eef0f3", "#56606c", "#1e242b", "#a9b3bf"),
    Check.REFUTED: ("#f1e8fc", "#7238b5", "#241a33", "#bd93f5"),
}


@dataclass(frozen=True, slots=True)
class _Cell:
    row: int
    column: int
    text: str
    fill: tuple[str, str]
    outlined: bool
    mark: list[Any]


def reviewer_grid(
    counts: Sequence[ReviewerCount],
    marks: Mapping[str, Mapping[str, str]],
    query: TrendsQuery,
    of: int,
    dark: bool,
) -> Chart:
    """Who finds what, and is it true: categories by reviewer, submissions with a finding of each
    fact check.

    Args:
        marks: of each reviewer, as `reviewer_marks` gives them.
    """
    totals, weight = Counter[str](), Counter[str]()
    for count in counts:
        totals[count.reviewer] += count.findings
        weight[count.category] += count.findings
    reviewers = sorted(name for name, _ in totals.most_common(MOST_REVIEWERS))
    checks = [
        check
        for check in (Check.CONFIRMED, Check.UNVERIFIED, Check.REFUTED)
        if check is Check.REFUTED or not query.refuted
    ]
    used = {(count.reviewer, count.check) for count in counts}
    columns = [
        (reviewer, check) for reviewer in reviewers for check in checks if (reviewer, check) in used
    ]
    categories = sorted(weight, key=lambda name: (name == UNCATEGORISED, -weight[name], name))
    cells = [
        _Cell(
            categories.index(count.category),
            columns.index((count.reviewer, count.check)),
            str(count.submissions),
            shade(count.submissions / (count.of or of), dark, _SHADES[count.check]),
            False,
            mark(
                _behind(query, count),
                count.submissions,
                f"{category_title(count.category)}, {count.reviewer}: {count.findings}"
                f" {count.check} findings in {count.submissions} of"
                f" {of if count.of is None else count.of} submissions",
            ),
        )
        for count in counts
        if count.reviewer in reviewers
    ]
    roomy = len(columns) <= _ROOMY
    figure = (
        _grid(
            cells,
            [label(category_title(name)) for name in categories],
            [str(check) for _, check in columns],
            roomy,
        )
        if cells
        else None
    )
    read = {count.reviewer: count.of for count in counts}
    for reviewer in reviewers:
        places = [place for place, (name, _) in enumerate(columns) if name == reviewer]
        words = label(f"{marks[reviewer]['mark']} {reviewer}", 28 if roomy else 18)
        above = {
            "x": (places[0] + places[-1] + 1) / 2,
            "y": 1,
            "yref": "paper",
            "yshift": 24 if roomy else 62,
            "yanchor": "bottom",
        }
        many = f"<br>n={read[reviewer]:,}" if read[reviewer] is not None else ""
        if figure is not None:
            figure.add_annotation(text=f"<b>{words}</b>{many}", showarrow=False, **above)
    left = (
        f" Shown are the {MOST_REVIEWERS} reviewers with most findings; the table has all."
        if len(totals) > MOST_REVIEWERS
        else ""
    )
    note = (
        "Submissions with such a finding, out of the n with a verdict of the reviewer; a stronger"
        f" colour is a larger share. People's rulings are included.{left}"
    )
    rows = [
        {
            "reviewer": count.reviewer,
            "category": count.category,
            "check": str(count.check),
            "submissions": count.submissions,
            "of": count.of,
            "findings": count.findings,
        }
        for count in counts
    ]
    return Chart(
        "reviewer",
        "Who finds what, and is it true?",
        found_answer(counts),
        rows,
        [_behind(query, count) for count in counts],
        note,
        figure,
    )


def _behind(query: TrendsQuery, count: ReviewerCount) -> str:
    refuted = count.check is Check.REFUTED
    return behind(
        query,
        reviewer=count.reviewer,
        category=count.category,
        refuted=refuted,
        mark=str(count.check),
    )


def _grid(
    cells: Sequence[_Cell], rows: Sequence[str], columns: Sequence[str], roomy: bool
) -> go.Figure:
    """Bars side by side instead of a heat map: Plotly does not report clicks on a heat map to
    Python.
    """
    figure = go.Figure(
        go.Bar(
            orientation="h",
            base=[cell.column + 0.02 for cell in cells],
            x=[0.96] * len(cells),
            y=[cell.row for cell in cells],
            text=[cell.text for cell in cells],
            textposition="inside",
            insidetextanchor="middle",
            textangle=0,
            constraintext="none",
            insidetextfont={"color": [cell.fill[1] for cell in cells], "size": 12},
            customdata=[cell.mark for cell in cells],
            hovertemplate=HOVER,
            marker={
                "color": [cell.fill[0] for cell in cells],
                "line": {"color": GREY, "width": [1 if cell.outlined else 0 for cell in cells]},
            },
        )
    )
    figure.update_xaxes(
        tickvals=[place + 0.5 for place in range(len(columns))],
        ticktext=list(columns),
        range=[0, max(len(columns), 1)],
        side="top",
        showgrid=False,
        zeroline=False,
        tickangle=0 if roomy else -50,
        tickfont={"size": 12},
        automargin=True,
    )
    figure.update_yaxes(
        tickvals=list(range(len(rows))),
        ticktext=list(rows),
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        automargin=True,
    )
    margin = {"l": 8, "r": 8, "t": 54 if roomy else 92, "b": 8}
    return laid_out(
        figure,
        _CELL * max(len(rows), 1) + margin["t"] + 8,
        barmode="overlay",
        bargap=0.06,
        margin=margin,
    )
