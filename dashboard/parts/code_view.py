"""The code component: a file's lines with cards under the flagged ones, and the events of those
cards.
"""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from dashboard.attempt_comparison import Attempts
from dashboard.parts.cards import NO_PLACE, NO_PLACE_TITLE, Card, FileEntry, Shown, pointers
from dashboard.parts.code_diff import code_diff
from dashboard.parts.component import load
from dashboard.parts.plain import one_line, visible
from dashboard.parts.tokens import source_tokens
from dashboard.parts.words import DISMISSALS
from reviewers.records import Submission
from reviewers.rubric import UNCATEGORISED, rubric

_MOST_CARDS = 300
"""In one file; thousands of them, which only a hostile submission has, would stop the browser for
minutes.
"""

_mount = load("code_view")


def code_view(
    submission: Submission,
    path: str,
    cards: Sequence[Shown],
    entries: Sequence[FileEntry],
    *,
    focus: dict[str, Any],
    hidden: bool,
    next_submission: str | None,
    against: Attempts | None = None,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw one file.

    Args:
        cards: all cards of the submission in reading order; those of other files tell where the
            keys lead.
        focus: what to scroll to: `seq`, which changes with each wish, and a `line`, the `key` of a
            card, or `card` first or last.
        hidden: whether what others found is hidden, so that no finding does not mean none.
        next_submission: address of the next submission for the key n.
        against: the attempts of its lineage, with the one that it is compared with.
        on_events: called when the browser queued events; `component.drain(key)` returns them.
            Kinds: `open` (file, line, card), `against` (attempt, empty for none), and what
            `dashboard.finding_events` acts on.
    """
    findings = [card for card in cards if isinstance(card, Card)]
    beside: dict[str, Any] = (
        {"attempts": None, "diff": None} if against is None else code_diff(against, path, findings)
    )
    here = sorted((card for card in cards if card.file == path), key=lambda card: card.line or 0)
    mine = _most_wanted(here, focus.get("key"))
    file = submission.by_path.get(path)
    source = source_tokens(path, file.reading) if file else None
    others = _neighbours(path, cards, entries)
    _mount(
        key=key,
        data={
            "path": path,
            "title": NO_PLACE_TITLE if path == NO_PLACE else one_line(path),
            "code_key": (
                _digest(path, file.data if file else b"") + (beside["diff"] or {"key": ""})["key"]
            ),
            "lines": source.lines if source else [],
            "notes": [
                *_notes(
                    path,
                    file is None,
                    source.left_out if source else "",
                    file is not None and file.repaired is not None,
                ),
                *_left_out(len(here) - len(mine)),
            ],
            "cards": [card.data() for card in mine],
            "pointers": pointers(path, cards),
            "reasons": DISMISSALS,
            "categories": _categories(),
            "focus": focus,
            "hidden": hidden,
            "next_submission": next_submission,
            **others,
            **beside,
        },
        on_events=on_events,
    )


def _most_wanted(cards: Sequence[Shown], wanted: str | None) -> Sequence[Shown]:
    """As many as a browser draws without stopping, in the order given: the one that is gone to,
    open ones, then the rest.
    """
    if len(cards) <= _MOST_CARDS:
        return cards
    kept = {
        card.key
        for card in sorted(cards, key=lambda card: (card.key != wanted, card.folded))[:_MOST_CARDS]
    }
    return [card for card in cards if card.key in kept]


def _left_out(count: int) -> list[str]:
    return (
        [f"{count:,} more findings are in the list of findings; click one there to show it."]
        if count
        else []
    )


def _notes(path: str, absent: bool, left_out: str, repaired: bool) -> list[str]:
    notes = []
    if path == NO_PLACE:
        notes.append("These claims name no place, or none that could be found in the files.")
    elif absent:
        notes.append(f"{visible(path)} is not among the submission's files.")
    if left_out:
        notes.append(f"This file is long: {left_out}.")
    if repaired:
        notes.append(
            "This file was once decoded with the wrong encoding. It is shown repaired; its"
            " original bytes are kept."
        )
    return notes


def _categories() -> list[list[str]]:
    """What a finding of one's own may be called: id and title, and first that it fits none."""
    known = [
        [id, one_line(category.title)]
        for id, category in rubric().categories.items()
        if id != UNCATEGORISED
    ]
    return [[UNCATEGORISED, "No category"], *known]


def _neighbours(path: str, cards: Sequence[Shown], entries: Sequence[FileEntry]) -> dict[str, Any]:
    """Where the keys [ ] and, past the last card, j k lead."""
    paths = [entry.path for entry in entries]
    here = paths.index(path) if path in paths else 0
    flagged = [
        place for place in paths if any(card.file == place and not card.folded for card in cards)
    ]
    after = [place for place in flagged if paths.index(place) > here] or flagged
    before = [place for place in flagged if paths.index(place) < here] or flagged
    return {
        "next_file": {"file": paths[(here + 1) % len(paths)]} if len(paths) > 1 else None,
        "previous_file": {"file": paths[here - 1]} if len(paths) > 1 else None,
        "next_finding": {"file": after[0], "card": "first"} if after else None,
        "previous_finding": {"file": before[-1], "card": "last"} if before else None,
    }


def _digest(path: str, data: bytes) -> str:
    return hashlib.blake2s(
        path.encode("utf-8", "surrogatepass") + b"\0" + data, digest_size=8
    ).hexdigest()
