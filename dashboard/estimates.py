"""Estimates the tokens and the cost of asking a reviewer about a submission."""

from dataclasses import dataclass

import streamlit as st

from reviewers import settings
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.scripted import Scripted
from reviewers.panel.llm import LlmReviewer, Question
from reviewers.panel.prompts import PromptPart
from reviewers.records import Submission
from reviewers.store.submission import StoredReview, SubmissionRecord


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
    """Return what asking this reviewer for a first look would mean."""
    question = _question(record.submission.id, config, record.submission)
    answers = (stored for stored in record.reviews if stored.review.reviewer == config.name)
    known = next((stored for stored in answers if stored.review.request == question.id), None)
    return Estimate(config, question, key_problem(config), known)


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
