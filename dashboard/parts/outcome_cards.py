"""Results of real runs at the lines where they failed, with the reviewers that predicted them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.parts.cards import NO_PLACE, Card
from dashboard.parts.plain import one_line, visible
from dashboard.reviewer_marks import reviewer_marks
from reviewers.outcomes import ENVIRONMENT, Fate, Outcome
from reviewers.records import Span
from reviewers.rubric import UNCATEGORISED, category_title
from reviewers.store import Store
from reviewers.store.outcomes import LinkedOutcome, linked_outcomes, outcomes_of

_LONGEST = 2_000
_MOST_PLACES = 12
_MOST_FINDINGS = 5
FATES = {
    Fate.PREDICTED: "predicted",
    Fate.MISSED: "missed",
    Fate.NOT_REACHABLE: "not predictable from code",
}


@dataclass(frozen=True, slots=True)
class Happened:
    """One outcome as it is shown.

    Attributes:
        key: unique among those of the submission.
        said: one entry a reviewer with a verdict: what the failure was for it, and the cards that
            predicted it.
    """

    key: str
    outcome: Outcome
    said: Sequence[tuple[str, Fate, Sequence[Card]]]

    @property
    def title(self) -> str:
        """What was done and how it ended, in a few words."""
        outcome = self.outcome
        if outcome.source != "run":
            return f"Needed a fix before the {outcome.stage} run"
        how = {True: "failed", False: "passed", None: "ended with an unknown result"}[
            outcome.failed
        ]
        return f"The {outcome.stage} run {how}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Its places, at most one per line, because a fix lists the lines of both sides."""
        first: dict[tuple[str, int | None], Span] = {}
        for span in self.outcome.spans:
            first.setdefault((span.file, span.line), span)
        return tuple(first.values())

    @property
    def category(self) -> str:
        """The category in words; empty if nothing failed."""
        own = {ENVIRONMENT: "Environment", UNCATEGORISED: "Not categorised"}
        category = self.outcome.category
        return "" if category is None else own.get(category) or visible(category_title(category))

    def fates(self) -> list[dict[str, Any]]:
        """Return which reviewers predicted it, ready to be drawn."""
        marks = reviewer_marks(name for name, _, _ in self.said)
        return [
            {
                "reviewer": visible(name),
                "mark": marks[name]["mark"],
                "fate": str(fate),
                "words": FATES[fate],
                "findings": [
                    {
                        "key": card.key,
                        "file": card.file,
                        "line": card.line,
                        "gist": one_line(card.finding.claim or card.finding.message),
                    }
                    for card in cards[:_MOST_FINDINGS]
                ],
                "more": max(0, len(cards) - _MOST_FINDINGS),
            }
            for name, fate, cards in self.said
        ]


@dataclass(frozen=True, slots=True)
class OutcomeCard:
    """An outcome in one file, as the code view draws it under a line; the first of its places
    there.
    """

    happened: Happened
    spans: tuple[Span, ...]

    @property
    def key(self) -> str:
        """Unique on the screen."""
        return f"outcome/{self.happened.key}/{self.file}"

    @property
    def file(self) -> str:
        """The file under which it is shown."""
        return self.spans[0].file if self.spans else NO_PLACE

    @property
    def line(self) -> int | None:
        """The first line, None for a whole file or no place."""
        return self.spans[0].line if self.spans else None

    @property
    def folded(self) -> bool:
        """Never: it is what really happened."""
        return False

    def data(self) -> dict[str, Any]:
        """Return what the browser needs to draw it; every text in it is visible text."""
        outcome = self.happened.outcome
        also = [str(span) for span in self.spans[1:_MOST_PLACES]]
        return {
            "kind": "outcome",
            "key": self.key,
            "file": self.file,
            "place": visible(str(self.spans[0])) if self.spans else "",
            "line": self.line,
            "end": self.spans[0].end_line if self.spans else None,
            "title": self.happened.title,
            "message": said_by(outcome),
            "evidence": visible(f"Also {', '.join(also)}") if also else "",
            "category": self.happened.category,
            "fates": self.happened.fates(),
        }


def happened_to(
    store: Store, submission_id: str, cards: Sequence[Card], reviewers: Mapping[str, str]
) -> tuple[Happened, ...]:
    """Return what happened to a submission, the newest first.

    Args:
        reviewers: name on screen to reviewer, of those whose words may be shown.
    """
    # Most submissions were never run, and to say so needs no reviews.
    linked = linked_outcomes(store, submission_id) if outcomes_of(store, submission_id) else ()
    found = (
        _happened(number, each, cards, set(reviewers.values()))
        for number, each in enumerate(linked)
    )
    return tuple(reversed(tuple(found)))


def _happened(
    number: int, linked: LinkedOutcome, cards: Sequence[Card], reviewers: set[str]
) -> Happened:
    link = linked.link
    names = [] if link is None else [name for name in link.findings if name in reviewers]
    said = [
        (
            name,
            link.fate(name),
            [
                card
                for card in cards
                if card.finding.id in link.findings[name] and _is_of(card, name)
            ],
        )
        for name in names
        if link is not None
    ]
    return Happened(str(number), linked.outcome, said)


def _is_of(card: Card, reviewer: str) -> bool:
    """Whether a card is of a reviewer: several answers of one are numbered on screen."""
    return card.reviewer == reviewer or card.reviewer.startswith(f"{reviewer} #")


def outcome_cards(happened: Sequence[Happened]) -> tuple[OutcomeCard, ...]:
    """Return a card for each file in which a failure or fix has a place, in the order of the
    files.
    """
    cards = []
    for each in happened:
        files = dict.fromkeys(span.file for span in each.spans)
        cards += [
            OutcomeCard(each, tuple(span for span in each.spans if span.file == file))
            for file in files
        ]
    return tuple(sorted(cards, key=lambda card: (card.file, card.line or 0)))


def said_by(outcome: Outcome) -> str:
    """Return an outcome's error with its message, or what is known instead."""
    words = visible((outcome.message or "").strip())[:_LONGEST]
    error = visible(outcome.error or "")
    if error or words:
        return f"{error}: {words}" if error and words else error or words
    return "" if outcome.failed is not True else "Its output contains no error."
