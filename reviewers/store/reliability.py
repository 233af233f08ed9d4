"""How reliable each reviewer was, counted by the database from triage rows and chips."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import ColumnElement, FromClause, case, func, null, select, true

from reviewers.records import Reliability, Verdict, reliability_name
from reviewers.store.store import Store
from reviewers.store.tables import chips, standings, submissions
from reviewers.store.triage import RECORDED, RULES


@dataclass(frozen=True, slots=True)
class Past:
    """The past of every reviewer, counted so that a part of it can be left out.

    Attributes:
        counts: by `reliability_name`, the fields of `Reliability`, and how many `verdicts` they are
            made of.
    """

    counts: Mapping[str, Mapping[str, int]]

    def without(self, part: Past) -> Past:
        """Return the rest; a part that was added only after the whole was counted leaves
        nothing below zero.
        """
        left = {name: Counter(counts) for name, counts in self.counts.items()}
        for name, counts in part.counts.items():
            left[name] = left.get(name, Counter()) - Counter(counts)
        return Past({name: counts for name, counts in left.items() if counts["verdicts"] > 0})

    @property
    def reliabilities(self) -> Mapping[str, Reliability]:
        """By `reliability_name`."""
        fields = [field for field in _counts() if field != "verdicts"]
        return {
            name: Reliability(**{field: self.counts[name].get(field, 0) for field in fields})
            for name in sorted(self.counts)
        }


def past(store: Store, only: str | None = None) -> Past:
    """Return the past as it stands; a second for 100,000 submissions, so keep it, and leave out
    what must not count.

    Args:
        only: id of the one submission that counts.
    """
    # Only `recorded` says nothing of who answered.
    said_by = case((chips.c.reviewer == RECORDED, chips.c.model), else_=null()).label("said_by")
    wanted = (
        select(
            chips.c.reviewer, said_by, *(each.label(name) for name, each in _counts(only).items())
        )
        .join(standings, standings.c.submission == chips.c.submission)
        .where(chips.c.verdict.is_not(None), _is_it(chips, only))
        .group_by(chips.c.reviewer, said_by)
    )
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with store.reading() as connection:
        for reviewer, model, *numbers in connection.execute(wanted):
            counts[reliability_name(reviewer, model)].update(
                dict(zip(_counts(), map(int, numbers), strict=True))
            )
    return Past(counts)


def _is_it(table: FromClause, only: str | None) -> ColumnElement[bool]:
    return (
        true()
        if only is None
        else table.c.submission.in_(select(submissions.c.number).where(submissions.c.id == only))
    )


def _counts(only: str | None = None) -> Mapping[str, ColumnElement[int]]:
    """What is counted of a reviewer, by the field of `Reliability`."""
    by_rules = chips.c.reviewer == RULES
    decided = standings.c.decision.is_not(None)
    proofs = chips.alias("proofs")
    stopped = select(proofs.c.submission).where(
        proofs.c.reviewer == RULES, proofs.c.blockers > 0, _is_it(proofs, only)
    )
    proven = ~decided & ~by_rules & chips.c.submission.in_(stopped)
    said_ready = chips.c.verdict == Verdict.READY
    return {
        "verdicts": func.count(),
        "confirmed": func.sum(case((by_rules, 0), else_=chips.c.confirmed)),
        "refuted": func.sum(case((by_rules, 0), else_=chips.c.refuted)),
        "agreed": func.count().filter(decided & (chips.c.verdict == standings.c.decision)),
        "disagreed": func.count().filter(decided & (chips.c.verdict != standings.c.decision)),
        "contradicted": func.count().filter(proven & said_ready),
        "upheld": func.count().filter(proven & ~said_ready),
    }
