"""Queries of `areachair stats --attempts`: over how many attempts a category of defects
survives.
"""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import select

from reviewers.attempts.histories import Survival, history, survival
from reviewers.matching.traces import Side
from reviewers.records import Check
from reviewers.store.store import Store
from reviewers.store.submission import load_submission
from reviewers.store.tables import COUNTED, attempts, submissions
from reviewers.store.triage import RULES


def survivals(store: Store) -> tuple[Survival, ...]:
    """Return by category how many attempts its defects last, over all lineages of several attempts;
    most defects first.

    Findings that the code or a person refutes are not defects. An attempt on which the rules gave
    no verdict ends nothing.
    """
    wanted = select(attempts.c.first, attempts.c.number, submissions.c.id).join(
        submissions, submissions.c.number == attempts.c.submission
    )
    wanted = wanted.where(COUNTED)
    lineages: dict[str, dict[int, str]] = defaultdict(dict)
    with store.reading() as connection:
        for row in connection.execute(
            wanted.order_by(attempts.c.first, attempts.c.number, submissions.c.id)
        ):
            lineages[row.first].setdefault(row.number, row.id)
    return survival(
        life
        for numbered in lineages.values()
        if len(numbered) > 1
        for life in history([_side(store, id) for _, id in sorted(numbered.items())])
    )


def _side(store: Store, id: str) -> Side | None:
    record = load_submission(store, id)
    for stored in record.reviews:
        if stored.review.reviewer == RULES and stored.review.verdict is not None:
            found = record.said.ruled(stored.review).findings
            return Side(
                record.submission,
                tuple(each for each in found if each.check.result is not Check.REFUTED),
            )
    return None
