"""A Markdown table with aligned columns, readable both in a terminal and in a README."""

from collections.abc import Iterable, Sequence

from reviewers.errors import printable


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the table, names to the left and figures to the right; cells are made printable, and a
    `|` in them is escaped.
    """
    cells = [list(head), *([printable(cell).replace("|", "\\|") for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    aligned = [
        [
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in cells
    ]
    return "\n".join("| " + " | ".join(line) + " |" for line in (aligned[0], rule, *aligned[1:]))
