"""A client of OpenAI's SDK for one configured server; it raises our errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from reviewers.backends.configured import ReviewerConfig
from reviewers.backends.connection import http_options, patience
from reviewers.backends.error_mapping import (
    SHOWN,
    host_of,
    redacted,
    refusal,
    told_by,
    unreachable,
)
from reviewers.errors import BackendError, RequestRefused, Unreachable, UnusableReply
from reviewers.providers import OPENAI

if TYPE_CHECKING:
    from openai import AsyncOpenAI

TRANSLATED = frozenset(
    {
        "APIConnectionError", "APIError", "APIRemovedInV1", "APIResponseValidationError",
        "APIStatusError", "APITimeoutError", "AuthenticationError", "BadRequestError",
        "ConflictError", "ContentFilterFinishReasonError", "InternalServerError",
        "LengthFinishReasonError", "MutuallyExclusiveAuthError", "NotFoundError", "OAuthError",
        "PermissionDeniedError", "RateLimitError", "StreamAlreadyConsumed",
        "SubjectTokenProviderError", "UnprocessableEntityError", "WebSocketConnectionClosedError",
        "WebSocketQueueFullError", "_AmbiguousModuleClientUsageError",
    }
)  # fmt: skip
"""Names of the SDK's errors for which `translated` was written; a test compares them with the
installed SDK.
"""


def load_sdk() -> None:
    """Import the SDK, which takes about a second, before somebody waits for it."""
    import openai  # noqa: F401


def connect(
    config: ReviewerConfig, key: str | None, *, read_timeout: float | None = None
) -> "AsyncOpenAI":
    """Return a client that tries nothing twice, follows no redirect, and reads no reply without an
    end.
    """
    # Only commands that ask a model pay for this import, which takes about a second.
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Omit

    # The SDK reads an organisation and a project from the environment: they are nobody else's
    # business.
    own = (
        {}
        if config.base_url.rstrip("/") == OPENAI.url
        else {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
    )
    return AsyncOpenAI(
        api_key=key or "none",
        base_url=config.base_url,
        max_retries=0,
        timeout=patience(config, read_timeout),
        default_headers=cast("dict[str, str]", {"Accept-Encoding": "identity", **own}),
        http_client=DefaultAsyncHttpxClient(**http_options()),
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


def translated(error: Exception, server: str, key: str | None) -> BackendError:
    """Return our error for one of the SDK's or of its HTTP library's."""
    import httpx2
    import openai

    host = host_of(server)
    match error:
        case openai.APIResponseValidationError():
            return UnusableReply(
                f"{host} sent something that is not an answer", redacted(error.response.text, key)
            )
        case openai.APIStatusError():
            return refusal(told_by(error.response), server, key)
        case openai.APIConnectionError() | httpx2.RequestError() | OSError():
            return unreachable(error, host, key)
        case openai.LengthFinishReasonError():
            return UnusableReply(
                "the answer was cut off: give the reviewer a larger max_output_tokens"
            )
        case openai.ContentFilterFinishReasonError():
            return UnusableReply("the server's content filter stopped the answer")
        case openai.APIError():
            return UnusableReply(
                f"{host} reports an error: {redacted(error.message, key)[:SHOWN]}",
                redacted(str(error.body), key),
            )
        case httpx2.InvalidURL():
            return RequestRefused(f"the address {server!r} is invalid: {error}")
    return RequestRefused(
        f"the request could not be made ({type(error).__name__}:"
        f" {redacted(str(error), key)[:SHOWN]})"
    )
