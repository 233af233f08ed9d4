"""A model as a reviewer: it is asked, its answer is read and checked; whatever goes wrong is a
failed review with a reason.
"""

import asyncio
import hashlib
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeVar

from reviewers.backends.base import AnswerForm, Backend, Message, Reply, Request
from reviewers.backends.budgeted import Budget
from reviewers.backends.configured import Form, ReviewerConfig
from reviewers.backends.factory import Servers
from reviewers.backends.prices import Prices
from reviewers.errors import (
    AreachairError,
    BackendError,
    BudgetSpent,
    KeyRefused,
    TooLong,
    UnusableReply,
)
from reviewers.panel.prompts import Prompt, build_prompt, rebuttal_prompt, split_prompts
from reviewers.panel.reply import joined, read_reply
from reviewers.panel.subject import ById, Check
from reviewers.records import Check as Result
from reviewers.records import Finding, Review, Submission


@dataclass(frozen=True)
class Question:
    """What a reviewer is asked about one submission.

    Attributes:
        prompts: one, or several where the submission is asked file by file.
        requests: one for each prompt; none where it is too long.
        too_long: why it cannot be asked at all.
        revises: `request` of the review that a rebuttal revises; None for an initial review.
    """

    prompts: tuple[Prompt, ...]
    requests: tuple[Request, ...] = ()
    too_long: TooLong | None = None
    revises: str | None = None

    @cached_property
    def id(self) -> str:
        """What the review that answers it has as `request`."""
        if len(self.requests) == 1:
            return self.requests[0].id
        return hashlib.sha256(
            "\n".join(request.id for request in self.requests).encode()
        ).hexdigest()


def readable(form: Form) -> Callable[[Reply], bool]:
    """Return what says whether a reply can be read; one that cannot is not worth keeping for
    another time.
    """
    return lambda reply: read_reply(reply.text, form).verdict is not None


class LlmReviewer:
    """One configured reviewer.

    Args:
        backend: whatever answers; the retries, limits and budget that it is wrapped in are its own.
    """

    def __init__(self, config: ReviewerConfig, backend: Backend) -> None:
        self.config = config
        self._backend = backend

    @property
    def name(self) -> str:
        """What it is called on screen and in the store."""
        return self.config.name

    def first_look(self, submission: Submission) -> Question:
        """Return what is asked of a submission: one prompt, or several where it is too long and may
        be split.
        """
        prompt = _prompt(ById(submission), self.config.form)
        if not self.config.split or self._fits(prompt):
            return self._question(prompt)
        try:
            prompts = tuple(
                split_prompts(submission, self.config.form, self._room() or prompt.tokens)
            )
        except TooLong as error:
            return Question((prompt,), too_long=error)
        return Question(prompts, tuple(map(self._request, prompts)))

    def second_look(
        self, submission: Submission, before: Review, missed: Sequence[Finding]
    ) -> Question:
        """Return what shows the reviewer what the code refutes of its review, and what it missed.

        Args:
            before: an earlier review by this reviewer, with a verdict.
            missed: confirmed blockers that it did not name.
        """
        refuted = [finding for finding in before.findings if finding.check.result is Result.REFUTED]
        prompt = rebuttal_prompt(
            _prompt(ById(submission), self.config.form), before, refuted, missed
        )
        return replace(self._question(prompt), revises=before.request)

    async def ask(self, submission: Submission, question: Question, check: Check) -> Review:
        """Return the checked review; whatever goes wrong is a review without verdict that says
        why.
        """
        start = time.perf_counter()
        answers = await asyncio.gather(*map(self._answer, question.requests))
        seconds = time.perf_counter() - start
        return replace(await self.read(submission, question, answers, check), seconds=seconds)

    async def read(
        self,
        submission: Submission,
        question: Question,
        answers: Sequence[Reply | BackendError],
        check: Check,
    ) -> Review:
        """Return the checked review that these answers make, one for each request."""
        error = question.too_long or next(
            (answer for answer in answers if isinstance(answer, BackendError)), None
        )
        if error is not None:
            return self.failed(question, error, answers)
        answer = joined(
            [
                read_reply(reply.text, self.config.form)
                for reply in answers
                if isinstance(reply, Reply)
            ]
        )
        answer = replace(answer, reader=self.name)
        try:
            checked = await check(submission, answer) if answer.verdict is not None else None
        except AreachairError as defect:
            return replace(self.failed(question, defect, answers), text=answer.text)
        blank = self._blank(question, answers, answer.failure)
        return replace(
            blank,
            verdict=answer.verdict,
            failure=answer.failure,
            findings=checked.findings if checked else (),
            text=answer.text,
            partial=checked.partial if checked else (),
        )

    def failed(
        self,
        question: Question,
        error: AreachairError,
        answers: Sequence[Reply | BackendError] = (),
    ) -> Review:
        """Return the failed review of a question that stopped with an error, whatever was answered
        besides.
        """
        return self._blank(question, answers, str(error))

    async def _answer(self, request: Request) -> Reply | BackendError:
        try:
            return await self._backend.complete(request)
        except BackendError as error:
            return error

    def _blank(
        self, question: Question, answers: Sequence[Reply | BackendError], failure: str | None
    ) -> Review:
        """A failed review with everything that the answers and the question say by themselves."""
        used = [_used(answer) for answer in answers]
        costs = [_cost(self.config.prices, answer) for answer in answers]
        read, cached, written = (
            (_total(counts) for counts in zip(*used, strict=True)) if used else (None, None, None)
        )
        raw = [answer.text if isinstance(answer, Reply) else answer.raw for answer in answers]
        return Review(
            reviewer=self.name,
            verdict=None,
            failure=failure or "",
            model=next(
                (each.model for each in answers if isinstance(each, Reply) and each.model),
                self.config.model,
            ),
            raw="\n".join(filter(None, raw)) or None,
            input_tokens=read,
            cached_tokens=cached,
            output_tokens=written,
            cost_usd=_total(costs),
            prompt=question.prompts[0].template,
            request=question.id,
            revises=question.revises,
        )

    def _question(self, prompt: Prompt) -> Question:
        if self._fits(prompt):
            return Question((prompt,), (self._request(prompt),))
        return Question(
            (prompt,),
            too_long=TooLong(
                f"about {prompt.tokens:,} tokens do not fit: {self.config.model} takes"
                f" {self.config.window:,} at once, and {self.config.max_output_tokens:,} of them"
                " are kept for the answer; set split = true to ask file by file"
            ),
        )

    def _room(self) -> int | None:
        return (
            None
            if self.config.window is None
            else self.config.window - self.config.max_output_tokens
        )

    def _fits(self, prompt: Prompt) -> bool:
        room = self._room()
        return room is None or prompt.tokens <= room

    def _request(self, prompt: Prompt) -> Request:
        return request_of(self.config, prompt.messages, prompt.form, prompt.tokens)


def request_of(
    config: ReviewerConfig, messages: tuple[Message, ...], form: AnswerForm, tokens: int
) -> Request:
    """Return what is sent to a configured model, about so many tokens."""
    return Request(
        server=config.base_url,
        model=config.model,
        messages=messages,
        form=form,
        max_output_tokens=config.max_output_tokens,
        temperature=config.temperature,
        seed=config.seed,
        effort=config.effort,
        input_tokens=tokens,
    )


def opened(servers: Servers, config: ReviewerConfig, budget: Budget, *, fresh: bool) -> LlmReviewer:
    """Return the reviewer that a configuration describes; of its answers only those that can be
    read are kept for another time.

    Args:
        budget: of the run; several reviewers may share one.
        fresh: whether to ask even where an answer is kept.
    """
    return LlmReviewer(
        config, servers.backend(config, budget, fresh=fresh, usable=readable(config.form))
    )


@lru_cache(maxsize=64)
def _prompt(subject: ById, form: Form) -> Prompt:
    """The same question goes to many reviewers."""
    return build_prompt(subject.submission, form)


def _used(answer: Reply | BackendError) -> tuple[int | None, int | None, int | None]:
    """Tokens read, cached and written, as the server counted them; none where nothing was sent."""
    if isinstance(answer, Reply | UnusableReply):
        return answer.input_tokens, answer.cached_tokens, answer.output_tokens
    return (0, 0, 0) if isinstance(answer, _NOTHING_SENT) else (None, None, None)


def _cost(prices: Prices, answer: Reply | BackendError) -> float | None:
    """US dollars; an answer that was kept from another time costs nothing now, nor does what was
    never sent.
    """
    if isinstance(answer, _NOTHING_SENT) or (isinstance(answer, Reply) and answer.from_cache):
        return 0.0
    read, cached, written = _used(answer)
    return prices.cost(read, written, cached)


_NOTHING_SENT = (BudgetSpent, KeyRefused)
N = TypeVar("N", int, float)


def _total(counts: Iterable[N | None]) -> N | None:
    """The sum; None where one is unknown, or there is none."""
    every = list(counts)
    known = [count for count in every if count is not None]
    return sum(known[1:], start=known[0]) if known and len(known) == len(every) else None
