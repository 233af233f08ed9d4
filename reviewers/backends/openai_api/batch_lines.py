"""The lines of a batch's files: requests as the provider takes them, and results as it returns
them.
"""

import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

from reviewers.backends.base import Reply, Request
from reviewers.backends.capabilities import Ability
from reviewers.backends.error_mapping import ServerReply, redacted, refusal, without_key
from reviewers.backends.openai_api.bodies import (
    chat_body,
    reply_of_chat,
    reply_of_response,
    responses_body,
)
from reviewers.errors import BackendError, Unreachable, UnusableReply

Endpoint = Literal["/v1/responses", "/v1/chat/completions"]
_LONGEST = 8_000_000
_SHOWN = 300
_REQUEST_ID = re.compile("[0-9a-f]{64}")


def endpoint(ability: Ability) -> Endpoint:
    """Return the name by which a batch calls an API."""
    return "/v1/responses" if ability.api == "responses" else "/v1/chat/completions"


def question(request: Request, ability: Ability) -> bytes:
    """Return the line that asks a request."""
    body = (
        responses_body(request, ability)
        if ability.api == "responses"
        else chat_body(request, ability)
    )
    asked = {"custom_id": request.id, "method": "POST", "url": endpoint(ability), "body": body}
    return json.dumps(asked, ensure_ascii=False).encode() + b"\n"


def files(lines: Iterable[bytes], most_lines: int, most_bytes: int) -> Iterator[bytes]:
    """Join lines to files, each as large as it may be."""
    held: list[bytes] = []
    size = 0
    for line in lines:
        if held and (len(held) == most_lines or size + len(line) > most_bytes):
            yield b"".join(held)
            held, size = [], 0
        held.append(line)
        size += len(line)
    if held:
        yield b"".join(held)


async def lines_of(chunks: AsyncIterable[bytes]) -> AsyncIterator[bytes]:
    """Split at line feeds only, since JSON may hold every other separator; lines without an end are
    passed over.
    """
    begun: list[bytes] = []
    size = 0
    async for chunk in chunks:
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            if size + len(piece) <= _LONGEST:
                yield b"".join([*begun, piece])
            begun, size = [], 0
        size += len(rest)
        begun = begun if size <= _LONGEST else []
        begun.append(rest)
    if size <= _LONGEST:
        yield b"".join(begun)


def outcome(line: bytes, server: str, key: str | None) -> tuple[str, Reply | BackendError] | None:
    """Return a request's id and what happened to it; None for a line that is damaged, or answers
    nothing that was asked.

    Args:
        server, key: for what errors say, and to be kept out of it.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    name = value.get("custom_id") if isinstance(value, dict) else None
    if not isinstance(name, str) or not _REQUEST_ID.fullmatch(name):
        return None
    response, error = value.get("response"), value.get("error")
    if isinstance(response, dict) and isinstance(response.get("status_code"), int):
        return name, _answer(response["status_code"], response.get("body"), server, key)
    if isinstance(error, dict):
        words = redacted(str(error.get("message") or error.get("code")), key)[:_SHOWN]
        return name, Unreachable(f"the batch ended without an answer: {words}")
    return None


def _answer(status: int, body: Any, server: str, key: str | None) -> Reply | BackendError:
    if status != 200:
        return refusal(
            ServerReply(status, {}, body if isinstance(body, str) else json.dumps(body)),
            server,
            key,
        )
    try:
        reply = (
            reply_of_chat(body)
            if isinstance(body, dict) and "choices" in body
            else reply_of_response(body)
        )
    except UnusableReply as error:
        counts = {
            name: getattr(error, name)
            for name in ("input_tokens", "cached_tokens", "output_tokens")
        }
        return UnusableReply(
            redacted(str(error), key), error.raw and redacted(error.raw, key), **counts
        )
    return replace(
        reply,
        text=without_key(reply.text, key),
        model=reply.model and without_key(reply.model, key),
    )
