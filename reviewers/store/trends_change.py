"""Two sides compared, such as later submissions with earlier ones: what is new, rising or falling,
and whether chance explains the difference.

Each category is tested by Fisher's exact test (two-sided, on submissions with and without it), and
the tests of all categories together by the procedure of Benjamini and Hochberg (1995) at 5 %, since
of twenty tests one would be significant by chance. Submissions are treated as independent; attempts
at one experiment are not quite, so a borderline result is uncertain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import lru_cache

import numpy as np

from reviewers.store.trends_facts import UNKNOWN, Flags, Numbers
from reviewers.store.trends_query import Looked, Period, day_of

FEWEST = 10
"""Submissions on either side; of fewer nothing is said."""
_LEVEL = 0.05
_TIE = 1 + 1e-7
"""Tables as likely as the one seen count as at least as extreme, whatever rounding does to them."""


class ShareChange(StrEnum):
    """What happened to a share."""

    NEW = "new"  # none of the earlier ones had it
    RISING = "rising"
    FALLING = "falling"


@dataclass(frozen=True, slots=True)
class Halves:
    """Two sides to be compared: rows of submissions that were looked at.

    Attributes:
        earlier, later: what is compared with, and what is compared.
        periods: the days of both sides, where time tells them apart.
        attempt: the first attempt of the later side, where attempts do.
        groups: the names of both sides, where something else does, such as the generator.
    """

    earlier: Flags
    later: Flags
    periods: tuple[Period, Period] | None = None
    attempt: int | None = None
    groups: tuple[str, str] | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        """How many submissions each side has."""
        return int(np.count_nonzero(self.earlier)), int(np.count_nonzero(self.later))


def halves(looked: Looked) -> Halves | None:
    """Return what to compare, None if there is nothing to tell earlier from later or too little
    on a side.

    Where a query says since when, the period of the same length before it is the earlier side.
    Otherwise the days are cut where it makes the sides most equal; where all came on one
    day, the attempts are.
    """
    found = _before(looked) if looked.query.since is not None else _cut(looked)
    return found if found is not None and min(found.sizes) >= FEWEST else None


def between(looked: Looked, earlier: Period, later: Period) -> Halves:
    """Return two periods that a person chose, whatever days the query names."""
    seen = looked.chosen_but_days & looked.looked
    sides = seen & looked.within(earlier), seen & looked.within(later)
    return Halves(*sides, periods=(earlier, later))


def _before(looked: Looked) -> Halves | None:
    since, days = looked.query.since, looked.days
    if since is None or days is None:
        return None
    until = looked.query.until or days[1]
    first = since - timedelta(days=(until - since).days + 1)
    return between(looked, Period(first, since - timedelta(days=1)), Period(since, until))


def _cut(looked: Looked) -> Halves | None:
    held = looked.facts.submissions
    for column in ("day", "attempt"):
        counts = looked.of & (held[column] != UNKNOWN)
        values = held[column][counts]
        if len(values) and values.min() < values.max():
            first = _balanced(values)
            if column == "day":
                start, end = day_of(int(values.min())), day_of(int(values.max()))
                before = Period(start, day_of(first - 1))
                return between(looked, before, Period(day_of(first), end))
            sides = counts & (held[column] < first), counts & (held[column] >= first)
            return Halves(*sides, attempt=first)
    return None


def _balanced(values: Numbers) -> int:
    """The value with which the later side begins."""
    each, counts = np.unique(values, return_counts=True)
    before = np.cumsum(counts)[:-1]
    return int(each[1:][np.argmin(np.abs(2 * before - len(values)))])


def fisher(hits: int, of: int, other_hits: int, other_of: int) -> float:
    """Return the two-sided p of Fisher's exact test: of all tables with these sums, how likely the
    ones no likelier are.
    """
    total = hits + other_hits
    possible = np.arange(max(0, total - other_of), min(total, of) + 1)
    factorial = _log_factorials(of + other_of)
    weights = -(
        factorial[possible]
        + factorial[of - possible]
        + factorial[total - possible]
        + factorial[other_of - total + possible]
    )
    likely = np.exp(weights - weights.max())
    seen = likely[hits - possible[0]]
    return float(min(1.0, likely[likely <= seen * _TIE].sum() / likely.sum()))


@lru_cache(maxsize=4)
def _log_factorials(most: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, most + 1, dtype=np.float64)))))


def struck(chances: Sequence[float]) -> list[bool]:
    """Return which of these p are too small for chance, with all of them in view (Benjamini and
    Hochberg at 5 %).
    """
    order = sorted(range(len(chances)), key=chances.__getitem__)
    last = max(
        (
            place
            for place, each in enumerate(order, 1)
            if chances[each] <= _LEVEL * place / len(chances)
        ),
        default=0,
    )
    chosen = set(order[:last])
    return [each in chosen for each in range(len(chances))]
