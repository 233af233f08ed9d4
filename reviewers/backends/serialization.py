"""Answers and errors as JSON values, for the cache and for recordings."""

from dataclasses import asdict, fields
from typing import Any, get_type_hints

from reviewers.backends.base import Reply
from reviewers.errors import (
    BackendError,
    BudgetSpent,
    KeyRefused,
    RequestRefused,
    TooLong,
    Unreachable,
    UnusableReply,
)

_REPLY = get_type_hints(Reply)
_KINDS: dict[str, type[BackendError]] = {
    kind.__name__: kind
    for kind in (Unreachable, KeyRefused, RequestRefused, TooLong, UnusableReply, BudgetSpent)
}
_ERROR = {
    "raw": str | None,
    "after": float | int | None,
    "billed": bool,
    "input_tokens": int | None,
    "cached_tokens": int | None,
    "output_tokens": int | None,
}


def reply_value(reply: Reply) -> dict[str, Any]:
    """Return an answer as a JSON value."""
    return asdict(reply)


def read_reply(value: object) -> Reply:
    """Return the answer of such a value.

    Raises:
        ValueError: it is none.
    """
    if (
        not isinstance(value, dict)
        or set(value) != {field.name for field in fields(Reply)}
        or not value["text"]
    ):
        raise ValueError("no answer")
    if not all(isinstance(value[name], kind) for name, kind in _REPLY.items()):
        raise ValueError("no answer")
    return Reply(**value)


def error_value(error: BackendError) -> dict[str, Any]:
    """Return an error as a JSON value."""
    return {"kind": type(error).__name__, "problem": str(error)} | {
        name: held for name, held in vars(error).items() if name in _ERROR
    }


def read_error(value: object) -> BackendError:
    """Return the error of such a value, of the same kind.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, dict) or not isinstance(value.get("problem"), str):
        raise ValueError("no error")
    kind = _KINDS.get(str(value.get("kind")))
    held = {name: value[name] for name in value if name not in ("kind", "problem")}
    if kind is None or not all(
        name in _ERROR and isinstance(held[name], _ERROR[name]) for name in held
    ):
        raise ValueError("no error")
    try:
        return kind(value["problem"], **held)
    except TypeError:
        raise ValueError("no error") from None
