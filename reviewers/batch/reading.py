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
    """Keep how claims of a submission are read; return how many readings are new.

    Args:
        read: by a claim's words.
        author: the person whose words they are; None for a reader.

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
    """Take back how a person reads a claim, and judge it as the reader before did.

    Raises:
        StoreError: no reading of theirs counts.
        UnknownSubmission: the submission is not kept.
    """
    if not reads_it(store, submission.id, claim, signer_of(author).id):
        raise StoreError("there is no reading of yours to withdraw")
    none = Reading(reader="person", why_not=WITHDRAWN)
    keep_how_read(store, submission, {claim: none}, author)
    judge_again(store, submission)


def reads_it(store: Store, submission_id: str, claim: str, author: str) -> bool:
    """Whether a reading of a claim by the author with this id counts."""
    found = readings_of(store, submission_id).get(claim, ())
    return any(each.author is not None and each.author.id == author for each in found)


ToJudge = tuple[Sequence[Finding], Mapping[str, Sequence[Reading]], str]
"""The findings of a review, by their ids and by the words of statements how they are read, and the
review's text.
"""


def to_judge(store: Store, submission: Submission) -> Mapping[int, ToJudge]:
    """Return the current reviews of a kept submission, by number, with how their claims are
    read.
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
    """Keep what the code says to the claims of reviews, by the reviews' numbers."""
    keep_judged(store, submission.id, told, own_version())


def kept_as_read(
    store: Store, submission: Submission, reviews: Sequence[Review]
) -> tuple[Review, ...]:
    """Return reviews with their findings as they are kept now, those that are not as they are."""
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
    """Have a model read the claims of kept reviews, and judge what was read; return why some are
    not read, in one line, which is empty if the model answered.
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
    """Judge all claims on a kept submission; return how many there are."""
    asked = to_judge(store, submission)
    told = {number: judged(submission, *each).findings for number, each in asked.items()}
    keep_verdicts(store, submission, told)
    return sum(bool(each.claim) for findings, _, _ in asked.values() for each in findings)


def outdated(store: Store, *, every: bool = False) -> Sequence[str]:
    """Return the ids of the submissions of which an older areachair judged a claim.

    Args:
        every: whether those that this one judged are wanted, too.
    """
    found = submissions_with_claims(store)
    return found if every else [id for id in found if versions(store, id) != {own_version()}]


def judged_anew(store: Store, ids: Iterable[str]) -> Iterator[int]:
    """Judge the claims on submissions; yield of each how many there are."""
    for id in ids:
        yield judge_again(store, load_submission(store, id).submission)


def _reading(kept: StoredReading) -> Reading:
    """A kept reading as this vocabulary has it; one of an older vocabulary may be none any more."""
    said, is_final = kept.said, kept.author is not None
    if said.proposition is None:
        return Reading(reader=kept.by, why_not=said.why_not, is_final=is_final)
    try:
        proposition = parse(said.proposition)
        return Reading(reader=kept.by, proposition=proposition, is_final=is_final)
    except InvalidReading as problem:
        return Reading(reader=kept.by, why_not=f"of another vocabulary: {problem}")
