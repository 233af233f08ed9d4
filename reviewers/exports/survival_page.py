"""How long defects survive over attempts, as a table for a terminal or a page."""

from collections.abc import Sequence

from reviewers.attempts.histories import Survival
from reviewers.exports.markdown_table import markdown_table

_FEWEST = 5


def survival_page(found: Sequence[Survival]) -> str:
    """Return the table; categories with fewer than five defects get no figures, since these would
    be meaningless.
    """
    if not found:
        return "no lineage has several attempts that the rules reviewed\n"
    rows = [
        (
            (
                each.category,
                str(each.defects),
                f"{each.median:g}",
                f"{each.mean:.1f}",
                str(each.open),
            )
            if each.defects >= _FEWEST
            else (each.category, str(each.defects), "too few", "too few", str(each.open))
        )
        for each in found
    ]
    note = (
        "Attempts: on how many attempts a defect that the rules prove is found. Open: those that"
        " the last attempt still has."
    )
    return f"{markdown_table(('category', 'defects', 'median attempts', 'mean', 'open'), rows)}\n\n{note}\n"  # noqa: E501
