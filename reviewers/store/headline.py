"""What `areachair stats` asks: how far the kept reviews can be trusted, in a few figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, exists, func, select

from reviewers.records import Check, Severity, Verdict
from reviewers.store.standing import RULES
from reviewers.store.store import Store
from reviewers.store.tables import findings, reviews, standings

SHARE_NEEDS = 5


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
        """Refuted out of all; None where there are fewer than five, of which a share says
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
        kinds: by claim kind, largest share of refuted claims first, those without a share last.
        compared: submissions with a verdict both of an LLM reviewer and of the rules.
        missed: confirmed blockers of the rules in them that no claim covers, in `missing` of them
            at least one.
    """

    submissions: int
    reviewers: tuple[ReviewerFigures, ...]
    kinds: tuple[tuple[str, ClaimCount], ...]
    compared: int
    missed: int
    missing: int


def headline(store: Store) -> Headline:
    """Return the figures over the current reviews of every submission."""
    with store.reading() as connection:
        kinds = _claims(connection)
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
            reviewers=tuple(_reviewers(connection)),
            kinds=tuple(sorted(kinds.items(), key=_by_share)),
            compared=compared,
            missed=missed,
            missing=missing,
        )


def _by_share(item: tuple[str, ClaimCount]) -> tuple[float, int, str]:
    kind, claims = item
    return (1 if claims.refuted_share is None else -claims.refuted_share, -claims.total, kind)


def _claims(connection: Connection) -> dict[str, ClaimCount]:
    wanted = (
        select(findings.c.kind, findings.c.result, func.count().label("number"))
        .join(reviews, reviews.c.number == findings.c.review)
        .where(reviews.c.current, reviews.c.reviewer != RULES, findings.c.kind.is_not(None))
        .group_by(findings.c.kind, findings.c.result)
    )
    counted: dict[str, dict[str, int]] = defaultdict(dict)
    for row in connection.execute(wanted):
        counted[row.kind][row.result] = row.number
    return {kind: ClaimCount(**numbers) for kind, numbers in counted.items()}


def _reviewers(connection: Connection) -> Sequence[ReviewerFigures]:
    key = (reviews.c.reviewer, reviews.c.model)
    others = reviews.alias()
    blocked = exists().where(
        others.c.submission == reviews.c.submission,
        others.c.current,
        others.c.reviewer == RULES,
        findings.c.review == others.c.number,
        findings.c.severity == Severity.BLOCKER,
        findings.c.result == Check.CONFIRMED,
    )
    ready = reviews.c.verdict == Verdict.READY
    verdicts = (
        select(
            *key,
            func.count(reviews.c.verdict).label("reviews"),
            func.count().filter(reviews.c.verdict.is_(None)).label("failed"),
            func.count().filter(ready).label("ready"),
            func.count().filter(ready & blocked).label("contradicted"),
        )
        .where(reviews.c.current, reviews.c.reviewer != RULES)
        .group_by(*key)
    )
    checked = (
        select(*key, findings.c.result, func.count().label("number"))
        .join(findings, findings.c.review == reviews.c.number)
        .where(reviews.c.current, reviews.c.reviewer != RULES)
        .group_by(*key, findings.c.result)
    )
    claims: dict[tuple[str, str | None], dict[str, int]] = defaultdict(dict)
    for row in connection.execute(checked):
        claims[row.reviewer, row.model][row.result] = row.number
    return sorted(
        (
            ReviewerFigures(
                row.reviewer,
                row.model,
                row.reviews,
                row.failed,
                ClaimCount(**claims[row.reviewer, row.model]),
                row.ready,
                row.contradicted,
            )
            for row in connection.execute(verdicts)
        ),
        key=lambda figures: (-figures.reviews, figures.reviewer, figures.model or ""),
    )
