"""Results of real runs compared with the predictions."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from dashboard.charts.style import BAR, HOVER, LEGEND, Chart, label, laid_out, mark
from dashboard.trend_addresses import behind
from reviewers.outcomes.linking import Fate
from reviewers.rubric import category_title
from reviewers.store.trends import TrendsQuery
from reviewers.store.trends_history import FateCount

_WORDS = {
    Fate.PREDICTED: "predicted",
    Fate.MISSED: "missed",
    Fate.NOT_REACHABLE: "not predictable from code",
}
_FILLS = {
    Fate.PREDICTED: ("#1f7a3d", ""),
    Fate.MISSED: ("#b83246", "/"),
    Fate.NOT_REACHABLE: ("#5d6875", "."),
}


def outcome_bars(counts: Sequence[FateCount], query: TrendsQuery) -> Chart:
    """Was it predicted: real failures and needed fixes by category, split by what they were for the
    reviewers.
    """
    totals: Counter[str] = Counter()
    for count in counts:
        totals[count.category] += count.outcomes
    order = [name for name, _ in sorted(totals.items(), key=lambda item: (item[1], item[0]))]
    figure = go.Figure()
    for fate, (colour, pattern) in _FILLS.items():
        mine = [count for count in counts if count.fate is fate]
        if not mine:
            continue
        figure.add_bar(
            orientation="h",
            name=_WORDS[fate],
            x=[count.outcomes for count in mine],
            y=[order.index(count.category) for count in mine],
            text=[str(count.outcomes) for count in mine],
            textposition="inside",
            textangle=0,
            insidetextfont={"color": "#ffffff"},
            customdata=[
                mark(
                    _behind(query, count),
                    count.submissions,
                    f"{category_title(count.category)}: {count.outcomes} {_WORDS[fate]}, in"
                    f" {count.submissions} submissions",
                )
                for count in mine
            ],
            hovertemplate=HOVER,
            marker={"color": colour, "pattern": _hatched(pattern)},
        )
    figure.update_yaxes(
        tickvals=list(range(len(order))),
        ticktext=[label(category_title(name)) for name in order],
        automargin=True,
    )
    figure.update_xaxes(title_text="failures and fixes")
    height = BAR * max(len(order), 1) + 90
    laid_out(
        figure,
        height,
        barmode="stack",
        bargap=0.3,
        showlegend=True,
        legend={**LEGEND, "y": -58 / max(height - 90, 60)},
    )
    who = f"by {query.reviewer}" if query.reviewer else "by any reviewer"
    total = sum(totals.values())
    note = (
        f"{total:,} failures of real runs and required fixes, and whether a finding {who}"
        " predicted them. Criterion filters do not apply here."
        if total
        else (
            "No real run of these submissions is recorded; the command areachair outcome adds one."
        )
    )
    rows = [
        {
            "category": count.category,
            "fate": str(count.fate),
            "outcomes": count.outcomes,
            "submissions": count.submissions,
        }
        for count in counts
    ]
    return Chart(
        "outcome",
        "Was it predicted?",
        figure if total else None,
        rows,
        [_behind(query, count) for count in counts],
        note,
    )


def _hatched(shape: str) -> dict[str, Any]:
    return {
        "shape": shape,
        "size": 7,
        "solidity": 0.2,
        "fillmode": "overlay",
        "fgcolor": "#ffffff",
        "fgopacity": 0.35,
    }


def _behind(query: TrendsQuery, count: FateCount) -> str:
    return behind(
        query, category=None, criterion=None, refuted=False, mark=f"{count.fate}:{count.category}"
    )
