"""Many submissions through a provider's Batch API: handed over, polled, collected, at any later time and by any later process."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from reviewers.backends.base import Reply
from reviewers.backends.budgeted import Amount, Budget, worst_case
from reviewers.backends.openai_batch import BatchJobs
from reviewers.batch.bundles import Reviewed, Unread
from reviewers.batch.models import Arrival
from reviewers.batch.workers import Workers
from reviewers.errors import AreachairError, BackendError, RequestRefused, Unreachable
from reviewers.panel.llm import LlmReviewer, Question
from reviewers.records import Review, Submission
from reviewers.store import Store
from reviewers.store.asked import kept_answer
from reviewers.store.batches import ProviderBatch, announce_batch, end_batch, name_batch, open_batches
from reviewers.store.submission import load_submission

_LOOKS = 30
T = TypeVar("T")


@dataclass(frozen=True)
class VolumeReviewer:
    """A reviewer with the provider's Batch API that asks for it."""

    reviewer: LlmReviewer
    jobs: BatchJobs


@dataclass(frozen=True, kw_only=True)
class VolumeRun:
    """One run over many submissions; a later one with the same store goes on where it was stopped.

    Args:
        budget: what all of it may cost at most; nothing is handed over that could cost more.
        every: seconds between two looks at a batch.
        arrived: called for each review that is kept now.
        waiting: called with one line about each batch that is looked at.
    """

    own: Sequence[str]
    reviewers: Sequence[VolumeReviewer]
    store: Store
    workers: Workers
    budget: Budget
    every: float = 30.0
    arrived: Callable[[Arrival], None] = lambda arrival: None
    waiting: Callable[[str], None] = lambda line: None

    async def over(self, paths: Iterable[Path]) -> AsyncGenerator[Reviewed | Unread]:
        """Yield what became of each submission once the answers of all reviewers are there."""
        read: list[Reviewed] = []
        for path in paths:
            for item in await self.workers.review_bundle(path, self.own):
                if isinstance(item, Unread):
                    yield item
                    continue
                await asyncio.to_thread(self.store.add, item.submission, item.reviews)
                read.append(item)
        submissions = [item.submission for item in read]
        answers = await asyncio.gather(*(self._by(each, submissions) for each in self.reviewers))
        for item in read:
            yield Reviewed(item.submission, (*item.reviews, *(reviews[item.submission.id] for reviews in answers)))

    async def _by(self, volume: VolumeReviewer, submissions: Sequence[Submission]) -> Mapping[str, Review]:
        """Return the reviewer's review of each submission, by submission id."""
        reviewer = volume.reviewer
        done: dict[str, Review] = {}
        await self._collect_open(volume)
        left: dict[str, tuple[Submission, Question]] = {}
        for submission in submissions:
            question = reviewer.first_look(submission)
            kept = await asyncio.to_thread(kept_answer, self.store, submission.id, reviewer.name, question.id)
            if kept is not None:
                done[submission.id] = kept
                self.arrived(Arrival(kept, kept=True))
            elif question.too_long:
                done[submission.id] = await self._keep(submission, await reviewer.ask(submission, question, self.workers.check))
            else:
                left[question.id] = submission, question
        if left:
            batch = await self._hand_over(volume, left)
            for review, submission in await self._collected(volume, batch, left):
                done[submission.id] = review
        return done

    async def _hand_over(self, volume: VolumeReviewer, left: Mapping[str, tuple[Submission, Question]]) -> ProviderBatch:
        """Write down what is handed over before it is, so that no crash in between makes it be paid for twice."""
        config = volume.reviewer.config
        requests = {request.id: request for _, question in left.values() for request in question.requests}
        worst = sum((worst_case(request, config.prices) for request in requests.values()), Amount())
        self.budget.demand(config.prices, config.model)
        await self.budget.reserve(worst)
        self.budget.settle(worst, worst, priced=config.prices.known)
        batch = ProviderBatch(
            label=hashlib.sha256(secrets.token_bytes(32)).hexdigest(),
            reviewer=config.name,
            server=config.base_url,
            provider_ids=(),
            questions={id: submission.id for id, (submission, _) in left.items()},
        )
        await asyncio.to_thread(announce_batch, self.store, batch)
        try:
            ids = await volume.jobs.submit(list(requests.values()), batch.label)
        except RequestRefused:
            # Of several parts, those before the refused one were taken, and are collected another time.
            if not await volume.jobs.find(batch.label):
                await asyncio.to_thread(end_batch, self.store, batch.label)
            raise
        await asyncio.to_thread(name_batch, self.store, batch.label, ids)
        return replace(batch, provider_ids=tuple(ids))

    async def _collect_open(self, volume: VolumeReviewer) -> None:
        """Collect what earlier runs handed over, whatever submissions it is about; all of them are in the store."""
        config = volume.reviewer.config
        for batch in await asyncio.to_thread(open_batches, self.store, config.name, config.base_url):
            ids = batch.provider_ids or tuple(await volume.jobs.find(batch.label))
            if not ids:
                await asyncio.to_thread(end_batch, self.store, batch.label)  # it never got there
                continue
            asked = {}
            for id, submission_id in batch.questions.items():
                submission = (await asyncio.to_thread(load_submission, self.store, submission_id)).submission
                question = volume.reviewer.first_look(submission)
                if question.id == id:  # else the prompt or the configuration changed, and nobody wants that answer any more
                    asked[id] = submission, question
            await self._collected(volume, replace(batch, provider_ids=ids), asked)

    async def _collected(
        self, volume: VolumeReviewer, batch: ProviderBatch, asked: Mapping[str, tuple[Submission, Question]]
    ) -> list[tuple[Review, Submission]]:
        """Wait for a batch to end and keep the reviews that its answers make."""
        answers: dict[str, Reply | BackendError] = {}
        ended = "ended"
        for id in batch.provider_ids:
            ended = await self._wait(volume, id)
            answers |= await self._patiently(volume, partial(_everything, volume.jobs, id))
        reviews = []
        for submission, question in asked.values():
            review = await self._review(volume.reviewer, submission, question, answers, ended)
            reviews.append((await self._keep(submission, review), submission))
        await asyncio.to_thread(end_batch, self.store, batch.label)
        return reviews

    async def _wait(self, volume: VolumeReviewer, id: str) -> str:
        while True:
            state = await self._patiently(volume, partial(volume.jobs.poll, id))
            self.waiting(f"{volume.reviewer.name}: batch {id} is {state.status}, {state.completed} of {state.total} answered")
            if state.ended:
                return state.status
            await asyncio.sleep(self.every)

    async def _patiently(self, volume: VolumeReviewer, look: Callable[[], Awaitable[T]]) -> T:
        """Look again where the provider cannot be reached: what it works on for a day survives a bad quarter of an hour."""
        for _ in range(_LOOKS - 1):
            try:
                return await look()
            except Unreachable as error:
                self.waiting(f"{volume.reviewer.name}: {error}; looking again in {self.every:g} s")
                await asyncio.sleep(self.every)
        return await look()

    async def _review(
        self,
        reviewer: LlmReviewer,
        submission: Submission,
        question: Question,
        answers: Mapping[str, Reply | BackendError],
        ended: str,
    ) -> Review:
        replies: list[Reply] = []
        for request in question.requests:
            answer = answers.get(request.id) or RequestRefused(f"the provider's batch {ended} without an answer to this")
            if isinstance(answer, BackendError):
                return reviewer.failed(question, replies, answer)
            replies.append(answer)
        try:
            return await reviewer.read(submission, question, replies, self.workers.check)
        except AreachairError as error:
            return reviewer.failed(question, replies, error)

    async def _keep(self, submission: Submission, review: Review) -> Review:
        await asyncio.to_thread(self.store.add_review, submission.id, review)
        self.arrived(Arrival(review, kept=False))
        return review


async def _everything(jobs: BatchJobs, id: str) -> dict[str, Reply | BackendError]:
    return {request: answer async for request, answer in jobs.collect(id)}
