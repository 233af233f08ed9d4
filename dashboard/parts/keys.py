"""The keyboard shortcuts of each page as data, for the help sheet and for the components that
handle them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.addresses import SIDE_BY_SIDE


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What pressing `keys` does; several keys are opposites or a sequence."""

    keys: tuple[str, ...]
    does: str


EVERYWHERE = (
    Shortcut(("g", "i"), "go to the inbox"),
    Shortcut(("g", "t"), "go to trends"),
    Shortcut(("g", "r"), "go to reviewers"),
    Shortcut(("g", "s"), "go to settings"),
    Shortcut(("b",), "blind mode on or off"),
    Shortcut(("?",), "show this help"),
    Shortcut(("Esc",), "close, cancel or leave a field"),
)
_FORMS = {
    "Forms": (
        Shortcut(("Enter",), "save"),
        Shortcut(("Shift", "Enter"), "new line in multi-line fields"),
        Shortcut(("Ctrl", "Enter"), "save and stay"),
        Shortcut(("Esc",), "close; what was typed can be restored"),
    )
}
_INBOX = {
    "Move": (
        Shortcut(("j", "k"), "next or previous submission"),
        Shortcut(("Enter",), "open it"),
        Shortcut(("n",), "open the next undecided one"),
        Shortcut(("→", "←"), "show or hide the other attempts of a lineage"),
        Shortcut(("/",), "search"),
        Shortcut(("f",), "filters"),
    ),
    "Decide": (
        Shortcut(("1",), "ready, with a reason"),
        Shortcut(("2",), "not ready, with a reason"),
        Shortcut(("↑", "↓"), "in a reason field: previous reasons"),
        Shortcut(("x",), "select, to decide several at once"),
        Shortcut(("X",), "select up to here"),
        Shortcut(("a",), "select the whole page"),
        Shortcut(("u",), "undo the last decision"),
        Shortcut(("m",), "claim it, or release it"),
    ),
    **_FORMS,
}
_SUBMISSION = {
    "Findings": (
        Shortcut(("j", "k"), "next or previous finding of the list"),
        Shortcut(("[", "]"), "previous or next file"),
        Shortcut(("c",), "confirm the finding; again: withdraw"),
        Shortcut(("d",), "dismiss it with a reason; again: withdraw"),
        Shortcut(("1", "…", "5"), "pick a reason while the dismissal is empty; with Alt: always"),
        Shortcut(("s",), "change its severity"),
        Shortcut(("m",), "comment on it"),
        Shortcut(("r",), "say what a claim means, where it was read wrongly"),
        Shortcut(("p",), "accept its repair; again: withdraw"),
        Shortcut(("a",), "add your own finding on the selected line"),
        Shortcut(("u",), "show or hide refuted findings"),
        Shortcut(("x",), "mark the file as viewed, or not"),
        Shortcut(("w",), "turn line wrapping on or off"),
        Shortcut(("v",), "the reviewers side by side"),
        Shortcut(("e",), "compare with the earlier attempt, or stop"),
        Shortcut((".", ","), "next or previous change"),
        Shortcut(("S",), "the earlier file on the left, or its lines among the others"),
        Shortcut(("W",), "ignore white space in the comparison, or not"),
    ),
    "Decision": (
        Shortcut(("1",), "ready; again: withdraw"),
        Shortcut(("2",), "not ready; again: withdraw"),
        Shortcut(("↑",), "in an empty reason field: recent reasons"),
        Shortcut(("Enter",), "in the reason field: save and open the next"),
        Shortcut(("n",), "next undecided submission"),
    ),
    **_FORMS,
}
_SIDE_BY_SIDE = {
    "Defects": (
        Shortcut(("j", "k"), "next or previous defect"),
        Shortcut(("h", "l"), "previous or next reviewer who speaks of it"),
        Shortcut(("o",), "look at the code beside the table"),
        Shortcut(("Enter",), "open the finding in the code"),
        Shortcut(("c",), "confirm the chosen finding; again: withdraw"),
        Shortcut(("d",), "dismiss it with a reason; again: withdraw"),
        Shortcut(("v",), "back to the code"),
        Shortcut(("n",), "next undecided submission"),
    ),
    **_FORMS,
}
_ONWARD = {"Go on": (Shortcut(("n",), "open the next undecided submission"),)}
_REVIEWERS = {
    "Compare": (Shortcut(("j", "k"), "show the next or previous reviewer"),),
    **_ONWARD,
}
_TRENDS = {"Tell": (Shortcut(("y",), "copy the instruction for the generator"),)}
PAGES: Mapping[str, Mapping[str, Sequence[Shortcut]]] = {
    "": _INBOX,
    "inbox": _INBOX,
    "submission": _SUBMISSION,
    SIDE_BY_SIDE: _SIDE_BY_SIDE,
    "reviewers": _REVIEWERS,
    "trends": _TRENDS,
    "settings": _ONWARD,
}


def keys_of(page: str) -> Mapping[str, Sequence[Shortcut]]:
    """Return the keys of a page by what they are for, those that work everywhere last; `page` is
    its path in the address.
    """
    return {**PAGES.get(page, {}), "Everywhere": EVERYWHERE}
