"""Shares as dots with their intervals, several to a line: what the component `dots` draws."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewers.agreement import Interval


@dataclass(frozen=True, slots=True)
class Dot:
    """One share or difference.

    Attributes:
        href: the address behind it; empty if there is none.
        submissions: how many that address holds.
        words: said on hovering, and to those who hear the page.
        then: whether it is what is compared with.
        few: whether it rests on too few to mean much.
    """

    at: Interval
    href: str
    submissions: int
    words: str
    then: bool = False
    few: bool = False


@dataclass(frozen=True, slots=True)
class DotLine:
    """One line.

    Attributes:
        value: the figure beside it, which leads where the first dot does.
        more: a further figure, such as the change; `sure` if it is more than chance.
        key: what opens below it; empty if nothing does.
        mark: of the reviewer that the title names; empty if it names none.
        about: below the title: words, code and where the place is, each may be empty.
        below: the lines that were opened.
    """

    title: str
    dots: Sequence[Dot]
    value: str
    more: str = ""
    sure: bool = False
    key: str = ""
    is_open: bool = False
    mark: str = ""
    about: tuple[str, str, str] | None = None
    below: Sequence["DotLine"] = ()


@dataclass(frozen=True, slots=True)
class Dots:
    """Lines on one scale.

    Attributes:
        heads: of the titles and of both columns of figures.
        legend: what is compared and what it is compared with; empty for one kind of dot.
        scale: the ends; ticks stand at its quarters.
    """

    lines: Sequence[DotLine]
    heads: tuple[str, str, str] = ("", "", "")
    legend: Sequence[str] = ()
    scale: tuple[float, float] = (0.0, 1.0)


def opened(dots: Dots, key: str, below: Sequence[DotLine]) -> Dots:
    """Return the dots with one line opened."""
    lines = [
        replace(line, is_open=True, below=below) if line.key == key else line for line in dots.lines
    ]
    return replace(dots, lines=lines)
