"""Servers that speak the OpenAI API, in any dialect."""

from reviewers.backends.capabilities import Abilities
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.openai_api.backend import OpenAIBackend
from reviewers.backends.openai_api.batch import BatchJobs
from reviewers.backends.openai_api.client import load_sdk

__all__ = ["load_sdk", "open_batch", "open_server"]

open_server = OpenAIBackend


def open_batch(config: ReviewerConfig, key: str | None, abilities: Abilities) -> BatchJobs:
    """Return the Batch API of a reviewer's server."""
    return BatchJobs(config, key, abilities.find(config.base_url, config.model))
