"""The keys of each page, as data: what the help sheet lists, and what the components of that page
listen to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """What pressing `keys` does; several stand for each other's opposites or for keys pressed one
    after the other.
    """

    keys: tuple[str, ...]
    does: str


EVERYWHERE = (
    Key(("g", "i"), "go to the inbox"),
    Key(("g", "t"), "go to trends"),
    Key(("g", "r"), "go to reviewers"),
    Key(("g", "s"), "go to settings"),
    Key(("b",), "blind mode on or off"),
    Key(("?",), "this sheet"),
    Key(("Esc",), "close, cancel, leave a field"),
)
_FORMS = {
    "Forms": (
        Key(("Enter",), "save"),
        Key(("Shift", "Enter"), "a new line, where there may be several"),
        Key(("Ctrl", "Enter"), "save and stay"),
        Key(("Esc",), "close; what was typed can be restored"),
    )
}
_INBOX = {
    "Move": (
        Key(("j", "k"), "next, previous submission"),
        Key(("Enter",), "open it"),
        Key(("n",), "open the next one to decide"),
        Key(("/",), "search"),
        Key(("f",), "filters"),
    ),
    "Decide": (
        Key(("1",), "ready, with a reason"),
        Key(("2",), "not ready, with a reason"),
        Key(("↑", "↓"), "in a reason: those given before"),
        Key(("x",), "select, to decide several at once"),
        Key(("X",), "select up to here"),
        Key(("a",), "select the whole page"),
        Key(("u",), "take back what was just decided"),
    ),
    **_FORMS,
}
_SUBMISSION = {
    "Findings": (
        Key(("j", "k"), "next, previous finding"),
        Key(("[", "]"), "previous, next file"),
        Key(("c",), "confirm the finding; again: withdraw"),
        Key(("d",), "dismiss it, with a reason; again: withdraw"),
        Key(("1", "…", "5"), "in a dismissal without text: the reason; with Alt: at any time"),
        Key(("s",), "change its severity"),
        Key(("m",), "comment on it"),
        Key(("a",), "add a finding of your own on the chosen line"),
        Key(("u",), "unfold what is refuted, or fold it"),
        Key(("w",), "wrap long lines, or not"),
        Key(("v",), "compare with the attempt before, or stop"),
        Key((".", ","), "next, previous change"),
    ),
    "Decision": (
        Key(("1",), "ready; again: withdraw"),
        Key(("2",), "not ready; again: withdraw"),
        Key(("↑",), "in an empty reason: the reasons given lately"),
        Key(("Enter",), "in the reason: save and go to the next"),
        Key(("n",), "next undecided submission"),
    ),
    **_FORMS,
}
_REVIEWERS = {"Compare": (Key(("j", "k"), "look closely at the next, previous reviewer"),)}
PAGES: Mapping[str, Mapping[str, Sequence[Key]]] = {
    "": _INBOX,
    "inbox": _INBOX,
    "submission": _SUBMISSION,
    "reviewers": _REVIEWERS,
}


def keys_of(page: str) -> Mapping[str, Sequence[Key]]:
    """Return the keys of a page by what they are for, those that work everywhere last; `page` is
    its path in the address.
    """
    return {**PAGES.get(page, {}), "Everywhere": EVERYWHERE}
