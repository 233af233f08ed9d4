"""The file, line and finding that a submission page shows: kept in the address, with the line to
scroll to.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.attempt_comparison import Gone
from dashboard.parts.cards import Card, FileEntry

_FOCUS = "focus"
_OPENED = "opened"
_ORDER = "findings-order"


def shown_file(
    submission_id: str,
    entries: Sequence[FileEntry],
    cards: Sequence[Card] = (),
    first: Card | None = None,
) -> str:
    """Return the file that the address names, or that of the finding that it names, else the one to
    open first.

    Args:
        first: the finding to open at where the address names nothing.
    """
    paths = {entry.path for entry in entries}
    # Older addresses have `f`.
    if (named := st.query_params.get("file", st.query_params.get("f"))) in paths:
        return named
    if (card := _named_card(cards)) is not None:
        return card.file
    # Chosen once: a word on a finding changes what is first, and must not take its file away from
    # under the reader.
    opened = st.session_state.get(_OPENED)
    if not opened or opened[0] != submission_id or opened[1] not in paths:
        path = first.file if first else entries[0].path if entries else ""
        opened = st.session_state[_OPENED] = (submission_id, path, first and first.key)
    return str(opened[1])


def focus(submission_id: str, path: str, cards: Sequence[Card | Gone] = ()) -> dict[str, Any]:
    """Return what to scroll to: the last wish for this file, else the place that the address names,
    else the finding that it was opened at, else the first open card.
    """
    wish = st.session_state.get(_FOCUS)
    if wish and wish["submission"] == submission_id and wish["file"] == path:
        return dict(wish)
    named = {name: st.query_params.get(name, "") for name in ("file", "f", "line", "finding")}
    line = named["line"]
    known = line.isascii() and line.isdigit() and len(line) < 8
    card = _named_card([card for card in cards if card.file == path])
    opened = st.session_state.get(_OPENED, ("", "", None))
    is_opened = not any(named.values()) and opened[:2] == (submission_id, path)
    # The code view makes the same word of what it puts into the address itself, and then has
    # nothing to do.
    return {
        "seq": f"{path}:{line}:{named['finding']}",
        "line": int(line) if known else None,
        "key": card.key if card else opened[2] if is_opened else None,
        "card": "first",
    }


def kept_order(submission_id: str, order: Sequence[str]) -> Sequence[str]:
    """Return keys of cards in the order in which this session listed them first, so that nothing
    moves while a person works; a new one comes after the one that it follows in `order`.
    """
    known, kept = st.session_state.get(_ORDER, ("", ()))
    if known != submission_id:
        kept = order
    there, wanted = set(kept), set(order)
    following: dict[str, list[str]] = {}
    before = ""
    for key in order:
        if key in there:
            before = key
        else:
            following.setdefault(before, []).append(key)
    merged = [each for key in ("", *kept) for each in (key, *following.get(key, ()))][1:]
    st.session_state[_ORDER] = (submission_id, merged)
    return [key for key in merged if key in wanted]


def show(submission_id: str, wish: Mapping[str, Any]) -> None:
    """Go to a file and, where given, to a `line`, a card's `key`, or the `first` or `last` open
    `card` of the file.
    """
    file, line, key = wish.get("file"), wish.get("line"), wish.get("key")
    if not isinstance(file, str):
        return
    named = {
        "file": file,
        "line": str(line) if isinstance(line, int) else None,
        "finding": key.rpartition("/")[2] if isinstance(key, str) else None,
    }
    others = {name: value for name, value in st.query_params.items() if name not in {*named, "f"}}
    st.query_params.from_dict(others | {name: value for name, value in named.items() if value})
    last = st.session_state.get(_FOCUS)
    st.session_state[_FOCUS] = {
        "submission": submission_id,
        "file": file,
        "seq": last["seq"] + 1 if last else 1,
        "key": key,
        "line": line,
        "card": wish.get("card", "first"),
    }


def compare(attempt: str) -> None:
    """Say in the address which attempt the submission is compared with; nothing if the text is
    empty.
    """
    if attempt:
        st.query_params["against"] = attempt
    else:
        st.query_params.pop("against", None)


def _named_card(cards: Sequence[Card | Gone]) -> Card | Gone | None:
    """The card of the finding that the address names."""
    named = st.query_params.get("finding")
    return next((card for card in cards if card.finding.id == named), None)
