"""Everything stored about a submission, in the order in which it was stored; nothing is left out or
derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, select

from reviewers.errors import UnknownSubmission
from reviewers.outcomes.outcome import Outcome
from reviewers.records import Review, Submission
from reviewers.store.assignments import Assignment, assignments_in
from reviewers.store.authors import AuthorName, Authors, recorded_key
from reviewers.store.commits import StoredCommit, commits_in
from reviewers.store.contracts import ContractChoice, choices_in
from reviewers.store.human_input import OwnFinding, Remark, own_in, remarks_in
from reviewers.store.lineages import LineageRelation, relations_in
from reviewers.store.outcome_predictions import outcomes_in
from reviewers.store.readings import StoredReading, readings_in
from reviewers.store.repairs import RepairChoice, repair_choices_in
from reviewers.store.rows import findings_of, known_number, review_of, submission_of
from reviewers.store.store import Store
from reviewers.store.submission import Decision, FindingRuling, decisions_in, rulings_in
from reviewers.store.tables import SHOWN, attempts, reviews, submissions


@dataclass(frozen=True, slots=True)
class KeptReview:
    """A review that was kept at some time.

    Attributes:
        current: whether it is the one of its reviewer that counts.
    """

    review: Review
    at: datetime
    current: bool


@dataclass(frozen=True, slots=True)
class KeptSubmission:
    """One submission with everything that was ever said of it, the oldest first.

    Attributes:
        recognised: name of its lineage and number of its attempt as the store worked them out; None
            where it stands alone.
        relations: of two submissions, those with one that was kept before this one.
        authors: all names of who signed these records, the oldest first.
    """

    submission: Submission
    imported_at: datetime
    reviews: tuple[KeptReview, ...]
    decisions: tuple[Decision, ...]
    rulings: tuple[FindingRuling, ...]
    commits: tuple[StoredCommit, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    recognised: tuple[str, int] | None = None
    relations: tuple[LineageRelation, ...] = ()
    own: tuple[OwnFinding, ...] = ()
    remarks: tuple[Remark, ...] = ()
    contracts: tuple[ContractChoice, ...] = ()
    authors: tuple[AuthorName, ...] = ()
    readings: tuple[StoredReading, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    repair_choices: tuple[RepairChoice, ...] = ()

    @property
    def records(self) -> tuple[Any, ...]:
        """All of it in the order of an export: names of authors before what they signed."""
        words = (*self.decisions, *self.rulings, *self.own, *self.remarks, *self.contracts)
        words += (*self.assignments, *self.repair_choices)
        happened = (*self.readings, *self.commits, *self.outcomes, *self.relations)
        return (*self.authors, *self.reviews, *words, *happened)

    @property
    def signers(self) -> set[str]:
        """The keys of who said it, and of whom they named."""
        authors = [getattr(each, "author", None) for each in self.records]
        named = {each.assigned for each in self.assignments if each.assigned}
        return named | {author.key or recorded_key(author.signed) for author in authors if author}


def kept_ids(store: Store) -> tuple[str, ...]:
    """Return the id of every submission that is not set aside, in the order of import."""
    with store.reading() as connection:
        wanted = select(submissions.c.id).where(SHOWN)
        return tuple(connection.scalars(wanted.order_by(submissions.c.number)))


def kept(store: Store, ids: Iterable[str] | None = None) -> Iterator[KeptSubmission]:
    """Yield submissions, one at a time in memory, all as they stood at one moment.

    Args:
        ids: which ones, asked for one by one; every submission that is not set aside, in the order
            of import, where None.

    Raises:
        UnknownSubmission: the store holds none with one of these ids.
    """
    yielded: set[int] = set()
    with store.reading() as connection:
        if ids is None:
            wanted = select(submissions.c.number).where(SHOWN).order_by(submissions.c.number)
            numbers: Iterable[int] = connection.scalars(wanted).all()
        else:
            numbers = (_number(connection, id) for id in ids)
        for number in numbers:
            of = select(submissions.c.base).where(submissions.c.number == number)
            # What it was derived from precedes it, so that it is known where it is read.
            for each in (connection.scalar(of), number):
                if each is not None and each not in yielded:
                    yielded.add(each)
                    yield _kept(connection, each)


def _number(connection: Connection, id: str) -> int:
    number = known_number(connection, id)
    if number is None:
        raise UnknownSubmission(f"the store has no submission {id[:64]!r}")
    return number


def _kept(connection: Connection, number: int) -> KeptSubmission:
    row = connection.execute(
        select(submissions.c.id, submissions.c.imported_at).where(submissions.c.number == number)
    ).one()
    said = connection.execute(
        select(reviews).where(reviews.c.submission == number).order_by(reviews.c.number)
    ).all()
    found = findings_of(connection, [each.number for each in said], as_read=False)
    names = Authors(connection)
    place = connection.execute(
        select(attempts.c.lineage, attempts.c.number).where(attempts.c.submission == number)
    ).one_or_none()
    whole = KeptSubmission(
        submission=submission_of(connection, number),
        recognised=None if place is None else (place.lineage, abs(place.number)),
        imported_at=row.imported_at,
        reviews=tuple(
            KeptReview(review_of(each, found.get(each.number, ())), each.at, each.current)
            for each in said
        ),
        decisions=decisions_in(connection, row.id),
        rulings=rulings_in(connection, row.id),
        own=own_in(connection, row.id),
        remarks=remarks_in(connection, row.id),
        contracts=choices_in(connection, row.id),
        assignments=assignments_in(connection, row.id),
        repair_choices=repair_choices_in(connection, row.id),
        readings=readings_in(connection, row.id),
        commits=commits_in(connection, number),
        outcomes=outcomes_in(connection, row.id),
        relations=tuple(
            each
            for each in relations_in(connection, [row.id])
            if _is_later(connection, number, row.id, each)
        ),
    )
    every = sorted((each for key in whole.signers for each in names.every[key]), key=_age)
    return replace(whole, authors=tuple(every))


def _age(name: AuthorName) -> tuple[datetime, str, str]:
    return name.at, name.key, name.name


def _is_later(connection: Connection, number: int, id: str, relation: LineageRelation) -> bool:
    """Whether the other submission of a relation precedes this one, so that both are known
    where it is read.
    """
    other = relation.one if relation.other == id else relation.other
    found: int = connection.execute(
        select(submissions.c.number).where(submissions.c.id == other)
    ).scalar_one()
    return found < number
