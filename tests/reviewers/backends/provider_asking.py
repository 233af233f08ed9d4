"""Configurations, questions and one call from start to end, as the tests of providers need them."""

import asyncio
from pathlib import Path
from typing import Any

from reviewers.backends.base import AnswerForm, Message, Reply, Request
from reviewers.backends.capabilities import Abilities
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.factory import provider_module
from reviewers.errors import BackendError
from tests.model_server import ModelServer
from tests.model_server.exchange import Answer

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


def answered(*script: Answer, key: str | None = None, **given: Any) -> Reply | BaseException:
    """What becomes of one question to a server that gives these answers; over the chat API where
    no other is given.
    """
    with ModelServer(script) as server:
        (result,) = ask(config(server.url, **{"api": "chat"} | given), key=key)
    return result


def error_of(*script: Answer, key: str | None = None, **given: Any) -> BackendError:
    """The error in which such a question ends."""
    error = answered(*script, key=key, **given)
    assert isinstance(error, BackendError), error
    return error


def said(message: str, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """The body of an error as OpenAI words it."""
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


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
