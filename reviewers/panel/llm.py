"""A model as a reviewer: it is asked, its answer is read and checked; whatever goes wrong is a failed review with a reason."""

import hashlib
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from reviewers.backends.base import Backend, Reply, Request
from reviewers.backends.configured import Form, ReviewerConfig
from reviewers.errors import AreachairError, BackendError, TooLong, UnusableReply
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
        revises: `request` of the review that is to be looked at again; None for a first look.
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
        return hashlib.sha256("\n".join(request.id for request in self.requests).encode()).hexdigest()


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
        """Return what is asked of a submission: one prompt, or several where it is too long and may be split."""
        prompt = _prompt(ById(submission), self.config.form)
        if not self.config.split or self._fits(prompt):
            return self._question(prompt)
        try:
            prompts = tuple(split_prompts(submission, self.config.form, self._room() or prompt.tokens))
        except TooLong as error:
            return Question((prompt,), too_long=error)
        return Question(prompts, tuple(map(self._request, prompts)))

    def second_look(self, submission: Submission, before: Review, missed: Sequence[Finding]) -> Question:
        """Return what shows the reviewer what the code refutes of its review, and what it missed.

        Args:
            before: an earlier review by this reviewer, with a verdict.
            missed: confirmed blockers that it did not name.
        """
        refuted = [finding for finding in before.findings if finding.check.result is Result.REFUTED]
        prompt = rebuttal_prompt(_prompt(ById(submission), self.config.form), before, refuted, missed)
        return replace(self._question(prompt), revises=before.request)

    async def ask(self, submission: Submission, question: Question, check: Check) -> Review:
        """Return the checked review; whatever goes wrong is a review without verdict that says why."""
        start = time.perf_counter()
        replies: list[Reply] = []
        try:
            if question.too_long:
                raise question.too_long
            for request in question.requests:
                replies += [await self._backend.complete(request)]
            seconds = time.perf_counter() - start
            return replace(await self.read(submission, question, replies, check), seconds=seconds)
        except AreachairError as error:
            return replace(self.failed(question, replies, error), seconds=time.perf_counter() - start)

    async def read(self, submission: Submission, question: Question, replies: Sequence[Reply], check: Check) -> Review:
        """Return the checked review that these replies make, one for each request.

        Raises:
            AreachairError: the answer could be read, but checking it against the code stopped with an error.
        """
        answer = joined([read_reply(reply.text, self.config.form) for reply in replies])
        return replace(
            self._blank(question, replies, answer.failure),
            verdict=answer.verdict,
            failure=answer.failure,
            findings=await check(submission, answer) if answer.verdict is not None else (),
            text=answer.text,
        )

    def _blank(self, question: Question, replies: Sequence[Reply], failure: str | None) -> Review:
        """A failed review with everything that the replies and the question say by themselves."""
        read, cached, written = (
            (
                _total(counts)
                for counts in zip(*((r.input_tokens, r.cached_tokens, r.output_tokens) for r in replies), strict=True)
            )
            if replies
            else (None, None, None)
        )
        free = bool(replies) and all(reply.from_cache for reply in replies)
        return Review(
            reviewer=self.name,
            verdict=None,
            failure=failure or "",
            model=next((reply.model for reply in replies if reply.model), self.config.model),
            raw="\n".join(reply.text for reply in replies) or None,
            input_tokens=read,
            cached_tokens=cached,
            output_tokens=written,
            cost_usd=0.0 if free else self.config.prices.cost(read, written, cached),
            prompt=question.prompts[0].template,
            request=question.id,
            revises=question.revises,
        )

    def failed(self, question: Question, replies: Sequence[Reply], error: AreachairError) -> Review:
        """Return the failed review of a question that stopped with an error after so many replies."""
        blank = self._blank(question, replies, str(error))
        if isinstance(error, UnusableReply) and not replies:
            read, cached, written = error.input_tokens, error.cached_tokens, error.output_tokens
            cost = self.config.prices.cost(read, written, cached)
            blank = replace(blank, input_tokens=read, cached_tokens=cached, output_tokens=written, cost_usd=cost)
        raw = error.raw if isinstance(error, BackendError) else None
        return replace(blank, raw="\n".join(filter(None, [blank.raw, raw])) or None)

    def _question(self, prompt: Prompt) -> Question:
        if self._fits(prompt):
            return Question((prompt,), (self._request(prompt),))
        return Question(
            (prompt,),
            too_long=TooLong(
                f"about {prompt.tokens:,} tokens do not fit: {self.config.model} takes {self.config.window:,} at once, and"
                f" {self.config.max_output_tokens:,} of them are kept for the answer; set split = true to ask file by file"
            ),
        )

    def _room(self) -> int | None:
        return None if self.config.window is None else self.config.window - self.config.max_output_tokens

    def _fits(self, prompt: Prompt) -> bool:
        room = self._room()
        return room is None or prompt.tokens <= room

    def _request(self, prompt: Prompt) -> Request:
        config = self.config
        return Request(
            server=config.base_url,
            model=config.model,
            messages=prompt.messages,
            form=prompt.form,
            max_output_tokens=config.max_output_tokens,
            temperature=config.temperature,
            seed=config.seed,
            effort=config.effort,
            input_tokens=prompt.tokens,
        )


@lru_cache(maxsize=64)
def _prompt(subject: ById, form: Form) -> Prompt:
    """The same question goes to many reviewers."""
    return build_prompt(subject.submission, form)


def _total(counts: Iterable[int | None]) -> int | None:
    """The sum; None where one is unknown."""
    known = list(counts)
    return None if None in known else sum(count for count in known if count is not None)
