"""Reads the claims of stored submissions, evaluates them over the facts, and repeats that after an
update of areachair.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from reviewers.errors import StoreError
from reviewers.panel.model_reader import ModelReader, Work, judged
from reviewers.panel.version import own_version
from reviewers.propositions import InvalidReading, parse, to_json
from reviewers.propositions.json_schema import vocabulary_version
from reviewers.readers.reading import Reading
from reviewers.records import Finding, Review, Submission
from reviewers.store import Store
from reviewers.store.authors import Signer, signer_of
from reviewers.store.readers import WITHDRAWN
from reviewers.store.readings import (
    NewReading,
    StoredReading,
    keep_judged,
    keep_readings,
    readings_of,
    submissions_with_claims,
    unjudged,
    versions,
)
from reviewers.store.rows import review_slot
from reviewers.store.submission import load_submission


def keep_how_read(
    store: Store,
    submission: Submission,
    read: Mapping[str, Reading],
    author: str | Signer | None = None,
) -> int:
    """Store readings of a submission's claims; return the number of new ones.

    Args:
        read: by a claim's words.
        author: the person who wrote them; None for a reader.

    Raises:
        StoreError: the store refuses a write.
        UnknownSubmission: the submission is not kept.
    """
    said = [
        NewReading(
            claim=claim,
            vocabulary=vocabulary_version(),
            reader=reading.reader,
            proposition=to_json(reading.proposition) if reading.proposition else None,
            why_not=reading.why_not,
            leftover=reading.leftover,
        )
        for claim, reading in read.items()
    ]
    return keep_readings(store, submission.id, said, author)


def withdraw_reading(
    store: Store, submission: Submission, claim: str, author: str | Signer
) -> None:
    """Withdraw a person's reading of a claim, and check it by the previous reader's reading.

    Raises:
        StoreError: the person has no current reading.
        UnknownSubmission: the submission is not kept.
    """
    if not reads_it(store, submission.id, claim, signer_of(author).id):
        raise StoreError("there is no reading of yours to withdraw")
    none = Reading(reader="person", why_not=WITHDRAWN)
    keep_how_read(store, submission, {claim: none}, author)
    judge_again(store, submission)


def reads_it(store: Store, submission_id: str, claim: str, author: str) -> bool:
    """Whether the author with this id has a current reading of a claim."""
    found = readings_of(store, submission_id).get(claim, ())
    return any(each.author is not None and each.author.id == author for each in found)


ToJudge = tuple[Sequence[Finding], Mapping[str, Sequence[Reading]], str]
"""The findings of a review, their readings by finding id and by the words of statements, and the
review's text.
"""


def to_judge(store: Store, submission: Submission) -> Mapping[int, ToJudge]:
    """Return the current reviews of a stored submission by number, with the readings of their
    claims.
    """
    read = {
        claim: [_reading(each) for each in found]
        for claim, found in readings_of(store, submission.id).items()
    }
    return {
        number: (
            findings,
            {**read, **{each.id: read[each.claim] for each in findings if each.claim in read}},
            said,
        )
        for number, (said, findings) in unjudged(store, submission.id).items()
    }


def keep_verdicts(
    store: Store, submission: Submission, told: Mapping[int, Sequence[Finding]]
) -> None:
    """Store the fact checks of reviews' claims, by the reviews' numbers."""
    keep_judged(store, submission.id, told, own_version())


def kept_as_read(
    store: Store, submission: Submission, reviews: Sequence[Review]
) -> tuple[Review, ...]:
    """Return reviews with their findings as stored now; other reviews are unchanged."""
    stored = {
        review_slot(each.review): each.review
        for each in load_submission(store, submission.id).reviews
    }
    kept = [(each, stored.get(review_slot(each))) for each in reviews]
    return tuple(replace(each, findings=own.findings) if own else each for each, own in kept)


async def read_claims(
    store: Store,
    submission: Submission,
    reviews: Sequence[Review],
    reader: ModelReader,
    work: Work,
) -> str:
    """Let a model read the claims of stored reviews, and check what was read; return one line on
    why claims are not read, empty if the model answered.
    """
    failures = []
    for review in reviews:
        found = await reader.read(submission, review, work)
        await asyncio.to_thread(keep_how_read, store, submission, found.of)
        failures += [found.failure] if found.failure else []
    said: dict[int, Sequence[Finding]] = {}
    for number, asked in (await asyncio.to_thread(to_judge, store, submission)).items():
        said[number] = (await work(judged, submission, *asked)).findings
    await asyncio.to_thread(keep_verdicts, store, submission, said)
    return f"{reader.name} could not read claims: {failures[0]}" if failures else ""


def judge_again(store: Store, submission: Submission) -> int:
    """Check all claims on a stored submission; return how many there are."""
    asked = to_judge(store, submission)
    told = {number: judged(submission, *each).findings for number, each in asked.items()}
    keep_verdicts(store, submission, told)
    return sum(bool(each.claim) for findings, _, _ in asked.values() for each in findings)


def outdated(store: Store, *, every: bool = False) -> Sequence[str]:
    """Return the ids of the submissions with a claim that an older areachair checked.

    Args:
        every: whether to include those that this version checked.
    """
    found = submissions_with_claims(store)
    return found if every else [id for id in found if versions(store, id) != {own_version()}]


def judged_anew(store: Store, ids: Iterable[str]) -> Iterator[int]:
    """Check the claims on submissions; yield their number for each submission."""
    for id in ids:
        yield judge_again(store, load_submission(store, id).submission)


def _reading(kept: StoredReading) -> Reading:
    """A stored reading in this vocabulary; one of an older vocabulary may be invalid."""
    said, is_final = kept.said, kept.author is not None
    if said.proposition is None:
        return Reading(reader=kept.by, why_not=said.why_not, is_final=is_final)
    try:
        proposition = parse(said.proposition)
        return Reading(reader=kept.by, proposition=proposition, is_final=is_final)
    except InvalidReading as problem:
        return Reading(reader=kept.by, why_not=f"of another vocabulary: {problem}")
