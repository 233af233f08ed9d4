"""A client of the SDK for one configured server, and what must hold before and while one asks with
it.
"""

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, cast

from reviewers.backends.configured import OPENAI, ReviewerConfig
from reviewers.backends.translation import host_of, translated
from reviewers.errors import KeyRefused, Unreachable, UnusableReply
from reviewers.settings import key_problem

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

_CONNECT = 30.0
_LARGEST_REPLY = 8_000_000
_LARGEST_FILE = 8_000_000_000
_ANSWERS = ("/responses", "/chat/completions")


def load_sdk() -> None:
    """Import the SDK, which takes about a second, before somebody waits for it."""
    import openai  # noqa: F401


def check_key(config: ReviewerConfig, key: str | None) -> None:
    """Raise KeyRefused where there is no key though the server wants one, where the operator does
    not allow to send it there, or where it cannot be one.
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
            f"what {variable or 'the key'} holds is no key: it has spaces or characters that no"
            " key has"
        )


def connect(
    config: ReviewerConfig, key: str | None, *, read_timeout: float | None = None
) -> "AsyncOpenAI":
    """Return a client that tries nothing twice, follows no redirect, and reads no reply without an
    end.
    """
    # Only commands that ask a model pay for this import, which takes about a second.
    import httpx2
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Omit

    # The SDK reads an organisation and a project from the environment: they are nobody else's
    # business.
    own = (
        {}
        if config.base_url.rstrip("/") == OPENAI
        else {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
    )
    return AsyncOpenAI(
        api_key=key or "none",
        base_url=config.base_url,
        max_retries=0,
        timeout=httpx2.Timeout(read_timeout, connect=min(config.timeout / 2, _CONNECT)),
        default_headers=cast("dict[str, str]", {"Accept-Encoding": "identity", **own}),
        # A submission goes to the server that was named, and not to where that one points.
        http_client=DefaultAsyncHttpxClient(
            verify=_trusted(), follow_redirects=False, event_hooks={"response": [_bound]}
        ),
    )


@contextmanager
def translating(config: ReviewerConfig, key: str | None) -> Iterator[None]:
    """Let errors of the SDK and of its HTTP library out as ours."""
    import httpx2
    import openai

    try:
        yield
    except TimeoutError:
        raise Unreachable(
            f"{host_of(config.base_url)} did not answer in time", billed=True
        ) from None
    except (
        openai.OpenAIError,
        httpx2.HTTPError,
        httpx2.InvalidURL,
        httpx2.StreamError,
        OSError,
    ) as error:
        raise translated(error, config.base_url, key) from None


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
