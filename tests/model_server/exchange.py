"""One request that came in, and the ways in which a test may have it answered."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal[
    "timeout",  # never answers
    "dribble",  # the head comes byte by byte, without an end
    "reset",  # the connection is cut before anything came
    "cut",  # the connection is cut in the middle of the body, or of the stream
    "unfinished",  # a stream ends in good order, but before the answer does
    "endless",  # a body that never ends
    "html",  # a web page with status 200
    "empty",  # status 200 and nothing
    "null",
    "no-choices",  # a JSON object without the answer
    "error-200",  # an error object with status 200
    "refusal",
    "length",  # cut off at the token limit
    "filter",
    "tool-call",
    "reasoning",  # thoughts, but no text
    "quota",
    "401",
    "429",
    "500",
    "503",
]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Fault:
    """Trouble of one kind; `after` seconds go into Retry-After where the status has one."""

    kind: Kind
    after: float | str | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """Exactly this; a body that is neither bytes nor text is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"

    @property
    def data(self) -> bytes:
        """The body as it goes over the wire."""
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode(
            "utf-8", "surrogatepass"
        )


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came.

    Attributes:
        number: 1 for the first.
        headers: with names in lower case.
        body: what its JSON says; `{}` where there is none.
        digest: SHA-256 of path and body: the same question has the same.
    """

    number: int
    method: str
    path: str
    headers: Mapping[str, str]
    data: bytes

    @property
    def body(self) -> dict[str, Any]:
        try:
            value = json.loads(self.data)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.path.encode() + b"\0" + self.data).hexdigest()

    @property
    def is_question(self) -> bool:
        """Whether it asks a model something."""
        return self.path in ("/v1/responses", "/v1/chat/completions")

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The turns of the conversation, whichever API it came by."""
        body = self.body
        turns = body.get("messages", body.get("input", []))
        turns = [{"role": "user", "content": turns}] if isinstance(turns, str) else list(turns)
        return (
            [{"role": "system", "content": body["instructions"]}, *turns]
            if body.get("instructions")
            else turns
        )

    @property
    def text(self) -> str:
        """The words of all turns."""
        return "\n".join(str(turn.get("content", "")) for turn in self.messages)


Answer = str | Fault | Raw
Script = Sequence[Answer] | Callable[[Received], Answer]
