"""The answers of models that are stored already and need not be paid for again."""

from typing import Any

from sqlalchemy import Connection, Select, select

from reviewers.records import Review
from reviewers.store.rows import findings_of, known_number, review_of
from reviewers.store.store import Store
from reviewers.store.tables import reviews, submissions


def kept_answer(store: Store, submission_id: str, reviewer: str, request: str) -> Review | None:
    """Return the review with a verdict that answered this request; None if there is none."""
    with store.reading() as connection:
        number = known_number(connection, submission_id)
        return None if number is None else answered(connection, number, reviewer, request)


def newest_answer(store: Store, submission_id: str, reviewer: str, request: str) -> Review | None:
    """Return the newest review of this request, be it a failure; None if there is none."""
    with store.reading() as connection:
        wanted = select(reviews).join(submissions, submissions.c.number == reviews.c.submission)
        wanted = wanted.where(
            submissions.c.id == submission_id,
            reviews.c.reviewer == reviewer,
            reviews.c.request == request,
        )
        return _first(connection, wanted.order_by(reviews.c.at.desc(), reviews.c.number.desc()))


def last_word(store: Store, submission_id: str, reviewer: str, request: str) -> Review | None:
    """Return as `kept_answer`, or the reviewer's current review where that is a second look at
    it.
    """
    with store.reading() as connection:
        number = known_number(connection, submission_id)
        if number is None:
            return None
        wanted = select(reviews.c.request).where(
            reviews.c.submission == number,
            reviews.c.reviewer == reviewer,
            reviews.c.revises == request,
            reviews.c.current,
            reviews.c.verdict.is_not(None),
        )
        return answered(connection, number, reviewer, connection.scalar(wanted) or request)


def answered(connection: Connection, number: int, reviewer: str, request: str) -> Review | None:
    """Return the newest review with a verdict that answered this request; None if there is
    none.
    """
    wanted = select(reviews).where(
        reviews.c.submission == number,
        reviews.c.reviewer == reviewer,
        reviews.c.request == request,
        reviews.c.verdict.is_not(None),
    )
    return _first(
        connection,
        wanted.order_by(reviews.c.current.desc(), reviews.c.at.desc(), reviews.c.number.desc()),
    )


def _first(connection: Connection, wanted: Select[Any]) -> Review | None:
    row = connection.execute(wanted.limit(1)).one_or_none()
    return (
        None
        if row is None
        else review_of(row, findings_of(connection, [row.number]).get(row.number, ()))
    )
