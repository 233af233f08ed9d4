"""The readers of the claims on a submission, and the fact checks by reader."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from reviewers.agreement import Interval, wilson
from reviewers.records import OFFLINE, Check, Review, Ruling
from reviewers.store.authors import Author, Authors
from reviewers.store.human_input import PEOPLE, HumanInput
from reviewers.store.rollup_counts import READ
from reviewers.store.rollups import sums
from reviewers.store.tables import readings

WITHDRAWN = "withdrawn"
"""Why a person's newest reading of a claim is none: they took theirs back."""
_LONGEST = 200  # names end up in indexes, which PostgreSQL bounds
_RULED_OUT = {(Check.CONFIRMED, Ruling.DISMISS), (Check.REFUTED, Ruling.CONFIRM)}


@dataclass(frozen=True, slots=True)
class ReaderTally:
    """The results of claims by one reader.

    Attributes:
        reader: `offline`, a model's name, or `people` for all persons together.
        asked: claims that it was to read.
        confirmed, refuted, unverified: of the claims judged by its reading.
        reread: claims that it had read otherwise than a person, whose reading counts.
        ruled_out: fact checks by its reading that a person ruled against.
        two_ways: claims that it and another one read differently.
    """

    reader: str
    asked: int = 0
    confirmed: int = 0
    refuted: int = 0
    unverified: int = 0
    reread: int = 0
    ruled_out: int = 0
    two_ways: int = 0

    @property
    def judged(self) -> int:
        """Claims that are judged by its reading."""
        return self.confirmed + self.refuted + self.unverified

    @property
    def decided(self) -> Interval | None:
        """Which share of these is confirmed or refuted."""
        return wilson(self.confirmed + self.refuted, self.judged)

    @property
    def overruled(self) -> int:
        """Readings of its that a person set aside, or whose fact check a person ruled against."""
        return self.reread + self.ruled_out

    @property
    def overruled_share(self) -> Interval | None:
        """Which share of all that it is known to have read was overruled."""
        return wilson(self.overruled, self.judged + self.reread)


@dataclass(frozen=True, slots=True)
class PersonsReading:
    """One record of how a person reads a claim.

    Attributes:
        claim: its words.
        proposition: as JSON; None if `why_not` says why there is none.
    """

    claim: str
    proposition: Mapping[str, Any] | None
    why_not: str
    author: Author
    at: datetime

    @property
    def is_withdrawn(self) -> bool:
        """Whether it takes back what the same person said before."""
        return self.why_not == WITHDRAWN


def read_by_people(connection: Connection, submission_id: str) -> tuple[PersonsReading, ...]:
    """Return how people read the claims on a submission, the oldest first."""
    its = (readings.c.submission_id == submission_id) & readings.c.author.is_not(None)
    names = Authors(connection)
    rows = connection.execute(select(readings).where(its).order_by(readings.c.number)).all()
    return tuple(
        PersonsReading(row.claim, row.proposition, row.why_not, names.of(row), row.at)
        for row in rows
    )


def readers_in(connection: Connection) -> Sequence[ReaderTally]:
    """Return the results of all claims by reader, the one with most judged readings first."""
    found = [
        ReaderTally(reader, **dict(zip(READ, numbers, strict=True)))
        for reader, numbers in sums(connection, "reader")
    ]
    return sorted(found, key=lambda each: (-each.judged, -each.asked, each.reader))


def readers_of(
    connection: Connection, submission_id: str, current: Iterable[Review], said: HumanInput
) -> Sequence[ReaderTally]:
    """Return the results of the claims on one submission by reader.

    Args:
        current: its current reviews, as the code judged them.
        said: what people said of their findings.
    """
    kept = _Kept.load(connection, submission_id)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for finding in (each for review in current for each in review.findings):
        read = finding.understood
        if not finding.claim or read is None:
            continue
        words = {finding.claim, *(part.claim for part in finding.parts)}
        by = PEOPLE if words & kept.by_people else read.reader[:_LONGEST]
        others = {kept.reader(name) for name, _ in read.otherwise}
        asked = (reader for each in words for reader in kept.asked.get(each, ()))
        for reader in {OFFLINE, by, *others, *asked}:
            counts[reader]["asked"] += 1
        for reader in {by, *others} if others else ():
            counts[reader]["two_ways"] += 1
        for reader in others - {PEOPLE} if by == PEOPLE else ():
            counts[reader]["reread"] += 1
        if read.proposition:
            counts[by][str(finding.check.result)] += 1
            ruling = said.rulings.get(finding.id)
            counts[by]["ruled_out"] += (finding.check.result, ruling) in _RULED_OUT
    return [ReaderTally(reader, **count) for reader, count in counts.items()]


@dataclass(frozen=True, slots=True)
class _Kept:
    """How claims of a submission were read.

    Attributes:
        asked: by a claim's words, the readers that were asked to read it.
        by_people: claims on which a person's reading counts.
        people: the names of persons who read.
    """

    asked: Mapping[str, Set[str]]
    by_people: Set[str]
    people: Set[str]

    @classmethod
    def load(cls, connection: Connection, submission_id: str) -> _Kept:
        its = readings.c.submission_id == submission_id
        wanted = select(readings.c.claim, readings.c.reader).where(its, readings.c.author.is_(None))
        asked: dict[str, set[str]] = defaultdict(set)
        for claim, reader in connection.execute(wanted):
            asked[claim].add(reader[:_LONGEST])
        said = read_by_people(connection, submission_id)
        newest = {(each.claim, each.author.id): each for each in said}
        return cls(
            asked,
            {each.claim for each in newest.values() if not each.is_withdrawn},
            {name for each in said for name in (each.author.name, each.author.signed)},
        )

    def reader(self, name: str) -> str:
        return PEOPLE if name in self.people else name[:_LONGEST]
