"""All defects of a submission in one list by weight or by file, each once with every reviewer that
reports it; the browser filters it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from dashboard.attempt_comparison import Attempts
from dashboard.parts.cards import NO_PLACE, NO_PLACE_TITLE, Card
from dashboard.parts.code_diff import past_card, since_of, tally_words
from dashboard.parts.component import load
from dashboard.parts.plain import one_line, visible
from dashboard.reviewer_marks import reviewer_marks
from reviewers.exports.wording import attempt_words
from reviewers.records import Check, Finding, Ruling

_mount = load("findings_list")
_LONGEST = 600


def findings_list(
    cards: Sequence[Card],
    order: Sequence[str],
    viewer: str,
    *,
    against: Attempts | None = None,
    partial: Sequence[str] = (),
    key: str,
    on_events: Callable[[], None],
) -> None:
    """List cards; a click on one that the code view does not show queues the event `open` with file
    and key.

    Args:
        order: keys of all cards, the weightiest first.
        viewer: of whom and which submission it is; the code view asks no other list.
        against: the attempts of its lineage; while two are compared, what is gone can be listed
            too.
        partial: what a review does not cover, a sentence for each partial one.
    """
    beside = against.comparison if against else None
    since = since_of(cards, beside)
    place = {key: at for at, key in enumerate(order)}
    past = beside.gone if beside else ()
    marks = reviewer_marks([*(card.marked_as for card in cards), *(each.reviewer for each in past)])
    gone = [
        past_card(each, beside.number) | {"mark": marks[each.reviewer]["mark"]}
        for each in past
        if beside
    ]
    paths = [*(card.file for card in cards), *(each["file"] for each in gone)]
    data = {
        "cards": [
            {
                **_entry(card),
                "mark": marks[card.marked_as]["mark"],
                "at": place[card.key],
                **since.get(card.key, {}),
            }
            for card in cards
        ],
        "files": {path: NO_PLACE_TITLE if path == NO_PLACE else one_line(path) for path in paths},
        "viewer": viewer,
        "gone": gone,
        "compared": f"since {attempt_words(beside.number)}" if beside else "",
        "tally": tally_words(against, cards) if against else [],
        "partial": [visible(words) for words in partial],
    }
    _mount(key=key, data=data, on_events=on_events)


def _entry(card: Card) -> dict[str, Any]:
    """A card in short, because the list may be long and is sent again after each change."""
    finding = card.finding
    word = (
        ""
        if card.ruling is None
        else "confirmed"
        if card.ruling.ruling is Ruling.CONFIRM
        else "dismissed"
    )
    return {
        "key": card.key,
        "file": card.file,
        "line": card.line,
        "end": finding.span.end_line if finding.span else None,
        "place": visible(str(finding.span)) if finding.span else "",
        "severity": str(card.severity),
        "check": str(card.check),
        "reviewer": visible(card.reviewer),
        "reading": _reading(finding),
        "rule": visible(finding.rule or ""),
        "gist": one_line(finding.message or finding.claim or "", _LONGEST),
        "lead": card.lead,
        "row": card.row,
        "missed_by": [visible(name) for name in card.missed_by],
        "ruled": card.ruling and f"{word} by {one_line(card.ruling.author.name, 80)}",
        "comments": sum(bool(remark.comment) for remark in card.remarks),
    }


def _reading(finding: Finding) -> str:
    """What is odd about how a claim was read; empty if nothing is."""
    said = finding.understood
    if said and said.why_not:
        return "unread"
    if said and said.otherwise:
        return "two"
    is_known = any(part.check.result is not Check.UNVERIFIED for part in finding.parts)
    return "partly" if is_known and finding.check.result is Check.UNVERIFIED else ""
