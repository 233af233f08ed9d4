"""Whether each reviewer predicted each real failure and needed fix: predicted, missed, or not
predictable from code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, select

from reviewers.outcomes.failure import Form
from reviewers.outcomes.linking import link_outcome
from reviewers.outcomes.outcome import Outcome, Stage
from reviewers.records import Finding, Review, Span
from reviewers.store.tables import outcomes


def outcomes_in(connection: Connection, submission_id: str) -> tuple[Outcome, ...]:
    """Return what happened to a submission, the oldest first."""
    wanted = (
        select(outcomes)
        .where(outcomes.c.submission_id == submission_id)
        .order_by(outcomes.c.at, outcomes.c.number)
    )
    return tuple(
        Outcome(
            submission=row.submission_id,
            stage=Stage(row.stage),
            exit_code=row.exit_code,
            at=row.at,
            source=row.source,
            excerpt=row.excerpt,
            digest=row.digest,
            error=row.error,
            message=row.message,
            form=None if row.form is None else Form(row.form),
            spans=tuple(Span(*lines) for lines in row.spans),
            category=row.category,
        )
        for row in connection.execute(wanted)
    )


def said_before(given: Sequence[Review]) -> Mapping[str, Sequence[Finding]]:
    """Return the findings of each reviewer that gave a verdict."""
    said: dict[str, list[Finding]] = defaultdict(list)
    for review in given:
        if review.verdict is not None:
            said[review.reviewer] += review.findings
    return said


def fate_rows(happened: Sequence[Outcome], given: Sequence[Review]) -> list[dict[str, Any]]:
    """Return a row of `fates` for each reviewer of each failure and fix, without its submission.

    Args:
        given: the current reviews, what people said counted in.
    """
    said = said_before(given)
    linked = [(place, link_outcome(each, said)) for place, each in enumerate(happened)]
    return [
        {
            "position": place,
            "reviewer": reviewer,
            "category": link.category,
            "fate": link.fate(reviewer),
        }
        for place, link in linked
        if link is not None
        for reviewer in said
    ]
