"""Sets submissions aside: they are kept with all that was said of them, listed and counted nowhere,
and can be taken back.
"""

from collections.abc import Collection, Iterable
from dataclasses import astuple, dataclass

from sqlalchemy import func, select, update

from reviewers.records import counted
from reviewers.roles import Act
from reviewers.store.attempts import forget, recognise_around
from reviewers.store.authors import Signer, sign, signer_of
from reviewers.store.change_log import ChangeKind, keep_change
from reviewers.store.insert import held, parts
from reviewers.store.refresh import refresh
from reviewers.store.store import Store
from reviewers.store.tables import attempts, reviews, submissions
from reviewers.store.triage import RULES


@dataclass(frozen=True, slots=True)
class AsideCounts:
    """How many submissions are kept, how many of them are set aside, and how many the rules
    reviewed.
    """

    kept: int
    aside: int
    reviewed: int


def set_aside(
    store: Store, ids: Iterable[str], aside: bool = True, author: str | Signer | None = None
) -> int:
    """Set submissions aside, or take them back, and log it; return how many changed.

    Args:
        author: who says so; None if nobody is known.

    Raises:
        StoreError: the store refuses the write.
    """
    with store.writing(Act.SET_ASIDE) as connection:
        numbers = held(connection, ids).values()
        other = submissions.c.aside.is_distinct_from(aside)
        changed = [
            number
            for few in parts(sorted(numbers))
            for number in connection.scalars(
                select(submissions.c.number).where(submissions.c.number.in_(few), other)
            )
        ]
        for few in parts(changed):
            of = submissions.c.number.in_(few)
            connection.execute(update(submissions).where(of).values(aside=aside))
        around = set(changed)
        for few in parts(changed):
            lineages = select(attempts.c.first).where(attempts.c.submission.in_(few))
            fellows = select(attempts.c.submission).where(attempts.c.first.in_(lineages))
            around |= set(connection.scalars(fellows))
        for number in changed:
            refresh(connection, number)
        if aside:
            forget(connection, changed)
        recognise_around(connection, around)
        if changed:
            at = store.now()
            by = {} if author is None else sign(connection, signer_of(author), at)
            states = ("shown", "set aside") if aside else ("set aside", "shown")
            about = counted(len(changed), "submission")
            keep_change(connection, ChangeKind.ASIDE, about, states, by, at)
    return len(changed)


def counts(store: Store, ids: Collection[str]) -> AsideCounts:
    """Return how many of these submissions the store has, and how they stand."""
    total = AsideCounts(0, 0, 0)
    of = reviews.c.submission == submissions.c.number
    by_rules = select(reviews.c.number).where(of, reviews.c.reviewer == RULES).exists()
    wanted = select(
        func.count(),
        func.count().filter(submissions.c.aside.is_(True)),
        func.count().filter(by_rules),
    )
    with store.reading() as connection:
        for few in parts(sorted(ids)):
            row = connection.execute(wanted.where(submissions.c.id.in_(few))).one()
            total = AsideCounts(
                *(one + more for one, more in zip(astuple(total), row, strict=True))
            )
    return total
