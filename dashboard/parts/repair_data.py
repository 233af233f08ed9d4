"""The repairs of a submission in the form that the card of a finding and the panel share."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.parts.patch_lines import patch_lines
from dashboard.parts.plain import one_line, visible
from dashboard.parts.words import author_words
from dashboard.repairing import Repairs, way_id
from reviewers.offers import Offer, ProvenWay

_LONGEST = 400
_MOST_COPIED = 200_000
"""Characters of a patch that is sent along to be copied."""


def repairs_data(repairs: Repairs | None) -> Mapping[str, dict[str, Any]]:
    """Return each offered repair as the browser draws it, by the id of its finding; of a finding
    without one, whether it is still looked for.
    """
    if repairs is None:
        return {}
    waits = {"state": "proving" if repairs.proving and repairs.known.plan is None else "none"}
    without = {id: {"finding": id, **waits} for id in repairs.candidates}
    made = repairs.known.made
    done = {each.finding for each in made.offers.repairs} if made else None
    offered = {
        offer.finding: _offer(repairs, number, offer, done)
        for number, offer in enumerate(repairs.offers, 1)
    }
    return offered | {id: each for id, each in without.items() if id not in offered}


def in_short(repair: Mapping[str, Any]) -> dict[str, Any]:
    """Return a repair without the lines of its ways, which its card shows."""
    ways = [{**way, "files": [], "patch": None} for way in repair["ways"]]
    return {**repair, "ways": ways}


def copied(patch: str) -> str | None:
    """Return a patch as it is sent to be copied; None where that would spoil it or is too long."""
    try:
        patch.encode()
    except UnicodeEncodeError:
        return None
    return patch if 0 < len(patch) <= _MOST_COPIED else None


def _offer(repairs: Repairs, number: int, offer: Offer, done: set[str] | None) -> dict[str, Any]:
    taken = repairs.known.way(offer)
    choice = repairs.known.choices.get(offer.finding) if taken else None
    span = offer.span
    return {
        "state": "there",
        "finding": offer.finding,
        "number": number,
        "count": len(repairs.offers),
        "rule": visible(offer.rule),
        "message": one_line(offer.message, _LONGEST),
        "file": span.file if span else "",
        "line": span.line if span else None,
        "place": one_line(str(span)) if span else "",
        "asks": one_line(offer.asks, _LONGEST),
        "ways": [_way(way) for way in offer.ways],
        "taken": way_id(taken) if taken else "",
        "by": one_line(author_words(choice.author), 80) if choice else "",
        # Of what was taken and cannot be made: something before it was not.
        "needs": bool(taken) and done is not None and offer.finding not in done,
        "proof": one_line(offer.proof, _LONGEST),
        "shown": [one_line(line, _LONGEST) for line in offer.shown[:5]],
    }


def _way(way: ProvenWay) -> dict[str, Any]:
    size, files = patch_lines(way.patch)
    return {
        "key": way_id(way),
        "intent": one_line(way.intent, _LONGEST),
        "choice": one_line(way.choice, 120),
        "consequence": one_line(way.consequence, _LONGEST),
        "size": size.data(),
        "files": files,
        "patch": copied(way.patch),
    }


def sentence_of(repairs: Sequence[int]) -> str:
    """Return numbers in words: "repairs 1–3 and 5"."""
    runs: list[list[int]] = []
    for number in sorted(repairs):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]}–{run[-1]}" if len(run) > 2 else " and ".join(map(str, run)) for run in runs]
    return f"{'repair' if len(repairs) == 1 else 'repairs'} {', '.join(parts)}"
