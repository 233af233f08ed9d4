"""Checks and HTTP options that every SDK shares."""

import ssl
from collections.abc import AsyncIterator
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from reviewers.backends.configured import ReviewerConfig
from reviewers.errors import KeyRefused, UnusableReply
from reviewers.settings import key_problem

if TYPE_CHECKING:
    import httpx2

_CONNECT = 30.0
_LARGEST_REPLY = 8_000_000
_LARGEST_FILE = 8_000_000_000
_ANSWERS = ("/responses", "/chat/completions")


def check_key(config: ReviewerConfig, key: str | None) -> None:
    """Raise KeyRefused if there is no key though the server wants one, where the operator does
    not allow to send it there, or if it cannot be one.
    """
    variable = config.key_variable
    if variable is not None and key is None:
        raise KeyRefused(
            key_problem(variable, config.base_url)
            or f"there is no key: set the environment variable {variable}, for instance with:"
            f" export {variable}=…"
        )
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise KeyRefused(
            f"{variable or 'the key'} does not contain a key: keys have neither spaces nor"
            " characters beyond ASCII"
        )


def http_options() -> dict[str, Any]:
    """Return how an SDK's HTTP client is to behave: a submission goes to the server that was named,
    and not to where that one points; no reply is read without an end.
    """
    return {
        "verify": _trusted(),
        "follow_redirects": False,
        "event_hooks": {"response": [_bound]},
    }


def patience(config: ReviewerConfig, read: float | None = None) -> "httpx2.Timeout":
    """Return how long a client waits for a connection, and between two pieces of an answer."""
    import httpx2

    return httpx2.Timeout(read, connect=min(config.timeout / 2, _CONNECT))


@cache
def _trusted() -> ssl.SSLContext:
    """Whom to trust, read once in a process: it takes 25 ms."""
    import httpx2

    return httpx2.create_ssl_context()


async def bounded(chunks: AsyncIterator[bytes], most: int = _LARGEST_REPLY) -> AsyncIterator[bytes]:
    """Yield the chunks; raise UnusableReply at the first that is too much."""
    size = 0
    async for chunk in chunks:
        size += len(chunk)
        if size > most:
            raise UnusableReply(f"the reply is larger than {most:,} bytes")
        yield chunk


async def _bound(response: "httpx2.Response") -> None:
    """Stop reading a body that has no end."""
    import httpx2

    stream = response.stream
    is_good, path = response.status_code == 200, response.request.url.path
    most = _LARGEST_FILE if is_good and path.endswith("/content") else _LARGEST_REPLY

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in bounded(cast("AsyncIterator[bytes]", stream), most):
                yield chunk

        async def aclose(self) -> None:
            await cast("httpx2.AsyncByteStream", stream).aclose()

    if not (is_good and path.endswith(_ANSWERS)):
        # The SDK unpacks these by itself, though none was asked for, and what is small may unpack
        # to a giant.
        response.headers.pop("content-encoding", None)
    response.stream = Bounded()
