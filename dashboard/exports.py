"""Exports of a list: asked for on the inbox, made by a worker, fetched within a day."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import streamlit as st

from dashboard import asking_list, inbox_scope, jobs, session, signing
from dashboard.request_guard import EXPORTS
from reviewers.errors import AreachairError
from reviewers.jobs.handing_in import ExportedAs
from reviewers.records import counted
from reviewers.store import Store
from reviewers.store.inbox import InboxPage, InboxQuery
from reviewers.store.job_files import JobFile, file_of, files_of, parts_of

_KIND = "export-kind"
_WORDS = {
    ExportedAs.JSONL: "JSON lines, to import again",
    ExportedAs.CSV: "Tables, CSV",
    ExportedAs.PARQUET: "Tables, Parquet",
    ExportedAs.SARIF: "SARIF",
}


def address_of(file: JobFile) -> str:
    """Return where a browser gets a file."""
    return f".{EXPORTS}{file.key}"


def export_button(store: Store, query: InboxQuery, found: InboxPage) -> None:
    """Draw the button that exports the list, and the files that are there; nothing for who judges
    blind, since a file holds what everybody says.
    """
    if session.blind():
        return
    with st.popover("Export", width="stretch", key="inbox-export", on_change="rerun") as opened:
        if not opened.open:
            return
        st.selectbox("Format", [*_WORDS], format_func=_WORDS.__getitem__, key=_KIND)
        st.button(
            f"Export {found.total:,}+ submissions"
            if found.more
            else f"Export {counted(found.total, 'submission')}",
            help="All of this list, with everything that is kept of them",
            disabled=not found.total,
            width="stretch",
            on_click=_export,
            args=(store, query),
        )
        for file in files_of(store, _me()):
            st.link_button(file.name, address_of(file), width="stretch")
            st.caption(f"{file.size / 1e6:,.1f} MB, until {file.until:%Y-%m-%d %H:%M} UTC")


async def send_file(request: Any) -> Any:
    """Answer with a file to who knows its key, a part at a time."""
    from starlette.responses import PlainTextResponse, StreamingResponse

    try:
        store = await asyncio.to_thread(session.store)
        file = await asyncio.to_thread(file_of, store, request.path_params["key"])
    except AreachairError as error:
        return PlainTextResponse(str(error), 503)
    if file is None:
        return PlainTextResponse("this export is no longer there; export the list again", 404)
    headers = {
        "content-disposition": f'attachment; filename="{file.name}"',
        "content-length": str(file.size),
        "cache-control": "no-store",
    }
    return StreamingResponse(
        _parts(store, file), media_type="application/octet-stream", headers=headers
    )


async def _parts(store: Store, file: JobFile) -> AsyncIterator[bytes]:
    parts = parts_of(store, file.job)
    while (part := await asyncio.to_thread(next, parts, None)) is not None:
        yield part


def _me() -> str:
    """Whose files these are: the person's, or this browser's where nobody has a name."""
    return signing.author() or session.browser()


def _export(store: Store, query: InboxQuery) -> None:
    with session.reporting():
        ids = inbox_scope.every(store, query, undecided=False)
        kind = st.session_state.get(_KIND, ExportedAs.JSONL)
        asking_list.mine(jobs.export(store, ids, kind, _me()))
