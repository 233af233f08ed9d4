"""Limits how much uploaded data the server holds in memory at a time."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dashboard import session
from dashboard.request_guard import Receive, Send, refuse, values_of
from reviewers.store.jobs import waiting_bytes

_PATH = "/_stcore/upload_file/"
_ROOM_FOR_FORM = 64 * 1024


@dataclass(frozen=True, slots=True)
class FileAmount:
    """A number of files, and their bytes together."""

    files: int = 0
    size: int = 0

    def __add__(self, other: "FileAmount") -> "FileAmount":
        return FileAmount(self.files + other.files, self.size + other.size)

    def exceeds(self, most: "FileAmount") -> bool:
        """Whether there are more files, or they are larger."""
        return self.files > most.files or self.size > most.size


OF_A_PAGE = FileAmount(1_000, 100 * 2**20)
OF_ALL = FileAmount(5_000, 500 * 2**20)
_MOST_PARTS = 4
"""Of many web processes each may hold a quarter of `OF_ALL`: a page has to find room."""


def held_by_streamlit() -> dict[str, FileAmount]:
    """What Streamlit holds of each open page: files wait there until the page's script took
    them.
    """
    from streamlit import runtime
    from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

    manager = runtime.get_instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)
    held = {page: [*files.values()] for page, files in [*manager.file_storage.items()]}
    return {
        page: FileAmount(len(files), sum(len(file.data) for file in files))
        for page, files in held.items()
    }


class Uploads:
    """ASGI middleware that refuses a file, before it is read, for which there is no room.

    Args:
        largest: bytes of a file that Streamlit takes.
        held: gives what lies in memory by page.
        of_a_page, of_all: the most that may.
        waiting: gives the bytes that jobs of all processes are still to read.
        processes: how many web processes there are; each has its part of `of_all`.
    """

    def __init__(
        self,
        app: Any,
        largest: int,
        held: Callable[[], Mapping[str, FileAmount]] = held_by_streamlit,
        of_a_page: FileAmount = OF_A_PAGE,
        of_all: FileAmount = OF_ALL,
        waiting: Callable[[], int] = lambda: waiting_bytes(session.store()),
        processes: int = 1,
    ) -> None:
        self._app = app
        self._largest = largest + _ROOM_FOR_FORM
        self._held = held
        self._of_a_page = of_a_page
        self._parts = min(processes, _MOST_PARTS)
        self._of_all = FileAmount(of_all.files // self._parts, of_all.size // self._parts)
        self._waiting = waiting
        self._files_under_way: Counter[str] = Counter()
        self._bytes_under_way: Counter[str] = Counter()

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if (
            scope["type"] != "http"
            or _PATH not in scope["path"]
            or scope["method"] not in ("PUT", "POST")
        ):
            await self._app(scope, receive, send)
            return
        page = scope["path"].partition(_PATH)[2].partition("/")[0]
        size = self._size(scope)
        if problem := self._problem(page, FileAmount(1, size)):
            await refuse(scope, receive, send, 413, problem)
            return
        self._files_under_way[page] += 1
        self._bytes_under_way[page] += size
        try:
            await self._app(scope, receive, send)
        finally:
            self._files_under_way[page] -= 1
            self._bytes_under_way[page] -= size
            if not self._files_under_way[page]:
                del self._files_under_way[page], self._bytes_under_way[page]

    def _problem(self, page: str, new: FileAmount) -> str | None:
        held = self._held()
        coming = FileAmount(self._files_under_way[page], self._bytes_under_way[page])
        if (held.get(page, FileAmount()) + coming + new).exceeds(self._of_a_page):
            return "too many at once: upload the rest afterwards, or use the command line"
        coming = FileAmount(self._files_under_way.total(), self._bytes_under_way.total())
        waiting = FileAmount(0, self._waiting() // self._parts)
        if sum(held.values(), waiting + coming + new).exceeds(self._of_all):
            return "the server is busy with other uploads: try again in a minute"
        return None

    def _size(self, scope: Any) -> int:
        """What a body holds at most; Streamlit reads no more of it than a file may have."""
        told = "".join(values_of(scope, b"content-length"))
        known = told.isascii() and told.isdigit() and len(told) < 16
        return min(int(told), self._largest) if known else self._largest
