"""Which file and line of a submission are shown: kept in the address, with what the code view shall scroll to."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from dashboard.parts.cards import FileEntry, first_file

_FOCUS = "focus"
_OPENED = "opened"


def shown_file(submission_id: str, entries: Sequence[FileEntry]) -> str:
    """Return the file that the address names, else the one to open first."""
    paths = {entry.path for entry in entries}
    if (named := st.query_params.get("f")) in paths:
        return named
    # Chosen once: a word on a finding changes the counts, and must not take its file away from under the reader.
    opened = st.session_state.get(_OPENED)
    if not opened or opened[0] != submission_id or opened[1] not in paths:
        opened = st.session_state[_OPENED] = (submission_id, first_file(entries))
    return str(opened[1])


def focus(submission_id: str, path: str) -> dict[str, Any]:
    """Return what to scroll to: the last wish for this file, else the line that the address names, else the first open card."""
    wish = st.session_state.get(_FOCUS)
    if wish and wish["submission"] == submission_id and wish["file"] == path:
        return dict(wish)
    line = st.query_params.get("line", "")
    known = line.isascii() and line.isdigit() and len(line) < 8
    return {"seq": f"{path}:{line}", "line": int(line) if known else None, "card": "first"}


def show(submission_id: str, wish: Mapping[str, Any]) -> None:
    """Go to a file and, where given, to a `line`, a card's `key`, or the `first` or `last` open `card` of the file."""
    file, line = wish.get("file"), wish.get("line")
    if not isinstance(file, str):
        return
    st.query_params["f"] = file
    if isinstance(line, int):
        st.query_params["line"] = str(line)
    else:
        st.query_params.pop("line", None)
    last = st.session_state.get(_FOCUS)
    st.session_state[_FOCUS] = {
        "submission": submission_id,
        "file": file,
        "seq": last["seq"] + 1 if last else 1,
        "key": wish.get("key"),
        "line": line,
        "card": wish.get("card", "first"),
    }
