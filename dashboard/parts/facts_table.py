"""A plain table of text with headings; a cell may be a link, or a reviewer with its mark."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from dashboard.parts.component import load
from dashboard.parts.plain import one_line

_mount = load("facts_table")
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class Linked:
    """A cell that leads to an address of the dashboard."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A cell that names a reviewer."""

    text: str
    mark: str
    href: str = ""


Cell = str | Linked | Reviewer


def facts_table(
    title: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    numbers: Collection[int] | None = None,
    key: str,
) -> None:
    """Draw the rows; each has a cell for each heading, and its first one names the row.

    Args:
        title: what the table holds, for those who hear the page.
        numbers: places of the columns that hold numbers, in a table of figures: there no cell is
            broken, and the head stays in sight. None for a table of words.
    """
    _mount(
        key=key,
        data={
            "title": title,
            "headings": list(headings),
            "rows": [[_cell(cell) for cell in row] for row in rows],
            "numbers": None if numbers is None else sorted(numbers),
        },
    )


def _cell(cell: Cell) -> dict[str, str]:
    if isinstance(cell, str):
        return {"text": one_line(cell, _LONGEST)}
    mark = cell.mark if isinstance(cell, Reviewer) else ""
    return {"text": one_line(cell.text, _LONGEST), "href": cell.href, "mark": mark}
