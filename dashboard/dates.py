"""When submissions were generated, in the words of the screen: what is a guess is marked, and where
nothing is known, the import is what counts and that is said.
"""

from datetime import datetime, time
from typing import Any

from reviewers.exports.wording import date_words
from reviewers.records import Generated
from reviewers.store.trends import Dated, Looked

DAYS = "Days in UTC, of the import where nobody knows when a submission was generated."


def age_of(generated: Generated | None, imported_at: datetime) -> dict[str, Any]:
    """Return what `dated` of shared.js draws: how long ago it was, and how that is known."""
    at = imported_at if generated is None else generated.at
    return {
        "at": at.isoformat(),
        "day": generated is not None and at.time() == time(),
        "known": generated is not None,
        "guess": generated is not None and generated.by.is_guess,
        "about": (
            f"When it was generated: {date_words(generated)}."
            f" Imported: {imported_at:%Y-%m-%d %H:%M} UTC."
        ),
    }


def days_words(looked: Looked) -> str:
    """Say from which day to which submissions were looked at, and how these days are known; empty
    where there is none.
    """
    if looked.days is None:
        return ""
    first, last = looked.days
    dated = looked.dated
    said = "imported" if dated.imported == dated.of else "generated"
    until = f" to {last:%-d %B %Y}" if last > first else ""
    return f"{said} {first:%-d %B %Y}{until} ({'; '.join(_known(dated))})"


def _known(dated: Dated) -> list[str]:
    if dated.imported == dated.of:
        return ["days in UTC", "when they were generated is not known"]
    words = ["days in UTC"]
    if dated.guessed:
        words.append(f"{_of(dated.guessed, dated)} a guess by a name or an archive")
    if dated.imported:
        words.append(f"{_of(dated.imported, dated)} without a date, by the import")
    return words


def _of(count: int, dated: Dated) -> str:
    return "all" if count == dated.of else f"{count:,}"
