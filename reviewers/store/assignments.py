"""Who looks after a submission: claimed by a person, or assigned to somebody by name."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from reviewers.errors import UnknownSubmission
from reviewers.roles import Act
from reviewers.store.authors import (
    Author,
    Authors,
    Given,
    Signer,
    checked_name,
    sign,
    signed_rows,
    signer_of,
)
from reviewers.store.insert import held, parts
from reviewers.store.store import Store
from reviewers.store.tables import assignments, standings, submissions


@dataclass(frozen=True, slots=True)
class Assignment:
    """One record of who looks after a submission; the newest counts.

    Attributes:
        assignee: the name as it was given; None takes earlier records back.
        assigned: the assignee's key in `authors`; None exactly where there is no assignee.
        author: who said so; who claims a submission assigns it to themselves.
    """

    assignee: str | None
    assigned: str | None
    author: Author
    at: datetime


@dataclass(frozen=True, slots=True)
class AssignmentResult:
    """What became of a wish.

    Attributes:
        count: how many submissions have another assignee now.
        kept: names and assignees of those that stay with whom they are, and since when.
    """

    count: int
    kept: tuple[tuple[str, Author, datetime], ...] = ()


def claim(store: Store, ids: Collection[str], author: str | Signer) -> AssignmentResult:
    """Assign submissions to the person who asks; those of somebody else stay with whom they are.

    Two who claim the same at once are told apart by the store: the second one gets the first one's
    name.

    Raises:
        StoreError: the author's name cannot be kept.
        UnknownSubmission: the store has no submission with one of the ids.
    """
    return _assign(store, ids, signer_of(author).id, author, only_free=True)


def assign(
    store: Store, ids: Collection[str], to: str | None, author: str | Signer
) -> AssignmentResult:
    """Assign submissions to a person, also those that another one had.

    Args:
        to: the id of an author, or a name that signs nothing yet; None assigns them to nobody.

    Raises:
        StoreError: the author's name or the assignee's cannot be kept.
        UnknownSubmission: the store has no submission with one of the ids.
    """
    return _assign(store, ids, to, author, only_free=False)


def assignments_in(connection: Connection, submission_id: str) -> tuple[Assignment, ...]:
    """Return all assignments of a submission, the oldest first."""
    return tuple(
        Assignment(row.assignee, row.assigned, author, row.at)
        for row, author in signed_rows(connection, assignments, submission_id)
    )


def people(store: Store) -> tuple[Author, ...]:
    """Return everybody to whom a submission may be assigned, by name: who signed a record, or has
    been assigned one.
    """
    with store.reading() as connection:
        names = Authors(connection)
        known = [key for key, said in names.every.items() if said[-1].given is not Given.RECORDED]
        found = {author.id: author for author in map(names.by_key, known)}
        return tuple(sorted(found.values(), key=lambda author: (author.name, author.id)))


def assignees(store: Store) -> tuple[Author, ...]:
    """Return who looks after a submission now, by name."""
    with store.reading() as connection:
        keys = connection.scalars(
            select(standings.c.assigned).where(standings.c.assigned.is_not(None)).distinct()
        )
        names = Authors(connection)
        return tuple(sorted(map(names.by_key, keys), key=lambda author: (author.name, author.id)))


def _assign(
    store: Store, ids: Collection[str], to: str | None, author: str | Signer, *, only_free: bool
) -> AssignmentResult:
    signer = signer_of(author)
    with store.writing(Act.ASSIGN) as connection:
        # Each is locked, so that what is read here is still true when it is written.
        numbers = held(connection, ids)
        if (unknown := next((id for id in ids if id not in numbers), None)) is not None:
            raise UnknownSubmission(f"the store has no submission {unknown[:64]!r}")
        at = store.now()
        by = sign(connection, signer, at)
        name, key = (None, None) if to is None else _assignee(connection, to, by["signer"], at)
        mine = set(Authors(connection).keys(signer.id))
        new: dict[str, int] = {}
        kept: list[tuple[str, Author, datetime]] = []
        for some in parts(sorted(numbers)):
            wanted = (
                select(
                    submissions.c.id,
                    submissions.c.number,
                    submissions.c.name,
                    standings.c.assigned,
                    standings.c.assigned_at,
                )
                .join(standings, standings.c.submission == submissions.c.number)
                .where(submissions.c.id.in_(some))
            )
            for row in connection.execute(wanted.order_by(submissions.c.number)):
                if only_free and row.assigned is not None and row.assigned not in mine:
                    told = Authors(connection).by_key(row.assigned)
                    kept.append((row.name, told, row.assigned_at))
                elif row.assigned != key and not (only_free and row.assigned in mine):
                    new[row.id] = row.number
        said = {"assignee": name, "assigned": key, **by, "at": at}
        for some in parts(list(new)):
            rows = [{"submission_id": id, **said} for id in some]
            connection.execute(insert(assignments), rows)
        stands = {"assigned": key, "assigned_by": key and by["signer"], "assigned_at": key and at}
        for places in parts(list(new.values())):
            connection.execute(
                update(standings).where(standings.c.submission.in_(places)).values(stands)
            )
        return AssignmentResult(len(new), tuple(kept))


def _assignee(connection: Connection, to: str, signer: str, at: datetime) -> tuple[str, str]:
    """The name and the key of an author, who gets both here where nobody signs by the name yet."""
    names = Authors(connection)
    keys = names.keys(to)
    if signer in keys:
        return names.name_of(signer) or to, signer
    if keys:
        return names.name_of(keys[0]) or to, keys[0]
    signed = sign(connection, Signer(checked_name(to)), at)
    return signed["author"], signed["signer"]
