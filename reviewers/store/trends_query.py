"""The query of the trends: which findings and submissions count, and the periods or attempts they
are grouped by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from functools import cached_property

import numpy as np

from reviewers.records import DatedBy
from reviewers.store.human_input import PEOPLE
from reviewers.store.store import Store
from reviewers.store.trends_facts import UNKNOWN, Flags, Numbers, TrendFacts, facts

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC).date()
_MOST_DAYS, _MOST_WEEKS = 31, 26
_MOST_FLAGS, _MOST_TIMES = 1 << 26, 32
"""So many pairs have a flag each at once, so often; beyond that, sorting them takes less time."""


@dataclass(frozen=True, slots=True)
class TrendsQuery:
    """Which findings count; None does not filter.

    Refuted and dismissed findings count only with `refuted=True`, which shows just them. The
    submissions looked at (`of`) are those with a verdict by a reviewer, or by this reviewer where
    one is given; a person's own finding is a look, too.

    Attributes:
        reviewer: only this reviewer's findings; `people` for those of persons.
        lineage, generator, contract: only submissions of this lineage, of this generator, judged by
            this contract.
        model, dataset: only submissions with a run config of it.
        since, until: days in UTC, both included, on which they were generated, or imported where
            that is not known.
    """

    reviewer: str | None = None
    criterion: int | None = None
    lineage: str | None = None
    refuted: bool = False
    category: str | None = None
    generator: str | None = None
    contract: str | None = None
    model: str | None = None
    dataset: str | None = None
    since: date | None = None
    until: date | None = None


class Over(StrEnum):
    """What a trend goes over."""

    ATTEMPT = "attempt"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of days (UTC, both included), or one attempt."""

    since: date | None = None
    until: date | None = None
    attempt: int | None = None

    def __str__(self) -> str:
        """The day, the first day of the week, the month, or the attempt's number."""
        if self.since is None or self.until is None:
            return str(self.attempt)
        return (
            f"{self.since:%Y-%m}" if (self.until - self.since).days > 6 else self.since.isoformat()
        )


@dataclass(frozen=True, slots=True)
class Dated:
    """How it is known when submissions were generated.

    Attributes:
        days: the first and last day of those that have a date; None if none has.
        known: how many have a date.
        guessed: of how many of them it is a guess.
        imported: how many have none, and count by the day of their import.
    """

    days: tuple[date, date] | None
    known: int
    guessed: int
    imported: int


@dataclass(frozen=True)
class Looked:
    """What a query looks at.

    It is made for one page, and works out each thing once.
    """

    facts: TrendFacts
    query: TrendsQuery

    @cached_property
    def chosen(self) -> Flags:
        """The submissions that pass the filters on submissions, looked at or not."""
        return self.chosen_but_days & self.within(Period(self.query.since, self.query.until))

    @cached_property
    def chosen_but_days(self) -> Flags:
        """As `chosen`, on any day."""
        query, held = self.query, self.facts.submissions
        chosen = np.ones(len(held["number"]), dtype=bool)
        for column in ("lineage", "generator", "contract"):
            name = getattr(query, column)
            if name is not None:
                chosen &= held[column] == self.facts.code(column, name)
        for column, name in (("model", query.model), ("dataset", query.dataset)):
            if name is not None:
                chosen &= self.held_by(
                    self.facts.runs["submission"][
                        self.facts.runs[column] == self.facts.code(column, name)
                    ]
                )
        return chosen

    def within(self, period: Period) -> Flags:
        """Flag the submissions of some days; without a bound, all before or after count."""
        since, until = period.since, period.until
        day = self.facts.submissions["day"]
        within = np.ones(len(day), dtype=bool)
        if since is not None:
            within &= day >= day_number(since)
        if until is not None:
            within &= day <= day_number(until)
        return within

    @cached_property
    def looked(self) -> Flags:
        """The submissions that were looked at, by the query's reviewer where it names one."""
        looks, tallies = self.facts.looks, self.facts.tallies
        people = self.facts.code("reviewer", PEOPLE)
        if self.query.reviewer is None:
            return self.held_by(
                looks["submission"], tallies["submission"][tallies["reviewer"] == people]
            )
        code = self.facts.code("reviewer", self.query.reviewer)
        seen = looks["submission"][looks["reviewer"] == code]
        return (
            self.held_by(tallies["submission"][tallies["reviewer"] == code])
            if code == people
            else self.held_by(seen)
        )

    @cached_property
    def of(self) -> Flags:
        """The submissions that the shares are of."""
        return self.chosen & self.looked

    @cached_property
    def size(self) -> int:
        """How many submissions the shares are of."""
        return int(np.count_nonzero(self.of))

    @cached_property
    def told(self) -> Flags:
        """The tallies of the query's reviewer, criterion and category, whatever the fact checks
        say.
        """
        tallies, query = self.facts.tallies, self.query
        told = np.ones(len(tallies["submission"]), dtype=bool)
        if query.reviewer is not None:
            told &= tallies["reviewer"] == self.facts.code("reviewer", query.reviewer)
        if query.category is not None:
            told &= tallies["category"] == self.facts.code("category", query.category)
        if query.criterion is not None:
            told &= tallies["criterion"] == query.criterion
        return told

    @cached_property
    def counts(self) -> Numbers:
        """How many findings of each tally count."""
        tallies = self.facts.tallies
        return (
            tallies["refuted"]
            if self.query.refuted
            else tallies["confirmed"] + tallies["unverified"]
        )

    @cached_property
    def found(self) -> Flags:
        """The tallies that count, of submissions that were looked at."""
        return self.told & (self.counts > 0) & self.of[self.facts.tallies["submission"]]

    def pairs(self, column: str) -> tuple[Numbers, Numbers]:
        """Return what is in a column of tallies beside the submissions in which it counts,
        looked at or not, each once.
        """
        if column not in self._pairs:
            chosen = self.told & (self.counts > 0)
            self._pairs[column] = distinct(
                self.facts.tallies[column][chosen], self.facts.tallies["submission"][chosen]
            )
        return self._pairs[column]

    @cached_property
    def _pairs(self) -> dict[str, tuple[Numbers, Numbers]]:
        return {}

    def held_by(self, *rows: Numbers) -> Flags:
        """Flag the submissions whose rows are given."""
        flags = np.zeros(len(self.facts.submissions["number"]), dtype=bool)
        for each in rows:
            flags[each] = True
        return flags

    @cached_property
    def days(self) -> tuple[date, date] | None:
        """The first and last day of what is looked at; None if there is nothing."""
        return self._days(self.of)

    def _days(self, of: Flags) -> tuple[date, date] | None:
        held = self.facts.submissions["day"][of]
        return (day_of(int(held.min())), day_of(int(held.max()))) if len(held) else None

    @cached_property
    def dated(self) -> Dated:
        """How the days of what is looked at are known."""
        by = self.facts.submissions["dated_by"]
        known = self.of & (by != UNKNOWN)
        names = self.facts.names["dated_by"]
        guesses = [code for code, name in enumerate(names) if DatedBy(name).is_guess]
        count = int(np.count_nonzero(known))
        return Dated(
            days=self._days(known),
            known=count,
            guessed=int(np.count_nonzero(known & np.isin(by, guesses))),
            imported=self.size - count,
        )

    @cached_property
    def attempts(self) -> int:
        """The highest number of an attempt that is looked at; 0 if there is none."""
        return int(self.facts.submissions["attempt"][self.of].max(initial=0))


def looked_at(store: Store, query: TrendsQuery) -> Looked:
    """Return what a query looks at, at this moment."""
    with store.reading() as connection:
        return Looked(facts(connection), query)


def fitting(looked: Looked) -> Over:
    """Return what there is something to be seen over: days, weeks or months, attempts where all
    came on one day.
    """
    if looked.days is None:
        return Over.ATTEMPT
    first, last = looked.days
    if first == last:
        return Over.ATTEMPT if looked.attempts > 1 else Over.DAY
    for over, most in ((Over.DAY, _MOST_DAYS), (Over.WEEK, _MOST_WEEKS)):
        if len(periods(looked, over)[1]) <= most:
            return over
    return Over.MONTH


def periods(looked: Looked, over: Over) -> tuple[Numbers, Sequence[Period]]:
    """Return the periods in which something was looked at, in order, and each submission's place
    among them, -1 for none.
    """
    held = looked.facts.submissions
    if over is Over.ATTEMPT:
        number = np.where(held["attempt"] > 0, held["attempt"], UNKNOWN)
    elif over is Over.MONTH:
        number = held["day"].astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    else:
        # 1970 began on a Thursday, and weeks begin on a Monday.
        number = held["day"] if over is Over.DAY else (held["day"] + 3) // 7
    seen = np.unique(number[looked.of & (number != UNKNOWN)])
    place = np.searchsorted(seen, number)
    known = (place < len(seen)) & (number != UNKNOWN)
    known[known] = seen[place[known]] == number[known]
    return np.where(known, place, UNKNOWN), [_period(each, over) for each in seen.tolist()]


def _period(number: int, over: Over) -> Period:
    if over is Over.ATTEMPT:
        return Period(attempt=number)
    if over is Over.MONTH:
        first = date(1970 + number // 12, number % 12 + 1, 1)
        return Period(
            first, date(1970 + (number + 1) // 12, (number + 1) % 12 + 1, 1) - timedelta(days=1)
        )
    first = day_of(number if over is Over.DAY else number * 7 - 3)
    return Period(first, first if over is Over.DAY else first + timedelta(days=6))


def distinct(codes: Numbers, rows: Numbers) -> tuple[Numbers, Numbers]:
    """Return each pair once, sorted; a code may be -1."""
    width = int(rows.max(initial=0)) + 1
    most = int(codes.max(initial=UNKNOWN)) - UNKNOWN + 1
    at_once = max(1, _MOST_FLAGS // width)  # codes whose pairs have a flag each
    if most > _MOST_TIMES * at_once:
        pairs = np.unique((codes - UNKNOWN) * width + rows)
        return pairs // width + UNKNOWN, pairs % width
    found: list[Numbers] = []
    for first in range(0, most, at_once):
        flags = np.zeros(min(at_once, most - first) * width, dtype=bool)
        code = codes - UNKNOWN - first
        here = slice(None) if most <= at_once else (code >= 0) & (code < at_once)
        flags[code[here] * width + rows[here]] = True
        found.append(np.flatnonzero(flags) + first * width)
    pairs = np.concatenate(found) if found else np.zeros(0, dtype=np.int64)
    return pairs // width + UNKNOWN, pairs % width


def day_number(day: date) -> int:
    """Return a day counted from 1970."""
    return (day - _EPOCH).days


def day_of(number: int) -> date:
    """Return the day of a number counted from 1970."""
    return _EPOCH + timedelta(days=number)
