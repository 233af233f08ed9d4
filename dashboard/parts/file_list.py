"""The files of a submission with their flags counted by severity; those that findings name but that are absent too."""

from collections.abc import Callable, Sequence

from dashboard.parts.cards import FileEntry
from dashboard.parts.component import acknowledged, load

_mount = load("file_list")


def file_list(entries: Sequence[FileEntry], shown: str, *, key: str, on_events: Callable[[], None]) -> None:
    """List files; a click queues the event `open` with its file."""
    _mount(
        key=key,
        data={"entries": [entry.data() for entry in entries], "shown": shown, "done": acknowledged(key)},
        on_events_change=on_events,
    )
