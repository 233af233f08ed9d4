"""What every provider's reply contains: text and token counts, or why there is no text."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from reviewers.backends.base import Reply
from reviewers.backends.error_mapping import storable
from reviewers.errors import UnusableReply

_MOST_TOKENS = 2**31 - 1
_SHOWN = 300


def made_reply(
    text: str,
    model: object,
    body: object,
    usage: Mapping[str, int | None],
    called: bool,
    thought: bool,
) -> Reply:
    """Return the reply that a text makes; an empty one is not a reply.

    Args:
        called: whether the model called a tool.
        thought: whether it wrote thoughts.

    Raises:
        UnusableReply: there is no text.
    """
    if not text.strip():
        if called:
            fail("the model called a tool instead of answering", body, usage)
        fail(
            "the model thought, but wrote no answer" if thought else "the answer is empty",
            body,
            usage,
        )
    named = storable(model)[:200] if isinstance(model, str) and model.strip() else None
    read, cached, said = usage["input_tokens"], usage["cached_tokens"], usage["output_tokens"]
    return Reply(
        text=storable(text),
        model=named,
        input_tokens=read,
        cached_tokens=cached,
        output_tokens=said,
    )


def token_count(value: object) -> int | None:
    """Return a number of tokens; None for what is not a sensible number."""
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
        else None
    )


def as_dict(value: object) -> dict[str, Any]:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def told_by_error(error: object) -> str:
    """What an error object says, in whatever form it comes."""
    message = error.get("message") or error.get("code") if isinstance(error, dict) else error
    return shown(message if isinstance(message, str) else as_json(error) or "")


def shown(text: str) -> str:
    """Return words of a server on one line, not too many of them."""
    words = " ".join(storable(text).split())
    return words if len(words) <= _SHOWN else words[:_SHOWN] + "…"


def fail(problem: str, body: object, usage: Mapping[str, int | None]) -> NoReturn:
    """Raise UnusableReply with what came."""
    raise UnusableReply(problem, as_json(body), **usage)


def as_json(value: object) -> str | None:
    """Return a value as JSON that can be stored; None if it is too deep."""
    try:
        return storable(json.dumps(value, ensure_ascii=False))
    except RecursionError:
        return None
