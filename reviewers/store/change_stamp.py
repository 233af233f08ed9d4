"""Whether something new was recorded about a submission; cheap enough for every poll of every
browser.
"""

from sqlalchemy import func, select

from reviewers.store.store import Store
from reviewers.store.submission import identified
from reviewers.store.tables import (
    assignments,
    contract_choices,
    decisions,
    own_findings,
    readings,
    remarks,
    repair_choices,
    repair_plans,
    reviews,
    rulings,
)

_WORDS = (
    *(decisions, rulings, own_findings, remarks, contract_choices, assignments),
    *(readings, repair_choices),
)


def news(store: Store, submission_id: str) -> tuple[int, ...]:
    """Return numbers that change with each review and each record of a person on a submission.

    Args:
        submission_id: its id or an unambiguous prefix.

    Raises:
        StoreError: the store does not answer.
        UnknownSubmission: there is none, or the prefix is ambiguous.
    """
    with store.reading() as connection:
        number, id = identified(connection, submission_id)
        said = [
            select(func.max(each.c.number)).where(each.c.submission_id == id) for each in _WORDS
        ]
        came = select(func.max(reviews.c.number)).where(reviews.c.submission == number)
        plan = select(func.max(repair_plans.c.at)).where(repair_plans.c.submission == number)
        row = connection.execute(select(*(each.scalar_subquery() for each in (*said, came, plan))))
        *numbers, at = row.one()
        return (*(value or 0 for value in numbers), int(at.timestamp() * 1e6) if at else 0)
