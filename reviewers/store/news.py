"""Whether something new was said of a submission: cheap enough to be asked at each look of each
browser.
"""

from sqlalchemy import func, select

from reviewers.store.store import Store
from reviewers.store.tables import (
    contract_choices,
    decisions,
    own_findings,
    remarks,
    reviews,
    rulings,
    submissions,
)

_WORDS = (decisions, rulings, own_findings, remarks, contract_choices)


def news(store: Store, submission_id: str) -> tuple[int, ...]:
    """Return numbers that change with each review and each word of a person on the submission with
    this whole id.

    Raises:
        StoreError: the store does not answer.
    """
    said = [
        select(func.max(table.c.number)).where(table.c.submission_id == submission_id)
        for table in _WORDS
    ]
    number = select(submissions.c.number).where(submissions.c.id == submission_id).scalar_subquery()
    came = select(func.max(reviews.c.number)).where(reviews.c.submission == number)
    with store.reading() as connection:
        row = connection.execute(select(*(each.scalar_subquery() for each in (*said, came)))).one()
        return tuple(value or 0 for value in row)
