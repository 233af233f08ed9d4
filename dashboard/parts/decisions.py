"""The history of decisions: verdict, author, time and reason, including withdrawn ones."""

from collections.abc import Sequence

from dashboard.parts.component import load
from dashboard.parts.plain import visible
from dashboard.parts.words import author_words, verdict_words
from reviewers.store.submission import Decision

_mount = load("decisions")


def decisions(records: Sequence[Decision], *, key: str) -> None:
    """List decisions in the order given."""
    rows = [
        {
            "verdict": record.verdict and str(record.verdict),
            "words": verdict_words(record.verdict) if record.verdict else "withdrawn",
            "author": visible(author_words(record.author)),
            "at": record.at.isoformat(),
            "reason": visible(record.reason),
            "blind": record.blind,
        }
        for record in records
    ]
    _mount(key=key, data={"decisions": rows})
