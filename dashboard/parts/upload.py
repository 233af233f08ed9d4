"""Drag-and-drop import: the upload field and, below it, the status of each file."""

from collections.abc import Sequence

import streamlit as st

from dashboard import jobs, session
from dashboard.importing import ImportState, Sent, sent
from dashboard.parts.component import drain, load
from dashboard.parts.plain import one_line

_MEGABYTES = 20
LARGEST = _MEGABYTES * 2**20
"""Bytes of a file."""
_LOOK_SECONDS = 0.4
_JOB, _LARGE = "import", "upload-large"
_KEY = "inbox-import-files"
_mount = load("inbox_import")


def uploaded() -> int:
    """Return how often this browser sent files."""
    turn: int = st.session_state.setdefault("upload-turn", 0)
    return turn


def upload() -> None:
    """Draw the upload field and import its files; `uploads` shows the results."""
    turn = uploaded()
    files = st.file_uploader(
        "Recorded logs, archives, JSON or JSON lines, several at once",
        accept_multiple_files=True,
        max_upload_size=_MEGABYTES,
        key=f"upload-{turn}",
    )
    st.caption(
        f"Up to {_MEGABYTES} MB each; import larger ones on the command line: areachair import PATH"
    )
    if not files:
        return
    st.session_state[_JOB] = jobs.import_files(
        session.store(), [(file.name, file.getvalue()) for file in files]
    )
    # A new key empties the field, so that a later run does not import the same files again.
    st.session_state["upload-turn"] = turn + 1
    st.rerun()


def uploads() -> None:
    """Draw what is becoming of the files that this browser sent last; nothing if it sent
    none.
    """
    if files := _sent():
        live = _live(files)
        st.fragment(_watch, run_every=_LOOK_SECONDS if live else None)(live)


def too_large() -> tuple[Sent, ...]:
    """Return the files of the last drop that the browser did not send."""
    large: tuple[Sent, ...] = st.session_state.get(_LARGE, ())
    return large


def tell_large(names: Sequence[object]) -> None:
    """Keep which files are too large to be sent."""
    why = f"larger than {_MEGABYTES} MB; import it on the command line: areachair import PATH"
    st.session_state[_LARGE] = tuple(Sent(str(name), ImportState.REFUSED, why) for name in names)


def _sent() -> tuple[Sent, ...]:
    work: int | None = st.session_state.get(_JOB)
    return (*(sent(session.store(), work) if work is not None else ()), *too_large())


def _live(files: Sequence[Sent]) -> bool:
    return any(each.state.live for each in files)


def _watch(was_live: bool) -> None:
    files = _sent()
    live = _live(files)
    over = sum(not each.state.live for each in files)
    data = {
        "files": [
            {
                "name": one_line(each.name, 120),
                "state": str(each.state),
                "said": one_line(each.said, 300),
            }
            for each in files
        ],
        "over": over,
        "live": live,
    }
    _mount(key=_KEY, data=data, on_events=_put_away)
    if was_live and not live:
        # The table is to show what came.
        st.rerun()


def _put_away() -> None:
    if any(event.get("action") == "close" for event in drain(_KEY)):
        st.session_state.pop(_JOB, None)
        st.session_state.pop(_LARGE, None)
