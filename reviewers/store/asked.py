"""What models have been asked already: answers that are kept need not be paid for again."""

from sqlalchemy import Connection, select

from reviewers.records import Review
from reviewers.store.rows import findings_of, review_of
from reviewers.store.store import Store
from reviewers.store.tables import reviews, submissions


def kept_answer(store: Store, submission_id: str, reviewer: str, request: str) -> Review | None:
    """Return the review with a verdict that answered this request; None where there is none."""
    with store.reading() as connection:
        number = connection.scalar(select(submissions.c.number).where(submissions.c.id == submission_id))
        return None if number is None else answered(connection, number, reviewer, request)


def answered(connection: Connection, number: int, reviewer: str, request: str) -> Review | None:
    """Return the newest review with a verdict that answered this request; None where there is none."""
    wanted = select(reviews).where(
        reviews.c.submission == number,
        reviews.c.reviewer == reviewer,
        reviews.c.request == request,
        reviews.c.verdict.is_not(None),
    )
    row = connection.execute(wanted.order_by(reviews.c.number.desc()).limit(1)).one_or_none()
    return None if row is None else review_of(row, findings_of(connection, [row.number]).get(row.number, ()))
