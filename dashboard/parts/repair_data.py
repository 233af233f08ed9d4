"""The repairs of a submission in the form that the card of a finding and the panel share."""

from collections.abc import Mapping, Sequence
from typing import Any

from rapidfuzz.distance import Levenshtein

from dashboard.parts.patch_lines import patch_lines
from dashboard.parts.plain import one_line, visible
from dashboard.parts.words import author_words
from dashboard.repairing import EDITED, Repairs, hunks_of_ways, text_of, way_id
from reviewers.offers import Hunk, Offer, ProvenWay
from reviewers.store.repairs import LONGEST_REASON, RepairChoice, SubmissionRepairs

_LONGEST = 400
_MOST_EDITED = 20_000
"""Characters of a repair's lines that a form has."""
_MOST_COPIED = 200_000
"""Characters of a patch that is sent along to be copied."""


def repairs_data(repairs: Repairs | None) -> Mapping[str, dict[str, Any]]:
    """Return each offered repair as the browser draws it, by the id of its finding; of a finding
    without one, whether it is still looked for.
    """
    if repairs is None:
        return {}
    state = "none"
    if repairs.known.plan is None:
        state = "proving" if repairs.proving else "failed"
    without = {id: {"finding": id, "state": state} for id in repairs.candidates}
    made = repairs.known.made
    done = {each.finding for each in made.offers.repairs} if made else None
    offered = {
        offer.finding: _offer(repairs, number, offer, done)
        for number, offer in enumerate(repairs.offers, 1)
    }
    return offered | {id: each for id, each in without.items() if id not in offered}


def in_short(repair: Mapping[str, Any]) -> dict[str, Any]:
    """Return a repair without the lines of its ways, which its card shows."""
    ways = [{**way, "files": [], "patch": None, "hunks": None} for way in repair["ways"]]
    return {**repair, "ways": ways}


def copied(patch: str) -> str | None:
    """Return a patch as it is sent to be copied; None where that would spoil it or is too long."""
    try:
        patch.encode()
    except UnicodeEncodeError:
        return None
    return patch if 0 < len(patch) <= _MOST_COPIED else None


def _offer(repairs: Repairs, number: int, offer: Offer, done: set[str] | None) -> dict[str, Any]:
    known = repairs.known
    taken = known.way(offer)
    edit = known.edit(offer)
    declined = known.declined.get(offer.finding)
    choice = declined or edit or (known.choices.get(offer.finding) if taken else None)
    span = offer.span
    hunks = hunks_of_ways(known, offer)
    ways = [{**_way(way), "hunks": _editable(hunks[way_id(way)])} for way in offer.ways]
    told = _edit(repairs, offer, edit) if edit else {}
    if edit:
        ways.append(_edited_way(known, offer, hunks[EDITED]))
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
        "ways": ways,
        "taken": EDITED if edit else way_id(taken) if taken else "",
        "declined": one_line(declined.reason or "", LONGEST_REASON) if declined else "",
        "by": one_line(author_words(choice.author), 80) if choice else "",
        # Of what was taken and cannot be made: something before it was not.
        "needs": bool(taken) and done is not None and offer.finding not in done,
        "proof": one_line(offer.proof, _LONGEST),
        "shown": [one_line(line, _LONGEST) for line in offer.shown[:5]],
        **told,
    }


def _edit(repairs: Repairs, offer: Offer, choice: RepairChoice) -> dict[str, Any]:
    """What the review of a person's edit says: `proving`, `failed`, `proven`, `unproven`, or `own`
    where it is made all the same.
    """
    made = repairs.known.made
    if made is None:
        problem = one_line(repairs.problem, _LONGEST)
        return {"edit": "proving" if repairs.proving else "failed", "why_not": problem}
    its = next((each for each in made.offers.repairs if each.finding == offer.finding), None)
    why_not = made.unproven.get(offer.finding, "")
    if its is not None and not why_not:
        shown = [one_line(line, _LONGEST) for line in its.shown[:5]]
        proof = one_line(its.proof, _LONGEST)
        return {"edit": "proven", "why_not": "", "proof": proof, "shown": shown}
    is_own = choice.is_own and its is not None
    return {"edit": "own" if is_own else "unproven", "why_not": one_line(why_not, _LONGEST)}


def _edited_way(known: SubmissionRepairs, offer: Offer, hunks: Sequence[Hunk]) -> dict[str, Any]:
    """A person's edit as a way; it can be copied once it is made."""
    offers = known.made.offers.repairs if known.made else ()
    made = next((each.ways[0].patch for each in offers if each.finding == offer.finding), None)
    size, files = patch_lines(_as_patch(hunks) if made is None else made)
    words = {"key": EDITED, "intent": "As edited", "choice": "As edited", "consequence": ""}
    patch = copied(made) if made else None
    lines = {"size": size.data(), "files": files, "patch": patch, "hunks": _editable(hunks)}
    return {**words, **lines}


def _as_patch(hunks: Sequence[Hunk]) -> str:
    """Hunks in the form of a patch, to be looked at."""
    parts: list[str] = []
    for hunk in hunks:
        old, new = hunk.old.splitlines(), hunk.new.splitlines()
        parts += [
            f"--- {'/dev/null' if hunk.is_new_file else f'a/{hunk.path}'}",
            f"+++ b/{hunk.path}",
        ]
        parts.append(f"@@ -{hunk.line},{len(old)} +{max(1, hunk.line)},{len(new)} @@")
        for step in Levenshtein.opcodes(old, new):
            same = step.tag == "equal"
            gone, came = old[step.src_start : step.src_end], new[step.dest_start : step.dest_end]
            parts += [f" {line}" for line in gone] if same else [f"-{line}" for line in gone]
            parts += [] if same else [f"+{line}" for line in came]
    return "\n".join([*parts, ""])


def _editable(hunks: Sequence[Hunk]) -> list[dict[str, Any]] | None:
    """The hunks as they are edited; None where a form would spoil them, or there is too much."""
    texts = [text_of(hunk) for hunk in hunks]
    if sum(map(len, texts)) > _MOST_EDITED or any(visible(text) != text for text in texts):
        return None
    return [
        {"path": one_line(hunk.path), "line": max(1, hunk.line), "text": text}
        for hunk, text in zip(hunks, texts, strict=True)
    ]


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
