"""Queries of `areachair stats`: how reliable the stored reviews are, in a few figures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, func, select

from reviewers.records import Check, Severity, Verdict
from reviewers.store.readers import ReaderTally, readers_in
from reviewers.store.store import Store
from reviewers.store.tables import COUNTED, RESULT, findings, reviews, standings, submissions
from reviewers.store.triage import RULES

SHARE_NEEDS = 5

_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class ClaimCount:
    """Claims of one sort by fact check, as the machine checked them: a person's rulings are not
    counted in.
    """

    confirmed: int = 0
    refuted: int = 0
    unverified: int = 0

    @property
    def total(self) -> int:
        """All three."""
        return self.confirmed + self.refuted + self.unverified

    @property
    def refuted_share(self) -> float | None:
        """Refuted out of all; None if there are fewer than five, of which a share says
        nothing.
        """
        return self.refuted / self.total if self.total >= SHARE_NEEDS else None


@dataclass(frozen=True, slots=True)
class ReviewerFigures:
    """One LLM reviewer, by name and model.

    Attributes:
        reviews, failed: current ones with a verdict, and those without.
        ready: those that say ready; `contradicted` of them meet a confirmed blocker.
    """

    reviewer: str
    model: str | None
    reviews: int
    failed: int
    claims: ClaimCount
    ready: int
    contradicted: int


@dataclass(frozen=True, slots=True)
class Headline:
    """The figures of a whole store.

    Attributes:
        said: by the predicate of what they say, or `NOT_READ`: largest share of refuted claims
            first, those without a share last.
        compared: submissions with a verdict both of an LLM reviewer and of the rules.
        readers: the results of claims by reader.
        missed: confirmed blockers of the rules in them that no claim covers, in `missing` of them
            at least one.
    """

    submissions: int
    reviewers: tuple[ReviewerFigures, ...]
    said: tuple[tuple[str, ClaimCount], ...]
    compared: int
    missed: int
    missing: int
    readers: tuple[ReaderTally, ...] = ()


NOT_READ = "not read"
_COUNTED = reviews.c.submission.in_(select(submissions.c.number).where(COUNTED))


def headline(store: Store) -> Headline:
    """Return the figures over the current reviews of every submission."""
    with store.reading() as connection:
        claims = _claims(connection)
        said = _added_up(claims, lambda row: row.kind or NOT_READ)
        compared, missed, missing = connection.execute(
            select(
                func.count(standings.c.missed),
                func.coalesce(func.sum(standings.c.missed), 0),
                func.count().filter(standings.c.missed > 0),
            )
        ).one()
        return Headline(
            submissions=connection.execute(
                select(func.count()).select_from(standings)
            ).scalar_one(),
            reviewers=tuple(
                _reviewers(connection, _added_up(claims, attrgetter("reviewer", "model")))
            ),
            said=tuple(sorted(said.items(), key=_by_share)),
            compared=compared,
            missed=missed,
            missing=missing,
            readers=tuple(readers_in(connection)),
        )


def _by_share(item: tuple[str, ClaimCount]) -> tuple[float, int, str]:
    said, claims = item
    return (1 if claims.refuted_share is None else -claims.refuted_share, -claims.total, said)


def _claims(connection: Connection) -> Sequence[Row[Any]]:
    """How many claims each LLM reviewer made with each predicate and each fact check."""
    key = (reviews.c.reviewer, reviews.c.model, findings.c.kind, RESULT.label("result"))
    wanted = (
        select(*key, func.count().label("number"))
        .join(reviews, reviews.c.number == findings.c.review)
        .where(reviews.c.current, reviews.c.reviewer != RULES, _COUNTED)
        .group_by(*key[:3], RESULT)
    )
    return connection.execute(wanted).all()


def _added_up(claims: Iterable[Row[Any]], by: Callable[[Row[Any]], _Key]) -> dict[_Key, ClaimCount]:
    counted: dict[_Key, Counter[str]] = defaultdict(Counter)
    for row in claims:
        counted[by(row)][row.result] += row.number
    return {key: ClaimCount(**results) for key, results in counted.items()}


def _reviewers(
    connection: Connection, claims: Mapping[tuple[str, str | None], ClaimCount]
) -> Sequence[ReviewerFigures]:
    key = (reviews.c.reviewer, reviews.c.model)
    by_rules = reviews.alias()
    # Worked out once for all: asked review by review, it would be quadratic on SQLite.
    blocked = (
        select(by_rules.c.submission)
        .join(findings, findings.c.review == by_rules.c.number)
        .where(
            by_rules.c.current,
            by_rules.c.reviewer == RULES,
            findings.c.severity == Severity.BLOCKER,
            findings.c.result == Check.CONFIRMED,
        )
    )
    ready = reviews.c.verdict == Verdict.READY
    verdicts = (
        select(
            *key,
            func.count(reviews.c.verdict).label("reviews"),
            func.count().filter(reviews.c.verdict.is_(None)).label("failed"),
            func.count().filter(ready).label("ready"),
            func.count().filter(ready & reviews.c.submission.in_(blocked)).label("contradicted"),
        )
        .where(reviews.c.current, reviews.c.reviewer != RULES, _COUNTED)
        .group_by(*key)
    )
    return sorted(
        (
            ReviewerFigures(
                row.reviewer,
                row.model,
                row.reviews,
                row.failed,
                claims.get((row.reviewer, row.model), ClaimCount()),
                row.ready,
                row.contradicted,
            )
            for row in connection.execute(verdicts)
        ),
        key=lambda figures: (-figures.reviews, figures.reviewer, figures.model or ""),
    )
