"""Asks a server that speaks the OpenAI API, through either of its two APIs and with the options
that it supports.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from reviewers.backends.base import Reply, Request
from reviewers.backends.capabilities import Abilities, Ability
from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.connection import bounded, check_key
from reviewers.backends.error_mapping import (
    ServerReply,
    host_of,
    redacted,
    refusal,
    told_by,
    without_key,
)
from reviewers.backends.openai_api.bodies import (
    chat_body,
    reply_of_chat,
    reply_of_response,
    responses_body,
)
from reviewers.backends.openai_api.client import connect, translated
from reviewers.backends.openai_api.fallbacks import concede
from reviewers.backends.openai_api.streams import Broken, CutOff, collect
from reviewers.errors import BackendError, TooLong, Unreachable, UnusableReply

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

_STEPS = 8
_PATIENCE = 1.0
_HARD_CAP = 10
_SURE_TO_BE_LONG = 4_000
_READ_SHARE = 0.4


class OpenAIBackend:
    """One configured server and model; belongs to the event loop that first asks with it.

    Args:
        key: None if the server needs none, or where it is missing.
        abilities: what is known of servers, and what will be.
    """

    def __init__(self, config: ReviewerConfig, key: str | None, abilities: Abilities) -> None:
        self._config = config
        self._key = key
        self._abilities = abilities
        # A forced API has findings of its own.
        self._known_as = config.model if config.api == "auto" else f"{config.model} ({config.api})"
        self._is_trying = False
        self._client: AsyncOpenAI | None = None

    async def complete(self, request: Request) -> Reply:
        """Return the answer.

        Raises:
            BackendError: there is none.
        """
        check_key(self._config, self._key)
        if self._is_trying or self._known():
            return await self._negotiate(request)
        async with self._abilities.turn(self._config.base_url, self._known_as):
            task = asyncio.ensure_future(self._negotiate(request))
            if not (self._is_trying or self._known()):
                await self._wait_a_little(task)
        return await task

    async def close(self) -> None:
        """Let go of the connections."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _wait_a_little(self, task: asyncio.Task[Reply]) -> None:
        """Refusals come quickly: what is under way after this time is an answer, and others need
        not wait for it.
        """
        try:
            await asyncio.wait({task}, timeout=_PATIENCE)
        except asyncio.CancelledError:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, BackendError):
                await task
            raise
        self._is_trying |= not task.done()

    def _known(self) -> Ability | None:
        return self._abilities.find(self._config.base_url, self._known_as)

    async def _negotiate(self, request: Request) -> Reply:
        """Ask, and do without what is refused until nothing is; what was accepted is remembered."""
        forced = self._config.api
        known = self._known()
        ability = known or (Ability("chat") if forced == "chat" else Ability())
        tried = {ability}
        while True:
            body = (
                responses_body(request, ability)
                if ability.api == "responses"
                else chat_body(request, ability)
            )
            if self._config.stream and "stream" not in ability.without:
                body["stream"] = True
                if ability.api == "chat" and "stream_options" not in ability.without:
                    body["stream_options"] = {"include_usage": True}
            try:
                reply = await self._attempt(ability.api, body)
            except _Refused as refused:
                ability = concede(ability, refused.told, body, any_api=forced == "auto") or ability
                if ability in tried or len(tried) >= _STEPS:
                    raise refusal(refused.told, self._config.base_url, self._key) from None
                tried.add(ability)
                continue
            except UnusableReply:
                self._learn(ability, known)
                raise
            self._learn(ability, known)
            self._check_read(request, reply)
            return reply

    def _learn(self, ability: Ability, known: Ability | None) -> None:
        if ability != known:
            self._abilities.learn(self._config.base_url, self._known_as, ability)

    def _check_read(self, request: Request, reply: Reply) -> None:
        """Some local servers cut a long question silently, and their model then reviews a part of
        it.
        """
        read = reply.input_tokens
        if (
            read
            and request.input_tokens >= _SURE_TO_BE_LONG
            and read < _READ_SHARE * request.input_tokens
        ):
            raise UnusableReply(
                f"{host_of(self._config.base_url)} read {read:,} of about {request.input_tokens:,}"
                " tokens and dropped the rest: give its model a larger context, or set the"
                " reviewer's window",
                reply.text,
                input_tokens=read,
                cached_tokens=reply.cached_tokens,
                output_tokens=reply.output_tokens,
            )

    async def _attempt(self, api: str, body: dict[str, Any]) -> Reply:
        """Ask once, within the time that the reviewer has."""
        import httpx2
        import openai

        try:
            if self._client is None:
                self._client = connect(self._config, self._key)
            async with asyncio.timeout(self._config.timeout) as deadline:
                return await self._ask(self._client, api, body, deadline)
        except openai.APIStatusError as error:
            raise _Refused(told_by(error.response)) from None
        except TimeoutError:
            told = (
                f"{host_of(self._config.base_url)} did not answer within {self._config.timeout:g}"
                " seconds"
            )
            raise Unreachable(told, billed=True) from None
        except (
            openai.OpenAIError,
            httpx2.HTTPError,
            httpx2.InvalidURL,
            httpx2.StreamError,
            OSError,
        ) as error:
            raise translated(error, self._config.base_url, self._key) from None

    async def _ask(
        self, client: "AsyncOpenAI", api: str, body: dict[str, Any], deadline: asyncio.Timeout
    ) -> Reply:
        import httpx2
        from openai import AsyncStream

        path = "/responses" if api == "responses" else "/chat/completions"
        sent = client.post(
            path, cast_to=httpx2.Response, body=body, stream=True, stream_cls=AsyncStream[object]
        )
        response = cast("httpx2.Response", await sent)
        try:
            kind = response.headers.get("content-type", "")
            if "event-stream" in kind or (body.get("stream") and not kind):
                return await self._collect(response, api, deadline)
            data = b"".join([chunk async for chunk in bounded(response.aiter_bytes())])
        finally:
            await response.aclose()
        return self._read(data.decode("utf-8-sig", errors="replace"), api)

    async def _collect(
        self, response: "httpx2.Response", api: str, deadline: asyncio.Timeout
    ) -> Reply:
        """Read an answer as it is written; each piece is a sign of life that gives the server more
        time, up to a point.
        """
        now = asyncio.get_running_loop().time
        last = now() + _HARD_CAP * self._config.timeout
        seen: list[bytes] = []

        async def pieces() -> AsyncIterator[bytes]:
            async for chunk in bounded(response.aiter_bytes()):
                deadline.reschedule(min(now() + self._config.timeout, last))
                seen.append(chunk)
                yield chunk

        host = host_of(self._config.base_url)
        try:
            whole = await collect(pieces(), api)
        except CutOff:
            raise Unreachable(
                f"{host} ended the stream before the answer", self._raw(seen), billed=True
            ) from None
        except Broken as broken:
            raise self._broken(json.dumps(broken.event), self._raw(seen)) from None
        except (ValueError, RecursionError):
            raise UnusableReply(
                f"the stream of {host} is broken: a piece is not JSON", self._raw(seen)
            ) from None
        failed = whole.get("status") == "failed" and json.dumps({"error": whole.get("error")})
        if failed and any(
            word in failed for word in ("server_error", "rate_limit", "context_length")
        ):
            raise self._broken(failed, self._raw(seen))
        return self._reply(whole, api, None)

    def _broken(self, error: str, raw: str) -> BackendError:
        told = ServerReply(200, {}, error)
        words = redacted(told.message, self._key)[:300]
        if told.too_long:
            return TooLong(f"the question is too long for the model: {words}", raw)
        return Unreachable(
            f"{host_of(self._config.base_url)} broke the answer off: {words}", raw, billed=True
        )

    def _read(self, text: str, api: str) -> Reply:
        is_page = text.lstrip()[:1] == "<"
        # LM Studio says with status 200 that it has no such path; other servers show their front
        # page for it.
        if (
            is_page and api == "responses" and self._config.api == "auto"
        ) or "unexpected endpoint" in text[:200].lower():
            raise _Refused(ServerReply(404, {}, text))
        host = host_of(self._config.base_url)
        if is_page or not text.strip():
            what = "a web page" if is_page else "nothing"
            hint = (
                f"{host} sent {what} instead of an answer; is the base_url right? Most end in /v1"
            )
            raise UnusableReply(hint, redacted(text, self._key))
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            raise UnusableReply(f"{host} did not send JSON", redacted(text, self._key)) from None
        return self._reply(body, api, text)

    def _reply(self, body: object, api: str, text: str | None) -> Reply:
        try:
            reply = reply_of_response(body) if api == "responses" else reply_of_chat(body)
        except UnusableReply as error:
            counts = {
                name: getattr(error, name)
                for name in ("input_tokens", "cached_tokens", "output_tokens")
            }
            raw = text if text is not None else error.raw
            raise UnusableReply(
                redacted(str(error), self._key), raw and redacted(raw, self._key), **counts
            ) from None
        # A server may repeat what it was sent, headers included.
        named = reply.model and without_key(reply.model, self._key)
        return replace(reply, text=without_key(reply.text, self._key), model=named)

    def _raw(self, seen: list[bytes]) -> str:
        return redacted(b"".join(seen).decode("utf-8", errors="replace"), self._key)


class _Refused(Exception):
    """A status that is no 200; it may be a matter of options."""

    def __init__(self, told: ServerReply) -> None:
        super().__init__(told.status)
        self.told = told
