"""Draws shares as dots with their intervals; every figure is a link, and a line may open."""

from collections.abc import Callable, Sequence
from typing import Any

from dashboard.charts.dots import Dot, DotLine, Dots
from dashboard.parts.component import load
from dashboard.parts.plain import one_line

_mount = load("dots")
_TICKS = 4
_LONGEST = 400
_ROW, _TALL_ROW, _HEADS, _AXIS, _LEGEND, _GAP = 32, 64, 24, 22, 28, 14


def dots(title: str, shown: Sequence[Dots], *, key: str, on_events: Callable[[], None]) -> None:
    """Draw one or more scales below each other; a line that can be opened queues the event `open`
    with its key, empty if it closes.
    """
    _mount(
        key=key,
        data={"title": title, "scales": [_scale(each) for each in shown]},
        on_events=on_events,
        height=sum(map(_height, shown)) + _GAP * (len(shown) - 1),
    )


def _height(shown: Dots) -> int:
    """In pixels, so that nothing moves once the browser has drawn it; as `dots.css` has it."""
    below = [line for each in shown.lines for line in each.below]
    tall = sum(line.about is not None for line in below)
    rows = _ROW * (len(shown.lines) + len(below) - tall) + _TALL_ROW * tall
    return rows + _AXIS + _LEGEND * bool(shown.legend) + _HEADS * any(shown.heads)


def _scale(shown: Dots) -> dict[str, Any]:
    low, high = shown.scale

    def place(value: float) -> float:
        return round((value - low) / (high - low), 4)

    def dot(of: Dot) -> dict[str, Any]:
        return {
            "at": [place(each) for each in (of.at.low, of.at.share, of.at.high)],
            "href": of.href,
            "words": one_line(of.words, _LONGEST),
            "then": of.then,
            "few": of.few,
        }

    def line(of: DotLine) -> dict[str, Any]:
        return {
            "title": one_line(of.title),
            "mark": of.mark,
            "dots": [dot(each) for each in of.dots],
            "value": of.value,
            "more": of.more,
            "sure": of.sure,
            "key": of.key,
            "open": of.is_open,
            "about": of.about,
            "below": [line(each) for each in of.below],
        }

    ticks = [low + (high - low) * each / _TICKS for each in range(_TICKS + 1)]
    signed = low < 0
    return {
        "heads": [one_line(words) for words in shown.heads],
        "legend": [one_line(words) for words in shown.legend],
        "lines": [line(each) for each in shown.lines],
        "zero": place(0.0) if signed else None,
        "ticks": [[place(each), _tick(each, signed)] for each in ticks],
    }


def _tick(value: float, signed: bool) -> str:
    if signed:
        return f"{round(100 * value):+d}".replace("-", "−") if value else "0"
    return f"{value:.0%}".replace("%", "\u202f%")
