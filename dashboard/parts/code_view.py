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
from dashboard.reviewer_marks import reviewer_marks
from reviewers.records import Submission
from reviewers.rubric import UNCATEGORISED, rubric
from reviewers.rules import registered

_MOST_CARDS = 300
"""Per file; thousands of cards, which only a hostile submission has, would block the browser for
minutes.
"""

_mount = load("code_view")


def code_view(
    submission: Submission,
    path: str,
    cards: Sequence[Shown],
    entries: Sequence[FileEntry],
    viewer: str,
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
        cards: all cards of the submission in reading order; the keys move to those of other files
            too.
        viewer: under what the browser remembers which files were viewed.
        focus: what to scroll to: `seq`, which changes with each request, and a `line`, the `key` of
            a card, or `card` first or last.
        hidden: whether others' findings are hidden, so that an empty list does not mean that there
            are none.
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
            "cards": _drawn(mine),
            "pointers": pointers(path, cards),
            "rules": _rule_help(mine),
            "reasons": DISMISSALS,
            "categories": _categories(),
            "focus": focus,
            "viewer": viewer,
            "hidden": hidden,
            "next_submission": next_submission,
            **others,
            **beside,
        },
        on_events=on_events,
    )


def _most_wanted(cards: Sequence[Shown], wanted: str | None) -> Sequence[Shown]:
    """As many cards as a browser can draw, in the given order: the one to scroll to, open ones,
    then the rest.
    """
    if len(cards) <= _MOST_CARDS:
        return cards
    kept = {
        card.key
        for card in sorted(cards, key=lambda card: (card.key != wanted, card.folded))[:_MOST_CARDS]
    }
    return [card for card in cards if card.key in kept]


def _drawn(cards: Sequence[Shown]) -> list[dict[str, Any]]:
    """The cards as the browser draws them, each finding with its reviewer's mark."""
    marks = reviewer_marks(card.marked_as for card in cards if isinstance(card, Card))
    return [
        card.data() | ({"mark": marks[card.marked_as]["mark"]} if isinstance(card, Card) else {})
        for card in cards
    ]


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


def _rule_help(cards: Sequence[Shown]) -> dict[str, dict[str, str]]:
    """What the rules of these cards say of themselves, by their ids."""
    ids = {card.finding.rule for card in cards if isinstance(card, Card)}
    return {
        rule.id: {
            "title": one_line(f"{rule.id} {rule.name.replace('_', ' ')}"),
            "why": visible(" ".join(rule.why.split())),
            "bad": _example(rule.bad),
            "good": _example(rule.good),
        }
        for id, rule in registered().items()
        if id in ids
    }


def _example(text: str) -> str:
    """An example without the marks that tell a test which line is meant."""
    return "\n".join(line.partition("  # flag:")[0] for line in visible(text).splitlines())


def _categories() -> list[list[str]]:
    """The categories for a person's own finding: id and title, beginning with "uncategorised"."""
    known = [
        [id, one_line(category.title)]
        for id, category in rubric().categories.items()
        if id != UNCATEGORISED
    ]
    return [[UNCATEGORISED, "No category"], *known]


def _neighbours(path: str, cards: Sequence[Shown], entries: Sequence[FileEntry]) -> dict[str, Any]:
    """The targets of the keys [ ] and, past the last card, of j k."""
    paths = [entry.path for entry in entries]
    here = paths.index(path) if path in paths else 0
    open_in = {card.file for card in cards if not card.folded}
    flagged = [place for place in paths if place in open_in]
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
