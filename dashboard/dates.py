"""Generation dates in words: a guess is marked; an unknown date is replaced by the import date,
which is labelled as such.
"""

from datetime import date, datetime, time
from typing import Any

from reviewers.exports.wording import date_words
from reviewers.records import Generated
from reviewers.store.trends import Looked

DAYS = "Days in UTC; the import day if the generation date is unknown."


def age_of(generated: Generated | None, imported_at: datetime) -> dict[str, Any]:
    """Return what `dated` of shared.js draws: how long ago it was, and how that is known."""
    at = imported_at if generated is None else generated.at
    return {
        "at": at.isoformat(),
        "day": generated is not None and at.time() == time(),
        "known": generated is not None,
        "guess": generated is not None and generated.by.is_guess,
        "about": (
            f"Generated: {date_words(generated)}. Imported: {imported_at:%Y-%m-%d %H:%M} UTC."
        ),
    }


def days_words(looked: Looked) -> str:
    """Say from which day to which submissions were generated, how that is known, and which days
    count if it is not.
    """
    dated = looked.dated
    if dated.days is None:
        when = f"imported {_range(looked.days)}" if looked.days else "none"
        return f"{when}; generation dates unknown; days in UTC"
    words = f"generated {_range(dated.days)}"
    if dated.guessed:
        of = "" if dated.guessed == dated.known else f"{dated.guessed:,} of them "
        words += f" ({of}guessed from a name or an archive)"
    if dated.imported:
        words = (
            f"{dated.known:,} {words}, {dated.imported:,} with an unknown date on the day of import"
        )
    return f"{words}; days in UTC"


def _range(days: tuple[date, date]) -> str:
    first, last = days
    return f"{first:%-d %B %Y}" + (f" to {last:%-d %B %Y}" if last > first else "")
