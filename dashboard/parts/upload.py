"""Bundles from the browser: each file is read in a private folder, reviewed and kept; nothing of a broken one is."""

import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from dashboard.parts.plain import one_line, plain
from reviewers.bundles import open_bundles
from reviewers.errors import BundleError
from reviewers.panel.review import review_all
from reviewers.records import Submission
from reviewers.store import Store

_MEGABYTES = 20
_ODD = re.compile(r"[^\w.-]+")


def upload(store: Store) -> None:
    """Draw the upload field, and import what was put into it."""
    turn = st.session_state.setdefault("upload-turn", 0)
    files = st.file_uploader(
        "Recorded logs, archives, JSON or JSON lines",
        accept_multiple_files=True,
        max_upload_size=_MEGABYTES,
        key=f"upload-{turn}",
    )
    for message, failed in st.session_state.pop("upload-said", []):
        (st.error if failed else st.success)(plain(message))
    if not files:
        return
    said: list[tuple[str, bool]] = []
    with st.spinner("Reviewing…"):
        for file in files:
            try:
                new = [
                    store.add(submission, review_all(submission)) for submission in uploaded_bundles(file.name, file.getvalue())
                ]
            except BundleError as error:
                said.append((f"{one_line(file.name)}: {error.problem}", True))
            else:
                said.append((f"{one_line(file.name)}: {sum(new)} new or changed, {len(new) - sum(new)} known already", False))
    # A new key empties the field, so that a later run does not import the same files again.
    st.session_state["upload-said"] = said
    st.session_state["upload-turn"] = turn + 1
    st.rerun()


def uploaded_bundles(name: str, data: bytes) -> tuple[Submission, ...]:
    """Return the submissions of an uploaded file.

    Raises:
        BundleError: it cannot be read.
    """
    with TemporaryDirectory(prefix="areachair-") as folder:
        path = Path(folder) / (_ODD.sub("_", Path(name.replace("\\", "/")).name)[-100:].lstrip(".") or "upload")
        path.write_bytes(data)
        return tuple(replace(submission, source=f"uploaded {name}") for submission in open_bundles(path))
