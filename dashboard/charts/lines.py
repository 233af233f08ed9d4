"""Line charts: how many attempts categories survive, and how each reviewer's claims are judged over
time.
"""

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dashboard.charts.style import (
    DASHES,
    FEWEST,
    FEWEST_POINTS,
    HOVER,
    LEGEND,
    PALETTE,
    STAYS,
    SYMBOLS,
    Chart,
    figures,
    label,
    laid_out,
    mark,
    percent,
    period_columns,
    period_labels,
)
from dashboard.dates import DAYS
from dashboard.parts.colours import HEX, reviewer_colours
from dashboard.trend_addresses import behind
from reviewers.rubric import UNCATEGORISED, category_title
from reviewers.store.trends import Over, TrendsQuery
from reviewers.store.trends_history import PeriodClaims, SurvivalCount

_MOST_LINES = 6
_MOST_REVIEWERS = 6
_HEIGHT = 300
_PANELS = ("confirmed", "refuted", "missed")


def survival_lines(counts: Sequence[SurvivalCount], query: TrendsQuery) -> Chart:
    """Draw how long failures last: the share of submissions that still have a category, by attempts
    since it appeared.
    """
    begun = {
        count.category: count.of
        for count in counts
        if count.attempts == 0 and count.category != UNCATEGORISED
    }
    lines: dict[str, list[SurvivalCount]] = {}
    for category in list(begun):
        steps = [
            count
            for count in counts
            if count.category == category and count.followed >= FEWEST and count.share is not None
        ]
        if len(steps) >= FEWEST_POINTS and len(lines) < _MOST_LINES:
            lines[category] = steps
    figure = go.Figure()
    for place, (category, steps) in enumerate(lines.items()):
        figure.add_scatter(
            mode="lines+markers",
            name=label(category_title(category), 30),
            x=[step.attempts for step in steps],
            y=[step.share for step in steps],
            customdata=[_survived(query, step) for step in steps],
            hovertemplate=HOVER,
            marker={"size": 8, "symbol": SYMBOLS[place], "color": PALETTE[place]},
            line={"width": 2, "dash": DASHES[place], "color": PALETTE[place]},
        )
    figure.update_xaxes(title_text="attempts since it appeared", dtick=1, zeroline=False)
    figure.update_yaxes(tickformat=".0%", range=[-0.04, 1.06], zeroline=False)
    laid_out(figure, _HEIGHT + 60, showlegend=True, legend={**LEGEND, "y": -0.22})
    note = (
        "Share of lineages that still have a category, by attempts since it appeared"
        f" (Kaplan–Meier; a lineage counts while it continues). Shown are the {_MOST_LINES} most"
        f" frequent categories, as long as at least {FEWEST} lineages were followed; the table"
        " has all steps with their n."
        if lines
        else (
            f"Too few data for a line: no category has {FEWEST_POINTS} steps with {FEWEST}"
            " submissions each. The table has all steps."
        )
    )
    rows = [
        {
            "category": count.category,
            "attempts since it appeared": count.attempts,
            STAYS: None if count.share is None else round(count.share, 4),
            "followed": count.followed,
            **figures(count.submissions, count.of),
        }
        for count in counts
    ]
    links = [
        behind(query, category=None, mark=f"kept-{count.attempts}:{count.category}")
        for count in counts
    ]
    return Chart(
        "survival", "How long does a failure last?", figure if lines else None, rows, links, note
    )


def _survived(query: TrendsQuery, step: SurvivalCount) -> list[Any]:
    when = (
        f"{step.attempts} attempts after it appeared"
        if step.attempts != 1
        else "1 attempt after it appeared"
    )
    words = f"{category_title(step.category)}, {when if step.attempts else 'where it came'}: "
    words += (
        f"{step.share:.0%} still there (Kaplan–Meier)\n{step.submissions} of the {step.of} that"
        " had it "
    )
    words += "the attempt before" if step.attempts else "at all"
    return mark(
        behind(query, category=None, mark=f"kept-{step.attempts}:{step.category}"),
        step.submissions,
        words,
    )


def claim_lines(counts: Sequence[PeriodClaims], query: TrendsQuery, over: Over) -> Chart:
    """How claims fare: shares of a reviewer's claims that are confirmed and refuted, how often they
    miss a proven blocker.
    """
    rows, links = _claim_table(counts, query)
    names = sorted(
        {count.reviewer for count in counts}, key=lambda name: (-_claims(counts, name), name)
    )[:_MOST_REVIEWERS]
    periods = list(dict.fromkeys(count.period for count in sorted(counts, key=_moment)))
    drawn = [count for count in counts if count.reviewer in names and count.claims >= FEWEST]
    if not drawn:
        note = (
            f"Apart from the rules, no reviewer has {FEWEST} claims in any {_named(over)}; the"
            " table has the data."
        )
        return Chart("claims", "How reliable are the reviewers' claims?", None, rows, links, note)
    titles = (
        "confirmed<br>of claims",
        "refuted<br>of claims",
        "missed a blocker<br>of submissions",
    )
    figure = make_subplots(
        cols=3, shared_yaxes=True, horizontal_spacing=0.035, subplot_titles=titles
    )
    colours = reviewer_colours(names)
    for place, name in enumerate(sorted(names)):
        for column, panel in enumerate(_PANELS, 1):
            points = [
                (count, point)
                for count in sorted(drawn, key=_moment)
                if count.reviewer == name and (point := _point(count, panel, query)) is not None
            ]
            figure.add_scatter(
                mode="lines+markers" if len(points) >= FEWEST_POINTS else "markers",
                name=label(name, 30),
                legendgroup=name,
                showlegend=column == 1,
                x=[periods.index(count.period) for count, _ in points],
                y=[height for _, (height, _) in points],
                customdata=[data for _, (_, data) in points],
                hovertemplate=HOVER,
                marker={
                    "size": 8,
                    "symbol": SYMBOLS[place % len(SYMBOLS)],
                    "color": HEX[colours[name]],
                },
                line={"width": 2, "dash": DASHES[place % len(DASHES)], "color": HEX[colours[name]]},
                row=1,
                col=column,
            )
    every = max(1, -(-len(periods) // (6 if over is Over.ATTEMPT else 3)))
    figure.update_xaxes(
        tickvals=list(range(len(periods)))[::every],
        ticktext=period_labels(periods, every),
        range=[-0.5, len(periods) - 0.5],
        zeroline=False,
        title_text=_named(over),
        title_standoff=4,
    )
    figure.update_yaxes(tickformat=".0%", range=[-0.04, 1.06], zeroline=False)
    figure.update_annotations(font_size=12)
    laid_out(
        figure,
        _HEIGHT,
        showlegend=True,
        legend={**LEGEND, "y": -0.24},
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
    )
    left = len([count for count in counts if count.reviewer in names]) - len(drawn)
    note = "Rulings are included. The rules are left out because they only report what they prove."
    note += f" Each point has at least {FEWEST} claims, or {FEWEST} submissions for blockers"
    note += f"; {left} smaller ones are only in the table." if left else "."
    if len({count.period for count in drawn}) < FEWEST_POINTS:
        note += f" Fewer than {FEWEST_POINTS} points are not joined by a line."
    if over is not Over.ATTEMPT:
        note += f" {DAYS}"
    return Chart("claims", "How reliable are the reviewers' claims?", figure, rows, links, note)


def _point(count: PeriodClaims, panel: str, query: TrendsQuery) -> tuple[float, list[Any]] | None:
    if panel == "missed":
        if count.missed_in is None or count.measured is None or count.measured < FEWEST:
            return None
        words = (
            f"missed a confirmed blocker in {count.missed_in} of {count.measured} submissions"
            f" ({percent(count.missed_in, count.measured)})"
        )
        return count.missed_in / count.measured, mark(
            _missed(query, count), count.missed_in, _said(count, words)
        )
    part, held = (
        (count.confirmed, count.confirmed_in)
        if panel == "confirmed"
        else (count.refuted, count.refuted_in)
    )
    words = (
        f"{part} of {count.claims} claims {panel} ({percent(part, count.claims)}), in {held}"
        " submissions"
    )
    return part / count.claims, mark(_checked(query, count, panel), held, _said(count, words))


def _said(count: PeriodClaims, words: str) -> str:
    return f"{count.reviewer}, {'attempt ' if count.period.attempt else ''}{count.period}\n{words}"


def _checked(query: TrendsQuery, count: PeriodClaims, check: str) -> str:
    return behind(
        query, count.period, reviewer=count.reviewer, refuted=check == "refuted", mark=check
    )


def _missed(query: TrendsQuery, count: PeriodClaims) -> str:
    return behind(
        query, count.period, reviewer=count.reviewer, refuted=False, missed_by=count.reviewer
    )


def _claim_table(
    counts: Sequence[PeriodClaims], query: TrendsQuery
) -> tuple[list[dict[str, Any]], list[str]]:
    rows = [
        {
            "reviewer": count.reviewer,
            **period_columns(count.period),
            "claims": count.claims,
            "confirmed": count.confirmed,
            "refuted": count.refuted,
            "unverified": count.unverified,
            "submissions with a confirmed one": count.confirmed_in,
            "submissions with a refuted one": count.refuted_in,
            "submissions with a missed blocker": count.missed_in,
            "of": count.measured,
        }
        for count in counts
    ]
    return rows, [_checked(query, count, "refuted") for count in counts]


def _claims(counts: Sequence[PeriodClaims], reviewer: str) -> int:
    return sum(count.claims for count in counts if count.reviewer == reviewer)


def _moment(count: PeriodClaims) -> tuple[int, int]:
    period = count.period
    return (period.attempt or 0, period.since.toordinal() if period.since else 0)


def _named(over: Over) -> str:
    return "attempt" if over is Over.ATTEMPT else f"{over} (UTC)"
