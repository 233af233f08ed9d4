"""The files of a submission with their findings counted by severity, including missing files that
findings name.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from dashboard.attempt_comparison import Attempts
from dashboard.parts.cards import FileEntry
from dashboard.parts.code_diff import change_of
from dashboard.parts.component import load
from dashboard.parts.outcome_cards import OutcomeCard

_mount = load("file_list")


def file_list(
    entries: Sequence[FileEntry],
    shown: str,
    viewer: str,
    *,
    against: Attempts | None = None,
    happened: Sequence[OutcomeCard] = (),
    key: str,
    on_events: Callable[[], None],
) -> None:
    """List files; a click queues the event `open` with its file.

    Args:
        viewer: under what the browser remembers which files were viewed.
        against: says what happened to each file since an earlier attempt.
        happened: what real runs did there.
    """
    failed = Counter(card.file for card in happened)
    rows = [
        {
            **entry.data(),
            "change": change_of(against, entry.path) if against else None,
            "failed": failed[entry.path],
        }
        for entry in entries
    ]
    _mount(
        key=key,
        data={"entries": rows, "shown": shown, "viewer": viewer},
        on_events=on_events,
    )
