"""Two attempts side by side, and people's rulings on the earlier one that still hold for the
later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reviewers.matching.attempts import Matching, carried_rulings, match
from reviewers.matching.traces import Side
from reviewers.records import Review
from reviewers.store.lineages import lineage_of
from reviewers.store.store import Store
from reviewers.store.submission import FindingRuling, SubmissionRecord, load_submission


@dataclass(frozen=True, slots=True)
class Carried:
    """A person's word on a finding of the attempt before.

    Attributes:
        same_code: whether the code that both findings mention is the same, spacing aside.
    """

    ruling: FindingRuling
    same_code: bool


def compared(
    before: SubmissionRecord, after: SubmissionRecord, only: str | None = None
) -> Mapping[str, Matching]:
    """Return what happened to the findings of each reviewer that gave a verdict on both attempts,
    by its name on screen.

    Args:
        only: the reviewer that is wanted; all of them where None.
    """
    earlier, later = _with_verdict(before), _with_verdict(after)
    return {
        name: match(
            Side(before.submission, earlier[name].findings), Side(after.submission, review.findings)
        )
        for name, review in later.items()
        if name in earlier and only in (None, name, review.reviewer)
    }


def carried(
    before: SubmissionRecord, after: SubmissionRecord, matchings: Mapping[str, Matching]
) -> Mapping[str, Carried]:
    """Return the words that hold on, by the id of the later finding; one on which somebody has
    ruled since needs none.

    Args:
        matchings: as `compared` gives them.
    """
    given, since = before.ruling_of, after.ruling_of
    rulings = {id: said.ruling for id, said in given.items()}
    found: dict[str, Carried] = {}
    for matching in matchings.values():
        same_code = {pair.after.id: pair.same_code for pair in matching.pairs}
        for id, (_, earlier) in carried_rulings(matching, rulings).items():
            if id not in since:
                found[id] = Carried(given[earlier], same_code[id])
    return found


def attempt_before(store: Store, record: SubmissionRecord) -> SubmissionRecord | None:
    """Return the attempt before a submission in its lineage; None if it is the first, or
    alone.
    """
    attempts = lineage_of(store, record.submission.id).attempts
    places = {each.id: each.place for each in attempts}
    here = places[record.submission.id]
    # What we repaired leads nowhere but to its original: the next attempt is the generator's.
    earlier = [each.id for each in attempts if each.place < here and not each.repaired]
    return load_submission(store, max(earlier, key=places.__getitem__)) if earlier else None


def _with_verdict(record: SubmissionRecord) -> Mapping[str, Review]:
    said = zip(record.names, record.reviews, strict=True)
    return {name: stored.review for name, stored in said if stored.review.verdict is not None}
