"""The readings of claims: inserted only, a person's before a reader's; and the fact checks derived
from them.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from reviewers.errors import StoreError
from reviewers.records import Finding
from reviewers.roles import Act
from reviewers.store.authors import Author, Authors, Signer, sign, signer_of
from reviewers.store.insert import numbered
from reviewers.store.readers import WITHDRAWN
from reviewers.store.refresh import refresh
from reviewers.store.rows import as_read_values, findings_of
from reviewers.store.store import Store
from reviewers.store.submission import identified, number_of
from reviewers.store.tables import findings, readings, reviews, submissions

LONGEST_CLAIM = 20_000
Unjudged = tuple[str, Sequence[Finding]]
"""A review's text, and its findings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewReading:
    """A claim as somebody reads it.

    Attributes:
        claim: its words.
        vocabulary: hash of the vocabulary that it is read into.
        reader: `offline`, `file`, a model's name; a person's follows from who signs.
        proposition: as JSON; None if it was not read.
        why_not: why it was not.
        leftover: words that the proposition does not say.
    """

    claim: str
    vocabulary: str
    reader: str
    proposition: Mapping[str, Any] | None
    why_not: str = ""
    leftover: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredReading:
    """One that is kept.

    Attributes:
        author: the person whose word it is; None for a reader's.
    """

    said: NewReading
    author: Author | None
    at: datetime

    @property
    def by(self) -> str:
        """Who read it, for a person to read."""
        return self.author.name if self.author else self.said.reader


def keep_readings(
    store: Store,
    submission_id: str,
    said: Sequence[NewReading],
    author: str | Signer | None = None,
) -> int:
    """Keep how claims of a submission are read; return how many of that are new.

    Args:
        author: the person whose words they are; None for a reader.

    Raises:
        StoreError: the author's name or a claim cannot be kept.
        UnknownSubmission: the store holds none with this id.
    """
    if any(not 0 < len(each.claim) <= LONGEST_CLAIM for each in said):
        raise StoreError(f"a claim has 1 to {LONGEST_CLAIM:,} characters")
    signer = None if author is None else signer_of(author)
    with store.writing(Act.READ_CLAIM) as connection:
        numbered(connection, submission_id)
        at = store.now()
        signed = sign(connection, signer, at) if signer else {"author": None, "signer": None}
        newest: dict[tuple[str, str, str | None], NewReading] = {}
        for row in _rows(connection, submission_id):
            newest[row.claim, row.reader if row.author is None else "", row.signer] = _said(row)
        new = [
            each
            for each in dict.fromkeys(map(_Same, said))
            if newest.get((each.said.claim, "" if signer else each.said.reader, signed["signer"]))
            != each.said
        ]
        if new:
            rows = [
                {"submission_id": submission_id, "at": at, **values(each.said), **signed}
                for each in new
            ]
            connection.execute(insert(readings), rows)
        return len(new)


def readings_in(connection: Connection, submission_id: str) -> tuple[StoredReading, ...]:
    """Return every reading of a submission's claims, the oldest first."""
    names = Authors(connection)
    return tuple(
        StoredReading(_said(row), names.of(row) if row.author else None, row.at)
        for row in _rows(connection, submission_id)
    )


def readings_of(store: Store, submission_id: str) -> Mapping[str, Sequence[StoredReading]]:
    """Return by a claim's words how it is read, what counts first: people's words, the newest
    first, then the newest of each reader. What a person withdrew is not among them.
    """
    found: dict[str, dict[tuple[bool, str], StoredReading]] = defaultdict(dict)
    with store.reading() as connection:
        for each in readings_in(connection, identified(connection, submission_id)[1]):
            of = found[each.said.claim]
            key = each.author is None, each.author.id if each.author else each.said.reader
            of.pop(key, None)  # the newest of each comes last
            if each.author is None or each.said.why_not != WITHDRAWN:
                of[key] = each
    newest_first = {claim: list(of.values())[::-1] for claim, of in found.items()}
    return {
        claim: sorted(every, key=lambda each: each.author is None)
        for claim, every in newest_first.items()
    }


def submissions_with_claims(store: Store) -> Sequence[str]:
    """Return the ids of the submissions of which a reviewer claims something now, in the order of
    import.
    """
    claimed = (
        select(reviews.c.submission)
        .join(findings, findings.c.review == reviews.c.number)
        .where(reviews.c.current, findings.c.claim.is_not(None))
    )
    wanted = (
        select(submissions.c.id)
        .where(submissions.c.number.in_(claimed))
        .order_by(submissions.c.number)
    )
    with store.reading() as connection:
        return connection.scalars(wanted).all()


def unjudged(store: Store, submission_id: str) -> Mapping[int, Unjudged]:
    """Return the text and the findings of a submission's current reviews as the reviewers' words
    were checked, whatever was read; by the review's number.
    """
    with store.reading() as connection:
        return _current(connection, number_of(connection, submission_id))


def keep_judged(
    store: Store, submission_id: str, judged: Mapping[int, Sequence[Finding]], version: str
) -> None:
    """Keep what the code says to findings as they are read.

    Args:
        judged: as `unjudged` gave them, each read one with its answer.
        version: of the code that judged.
    """
    with store.writing(Act.READ_CLAIM) as connection:
        number = numbered(connection, submission_id)
        for review, found in judged.items():
            for position, finding in enumerate(found):
                own = (findings.c.review == review) & (findings.c.position == position)
                same = own & (findings.c.id == finding.id)
                told = as_read_values(finding, version)
                connection.execute(update(findings).where(same).values(told))
        refresh(connection, number, texts=False)


def versions(store: Store, submission_id: str) -> frozenset[str | None]:
    """Return by which versions of our code the claims on a submission were judged; None for those
    that a release judged by their wording.
    """
    with store.reading() as connection:
        wanted = (
            select(findings.c.as_read)
            .join(reviews, reviews.c.number == findings.c.review)
            .where(
                reviews.c.submission == number_of(connection, submission_id),
                reviews.c.current,
                findings.c.claim.is_not(None),
            )
        )
        told = connection.scalars(wanted)
        return frozenset(each["version"] if each else None for each in told)


def values(said: NewReading) -> dict[str, Any]:
    """Return the columns of a reading, without who signs it."""
    return {
        "claim": said.claim,
        "vocabulary": said.vocabulary,
        "reader": said.reader,
        "proposition": said.proposition,
        "why_not": said.why_not,
        "leftover": list(said.leftover) or None,
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """A reading as a key: two that say the same of one claim are one."""

    said: NewReading

    def __hash__(self) -> int:
        return hash((self.said.claim, self.said.reader))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.said == self.said


def _current(connection: Connection, number: int) -> Mapping[int, Unjudged]:
    wanted = select(reviews.c.number, reviews.c.text)
    wanted = wanted.where(reviews.c.submission == number, reviews.c.current)
    rows = connection.execute(wanted.order_by(reviews.c.number)).all()
    found = findings_of(connection, [row.number for row in rows], as_read=False)
    return {row.number: (row.text or "", found.get(row.number, [])) for row in rows}


def _rows(connection: Connection, submission_id: str) -> Sequence[Row[Any]]:
    its = readings.c.submission_id == submission_id
    return connection.execute(select(readings).where(its).order_by(readings.c.number)).all()


def _said(row: Row[Any]) -> NewReading:
    return NewReading(
        claim=row.claim,
        vocabulary=row.vocabulary,
        reader=row.reader,
        proposition=row.proposition,
        why_not=row.why_not,
        leftover=tuple(row.leftover or ()),
    )
