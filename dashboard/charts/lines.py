"""Step curves: categories over time, and how many attempts they survive. At most three lines have a
name and a colour; the others stand behind them in grey.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from dashboard.charts.answers import changing_answer, lasting_answer, soonest_first
from dashboard.charts.style import (
    FEWEST,
    HOVER,
    INKS,
    LINES,
    STAYS,
    Chart,
    figures,
    label,
    laid_out,
    mark,
    percent,
    percent_of,
    period_columns,
    period_labels,
)
from dashboard.dates import DAYS
from dashboard.trend_addresses import behind
from reviewers.agreement import wilson
from reviewers.records import counted
from reviewers.rubric import UNCATEGORISED, category_title
from reviewers.store.trends import CategoryCount, Over, PeriodCount, TrendsQuery
from reviewers.store.trends_change import Halves
from reviewers.store.trends_history import SurvivalCount

MOST_NAMED = 3
HEIGHT = 300
_MOST_OTHERS = 8
_MOST_COLUMNS = 31
_MOST_TICKS = 8
_FEWEST_STEPS = 3
_LETTER = 7  # pixels
_APART = 0.075  # of the height, between two names
_FAINT = ("#ccd2da", "#3d4550")
_BANDS = ("rgba(59,91,219,.09)", "rgba(138,162,255,.13)")
_WIDTHS = (2.4, 1.6, 1.6)
_OVER = {
    Over.ATTEMPT: "attempts",
    Over.DAY: "days",
    Over.WEEK: "weeks, starting on Monday",
    Over.MONTH: "months",
}


@dataclass(frozen=True, slots=True)
class _Step:
    """A share from one place to the next; `mark` is what a click on it opens."""

    place: int
    share: float
    mark: list[Any]
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True, slots=True)
class _Column:
    label: str
    of: int


def period_steps(
    counts: Sequence[PeriodCount],
    categories: Sequence[CategoryCount],
    compared: Halves | None,
    query: TrendsQuery,
    over: Over,
    dark: bool,
) -> Chart:
    """Is it getting better: categories by period, each step the share of that period's
    submissions.

    Args:
        categories: as they changed from the earlier to the later side of `compared`.
    """
    periods = list(dict.fromkeys(count.period for count in counts))
    shown = periods[:_MOST_COLUMNS] if over is Over.ATTEMPT else periods[-_MOST_COLUMNS:]
    of = {count.period: count.of for count in counts}
    lines: dict[str, list[_Step]] = {}
    for count in counts:
        if count.period in shown and count.category != UNCATEGORISED:
            step = _period_step(count, shown.index(count.period), query, over)
            lines.setdefault(count.category, []).append(step)
    columns = [
        _Column(name, of[period]) for name, period in zip(period_labels(shown), shown, strict=True)
    ]
    answer = changing_answer(categories, compared)
    notes = [
        f"Share of each {over}'s submissions with such a finding; the band is the 95 % interval"
        " (Wilson) of the blue line. Named are the categories that changed most beyond chance, then"
        " the most frequent ones."
    ]
    if over is not Over.ATTEMPT:
        notes.append(DAYS)
    if any(column.of < FEWEST for column in columns):
        notes.append(f"Hatched: fewer than {FEWEST} submissions, too few to show a trend.")
    if over is Over.ATTEMPT:
        notes.append(
            "Only lineages that continued have later attempts, so a decline may not be an"
            " improvement."
        )
    if len(periods) > len(shown):
        notes.append(f"{len(periods) - len(shown)} more {_OVER[over]} are in the table.")
    figure = None
    if len(periods) > 1:
        figure = _steps(lines, _leading(categories, lines), columns, dark)
    else:
        answer = (
            f"There is only one {over}, so there is nothing to compare yet."
            if periods
            else f"No {over} is known."
        )
    rows = [
        {
            "category": count.category,
            **period_columns(count.period),
            **figures(count.submissions, count.of),
            "findings": count.findings,
        }
        for count in counts
    ]
    links = [behind(query, count.period, category=count.category) for count in counts]
    return Chart("time", "Is it getting better?", answer, rows, links, " ".join(notes), figure)


def _period_step(count: PeriodCount, place: int, query: TrendsQuery, over: Over) -> _Step:
    found = wilson(count.submissions, count.of)
    assert found is not None  # a period in which something was looked at
    words = (
        f"{category_title(count.category)}, {over} {count.period}:"
        f" {percent(count.submissions, count.of)}, {count.submissions} of {count.of}"
        f" submissions\n{counted(count.findings, 'finding')}"
    )
    data = mark(behind(query, count.period, category=count.category), count.submissions, words)
    return _Step(place, found.share, data, found.low, found.high)


def _leading(categories: Sequence[CategoryCount], lines: Mapping[str, Any]) -> Sequence[str]:
    """The categories with a name: those that changed most, then the most frequent."""

    def by(count: CategoryCount) -> float:
        if not count.earlier_of or not count.later_of:
            return 0.0
        return abs((count.later or 0) / count.later_of - (count.earlier or 0) / count.earlier_of)

    order = sorted(
        categories, key=lambda count: (count.change is None, -by(count) if count.change else 0)
    )
    return [count.category for count in order if count.category in lines][:MOST_NAMED]


def survival_steps(counts: Sequence[SurvivalCount], query: TrendsQuery, dark: bool) -> Chart:
    """How long a failure lasts: the share of lineages that still have a category, by attempts
    since it appeared.
    """
    lines: dict[str, list[SurvivalCount]] = {}
    for count in counts:
        if count.category != UNCATEGORISED and count.followed >= FEWEST and count.share is not None:
            lines.setdefault(count.category, []).append(count)
    lines = {name: held for name, held in lines.items() if len(held) >= _FEWEST_STEPS}
    frequent = soonest_first(list(lines.values())[:MOST_NAMED])
    named = [held[0].category for held in frequent]
    last = max((len(held) for held in lines.values()), default=0)
    columns = [
        _Column(
            str(each) if each else "first",
            sum(held[each].followed for held in lines.values() if each < len(held)),
        )
        for each in range(last)
    ]
    steps = {
        name: [_Step(each.attempts, each.share or 0.0, _survived(query, each)) for each in held]
        for name, held in lines.items()
    }
    note = (
        "Share of lineages that still have a category, by attempts since it appeared"
        " (Kaplan–Meier; a lineage counts while it continues); n: failures still followed. Named"
        f" are the most frequent categories; a line ends where fewer than {FEWEST} lineages were"
        " followed. The table has all steps with their n."
        if lines
        else f"No category has {_FEWEST_STEPS} steps with {FEWEST} lineages each. The table has all"
        " steps."
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
    answer = lasting_answer(frequent)
    figure = _steps(steps, named, columns, dark, "attempts later") if lines else None
    return Chart("survival", "How long does a failure last?", answer, rows, links, note, figure)


def _survived(query: TrendsQuery, step: SurvivalCount) -> list[Any]:
    when = (
        f"{step.attempts} attempts after it appeared"
        if step.attempts != 1
        else "1 attempt after it appeared"
    )
    words = f"{category_title(step.category)}, {when if step.attempts else 'where it came'}: "
    words += (
        f"{percent_of(step.share or 0)} still there (Kaplan–Meier)"
        f"\n{step.submissions} of the {step.of} that had it "
    )
    words += "the attempt before" if step.attempts else "at all"
    return mark(
        behind(query, category=None, mark=f"kept-{step.attempts}:{step.category}"),
        step.submissions,
        words,
    )


def _steps(
    lines: Mapping[str, Sequence[_Step]],
    named: Sequence[str],
    columns: Sequence[_Column],
    dark: bool,
    below: str = "",
) -> go.Figure:
    figure = go.Figure()
    few = [place for place, column in enumerate(columns) if column.of < FEWEST]
    if few:
        figure.add_bar(
            x=[place + 0.5 for place in few],
            y=[1] * len(few),
            width=1,
            hoverinfo="skip",
            marker={
                "color": "rgba(0,0,0,0)",
                "pattern": {"shape": "/", "size": 6, "solidity": 0.12, "fgcolor": INKS[dark]},
            },
        )
    others = [name for name in lines if name not in named][:_MOST_OTHERS]
    if named and any(step.high for step in lines[named[0]]):
        _band(figure, lines[named[0]], dark)
    for name in others:
        _line(figure, lines[name], _FAINT[dark], 1.1)
    for place, name in reversed(list(enumerate(named))):
        colour = LINES[dark][place]
        _line(figure, lines[name], colour, _WIDTHS[place])
        figure.add_scatter(
            mode="markers",
            x=[step.place + 0.5 for step in lines[name]],
            y=[step.share for step in lines[name]],
            customdata=[step.mark for step in lines[name]],
            hovertemplate=HOVER,
            marker={"size": 7 if place == 0 else 6, "color": colour},
        )
    _names(figure, lines, named, len(others), dark)
    every = max(1, -(-len(columns) // _MOST_TICKS))
    figure.update_xaxes(
        tickvals=[place + 0.5 for place in range(len(columns))],
        ticktext=[
            (column.label if place % every == 0 else "")
            + "<br>"
            + (f"<b>{column.of:,}</b>" if column.of < FEWEST else f"{column.of:,}")
            for place, column in enumerate(columns)
        ],
        range=[0, len(columns)],
        showgrid=False,
        zeroline=False,
        tickangle=0,
    )
    figure.update_yaxes(
        tickvals=[0, 0.5, 1],
        ticktext=["0\u202f%", "50\u202f%", "100\u202f%"],
        range=[-0.02, 1.04],
        zeroline=False,
    )
    n = {"showarrow": False, "xref": "paper", "yref": "paper", "y": 0, "yanchor": "top"}
    figure.add_annotation(text="n", x=0, xanchor="right", xshift=-8, yshift=-15, **n)
    if below:
        figure.add_annotation(text=below, x=1, xanchor="left", xshift=8, yshift=-4, **n)
    # As wide as the longest name; a letter of this size takes some seven pixels.
    longest = max((len(category_title(name)) for name in named), default=0)
    margin = {"l": 52, "r": max(_LETTER * (longest + 6), 110), "t": 8, "b": 44}
    return laid_out(figure, HEIGHT, margin=margin, bargap=0)


def _line(figure: go.Figure, steps: Sequence[_Step], colour: str, width: float) -> None:
    figure.add_scatter(
        mode="lines",
        x=[*(step.place for step in steps), steps[-1].place + 1],
        y=[*(step.share for step in steps), steps[-1].share],
        line={"shape": "hv", "width": width, "color": colour},
        hoverinfo="skip",
    )


def _band(figure: go.Figure, steps: Sequence[_Step], dark: bool) -> None:
    for end, fill in (("low", None), ("high", "tonexty")):
        figure.add_scatter(
            mode="lines",
            x=[*(step.place for step in steps), steps[-1].place + 1],
            y=[*(getattr(step, end) for step in steps), getattr(steps[-1], end)],
            line={"shape": "hv", "width": 0},
            fill=fill,
            fillcolor=_BANDS[dark],
            hoverinfo="skip",
        )


def _names(
    figure: go.Figure,
    lines: Mapping[str, Sequence[_Step]],
    named: Sequence[str],
    others: int,
    dark: bool,
) -> None:
    """The names at the ends of the lines, so far apart that none hides another."""
    ends = sorted(
        (lines[name][-1].share, category_title(name), LINES[dark][place])
        for place, name in enumerate(named)
    )
    floor = 0.0
    for share, title, colour in ends:
        words = f"<b>{label(title)} {percent_of(share)}</b>"
        floor = max(share, floor)
        figure.add_annotation(
            text=words, x=1, xref="paper", xanchor="left", xshift=8, y=floor, showarrow=False,
            font={"color": colour, "size": 12}, align="left",
        )  # fmt: skip
        floor += _APART
    if others:
        figure.add_annotation(
            text=f"{others} others in grey", x=1, xref="paper", xanchor="left", xshift=8,
            y=max(floor, 1.0), showarrow=False,
        )  # fmt: skip
