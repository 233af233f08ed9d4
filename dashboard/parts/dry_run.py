"""The dry run: the first failure of each documented command, with later ones folded; each links to
its line and its finding.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from dashboard.parts.cards import Card
from dashboard.parts.component import load
from dashboard.parts.plain import one_line
from reviewers.exports.dry_run_words import (
    followed_words,
    limits,
    place_words,
    starts_words,
    summary,
)
from reviewers.records import DryRun, Failure, Followed, Span

_mount = load("dry_run")
_LONGEST = 300
_MOST = 40  # failures after the first of a command


def dry_run_panel(
    dry_run: DryRun,
    cards: Sequence[Card],
    repaired: Mapping[str, Any] | None = None,
    *,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw the panel; a click on a place or finding outside the open file queues the event
    `open` with file and `line` or `key`.

    Args:
        cards: a failure that only a dismissed finding reports is left out.
        repaired: what a run would meet with repairs, see `repairs_panel.outlook`.
    """
    telling = {card.finding.id: card for card in cards if card.finding.rule}
    shown = shown_failures(dry_run, cards)
    data = {
        "summary": "" if shown.first else one_line(summary(shown), _LONGEST),
        "commands": list(_commands(shown, telling)),
        "repaired": repaired,
        "limits": [one_line(line, _LONGEST) for line in limits(shown)],
    }
    _mount(key=key, data=data, on_events=on_events)


def shown_failures(dry_run: DryRun, cards: Sequence[Card]) -> DryRun:
    """Return the dry run without the failures that only a dismissed finding reports."""
    dismissed = {card.finding.id for card in cards if card.finding.rule and card.folded}
    kept = tuple(each for each in dry_run.failures if each.finding not in dismissed)
    return replace(dry_run, failures=kept)


def _commands(dry_run: DryRun, telling: dict[str, Card]) -> list[dict[str, Any]]:
    """The commands in order; after one that fails in every start, the others are not reached."""
    found, reached = [], True
    for command in dry_run.commands:
        failures = dry_run.of(command.step)
        first = failures[0] if failures else None
        behind = failures[1:]
        found.append(
            {
                "command": one_line(first.command if first else command.command),
                "words": followed_words(command) if command.step != "install" else "",
                "state": _state(first, command),
                "reached": reached,
                "first": first and _entry(first, command, telling),
                "behind": [_entry(failure, command, telling) for failure in behind[:_MOST]],
                "more": max(0, len(behind) - _MOST),
            }
        )
        every = first is not None and first.certain and first.starts >= command.starts
        reached = reached and not every
    return found


def _state(first: Failure | None, command: Followed) -> str:
    if first is not None:
        return "stops" if first.certain else "may"
    return "clear" if command.starts else "unknown"


def _entry(failure: Failure, command: Followed, telling: dict[str, Card]) -> dict[str, Any]:
    card = telling.get(failure.finding or "")
    said = failure.said
    error, is_led, message = said.partition(": ")
    leads = is_led and error == failure.error
    return {
        "error": one_line(error) if leads else "",
        "message": one_line(message if leads else said, _LONGEST),
        "certain": failure.certain,
        "starts": starts_words(failure, command),
        "mode": one_line(failure.mode) if failure.starts < command.starts else "",
        **_place(failure.place),
        "chain": [_place(span) for span in failure.chain],
        "key": card.key if card else None,
        "finding": card.file if card else None,
        "rule": one_line(card.finding.rule or "") if card else "",
    }


def _place(span: Span) -> dict[str, Any]:
    return {"file": span.file, "line": span.line, "place": one_line(place_words(span))}
