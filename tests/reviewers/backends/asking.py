"""Requests for the tests of the backends, with defaults for all that a test does not care about."""

import asyncio
from collections.abc import Iterable
from typing import Any

from reviewers.backends.base import Backend, Message, Reply, Request
from reviewers.errors import BackendError


def make_request(text: str = "Can it run?", **values: Any) -> Request:
    """A request whose only message is `text`."""
    defaults: dict[str, Any] = {
        "server": "http://localhost/v1",
        "model": "o9",
        "max_output_tokens": 100,
        "input_tokens": 10,
    }
    return Request(messages=(Message("user", text),), **defaults | values)


def ask(backend: Backend, request: Request | None = None) -> Reply:
    """One answer, in an event loop of its own."""
    return asyncio.run(backend.complete(request or make_request()))


async def ask_at_once(backend: Backend, requests: Iterable[Request]) -> list[Reply | BackendError]:
    """All answers and errors, in the order of the requests."""
    outcomes = await asyncio.gather(*map(backend.complete, requests), return_exceptions=True)
    assert all(isinstance(outcome, Reply | BackendError) for outcome in outcomes), outcomes
    return outcomes  # type: ignore[return-value]
