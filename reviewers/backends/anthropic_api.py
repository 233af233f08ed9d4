"""Asks servers that speak Anthropic's Messages API, through Anthropic's SDK
(`areachair[anthropic]`).
"""

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from reviewers.backends.base import Message, Reply, Request
from reviewers.backends.capabilities import Abilities
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.connection import check_key, http_options, patience
from reviewers.backends.error_mapping import (
    host_of,
    redacted,
    refusal,
    told_by,
    unreachable,
    without_key,
)
from reviewers.backends.replies import as_dict, fail, made_reply, shown, token_count
from reviewers.errors import RequestRefused, Unreachable, UnusableReply
from reviewers.origins import origin
from reviewers.providers import ANTHROPIC
from reviewers.settings import anthropic_headers

if TYPE_CHECKING:
    import httpx2
    from anthropic import AsyncAnthropic

_OPTIONS = ("output_config", "temperature", "cache_control")
"""What a server may not know, in the order in which it is left out."""
_CUT_OFF = frozenset({"max_tokens", "model_context_window_exceeded"})
_BUSY = 529


def load_sdk() -> None:
    """Import the SDK, which takes about a second.

    Raises:
        RequestRefused: it is not installed.
    """
    try:
        import anthropic  # noqa: F401
    except ImportError:
        raise RequestRefused(
            "Anthropic models need its SDK: pip install 'areachair[anthropic]'"
        ) from None


def open_server(config: ReviewerConfig, key: str | None, abilities: Abilities) -> "AnthropicServer":
    """Return what asks a reviewer's server; nothing of it needs to be found out beforehand."""
    return AnthropicServer(config, key)


class AnthropicServer:
    """One configured server and model; belongs to the event loop that first asks with it.

    Args:
        key: None if the server needs none, or where it is missing.
    """

    def __init__(self, config: ReviewerConfig, key: str | None) -> None:
        self._config = config
        self._key = key
        self._without: frozenset[str] = frozenset()
        self._client: AsyncAnthropic | None = None

    async def complete(self, request: Request) -> Reply:
        """Return the answer; options that the server does not know are left out.

        Raises:
            BackendError: there is none.
        """
        load_sdk()
        check_key(self._config, self._key)
        without = self._without
        while True:
            body = messages_body(request, without)
            try:
                reply = await self._attempt(body)
            except _Refused as refused:
                told = told_by(refused.response)
                odd = [
                    name
                    for name in _OPTIONS
                    if name in json.dumps(body) and name not in without and told.status == 400
                ]
                named = [name for name in odd if name in told.text]
                if not named and not (odd and "schema" in told.text):
                    raise refusal(told, self._config.base_url, self._key) from None
                without |= {*(named or odd)[:1]}
                continue
            self._without = without
            return reply

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _attempt(self, body: Mapping[str, Any]) -> Reply:
        import anthropic
        import httpx2

        host = host_of(self._config.base_url)
        try:
            if self._client is None:
                self._client = _connect(self._config, self._key)
            async with asyncio.timeout(self._config.timeout):
                path = "/v1/messages"
                response = await self._client.post(path, cast_to=httpx2.Response, body=body)
                text = (await response.aread()).decode("utf-8-sig", errors="replace")
        except anthropic.APIStatusError as error:
            if error.response.status_code == _BUSY:
                raise Unreachable(f"{host} is overloaded ({_BUSY})") from None
            raise _Refused(error.response) from None
        except TimeoutError:
            told = f"{host} did not answer within {self._config.timeout:g} seconds"
            raise Unreachable(told, billed=True) from None
        except (anthropic.APIConnectionError, httpx2.RequestError, OSError) as error:
            if isinstance(error.__cause__, UnusableReply):  # a reply without an end
                raise error.__cause__ from None
            raise unreachable(error, host, self._key) from None
        except (anthropic.AnthropicError, httpx2.InvalidURL, httpx2.StreamError) as error:
            told = redacted(shown(str(error)), self._key)
            raise RequestRefused(f"the request to {host} could not be made: {told}") from None
        return self._read(text)

    def _read(self, text: str) -> Reply:
        host = host_of(self._config.base_url)
        try:
            reply = reply_of_message(json.loads(text))
        except (ValueError, RecursionError):
            hint = f"{host} did not send JSON; is the base_url right?"
            raise UnusableReply(hint, redacted(text, self._key)) from None
        except UnusableReply as error:
            raise UnusableReply(
                redacted(str(error), self._key),
                redacted(text, self._key),
                input_tokens=error.input_tokens,
                cached_tokens=error.cached_tokens,
                output_tokens=error.output_tokens,
            ) from None
        # A server may repeat what it was sent, headers included.
        named = reply.model and without_key(reply.model, self._key)
        return replace(reply, text=without_key(reply.text, self._key), model=named)


def messages_body(request: Request, without: Iterable[str] = ()) -> dict[str, Any]:
    """Return the body of a call to /v1/messages; it has no seed. What comes first, and is the same
    for every submission, may be kept by the server for the next question.

    Args:
        without: what is left out, of `_OPTIONS`.
    """
    without = frozenset(without)
    first: dict[str, Any] = {"type": "text", "text": _joined(request.messages, "system")}
    if "cache_control" not in without:
        first["cache_control"] = {"type": "ephemeral"}
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_output_tokens,
        "messages": [
            {"role": each.role, "content": each.text}
            for each in request.messages
            if each.role != "system"
        ],
    }
    if first["text"]:
        body["system"] = [first]
    if request.temperature is not None and "temperature" not in without:
        body["temperature"] = request.temperature
    if "output_config" not in without:
        config: dict[str, Any] = {}
        if request.effort is not None:
            config["effort"] = request.effort
        if request.form is not None:
            config["format"] = {"type": "json_schema", "schema": request.form.schema}
        if config:
            body["output_config"] = config
    return body


def reply_of_message(body: object) -> Reply:
    """Return the reply that a message holds.

    Raises:
        UnusableReply: it holds none.
    """
    message = as_dict(body)
    usage = _usage(message.get("usage"))
    if message.get("type") == "error" or not isinstance(message.get("content"), list):
        told = shown(str(as_dict(message.get("error")).get("message") or ""))
        fail(f"the server reports an error: {told}" if told else "it is not a message", body, usage)
    blocks = [as_dict(each) for each in message["content"]]
    kinds = {each.get("type") for each in blocks}
    text = "".join(
        words
        for each in blocks
        if each.get("type") == "text" and isinstance(words := each.get("text"), str)
    )
    stopped = message.get("stop_reason")
    if stopped in _CUT_OFF:
        fail("the answer was cut off: give the reviewer a larger max_output_tokens", body, usage)
    if stopped == "refusal":
        fail("the model refused to answer", body, usage)
    called, thought = "tool_use" in kinds, bool(kinds & {"thinking", "redacted_thinking"})
    return made_reply(text, message.get("model"), body, usage, called=called, thought=thought)


def _usage(told: object) -> dict[str, int | None]:
    """Tokens as the server counted them; those that were kept, or are kept now, it counts apart."""
    usage = as_dict(told)
    read = token_count(usage.get("input_tokens"))
    cached = token_count(usage.get("cache_read_input_tokens"))
    kept = token_count(usage.get("cache_creation_input_tokens"))
    return {
        "input_tokens": None if read is None else read + (cached or 0) + (kept or 0),
        "cached_tokens": cached,
        "output_tokens": token_count(usage.get("output_tokens")),
    }


def _joined(messages: Iterable[Message], role: str) -> str:
    return "\n\n".join(each.text for each in messages if each.role == role)


def _connect(config: ReviewerConfig, key: str | None) -> "AsyncAnthropic":
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

    options = http_options()
    if origin(config.base_url) != origin(ANTHROPIC.url):
        options["event_hooks"] = {**options["event_hooks"], "request": [_without_own_headers]}
    # With a key given, the SDK looks for none in the environment, nor in files of the user's.
    return AsyncAnthropic(
        api_key=key or "none",
        base_url=config.base_url.rstrip("/").removesuffix("/v1"),
        max_retries=0,
        timeout=patience(config),
        default_headers={"Accept-Encoding": "identity"},
        http_client=DefaultAsyncHttpxClient(**options),
    )


async def _without_own_headers(request: "httpx2.Request") -> None:
    """What the environment has for the provider is nobody else's business."""
    for name in anthropic_headers():
        request.headers.pop(name, None)


class _Refused(Exception):
    """A status that is no 200; it may be a matter of options."""

    def __init__(self, response: "httpx2.Response") -> None:
        super().__init__(response.status_code)
        self.response = response
