"""Keeps the findings that people have ruled on when a review of the same answer is made again."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection, select, union

from reviewers.records import Finding, Review
from reviewers.store.rows import findings_of
from reviewers.store.tables import remarks, repair_choices, reviews, rulings, submissions


def as_spoken_of(
    connection: Connection, submission: int, review: Review, slot: str
) -> tuple[Finding, ...]:
    """Return a review's findings under the ids that people's words refer to.

    If an answer is split differently than before and a finding with a ruling would disappear, the
    old split stays; only the fact checks are taken from the new review.
    """
    spoken_of = _spoken_of(connection, submission)
    if not spoken_of:
        return review.findings
    named = tuple(_by_known_name(each, spoken_of) for each in review.findings)
    before = _before(connection, submission, review, slot)
    is_lost = {each.id for each in before} & spoken_of - {each.id for each in named}
    return _cut_as_before(before, named) if is_lost else named


def _spoken_of(connection: Connection, submission: int) -> frozenset[str]:
    id = select(submissions.c.id).where(submissions.c.number == submission).scalar_subquery()
    wanted = (select(said.c.finding_id).where(said.c.submission_id == id) for said in _SAID)
    return frozenset(connection.scalars(union(*wanted)))


_SAID = (rulings, remarks, repair_choices)


def _by_known_name(finding: Finding, spoken_of: frozenset[str]) -> Finding:
    known = next((each for each in finding.aliases if each in spoken_of), None)
    return finding if known is None or finding.id in spoken_of else replace(finding, id=known)


def _before(
    connection: Connection, submission: int, review: Review, slot: str
) -> Sequence[Finding]:
    """The findings of the current review of the same answer; none if its answer differs."""
    wanted = select(reviews.c.number, reviews.c.text).where(
        reviews.c.submission == submission, reviews.c.slot == slot, reviews.c.current
    )
    row = connection.execute(wanted).one_or_none() if review.text else None
    if row is None or row.text != review.text:
        return ()
    return findings_of(connection, [row.number], as_read=False).get(row.number, ())


def _cut_as_before(before: Sequence[Finding], now: Sequence[Finding]) -> tuple[Finding, ...]:
    by_words: dict[str, Finding] = {}
    for finding in now:
        for each in (finding, *finding.statements):
            by_words.setdefault(each.claim or "", each)
    return tuple(_checked_anew(each, by_words) for each in before)


def _checked_anew(finding: Finding, by_words: Mapping[str, Finding]) -> Finding:
    now = by_words.get(finding.claim or "")
    if now is None:
        return finding
    return replace(now, id=finding.id, claim_at=finding.claim_at, category=finding.category)
