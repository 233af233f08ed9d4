"""Measures of agreement: shares with intervals, Cohen's kappa, Krippendorff's alpha.

No library fits: krippendorff is under the GPL, irrCAC pins older pandas and numpy, and scikit-learn
and statsmodels bring scipy for two formulas. An undefined value is None, never NaN.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_Z = 1.959963984540054
"""The 97.5 % point of the normal distribution: both sides together make an interval of 95 %."""
_NO_SPREAD = 1e-12

FEW = 10
"""Fewer cases than this say little, whatever comes out."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A share with the interval in which it lies with a confidence of 95 %."""

    share: float
    low: float
    high: float


def wilson(hits: int, cases: int) -> Interval | None:
    """Return a share with its Wilson score interval (Wilson 1927), None if there is no case.

    It holds for few cases and for shares near 0 and 1, where the usual plus-minus leaves the scale.
    Cases are taken for independent; several fixes of one submission are not quite that, so the
    interval of few submissions is wider in truth.
    """
    if cases <= 0:
        return None
    share, square = hits / cases, _Z * _Z
    centre = (share + square / (2 * cases)) / (1 + square / cases)
    half = (
        _Z
        / (1 + square / cases)
        * math.sqrt(share * (1 - share) / cases + square / (4 * cases * cases))
    )
    # Rounding must not put the share itself outside.
    return Interval(share, min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half)))


def difference(hits: int, cases: int, other_hits: int, other_cases: int) -> Interval | None:
    """Return by how much a share is larger than another one, from -1 to 1, with the interval of
    Newcombe (1998, method 10), which is made of the two Wilson intervals; None if either share is
    of nothing.
    """
    one, other = wilson(hits, cases), wilson(other_hits, other_cases)
    if one is None or other is None:
        return None
    by = one.share - other.share
    return Interval(
        by,
        max(-1.0, by - math.hypot(one.share - one.low, other.high - other.share)),
        min(1.0, by + math.hypot(one.high - one.share, other.share - other.low)),
    )


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance: 1 always, 0 as often as by chance, below 0 less often.

    Attributes:
        low, high: the interval of 95 %; None if the cases do not vary enough to tell it, as
            where both always agree.
        cases: what both judged.
    """

    value: float
    low: float | None
    high: float | None
    cases: int

    @property
    def words(self) -> str:
        """The usual words for its size (Landis & Koch 1977)."""
        if self.high is not None and self.high < 0:
            return "less than by chance"
        steps = (
            (0.0, "slight"),
            (0.2, "fair"),
            (0.4, "moderate"),
            (0.6, "substantial"),
            (0.8, "almost perfect"),
        )
        return next(
            (words for above, words in reversed(steps) if self.value > above), "none beyond chance"
        )


def kappa(table: Sequence[Sequence[int]]) -> Kappa | None:
    """Return Cohen's kappa (1960) with the large-sample interval of Fleiss, Cohen & Everitt (1969).

    Args:
        table: square; how many cases the first put into the row's class and the second into the
            column's.

    Returns:
        None if chance alone explains everything: there is no case, or both always name one and
        the same class.
    """
    cases = sum(map(sum, table))
    if cases == 0:
        return None
    shares = [[count / cases for count in row] for row in table]
    first = [sum(row) for row in shares]
    second = [sum(column) for column in zip(*shares, strict=True)]
    classes = range(len(shares))
    by_chance = sum(first[k] * second[k] for k in classes)
    if 1 - by_chance < _NO_SPREAD:
        return None
    value = (sum(shares[k][k] for k in classes) - by_chance) / (1 - by_chance)
    agreed = sum(shares[k][k] * (1 - (first[k] + second[k]) * (1 - value)) ** 2 for k in classes)
    apart = sum(
        shares[i][j] * (second[i] + first[j]) ** 2 for i in classes for j in classes if i != j
    )
    spread = agreed + (1 - value) ** 2 * apart - (value - by_chance * (1 - value)) ** 2
    if spread < _NO_SPREAD:
        return Kappa(value, None, None, cases)
    half = _Z * math.sqrt(spread / cases) / (1 - by_chance)
    return Kappa(value, max(-1.0, value - half), min(1.0, value + half), cases)


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha for nominal data: 1 where all agree, 0 if they might as well have
    thrown dice.

    Attributes:
        units: what at least two judged; nothing else says anything of agreement.
        ratings: verdicts on these.
    """

    value: float
    units: int
    ratings: int


def alpha(patterns: Iterable[tuple[Sequence[int], int]]) -> Alpha | None:
    """Return Krippendorff's alpha for nominal data, in which values may be missing.

    The computation is that of Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability",
    section D.

    Args:
        patterns: how many judged a unit to be of each class, and the number of units on which it
            came out so.

    Returns:
        None if nothing was judged twice, or where all judgements are the same.
    """
    units = 0
    apart = 0.0
    totals: list[int] = []
    for counts, number in patterns:
        judged = sum(counts)
        if judged < 2:
            continue
        units += number
        apart += number * (judged * judged - sum(count * count for count in counts)) / (judged - 1)
        totals += [0] * (len(counts) - len(totals))
        for place, count in enumerate(counts):
            totals[place] += number * count
    # Observed over expected disagreement: (apart / n) / (by_chance / (n (n - 1))).
    ratings = sum(totals)
    by_chance = ratings * ratings - sum(total * total for total in totals)
    return Alpha(1 - (ratings - 1) * apart / by_chance, units, ratings) if by_chance else None


@dataclass(frozen=True, slots=True)
class Confusion:
    """Verdicts beside what is taken for true, on the same submissions; `not ready` is what is to be
    found.

    Attributes:
        caught: not ready, and truly so; `missed`: truly so, but called ready.
        alarms: called not ready, and truly ready; `passed`: ready, and truly so.
    """

    caught: int = 0
    missed: int = 0
    alarms: int = 0
    passed: int = 0

    @property
    def cases(self) -> int:
        """All four."""
        return self.caught + self.missed + self.alarms + self.passed

    @property
    def accuracy(self) -> Interval | None:
        """Which share of the verdicts is right."""
        return wilson(self.caught + self.passed, self.cases)

    @property
    def precision(self) -> Interval | None:
        """Which share of what was called not ready truly is."""
        return wilson(self.caught, self.caught + self.alarms)

    @property
    def recall(self) -> Interval | None:
        """Which share of what truly is not ready was called so."""
        return wilson(self.caught, self.caught + self.missed)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of precision and recall; None if neither has a case."""
        of = 2 * self.caught + self.alarms + self.missed
        return 2 * self.caught / of if of else None

    @property
    def kappa(self) -> Kappa | None:
        """Agreement beyond chance."""
        return kappa(((self.passed, self.missed), (self.alarms, self.caught)))
