"""Reviews many submissions through a provider's Batch API: submitted, polled and collected,
possibly by a later process.
"""

import asyncio
import hashlib
import secrets
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from reviewers.backends.base import Reply
from reviewers.backends.budgeted import Amount, Budget, worst_case
from reviewers.backends.cached import Replies
from reviewers.backends.openai_api.batch import BatchJobs
from reviewers.batch.bundles import UNKNOWN_ORIGIN, Origin, Reviewed, Unread
from reviewers.batch.models import Arrival
from reviewers.batch.workers import Workers
from reviewers.errors import BackendError, BudgetSpent, RequestRefused, Unreachable
from reviewers.panel.llm import LlmReviewer, Question, readable
from reviewers.records import Review, Submission
from reviewers.store import Store
from reviewers.store.batches import (
    ProviderBatch,
    announce_batch,
    end_batch,
    name_batch,
    open_batches,
)
from reviewers.store.contracts import judged_as_kept
from reviewers.store.kept_answers import last_word, newest_answer
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
        replies: where answers are kept that no review was made of.
        budget: what all of it may cost at most; nothing is handed over that could cost more.
        every: seconds between two looks at a batch.
        origin: what a person says of them.
        arrived: called for each review that is kept now.
        waiting: called with one line about each batch that is looked at.
    """

    own: Sequence[str]
    reviewers: Sequence[VolumeReviewer]
    store: Store
    workers: Workers
    replies: Replies
    budget: Budget
    every: float = 30.0
    origin: Origin = UNKNOWN_ORIGIN
    arrived: Callable[[Arrival], None] = lambda arrival: None
    waiting: Callable[[str], None] = lambda line: None

    async def over(self, paths: Iterable[Path]) -> AsyncGenerator[Reviewed | Unread]:
        """Yield what happened to each submission once the answers of all reviewers are there."""
        read: list[Reviewed] = []
        for path in paths:
            for found in await self.workers.review_bundle(path, self.own, self.origin):
                if isinstance(found, Unread):
                    yield found
                    continue
                named = judged_as_kept(self.store, found.submission)
                item = replace(found, submission=named)
                await asyncio.to_thread(self.store.add, item.submission, item.reviews)
                read.append(item)
        submissions = [item.submission for item in read]
        answers = await asyncio.gather(*(self._by(each, submissions) for each in self.reviewers))
        for item in read:
            yield Reviewed(
                item.submission,
                (*item.reviews, *(reviews[item.submission.id] for reviews in answers)),
            )

    async def _by(
        self, volume: VolumeReviewer, submissions: Sequence[Submission]
    ) -> Mapping[str, Review]:
        """Return the reviewer's review of each submission, by submission id; its troubles are no
        other reviewer's.
        """
        reviewer = volume.reviewer
        done: dict[str, Review] = {}
        asked = {
            each.id: (each, await asyncio.to_thread(reviewer.first_look, each))
            for each in submissions
        }
        try:
            await self._collect_open(volume)
            left = {}
            for submission, question in asked.values():
                kept = await self._kept(volume, submission, question)
                if kept is not None:
                    done[submission.id] = kept
                elif (answers := self._answers_in_cache(question)) or question.too_long:
                    done[submission.id] = await self._keep(
                        volume, submission, question, answers or []
                    )
                elif problem := await self._unpayable(volume, question):
                    done[submission.id] = await self._keep(volume, submission, question, [problem])
                else:
                    left[question.id] = submission, question
            if left:
                batch = await self._hand_over(volume, left)
                await self._collect(volume, batch, left.values())
        except BackendError as error:
            self.waiting(f"{reviewer.name}: {error}")
            for submission, question in asked.values():
                if (
                    submission.id not in done
                    and await self._kept(volume, submission, question, told=False) is None
                ):
                    done[submission.id] = reviewer.failed(question, error)
        for submission, question in asked.values():
            if submission.id not in done:
                kept = await asyncio.to_thread(
                    newest_answer, self.store, submission.id, reviewer.name, question.id
                )
                done[submission.id] = kept or reviewer.failed(
                    question, RequestRefused("the provider gave no answer to this")
                )
        return done

    async def _kept(
        self, volume: VolumeReviewer, submission: Submission, question: Question, told: bool = True
    ) -> Review | None:
        name = volume.reviewer.name
        kept = await asyncio.to_thread(last_word, self.store, submission.id, name, question.id)
        if kept is not None and told:
            self.arrived(Arrival(kept, kept=True))
        return kept

    def _answers_in_cache(self, question: Question) -> list[Reply]:
        """What a batch answered under another configuration, when this one was given up for a
        while.
        """
        found = [self.replies.find(request.id) for request in question.requests]
        return [reply for reply in found if reply is not None] if all(found) else []

    async def _unpayable(self, volume: VolumeReviewer, question: Question) -> BudgetSpent | None:
        """Count the most that a question can cost as spent; say why where the budget has no room
        for it.
        """
        prices = volume.reviewer.config.prices
        worst = sum((worst_case(request, prices) for request in question.requests), Amount())
        try:
            self.budget.demand(prices, volume.reviewer.config.model)
            await self.budget.reserve(worst)
        except BudgetSpent as error:
            return error
        self.budget.settle(worst, worst, priced=prices.known)
        return None

    async def _hand_over(
        self, volume: VolumeReviewer, left: Mapping[str, tuple[Submission, Question]]
    ) -> ProviderBatch:
        """Write down what is handed over before it is, so that no crash in between makes it be paid
        for twice.
        """
        config = volume.reviewer.config
        batch = ProviderBatch(
            label=hashlib.sha256(secrets.token_bytes(32)).hexdigest(),
            reviewer=config.name,
            server=config.base_url.rstrip("/"),
            provider_ids=(),
            questions={id: submission.id for id, (submission, _) in left.items()},
        )
        await asyncio.to_thread(announce_batch, self.store, batch)
        requests = {
            request.id: request for _, question in left.values() for request in question.requests
        }
        try:
            ids = await volume.jobs.submit(list(requests.values()), batch.label)
        except RequestRefused:
            # Of several parts, those before the refused one were taken, and are collected another
            # time.
            if not await volume.jobs.find(batch.label):
                await asyncio.to_thread(end_batch, self.store, batch.label)
            raise
        await asyncio.to_thread(name_batch, self.store, batch.label, ids)
        return replace(batch, provider_ids=tuple(ids))

    async def _collect_open(self, volume: VolumeReviewer) -> None:
        """Collect what earlier runs handed over to this server, whatever it is about; its
        submissions are in the store.
        """
        for batch in await asyncio.to_thread(
            open_batches, self.store, volume.reviewer.config.base_url.rstrip("/")
        ):
            ids = batch.provider_ids or tuple(await volume.jobs.find(batch.label))
            if not ids:
                await asyncio.to_thread(end_batch, self.store, batch.label)  # it never got there
                continue
            wanted = []
            for id, submission_id in batch.questions.items():
                submission = (
                    await asyncio.to_thread(load_submission, self.store, submission_id)
                ).submission
                question = await asyncio.to_thread(volume.reviewer.first_look, submission)
                if (
                    question.id == id
                ):  # else it was asked by another reviewer, or before its configuration changed
                    wanted.append((submission, question))
            try:
                if wanted or (
                    batch.reviewer == volume.reviewer.name and await self._all_ended(volume, ids)
                ):
                    await self._collect(volume, replace(batch, provider_ids=ids), wanted)
            except RequestRefused as error:
                self.waiting(
                    f"{volume.reviewer.name}: the provider no longer has what was handed over"
                    f" ({error}); asking again"
                )
                await asyncio.to_thread(end_batch, self.store, batch.label)

    async def _all_ended(self, volume: VolumeReviewer, ids: Sequence[str]) -> bool:
        return all([(await volume.jobs.poll(id)).ended for id in ids])

    async def _collect(
        self,
        volume: VolumeReviewer,
        batch: ProviderBatch,
        wanted: Collection[tuple[Submission, Question]],
    ) -> None:
        """Wait for a batch to end and keep its answers, and the reviews that they make of what is
        wanted.
        """
        answers: dict[str, Reply | BackendError] = {}
        ended = "ended"
        for id in batch.provider_ids:
            ended = await self._wait(volume, id)
            answers |= await self._patiently(volume, partial(_everything, volume.jobs, id))
        is_readable = readable(volume.reviewer.config.form)
        for request_id, answer in answers.items():
            if isinstance(answer, Reply) and is_readable(answer):
                self.replies.keep(request_id, answer)
        missing = RequestRefused(f"the provider's batch {ended} without an answer to this")
        for submission, question in wanted:
            await self._keep(
                volume,
                submission,
                question,
                [answers.get(each.id, missing) for each in question.requests],
            )
        await asyncio.to_thread(end_batch, self.store, batch.label)

    async def _keep(
        self,
        volume: VolumeReviewer,
        submission: Submission,
        question: Question,
        answers: Sequence[Reply | BackendError],
    ) -> Review:
        review = await volume.reviewer.read(submission, question, answers, self.workers.check)
        await asyncio.to_thread(self.store.add_review, submission.id, review)
        self.arrived(Arrival(review, kept=False))
        return review

    async def _wait(self, volume: VolumeReviewer, id: str) -> str:
        told = ""
        while True:
            state = await self._patiently(volume, partial(volume.jobs.poll, id))
            line = (
                f"{volume.reviewer.name}: batch {id} is {state.status}, {state.completed} of"
                f" {state.total} answered"
            )
            if line != told:
                self.waiting(line)
                told = line
            if state.ended:
                return state.status
            await asyncio.sleep(self.every)

    async def _patiently(self, volume: VolumeReviewer, look: Callable[[], Awaitable[T]]) -> T:
        """Look again where the provider cannot be reached: what it works on for a day survives a
        bad quarter of an hour.
        """
        for _ in range(_LOOKS - 1):
            try:
                return await look()
            except Unreachable as error:
                self.waiting(f"{volume.reviewer.name}: {error}; looking again in {self.every:g} s")
                await asyncio.sleep(self.every)
        return await look()


async def _everything(jobs: BatchJobs, id: str) -> dict[str, Reply | BackendError]:
    return {request: answer async for request, answer in jobs.collect(id)}
