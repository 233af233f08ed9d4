"""Estimates the tokens and the cost of asking a reviewer about a submission."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from reviewers import settings
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.scripted import Scripted
from reviewers.panel.llm import LlmReviewer, Question
from reviewers.panel.prompts import PromptPart
from reviewers.records import Submission
from reviewers.store import Store
from reviewers.store.submission import StoredReview, SubmissionRecord, load_submission

_LOOKED_AT = 24
"""Of many submissions, so that their price is known in seconds."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """One reviewer before it is asked.

    Attributes:
        key_problem: why there is no key to be sent; None if there is one or none is needed.
        known: its current review, where that is the answer to this very question.
    """

    config: ReviewerConfig
    question: Question
    key_problem: str | None = None
    known: StoredReview | None = None

    @property
    def tokens(self) -> int:
        """Estimated size of all that is sent."""
        return sum(prompt.tokens for prompt in self.question.prompts)

    @property
    def parts(self) -> tuple[PromptPart, ...]:
        """What is sent, by part; of several prompts one after the other."""
        return tuple(part for prompt in self.question.prompts for part in prompt.parts)

    @property
    def least_usd(self) -> float | None:
        """US dollars for the input alone; None if the prices are unknown."""
        return self.config.prices.cost(self.tokens, 0)

    @property
    def most_usd(self) -> float | None:
        """US dollars if every answer is as long as it may be."""
        return self.config.prices.cost(
            self.tokens, self.config.max_output_tokens * len(self.question.prompts)
        )

    @property
    def problem(self) -> str:
        """Why it cannot be asked; empty if it can."""
        if self.question.too_long:
            return str(self.question.too_long)
        return self.key_problem or ""


def estimate(record: SubmissionRecord, config: ReviewerConfig) -> Estimate:
    """Return what asking this reviewer for an initial review would mean."""
    question = _question(record.submission.id, config, record.submission)
    known = answer_of(record, config.name, question)
    return Estimate(config, question, key_problem(config), known)


def answer_of(record: SubmissionRecord, name: str, question: Question) -> StoredReview | None:
    """Return a reviewer's current review where that is the answer to this very question."""
    answers = (stored for stored in record.reviews if stored.review.reviewer == name)
    return next((stored for stored in answers if stored.review.request == question.id), None)


@dataclass(frozen=True, slots=True)
class ListEstimate:
    """One reviewer before it is asked about many submissions.

    Attributes:
        submissions: how many there are; of more than are looked at, the rest is estimated.
        looked_at: how many were looked at.
        answered: how many of those it gave a verdict on already, to this very question.
        too_long: how many of those do not fit.
        tokens, requests: of all that would be sent about those that are left.
    """

    config: ReviewerConfig
    submissions: int
    looked_at: int
    answered: int
    too_long: int
    tokens: int
    requests: int
    key_problem: str | None = None

    @property
    def exact(self) -> bool:
        """Whether all were looked at."""
        return self.looked_at == self.submissions

    def of_all(self, count: int) -> int:
        """Return what a count over those that were looked at is for all."""
        return round(count * self.submissions / self.looked_at) if self.looked_at else 0

    @property
    def asked(self) -> int:
        """How many would be asked about."""
        return self.of_all(self.looked_at - self.answered - self.too_long)

    @property
    def usd(self) -> tuple[float | None, float | None]:
        """US dollars for the input alone, and if every answer is as long as it may be; None if the
        prices are unknown.
        """
        tokens, prices = self.of_all(self.tokens), self.config.prices
        most = self.of_all(self.requests) * self.config.max_output_tokens
        return prices.cost(tokens, 0), prices.cost(tokens, most)

    @property
    def problem(self) -> str:
        """Why nobody can be asked; empty if somebody can."""
        if self.key_problem:
            return self.key_problem
        if self.asked:
            return ""
        return "every prompt is too long for it" if self.too_long else "has answered all of these"


def list_estimates(
    store: Store, ids: Sequence[str], configs: Sequence[ReviewerConfig]
) -> Sequence[ListEstimate]:
    """Return what asking reviewers for initial reviews of many submissions would mean."""
    sample = sorted(ids)[:: max(1, -(-len(ids) // _LOOKED_AT))]
    records = [load_submission(store, id) for id in sample]
    return [_list_estimate(len(ids), records, config) for config in configs]


def _list_estimate(
    submissions: int, records: Sequence[SubmissionRecord], config: ReviewerConfig
) -> ListEstimate:
    sizes = [(_size(each.submission.id, config, each.submission), each.reviews) for each in records]
    answers = [
        any(
            stored.review.reviewer == config.name
            and stored.review.request == size.question
            and stored.review.verdict is not None
            for stored in reviews
        )
        for size, reviews in sizes
    ]
    left = [size for (size, _), known in zip(sizes, answers, strict=True) if not known]
    fitting = [size for size in left if not size.too_long]
    return ListEstimate(
        config=config,
        submissions=submissions,
        looked_at=len(records),
        answered=sum(answers),
        too_long=len(left) - len(fitting),
        tokens=sum(size.tokens for size in fitting),
        requests=sum(size.requests for size in fitting),
        key_problem=key_problem(config),
    )


@dataclass(frozen=True, slots=True)
class _Size:
    """How large a question is; the question itself is too large to be kept for thousands."""

    question: str
    tokens: int
    requests: int
    too_long: bool


@st.cache_resource(show_spinner=False, max_entries=20_000)
def _size(id: str, config: ReviewerConfig, _submission: Submission) -> _Size:
    question = questioner(config).first_look(_submission)
    return _Size(
        question.id,
        sum(prompt.tokens for prompt in question.prompts),
        len(question.prompts),
        question.too_long is not None,
    )


def key_problem(config: ReviewerConfig) -> str | None:
    """Say why this reviewer's key cannot be sent: it is not set, or not allowed there; None if
    it can or none is needed.
    """
    variable, server = config.key_variable, config.base_url
    if variable is None or settings.api_key(variable, server):
        return None
    return (
        settings.key_problem(variable, server) or f"the environment variable {variable} is not set"
    )


def questioner(config: ReviewerConfig) -> LlmReviewer:
    """Return the reviewer as one that makes up questions and cannot ask them."""
    return LlmReviewer(config, Scripted(()))


@st.cache_resource(show_spinner=False, max_entries=32)
def _question(id: str, config: ReviewerConfig, _submission: Submission) -> Question:
    return questioner(config).first_look(_submission)
