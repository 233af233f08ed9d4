"""Requests, replies and the one-method seam between areachair and every model server. Retry, cache,
budget and limits are backends that wrap a backend.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol

LONGEST_ASKED_FOR = 600.0
"""Seconds that a server may ask to wait; who asks for more has failed."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation; `system` comes first and is the same for every submission."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The form that an answer is asked to have: a name of ASCII letters, and a JSON schema that
    strict modes accept.
    """

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Request:
    """Everything that decides what a model answers, and nothing else but the estimate of its size.

    Attributes:
        server: base URL, since two servers may call different models by one name.
        form: None if free text is wanted.
        effort: of reasoning models (`low`, `medium`, `high`, …); None leaves it to the server.
        input_tokens: estimated size of all messages; not part of the identity.
    """

    server: str
    model: str
    messages: tuple[Message, ...]
    form: AnswerForm | None = None
    max_output_tokens: int
    temperature: float | None = None
    seed: int | None = None
    effort: str | None = None
    input_tokens: int = field(default=0, compare=False)

    @cached_property
    def id(self) -> str:
        """SHA-256 of all of it, the estimate aside: requests with the same id ask the same."""
        values = asdict(self)
        del values["input_tokens"]
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model said.

    Attributes:
        text: its words; never empty.
        model: as the server calls the model that answered; None if it does not say.
        input_tokens, cached_tokens, output_tokens: as the server counted them (cached ones are
        among the input, those of
            reasoning among the output); None if it did not.
        from_cache: whether the answer was kept from an earlier time, and cost nothing now.
    """

    text: str
    model: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    from_cache: bool = False


class Backend(Protocol):
    """Whatever answers requests."""

    async def complete(self, request: Request) -> Reply:
        """Return the answer.

        Raises:
            BackendError: there is none; nothing else is ever raised, but for the cancellation of
                the task.
        """
        ...
