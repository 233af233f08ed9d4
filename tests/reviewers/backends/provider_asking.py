"""Configurations, questions and one call from start to end, as the tests of providers need them."""

import asyncio
from pathlib import Path
from typing import Any

from reviewers.backends.base import AnswerForm, Message, Reply, Request
from reviewers.backends.capabilities import Abilities
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.factory import provider_module

FORM = AnswerForm(
    "verdicts",
    {
        "type": "object",
        "properties": {"verdict": {"type": "string", "enum": ["ready", "not_ready"]}},
        "required": ["verdict"],
        "additionalProperties": False,
    },
)


def config(url: str, **given: Any) -> ReviewerConfig:
    """A reviewer at this server."""
    return ReviewerConfig(
        **{"name": "m", "model": "m", "base_url": url, "key_env": None, "timeout": 20.0} | given
    )


def question(text: str = "Is it ready?", **given: Any) -> Request:
    """A request with a form, in two messages."""
    messages = (Message("system", "You review."), Message("user", text))
    return Request(
        **{
            "server": "s",
            "model": "m",
            "messages": messages,
            "form": FORM,
            "max_output_tokens": 1000,
        }
        | given
    )


def ask(
    config: ReviewerConfig,
    *requests: Request,
    key: str | None = None,
    abilities: Abilities | Path | None = None,
) -> list[Reply | BaseException]:
    """Ask everything at once; errors come in the place of replies."""

    async def all_at_once() -> list[Reply | BaseException]:
        known = abilities if isinstance(abilities, Abilities) else Abilities(abilities)
        backend = provider_module(config).open_server(config, key, known)
        try:
            return await asyncio.gather(
                *map(backend.complete, requests or (question(),)), return_exceptions=True
            )
        finally:
            await backend.close()

    return asyncio.run(all_at_once())
