"""Asks models about many submissions concurrently; each review is stored as soon as it arrives, and
no stored answer is asked for again.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from reviewers.batch.bundles import UNKNOWN_ORIGIN, Origin, Reviewed, Unread
from reviewers.batch.workers import Workers
from reviewers.matching.missed import missed_blockers
from reviewers.panel.llm import LlmReviewer, Question
from reviewers.records import Check, Review, Submission
from reviewers.store import Store
from reviewers.store.contracts import judged_as_kept
from reviewers.store.kept_answers import kept_answer, last_word

if TYPE_CHECKING:
    from reviewers.panel.model_reader import ModelReader


@dataclass(frozen=True, slots=True)
class Arrival:
    """A model's review that is kept now; `kept` where it was already, from an earlier run."""

    review: Review
    kept: bool


@dataclass(frozen=True, kw_only=True)
class ModelRun:
    """One run over many submissions.

    Args:
        own: which of `recorded` and `rules` are to review, too.
        store: where everything is kept, and looked for before a model is asked.
        workers: do what costs processor time.
        at_once: submissions in hand at a time.
        fresh: whether to ask again what is kept.
        rebuttal: whether each reviewer is shown what the code refutes of its review and what it
            missed.
        reader: who reads the claims of all reviews; None leaves them as they are.
        origin: what a person says of them.
        arrived: called in the event loop for each review by a model.
        told: called with one line about what could not be read.
    """

    own: Sequence[str]
    reviewers: Sequence[LlmReviewer]
    store: Store
    workers: Workers
    at_once: int
    fresh: bool = False
    rebuttal: bool = False
    reader: "ModelReader | None" = None
    origin: Origin = UNKNOWN_ORIGIN
    arrived: Callable[[Arrival], None] = lambda arrival: None
    told: Callable[[str], None] = lambda line: None

    async def over(self, paths: Iterable[Path]) -> AsyncGenerator[Reviewed | Unread]:
        """Yield what happened to each submission as soon as it is known; closing the iterator
        cancels what is still asked.
        """
        unopened = iter(paths)
        reading: set[asyncio.Task[list[Reviewed | Unread]]] = set()
        read: deque[Reviewed] = deque()
        asking: set[asyncio.Task[Reviewed]] = set()
        try:
            while True:
                while (
                    len(read) + len(reading) < self.at_once
                    and (path := next(unopened, None)) is not None
                ):
                    reading.add(
                        asyncio.create_task(self.workers.review_bundle(path, self.own, self.origin))
                    )
                while read and len(asking) < self.at_once:
                    asking.add(asyncio.create_task(self._submission(read.popleft())))
                if not reading and not asking:
                    return
                done, _ = await asyncio.wait(reading | asking, return_when=asyncio.FIRST_COMPLETED)
                for opened in reading & done:
                    for item in opened.result():
                        if isinstance(item, Unread):
                            yield item
                        else:
                            named = judged_as_kept(self.store, item.submission)
                            read.append(replace(item, submission=named))
                for answered in asking & done:
                    yield answered.result()
                reading, asking = reading - done, asking - done
        finally:
            for task in reading | asking:
                task.cancel()
            await asyncio.gather(*reading, *asking, return_exceptions=True)

    async def _submission(self, item: Reviewed) -> Reviewed:
        submission = item.submission
        await asyncio.to_thread(self.store.add, submission, item.reviews)
        asked = await asyncio.gather(
            *(self._review(reviewer, submission, item.reviews) for reviewer in self.reviewers)
        )
        reviews = (*item.reviews, *asked)
        if self.reader is not None:
            reviews = await self._read(self.reader, submission, reviews)
        return Reviewed(submission, reviews)

    async def _read(
        self, reader: "ModelReader", submission: Submission, reviews: tuple[Review, ...]
    ) -> tuple[Review, ...]:
        # They load the vocabulary with all facts, which runs without a reader do without.
        from reviewers.batch.reading import kept_as_read, read_claims

        work = self.workers.work
        if failure := await read_claims(self.store, submission, reviews, reader, work):
            self.told(f"{submission.source}: {failure}")
        return await asyncio.to_thread(kept_as_read, self.store, submission, reviews)

    async def _review(
        self, reviewer: LlmReviewer, submission: Submission, own: Sequence[Review]
    ) -> Review:
        # Prompts of large submissions take a while to make, and answers to others come in
        # meanwhile.
        question = await asyncio.to_thread(reviewer.first_look, submission)
        review = await self._kept_or_asked(reviewer, submission, question)
        if not self.rebuttal or review.verdict is None:
            return review
        proven = [
            finding for other in own if other.reviewer == "rules" for finding in other.findings
        ]
        missed_ids = missed_blockers(review.findings, proven)
        missed = [finding for finding in proven if finding.id in missed_ids]
        if not missed and not review.count(Check.REFUTED):
            return review
        revised = await self._kept_or_asked(
            reviewer, submission, reviewer.second_look(submission, review, missed)
        )
        return review if revised.verdict is None else revised

    async def _kept_or_asked(
        self, reviewer: LlmReviewer, submission: Submission, question: Question
    ) -> Review:
        look = kept_answer if self.rebuttal else last_word
        kept = (
            None
            if self.fresh
            else await asyncio.to_thread(
                look, self.store, submission.id, reviewer.name, question.id
            )
        )
        if kept is not None:
            self.arrived(Arrival(kept, kept=True))
            return kept
        review = await reviewer.ask(submission, question, self.workers.check)
        await asyncio.to_thread(self.store.add_review, submission.id, review)
        self.arrived(Arrival(review, kept=False))
        return review
