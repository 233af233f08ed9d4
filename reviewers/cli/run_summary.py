"""Summarises a run over many submissions by model: the progress line and the final table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from rich.table import Table
from rich.text import Text

from reviewers.batch.models import Arrival
from reviewers.cli.review_text import MARKS
from reviewers.records import Review, Verdict


@dataclass
class ModelTally:
    """One model's reviews so far; tokens and cost count what was asked in this run, not what was
    kept.
    """

    reviews: list[Review] = field(default_factory=list)
    asked: list[Review] = field(default_factory=list)

    @property
    def kept(self) -> int:
        """Reviews that were there already."""
        return len(self.reviews) - len(self.asked)


class Summary:
    """Counts reviews as they arrive."""

    def __init__(self, names: Sequence[str]) -> None:
        self._tallies = {name: ModelTally() for name in names}

    def add(self, arrival: Arrival) -> None:
        """Count one review."""
        tally = self._tallies[arrival.review.reviewer]
        tally.reviews.append(arrival.review)
        if not arrival.kept:
            tally.asked.append(arrival.review)

    def line(self) -> str:
        """Return the run so far in one line: "12 asked, 3 kept, 1 failed, $0.4200"."""
        tallies = self._tallies.values()
        counts = {
            "asked": sum(len(tally.asked) for tally in tallies),
            "kept": sum(tally.kept for tally in tallies),
            "failed": sum(review.verdict is None for tally in tallies for review in tally.asked),
        }
        asked = [review for tally in tallies for review in tally.asked]
        return ", ".join(
            [f"{count} {word}" for word, count in counts.items() if count] + [_dollars(asked)]
        )

    def table(self) -> Table:
        """Return a row for each model; tokens, cost and seconds are of what was asked in this run,
        claims of everything.
        """
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in _COLUMNS:
            table.add_column(name, justify="left" if name in ("reviewer", "claims") else "right")
        for name, tally in self._tallies.items():
            table.add_row(*map(Text, (name, *_row(tally))))
        return table


_COLUMNS = (
    "reviewer", "ready", "not ready", "failed", "kept", "claims", "input", "cached", "output",
    "cost", "seconds",
)  # fmt: skip


def _row(tally: ModelTally) -> list[str]:
    verdicts = Counter(review.verdict for review in tally.reviews)
    claims = [
        f"{mark}{sum(r.count(check) for r in tally.reviews)}" for check, mark in MARKS.items()
    ]
    seconds = [review.seconds for review in tally.asked if review.seconds is not None]
    return [
        *(str(verdicts[verdict]) for verdict in (Verdict.READY, Verdict.NOT_READY, None)),
        str(tally.kept),
        " ".join(claims),
        *(
            _tokens([getattr(review, f"{kind}_tokens") for review in tally.asked])
            for kind in ("input", "cached", "output")
        ),
        _dollars(tally.asked),
        f"{median(seconds):.1f}" if seconds else "—",
    ]


def _tokens(counts: Sequence[int | None]) -> str:
    """The sum of what is known, and that some of it is not."""
    known = [count for count in counts if count is not None]
    if not known:
        return "—"
    return f"{sum(known):,}" + ("+?" if len(known) < len(counts) else "")


def _dollars(reviews: Sequence[Review]) -> str:
    known = [review.cost_usd for review in reviews if review.cost_usd is not None]
    if not known:
        return "cost unknown" if reviews else "$0"
    return f"${sum(known):.4f}" + ("+?" if len(known) < len(reviews) else "")
