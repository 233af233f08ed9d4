"""The one sentence that the reviews of a submission come to, with the finding that it names."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.parts.cards import Card
from dashboard.parts.dry_run import shown_failures
from dashboard.parts.plain import one_line
from reviewers.exports.dry_run_words import place_words, stop_words
from reviewers.panel.consensus import Consensus
from reviewers.records import DryRun, Span, Verdict

_LONGEST = 400


@dataclass(frozen=True, slots=True)
class VerdictSentence:
    """What the reviews come to.

    Attributes:
        words: the sentence.
        verdict: what is suggested to a person; None where nothing is.
        reason: why, as a person may adopt it.
        card: the finding that the sentence names; None if it names none.
        at: where a run stops, if the sentence says so.
    """

    words: str
    verdict: Verdict | None
    reason: str
    card: Card | None
    at: Span | None = None

    def data(self) -> dict[str, Any]:
        """Return what the browser needs to draw it."""
        card, at = self.card, self.at
        place = card.finding.span if card else None
        return {
            "words": one_line(self.words, _LONGEST),
            "verdict": self.verdict and str(self.verdict),
            "reason": one_line(self.reason, _LONGEST),
            "card": card and {"file": card.file, "key": card.key},
            "place": one_line(place_words(place)) if place else "",
            "at": at and {"file": at.file, "line": at.line, "card": "first"},
            "at_place": one_line(place_words(at)) if at else "",
        }


def verdict_sentence(
    found: Consensus, met: DryRun | None, cards: Sequence[Card]
) -> VerdictSentence | None:
    """Return the sentence; None without a review. Where a run stops for certain at what proves the
    verdict, it says where.
    """
    if not (found.ready or found.not_ready or found.failed):
        return None
    first = shown_failures(met, cards).first if met and found.proof else None
    by_finding = {card.finding.id: card for card in reversed(cards)}
    if met and first and first.certain and (card := by_finding.get(first.finding or "")):
        stops = f"Not ready: {stop_words(first, met)}"
        words, reason = f"{stops}: {first.error or first.said}", f"{stops}: {first.said}"
        return VerdictSentence(words, found.suggestion, reason, card, first.place)
    words = f"Not ready: {found.proof[1].message}" if found.proof else found.because
    named = by_finding.get(found.proof[1].id) if found.proof else None
    return VerdictSentence(words, found.suggestion, found.because, named)
