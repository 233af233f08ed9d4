"""A model as a reader of claims: asked once for all claims of a review, and once more for what is
refused.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewers.backends.base import Backend, Reply
from reviewers.backends.budgeted import Budget
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.factory import Servers
from reviewers.claims.report import ClaimsReport
from reviewers.errors import BackendError
from reviewers.panel import reading_prompt
from reviewers.panel.checking import known_of
from reviewers.panel.llm import request_of
from reviewers.readers.reading import Reading
from reviewers.readers.symbols import symbols_text
from reviewers.records import Finding, Review, Submission

AT_ONCE = 40
"""Claims of one review that are asked together."""
Work = Callable[..., Awaitable[Any]]
"""Does with a submission's facts what it is given, wherever they are known: a function of this
module, and its arguments, the submission first.
"""


@dataclass(frozen=True)
class Readings:
    """How the claims of one review are read.

    Attributes:
        of: by a claim's words; what the model did not answer is not among them.
        failure: why some are not, in one line; empty where the model answered.
    """

    of: Mapping[str, Reading]
    failure: str = ""


class ModelReader:
    """One configured model that reads.

    Args:
        backend: whatever answers; retries, limits, budget and cache are its own.
    """

    def __init__(self, config: ReviewerConfig, backend: Backend) -> None:
        self.config = config
        self.replies: list[Reply] = []
        self._backend = backend

    @property
    def name(self) -> str:
        """What it is called on screen and in the store."""
        return self.config.name

    async def read(self, submission: Submission, review: Review, work: Work) -> Readings:
        """Return how the model reads the claims of a review."""
        claims = [each for each in review.findings if each.claim]
        if not claims:
            return Readings({})
        said = review.text or "\n".join(each.claim or "" for each in claims)
        questions = await work(asked, submission, said, claims)
        found: dict[str, Reading] = {}
        failure = ""
        for question in questions:
            try:
                readings = await self._answered(submission, question, work)
            except BackendError as error:
                failure = str(error)
                continue
            found |= {question.claims[number]: reading for number, reading in readings.items()}
        return Readings(found, failure)

    async def _answered(
        self, submission: Submission, question: reading_prompt.AskedClaims, work: Work
    ) -> Mapping[int, Reading]:
        reply = await self._said(question)
        first = await work(reading_prompt.read_answer, submission, question, reply.text, self.name)
        if not first.refused:
            return dict(first.readings)
        second = reading_prompt.again(question, reply.text, first.refused)
        reply = await self._said(second)
        last = await work(reading_prompt.read_answer, submission, second, reply.text, self.name)
        unread = {
            number: Reading(reader=self.name, why_not=why) for number, why in last.refused.items()
        }
        return {**first.readings, **last.readings, **unread}

    @property
    def spent(self) -> str:
        """What reading came to in this run, in one line; what was kept costs nothing."""
        asked = [each for each in self.replies if not each.from_cache]
        tokens = [(each.input_tokens, each.output_tokens, each.cached_tokens) for each in asked]
        known = [self.config.prices.cost(*counts) for counts in tokens]
        read, written = (sum(each[at] or 0 for each in tokens) for at in (0, 1))
        cost = sum(each for each in known if each is not None)
        told = "cost unknown" if None in known else f"${cost:.4f}"
        kept = len(self.replies) - len(asked)
        return (
            f"{self.name} read claims: {len(asked)} asked, {kept} kept, {read:,} tokens in,"
            f" {written:,} out, {told}"
        )

    async def _said(self, question: reading_prompt.AskedClaims) -> Reply:
        form = reading_prompt.answer_form()
        asked = request_of(self.config, question.messages, form, question.tokens)
        reply = await self._backend.complete(asked)
        self.replies.append(reply)
        return reply


def opened_reader(
    servers: Servers, config: ReviewerConfig, budget: Budget, *, fresh: bool
) -> ModelReader:
    """Return the reader that a reviewer's configuration describes; the same claims, symbols and
    vocabulary are not asked for twice.
    """
    usable = lambda reply: reading_prompt.readable(reply.text)  # noqa: E731
    return ModelReader(config, servers.backend(config, budget, fresh=fresh, usable=usable))


def asked(
    submission: Submission, said: str, claims: Sequence[Finding]
) -> list[reading_prompt.AskedClaims]:
    """Return what a model is asked about the claims of a review, statement by statement."""
    from reviewers.claims.understanding import statements_of

    words = tuple(dict.fromkeys(statements_of(claims, said)))
    table = symbols_text(known_of(submission).facts)
    return reading_prompt.questions(submission, said, words, table, AT_ONCE)


def judged(
    submission: Submission,
    findings: Sequence[Finding],
    readings: Mapping[str, Sequence[Reading]],
    said: str,
) -> ClaimsReport:
    """Return the findings of a review, whose text is `said`, with what the code says to their
    readings.
    """
    from reviewers.claims.understanding import understood

    known = known_of(submission)
    return understood(findings, readings, known.facts, known.failures, said)
