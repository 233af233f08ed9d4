"""Real runs and needed fixes: stored, loaded, and compared with what the current reviews said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from reviewers.errors import StoreError
from reviewers.outcomes.category import ENVIRONMENT
from reviewers.outcomes.linking import LinkedFailure, link_outcome
from reviewers.outcomes.outcome import Outcome
from reviewers.outcomes.scoreboard import ScoredVerdict
from reviewers.records import Review
from reviewers.roles import Act
from reviewers.store.human_input import said_in
from reviewers.store.insert import numbered
from reviewers.store.outcome_predictions import outcomes_in, said_before
from reviewers.store.refresh import current_reviews, refresh
from reviewers.store.store import Store
from reviewers.store.submission import number_of
from reviewers.store.tables import COUNTED, outcomes, submissions

_LONGEST = 200  # of a source or digest, which are in an index


@dataclass(frozen=True, slots=True)
class LinkedOutcome:
    """What happened, and what each reviewer had said of it; no link where nothing failed."""

    outcome: Outcome
    link: LinkedFailure | None


@dataclass(frozen=True, slots=True)
class Foresight:
    """What `reviewers.outcomes.scoreboard.scores` needs: a link for each failure and fix, and
    verdicts beside runs.
    """

    links: tuple[LinkedFailure, ...]
    told: tuple[ScoredVerdict, ...]


def add_outcome(store: Store, outcome: Outcome) -> bool:
    """Keep an outcome; False if the same submission, output, stage and source is kept already.

    Raises:
        StoreError: its source or digest is too long.
        UnknownSubmission: the store does not hold its submission.
    """
    with store.writing(Act.IMPORT) as connection:
        number = numbered(connection, outcome.submission)
        is_new = keep_outcomes(connection, outcome.submission, [outcome]) > 0
        if is_new:
            refresh(connection, number, texts=False)
        return is_new


def outcomes_of(store: Store, submission_id: str) -> tuple[Outcome, ...]:
    """Return what happened to a submission, the oldest first; nothing if the store does not hold
    it.
    """
    with store.reading() as connection:
        return outcomes_in(connection, submission_id)


def linked_outcomes(store: Store, submission_id: str) -> tuple[LinkedOutcome, ...]:
    """Return what happened to a submission, given by its id or a beginning of it, with who had said
    so, the oldest first.

    Raises:
        UnknownSubmission: there is none, or the prefix is ambiguous.
    """
    with store.reading() as connection:
        number = number_of(connection, submission_id)
        id = connection.execute(
            select(submissions.c.id).where(submissions.c.number == number)
        ).scalar_one()
        return _linked(outcomes_in(connection, id), _reviews(connection, number, id))


def foresight(store: Store) -> Foresight:
    """Return all outcomes beside what the current reviews had said, a person's rulings counted
    in.
    """
    found = [*foresights(store)]
    return Foresight(
        tuple(link for each in found for link in each.links),
        tuple(verdict for each in found for verdict in each.told),
    )


def foresights(store: Store) -> Iterator[Foresight]:
    """Yield the parts of `foresight`, one submission's at a time."""
    with store.reading() as connection:
        wanted = select(submissions.c.number, submissions.c.id).where(
            submissions.c.id.in_(select(outcomes.c.submission_id)), COUNTED
        )
        for row in connection.execute(wanted.order_by(submissions.c.number)).all():
            given = _reviews(connection, row.number, row.id)
            linked = _linked(outcomes_in(connection, row.id), given)
            failed = _failed([each.outcome for each in linked])
            yield Foresight(
                tuple(each.link for each in linked if each.link is not None),
                tuple(ScoredVerdict(each.reviewer, each.verdict, failed) for each in given),
            )


def keep_outcomes(connection: Connection, submission_id: str, given: Sequence[Outcome]) -> int:
    """Keep outcomes of a held submission that are not known yet, and return how many these were."""
    known = set(map(_same, outcomes_in(connection, submission_id)))
    new = {_same(each): each for each in given if _same(each) not in known}
    for each in new.values():
        if max(len(each.source), len(each.digest)) > _LONGEST:
            raise StoreError(f"an outcome's source has more than {_LONGEST} characters")
        connection.execute(insert(outcomes).values(submission_id=submission_id, **_values(each)))
    return len(new)


def _values(each: Outcome) -> dict[str, Any]:
    return {
        "digest": each.digest,
        "stage": each.stage,
        "source": each.source,
        "exit_code": each.exit_code,
        "at": each.at,
        "error": each.error,
        "message": each.message,
        "form": each.form,
        "category": each.category,
        "spans": [[span.file, span.line, span.end_line] for span in each.spans],
        "excerpt": each.excerpt,
    }


def _same(each: Outcome) -> tuple[str, str, str]:
    return each.digest, each.stage, each.source


def _reviews(connection: Connection, number: int, submission_id: str) -> list[Review]:
    """The current reviews with a verdict, a person's rulings counted in."""
    said = said_in(connection, submission_id)
    return [
        said.ruled(review)
        for review, _ in current_reviews(connection, number)
        if review.verdict is not None
    ]


def _linked(happened: Sequence[Outcome], given: Sequence[Review]) -> tuple[LinkedOutcome, ...]:
    said = said_before(given)
    return tuple(LinkedOutcome(each, link_outcome(each, said)) for each in happened)


def _failed(happened: Sequence[Outcome]) -> bool | None:
    """Whether a submission failed by its own fault; what failed by the machine's says nothing of
    it.
    """
    own = {each.failed for each in happened if each.category != ENVIRONMENT}
    return True if True in own else False if False in own else None
