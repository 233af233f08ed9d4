"""The file, line and finding that a submission page shows: kept in the address, with the line to
scroll to.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.attempt_comparison import Gone
from dashboard.parts.cards import Card, FileEntry, first_file

_FOCUS = "focus"
_OPENED = "opened"


def shown_file(submission_id: str, entries: Sequence[FileEntry], cards: Sequence[Card] = ()) -> str:
    """Return the file that the address names, or that of the finding that it names, else the one to
    open first.
    """
    paths = {entry.path for entry in entries}
    # Older addresses have `f`.
    if (named := st.query_params.get("file", st.query_params.get("f"))) in paths:
        return named
    if (card := _named_card(cards)) is not None:
        return card.file
    # Chosen once: a word on a finding changes the counts, and must not take its file away from
    # under the reader.
    opened = st.session_state.get(_OPENED)
    if not opened or opened[0] != submission_id or opened[1] not in paths:
        opened = st.session_state[_OPENED] = (submission_id, first_file(entries))
    return str(opened[1])


def focus(submission_id: str, path: str, cards: Sequence[Card | Gone] = ()) -> dict[str, Any]:
    """Return what to scroll to: the last wish for this file, else the place that the address names,
    else the first open card.
    """
    wish = st.session_state.get(_FOCUS)
    if wish and wish["submission"] == submission_id and wish["file"] == path:
        return dict(wish)
    line = st.query_params.get("line", "")
    known = line.isascii() and line.isdigit() and len(line) < 8
    card = _named_card([card for card in cards if card.file == path])
    # The code view makes the same word of what it puts into the address itself, and then has
    # nothing to do.
    seq = f"{path}:{line}:{st.query_params.get('finding', '')}"
    return {
        "seq": seq,
        "line": int(line) if known else None,
        "key": card and card.key,
        "card": "first",
    }


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
