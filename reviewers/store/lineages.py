"""Queries and changes of lineages: a submission's attempts, and a person's statement which
submissions belong together.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from reviewers.attempts.lineages import OrderBy, Why
from reviewers.errors import StoreError
from reviewers.records import OWN_GENERATOR, Generated, Verdict
from reviewers.roles import Act
from reviewers.store.attempts import recognise_around, relations_among
from reviewers.store.authors import Author, Authors, Signer, sign
from reviewers.store.commits import StoredCommit, commits_in
from reviewers.store.human_input import said_in
from reviewers.store.insert import numbered
from reviewers.store.people import signed
from reviewers.store.refresh import current_reviews
from reviewers.store.rows import generated_of
from reviewers.store.store import Store
from reviewers.store.submission import chip_of, decisions_in, number_of
from reviewers.store.tables import IN_LINEAGES, attempts, relations, standings, submissions
from reviewers.store.triage import ReviewChip, standing

_MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class LineageRelation:
    """One record of a person's word on whether two submissions are attempts at one experiment.

    Attributes:
        one, other: their ids.
        together: False takes them apart.
    """

    one: str
    other: str
    together: bool
    reason: str
    author: Author
    at: datetime


@dataclass(frozen=True, slots=True)
class LineageAttempt:
    """One submission of a lineage.

    Attributes:
        number: of the attempt; copies share one. 0 is base code, from which attempts were derived.
            An attempt as we repaired it has the number of that attempt.
        chips: the current reviews in short.
        decision: a person's verdict; None if there is none.
        why: what ties it to another one; None for one alone.
        score: likeness of the methods' texts, 0 to 100; None if one has none, or a person
            decided.
        commits: where in repositories it lay.
        repaired: whether it is another attempt as we repaired it.
    """

    number: int
    id: str
    name: str
    title: str
    imported_at: datetime
    generated: Generated | None
    chips: tuple[ReviewChip, ...]
    decision: Verdict | None
    why: Why | None
    score: float | None
    commits: tuple[StoredCommit, ...] = ()
    repaired: bool = False

    @property
    def place(self) -> tuple[int, bool]:
        """Where it stands in its lineage; copies share a place."""
        return self.number, self.repaired


@dataclass(frozen=True, slots=True)
class LineageRecord:
    """Attempts at one experiment.

    Attributes:
        name: as it is shown everywhere; None for one submission alone, of which no name is known.
        attempts: in order.
        order_by: where the order comes from.
        relations: what persons said of these submissions, the newest first; also of those outside
            this lineage.
    """

    name: str | None
    attempts: tuple[LineageAttempt, ...]
    order_by: OrderBy
    relations: tuple[LineageRelation, ...]


def lineage_of(store: Store, submission_id: str) -> LineageRecord:
    """Return the lineage of a submission, given by its id or an unambiguous prefix of at least 8
    characters.

    Raises:
        UnknownSubmission: there is none, or the prefix is ambiguous.
    """
    with store.reading() as connection:
        number = number_of(connection, submission_id)
        derived = select(attempts.c.first).join(
            submissions, submissions.c.number == attempts.c.submission
        )
        its_first = connection.scalars(
            derived.where((submissions.c.number == number) | (submissions.c.base == number))
            .order_by(attempts.c.first)
            .limit(1)
        ).one_or_none()
        among = (
            submissions.c.number == number if its_first is None else attempts.c.first == its_first
        )
        wanted = (
            select(
                submissions,
                standings,
                attempts.c.number.label("of_lineage"),
                attempts.c.lineage.label("called"),
                attempts.c.order_by,
                attempts.c.why,
                attempts.c.score,
            )
            .outerjoin(standings, standings.c.submission == submissions.c.number)
            .outerjoin(attempts, attempts.c.submission == submissions.c.number)
            .where(among, IN_LINEAGES)
        )
        rows = sorted(connection.execute(wanted).all(), key=_place)
        bases = {row.base for row in rows} - {None} | ({number} if not rows else set())
        told = next((row for row in rows if row.order_by is not None), None)
        return LineageRecord(
            name=None if told is None else told.called,
            attempts=(
                *(_uncounted(connection, each, 0) for each in sorted(bases)),
                *(
                    _uncounted(connection, row.number, *_place(row)[:2])
                    if row.generator == OWN_GENERATOR
                    else LineageAttempt(
                        number=row.of_lineage or 1,
                        id=row.id,
                        name=row.name,
                        title=row.title,
                        imported_at=row.imported_at,
                        generated=generated_of(row),
                        chips=tuple(map(chip_of, row.chips)),
                        decision=None if row.decision is None else Verdict(row.decision),
                        why=None if row.why is None else Why(row.why),
                        score=row.score,
                        commits=commits_in(connection, row.number),
                    )
                    for row in rows
                ),
            ),
            order_by=OrderBy.SOURCE if told is None else OrderBy(told.order_by),
            relations=tuple(reversed(relations_in(connection, [row.id for row in rows]))),
        )


def _place(row: Row[Any]) -> tuple[int, bool, str]:
    """Sorts the rows of a lineage."""
    return abs(row.of_lineage or 1), row.generator == OWN_GENERATOR, row.id


def _uncounted(
    connection: Connection, number: int, attempt: int, repaired: bool = False
) -> LineageAttempt:
    """Base code or what we repaired, of which no standing is kept."""
    row = connection.execute(select(submissions).where(submissions.c.number == number)).one()
    people = said_in(connection, row.id)
    current = [people.ruled(review) for review, _ in current_reviews(connection, number)]
    return LineageAttempt(
        number=attempt,
        id=row.id,
        name=row.name,
        title="",
        imported_at=row.imported_at,
        generated=generated_of(row),
        chips=standing(current, people).chips,
        decision=said[-1].verdict if (said := decisions_in(connection, row.id)) else None,
        why=None,
        score=None,
        commits=commits_in(connection, number),
        repaired=repaired,
    )


def relate(
    store: Store, one: str, other: str, together: bool, reason: str, author: str | Signer
) -> None:
    """Add a person's word that two submissions are attempts at one experiment, or are not; the
    newest word counts.

    Args:
        one, other: ids, or unambiguous prefixes of at least 8 characters.

    Raises:
        StoreError: reason or author is empty, or both are one submission.
        UnknownSubmission: there is none, or the prefix is ambiguous.
    """
    reason, signer = signed(
        reason, author, needs_reason=True, deed="joining" if together else "taking apart"
    )
    with store.writing(Act.RELATE) as connection:
        numbers = [number_of(connection, id) for id in (one, other)]
        if numbers[0] == numbers[1]:
            raise StoreError("both are the same submission; name two")
        ids = {
            row.number: row.id
            for row in connection.execute(
                select(submissions).where(submissions.c.number.in_(numbers))
            )
        }
        for number in sorted(numbers):
            numbered(connection, ids[number])
        values = {"one": ids[numbers[0]], "other": ids[numbers[1]], "together": together}
        pair = {ids[number] for number in numbers}
        said = [
            word
            for word in relations_in(connection, sorted(pair))
            if {word.one, word.other} == pair
        ]
        last = max(said, key=lambda word: word.at, default=None)
        if last is not None and (last.together, last.reason, last.author.id) == (
            together,
            reason,
            signer.id,
        ):
            return
        # Never older than the word that it answers, wherever the clock is.
        at = store.now() if last is None else max(store.now(), last.at + _MOMENT)
        by = sign(connection, signer, at)
        connection.execute(insert(relations).values(**values, reason=reason, **by, at=at))
        recognise_around(connection, numbers)


def relations_in(connection: Connection, ids: list[str]) -> tuple[LineageRelation, ...]:
    """Return what persons said of these submissions, the oldest first."""
    of = Authors(connection).of
    return tuple(
        LineageRelation(row.one, row.other, row.together, row.reason, of(row), row.at)
        for row in relations_among(connection, ids)
    )
