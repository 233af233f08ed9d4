"""The plan of repairs in the order of a run: each is taken or not, and what is taken becomes a
patch or the next attempt.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dashboard.parts.cards import Card
from dashboard.parts.component import load
from dashboard.parts.plain import one_line
from dashboard.parts.repair_data import copied, in_short, sentence_of
from dashboard.repairing import Repairs
from reviewers.records import counted

_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_mount = load("repairs_panel")
_LONGEST = 400
_MOST_LEFT = 30
_MOST_WHOLE = 8
"""Repairs of what no card tells of yet, which are shown with their lines here."""


def repairs_panel(
    repairs: Repairs | None,
    data: Mapping[str, dict[str, Any]],
    cards: Sequence[Card],
    *,
    href: str | None,
    name: str,
    key: str,
    on_events: Callable[[], None],
) -> None:
    """Draw the panel; events: `open` (file, line or key), and what `act_on_repairs` acts on.

    Args:
        repairs: None where nothing is to be repaired.
        data: of each repair, see `repairs_data`.
        href: address of the repaired version, where the store has it.
        name: of the submission, and of the file that a browser saves the patch in.
    """
    told = {card.finding.id: card for card in cards if card.finding.rule}
    whole = 0
    items = []
    for id, each in data.items():
        if each["state"] != "there":
            continue
        card = told.get(id)
        whole += card is None
        shown = each if card is None and whole <= _MOST_WHOLE else in_short(each)
        items.append({**shown, "key": card.key if card else None})
    shown_now = repairs.shown if repairs else None
    made = shown_now and copied(shown_now.patch)
    plan = repairs.known.plan if repairs else None
    left = plan.offers.left if plan else ()
    _mount(
        key=key,
        data={
            "state": _state(repairs),
            "problem": one_line(repairs.problem, _LONGEST) if repairs else "",
            "repairs": items,
            "left": [one_line(line, _LONGEST) for line in left[:_MOST_LEFT]],
            "more": max(0, len(left) - _MOST_LEFT),
            "ends": ends_words(repairs),
            "patch": made,
            "patch_of": _patch_words(repairs),
            "whole_patch": shown_now is not None and bool(shown_now.patch),
            "proving": repairs is not None and repairs.proving and plan is not None,
            "mending": repairs is not None and repairs.mending,
            "unmade": repairs is not None and repairs.shown is None,
            "href": href,
            "name": _UNSAFE.sub("-", name)[:60].strip("-.") or "submission",
        },
        on_events=on_events,
    )


def outlook(repairs: Repairs | None) -> dict[str, Any] | None:
    """Return what a run would meet with the repairs, for the panel of the dry run; None where
    nothing is to be repaired.
    """
    if repairs is None:
        return None
    shown = repairs.shown
    if shown is None:
        waits = "repairs are being proven" if repairs.proving else "repairs could not be proven"
        return {"waits": waits}
    if not repairs.offers:
        return {"waits": "no repair could be proven"}
    if not repairs.open:
        return {"waits": "every repair is declined"}
    numbers = _numbers(repairs)
    if not numbers:
        return {"waits": "nothing of what is accepted could be made"}
    stops = shown.offers.stops
    place, _, message = stops.partition(": ")
    return {
        "with": f"with {sentence_of(numbers)}",
        "stops": one_line(place) if stops else "",
        "message": one_line(message, _LONGEST),
        "questions": _unanswered(repairs),
        "waits": "",
    }


def _state(repairs: Repairs | None) -> str:
    if repairs is None:
        return "none"
    if repairs.known.plan is None:
        return "proving" if repairs.proving else "failed"
    return "there" if repairs.offers else "nothing"


def _numbers(repairs: Repairs) -> list[int]:
    made = repairs.shown.offers.repairs if repairs.shown else ()
    ids = {each.finding for each in made}
    return [at for at, each in enumerate(repairs.offers, 1) if each.finding in ids]


def ends_words(repairs: Repairs | None) -> str:
    """Say where a run comes with all of them, and what stays."""
    plan = repairs.known.plan if repairs else None
    if plan is None:
        return ""
    offers = plan.offers
    count = len(offers.repairs)
    after = {0: "As it is", 1: "With it", 2: "With both"}.get(count, f"With all {count}")
    if repairs and len(repairs.open) < count:
        if repairs.shown is None or repairs.known.taken:
            return f"{counted(count - len(repairs.open), 'repair')} declined."
        offers, after = repairs.shown.offers, "Without what is declined"
    stops = f"a run still stops at {one_line(offers.stops, _LONGEST)}"
    words = f"{after}, {stops if offers.stops else 'the dry run meets no failure'}."
    if repairs and (count := _unanswered(repairs)):
        words += f" {counted(count, 'question')} {'is' if count == 1 else 'are'} yours to answer."
    return words


def _unanswered(repairs: Repairs) -> int:
    taken = repairs.known.taken
    return sum(bool(each.asks) and each.finding not in taken for each in repairs.open)


def _patch_words(repairs: Repairs | None) -> str:
    if repairs is None or repairs.shown is None:
        return ""
    return sentence_of(_numbers(repairs)) if _numbers(repairs) else ""
