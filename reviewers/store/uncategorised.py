"""Claims without a category: grouped by similar words, and categorised by a person."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, process
from sqlalchemy import insert, select

from reviewers.errors import StoreError
from reviewers.roles import Act
from reviewers.rubric import UNCATEGORISED, rubric
from reviewers.store.authors import Signer, sign, signer_of
from reviewers.store.insert import held, parts
from reviewers.store.refresh import refresh
from reviewers.store.store import Store
from reviewers.store.tables import findings, remarks, reviews, submissions, tallies

MOST = 300
"""The number of submissions considered, newest first."""
_ALIKE = 65
_LONGEST = 400  # characters of a claim that are compared
_CODE = re.compile("`[^`]*`")


@dataclass(frozen=True, slots=True)
class OpenClaim:
    """A claim without a category.

    Attributes:
        finding: id within the submission's reviews.
    """

    submission: str
    name: str
    finding: str
    claim: str


def open_claims(store: Store) -> Sequence[OpenClaim]:
    """Return claims of current reviews that neither their reading nor a person categorised, newest
    submission first.
    """
    of = tallies.c.submission
    numbers = select(of).where(tallies.c.category == UNCATEGORISED).distinct()
    newest = numbers.order_by(of.desc()).limit(MOST)
    columns = (findings.c.id.label("finding"), findings.c.claim, findings.c.as_read)
    wanted = (
        select(submissions.c.id, submissions.c.name, *columns)
        .join(reviews, reviews.c.submission == submissions.c.number)
        .join(findings, findings.c.review == reviews.c.number)
        .where(submissions.c.number.in_(newest), reviews.c.current, findings.c.claim.is_not(None))
        .where(findings.c.category == UNCATEGORISED)
        .order_by(submissions.c.number.desc(), findings.c.review, findings.c.position)
    )
    with store.reading() as connection:
        rows = connection.execute(wanted).all()
        filed: dict[tuple[str, str], str] = {}
        for ids in parts(sorted({row.id for row in rows})):
            told = select(remarks.c.submission_id, remarks.c.finding_id, remarks.c.category)
            told = told.where(remarks.c.submission_id.in_(ids), remarks.c.category.is_not(None))
            for id, finding, category in connection.execute(told.order_by(remarks.c.number)):
                filed[id, finding] = category
    found = (
        OpenClaim(row.id, row.name, row.finding, row.claim)
        for row in rows
        if (row.as_read or {}).get("category", UNCATEGORISED) == UNCATEGORISED
        if filed.get((row.id, row.finding), UNCATEGORISED) == UNCATEGORISED
    )
    return list(dict.fromkeys(found))


def alike(claims: Iterable[OpenClaim]) -> Sequence[Sequence[OpenClaim]]:
    """Return claims in groups of similar words, the largest group first."""
    groups: dict[str, list[OpenClaim]] = {}
    for claim in claims:
        words = _words(claim.claim)
        best = process.extractOne(
            words, groups.keys(), scorer=fuzz.token_sort_ratio, score_cutoff=_ALIKE
        )
        groups.setdefault(best[0] if best else words, []).append(claim)
    return sorted(groups.values(), key=len, reverse=True)


def _words(claim: str) -> str:
    """A claim without names, paths, numbers and code, which differ between submissions; the whole
    claim if nothing else is left.
    """
    said = claim[:_LONGEST].lower()
    bare = (word.strip(",;:.!?()'\"*") for word in _CODE.sub(" ", said).split())
    return " ".join(word for word in bare if word.replace("-", "").isalpha()) or said


def file_claims(
    store: Store, claims: Collection[OpenClaim], category: str, author: str | Signer
) -> None:
    """Categorise claims, all or none; `uncategorised` undoes it.

    Raises:
        StoreError: the rubric has no such category, or the author's name cannot be stored.
    """
    known = rubric().categories
    if category not in known:
        raise StoreError(
            f"there is no category {category[:100]!r}; choose one of: {', '.join(known)}"
        )
    signer = signer_of(author)
    of: dict[str, list[str]] = defaultdict(list)
    for claim in claims:
        of[claim.submission].append(claim.finding)
    with store.writing(Act.CATEGORISE) as connection:
        numbers = held(connection, of)
        said = {
            **sign(connection, signer, at := store.now()),
            "at": at,
            "category": category,
            "comment": f"filed under {known[category].title}",
        }
        rows = [
            {"submission_id": id, "finding_id": finding, **said}
            for id in numbers
            for finding in of[id]
        ]
        if rows:
            connection.execute(insert(remarks), rows)
        for number in numbers.values():
            refresh(connection, number, texts=False)
