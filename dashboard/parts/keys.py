"""The keys of each page, as data: what the help sheet lists, and what the components of that page
listen to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What pressing `keys` does; several stand for each other's opposites or for keys pressed one
    after the other.
    """

    keys: tuple[str, ...]
    does: str


EVERYWHERE = (
    Shortcut(("g", "i"), "go to the inbox"),
    Shortcut(("g", "t"), "go to trends"),
    Shortcut(("g", "r"), "go to reviewers"),
    Shortcut(("g", "s"), "go to settings"),
    Shortcut(("b",), "blind mode on or off"),
    Shortcut(("?",), "this sheet"),
    Shortcut(("Esc",), "close, cancel, leave a field"),
)
_FORMS = {
    "Forms": (
        Shortcut(("Enter",), "save"),
        Shortcut(("Shift", "Enter"), "a new line, where there may be several"),
        Shortcut(("Ctrl", "Enter"), "save and stay"),
        Shortcut(("Esc",), "close; what was typed can be restored"),
    )
}
_INBOX = {
    "Move": (
        Shortcut(("j", "k"), "next, previous submission"),
        Shortcut(("Enter",), "open it"),
        Shortcut(("n",), "open the next one to decide"),
        Shortcut(("/",), "search"),
        Shortcut(("f",), "filters"),
    ),
    "Decide": (
        Shortcut(("1",), "ready, with a reason"),
        Shortcut(("2",), "not ready, with a reason"),
        Shortcut(("↑", "↓"), "in a reason: those given before"),
        Shortcut(("x",), "select, to decide several at once"),
        Shortcut(("X",), "select up to here"),
        Shortcut(("a",), "select the whole page"),
        Shortcut(("u",), "take back what was just decided"),
    ),
    **_FORMS,
}
_SUBMISSION = {
    "Findings": (
        Shortcut(("j", "k"), "next, previous finding"),
        Shortcut(("[", "]"), "previous, next file"),
        Shortcut(("c",), "confirm the finding; again: withdraw"),
        Shortcut(("d",), "dismiss it, with a reason; again: withdraw"),
        Shortcut(("1", "…", "5"), "in a dismissal without text: the reason; with Alt: at any time"),
        Shortcut(("s",), "change its severity"),
        Shortcut(("m",), "comment on it"),
        Shortcut(("a",), "add a finding of your own on the chosen line"),
        Shortcut(("u",), "unfold what is refuted, or fold it"),
        Shortcut(("w",), "wrap long lines, or not"),
        Shortcut(("v",), "compare with the attempt before, or stop"),
        Shortcut((".", ","), "next, previous change"),
    ),
    "Decision": (
        Shortcut(("1",), "ready; again: withdraw"),
        Shortcut(("2",), "not ready; again: withdraw"),
        Shortcut(("↑",), "in an empty reason: the reasons given lately"),
        Shortcut(("Enter",), "in the reason: save and go to the next"),
        Shortcut(("n",), "next undecided submission"),
    ),
    **_FORMS,
}
_REVIEWERS = {"Compare": (Shortcut(("j", "k"), "look closely at the next, previous reviewer"),)}
PAGES: Mapping[str, Mapping[str, Sequence[Shortcut]]] = {
    "": _INBOX,
    "inbox": _INBOX,
    "submission": _SUBMISSION,
    "reviewers": _REVIEWERS,
}


def keys_of(page: str) -> Mapping[str, Sequence[Shortcut]]:
    """Return the keys of a page by what they are for, those that work everywhere last; `page` is
    its path in the address.
    """
    return {**PAGES.get(page, {}), "Everywhere": EVERYWHERE}
