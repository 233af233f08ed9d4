"""What asking a reviewer about a submission would send and cost, before it is asked."""

from dataclasses import dataclass

import streamlit as st

from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.scripted import Scripted
from reviewers.panel.llm import LlmReviewer, Question
from reviewers.panel.prompts import PromptPart
from reviewers.records import Submission
from reviewers.settings import api_key
from reviewers.store.submission import StoredReview, SubmissionRecord


@dataclass(frozen=True, slots=True)
class Estimate:
    """One reviewer before it is asked.

    Attributes:
        missing_key: name of the environment variable that should hold the key and does not; None
            where nothing is missing.
        known: its current review, where that is the answer to this very question.
    """

    config: ReviewerConfig
    question: Question
    missing_key: str | None = None
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
        """US dollars for the input alone; None where the prices are unknown."""
        return self.config.prices.cost(self.tokens, 0)

    @property
    def most_usd(self) -> float | None:
        """US dollars if every answer is as long as it may be."""
        return self.config.prices.cost(
            self.tokens, self.config.max_output_tokens * len(self.question.prompts)
        )

    @property
    def problem(self) -> str:
        """Why it cannot be asked; empty where it can."""
        if self.question.too_long:
            return str(self.question.too_long)
        return f"the environment variable {self.missing_key} is not set" if self.missing_key else ""


def estimate(record: SubmissionRecord, config: ReviewerConfig) -> Estimate:
    """Return what asking this reviewer for a first look would mean."""
    question = _question(record.submission.id, config, record.submission)
    answers = (stored for stored in record.reviews if stored.review.reviewer == config.name)
    known = next((stored for stored in answers if stored.review.request == question.id), None)
    return Estimate(config, question, missing_key(config), known)


def missing_key(config: ReviewerConfig) -> str | None:
    """Return the environment variable that this reviewer's key is wanted from and is not in."""
    variable = config.key_variable
    return variable if variable and api_key(variable) is None else None


def questioner(config: ReviewerConfig) -> LlmReviewer:
    """Return the reviewer as one that makes up questions and cannot ask them."""
    return LlmReviewer(config, Scripted(()))


@st.cache_resource(show_spinner=False, max_entries=32)
def _question(id: str, config: ReviewerConfig, _submission: Submission) -> Question:
    return questioner(config).first_look(_submission)
