"""The sheet of keyboard shortcuts that `?` opens on every page, and the shortcuts that open other
pages.
"""

from dashboard.parts.component import load
from dashboard.parts.keys import keys_of

_mount = load("help_sheet")


def help_sheet(page: str) -> None:
    """Draw the button that opens the sheet.

    Args:
        page: the page's path in the address, whose keys are listed.
    """
    groups = [
        [title, [[list(key.keys), key.does] for key in keys]]
        for title, keys in keys_of(page).items()
    ]
    _mount(key="help-sheet", data={"groups": groups})
