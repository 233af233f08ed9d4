"""Maps every failure between us and a server to one of our errors; no other module interprets
servers' messages.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from reviewers.errors import (
    BackendError,
    KeyRefused,
    RequestRefused,
    TooLong,
    Unreachable,
    UnusableReply,
)

_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
SHOWN = 400
_READ = 4_000
_SHORT = 8
"""Keys of fewer characters are words such as `test`, and hidden only where they stand by
themselves.
"""
_HIDDEN = re.compile(r"\bsk-[A-Za-z0-9_*.-]{6,}|(?<=Bearer )\S+")
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|context_exceeded|max_model_len|max_prompt_tokens"
    r"|maximum (?:input|prompt|sequence|model) length"
    r"|(?:prompt|input|request|message)s? (?:is|are|was) too (?:long|large)|request too large|too"
    r" many (?:input |prompt )?tokens"
    r"|string_above_max_length|token count.{0,40}exceeds|input tokens.{0,60}exceed|prompt too"
    r" long|n_keep|reduce the length of"
    r"|tokens? \+ `?max_(?:new_)?tokens"
)
_QUOTA = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_not_active",
        "insufficient_balance",
    }
)
_NO_MODEL = re.compile(
    r"model_not_found|deploymentnotfound|(?:no such|unknown|invalid) model\b"
    r"|\b(?:model|deployment)\b.{0,120}?(?:not found|not exist|not available|isn't available|no"
    r" access|not have access)"
)
_MAY_BE_BILLED = frozenset({504, 524})


@dataclass(frozen=True)
class ServerReply:
    """What a server says that gives no answer.

    Attributes:
        status: of HTTP.
        headers: with names in lower case.
        text: the whole body.
    """

    status: int
    headers: Mapping[str, str]
    text: str

    @cached_property
    def error(self) -> dict[str, Any]:
        """The error object; one made of what there is where a server has another form; empty where
        there is none.
        """
        try:
            value = json.loads(self.text)
        except (ValueError, RecursionError):
            return {} if self.is_page else {"message": self.text}
        value = value[0] if isinstance(value, list) and value else value
        inner = value.get("error", value) if isinstance(value, dict) else value
        if isinstance(inner, dict):
            said = next(
                (inner[key] for key in ("message", "detail", "error", "msg") if inner.get(key)),
                None,
            )
            return inner | {"message": _sentence(said)}
        return {"message": inner if isinstance(inner, str) else ""}

    @property
    def is_page(self) -> bool:
        """Whether it is a page for people."""
        return self.text.lstrip()[:1] == "<"

    @cached_property
    def message(self) -> str:
        """The server's own words; empty if it has none."""
        return str(self.error.get("message", ""))[:_READ].strip()

    @property
    def param(self) -> str:
        """The option that it names as the cause; empty if it names none."""
        return str(self.error.get("param") or "")

    @cached_property
    def words(self) -> str:
        """Message, code, type and named option, in lower case: what to look for words in."""
        return (
            " ".join(str(self.error.get(key) or "") for key in ("code", "type", "param")).lower()
            + " "
            + self.message.lower()
        )

    @cached_property
    def too_long(self) -> bool:
        """Whether it says that the question does not fit into the model."""
        if self.status == 429:
            # More than the account may ask in a minute, which waiting does not change.
            return "request too large" in self.words
        if self.status > 500 or 300 <= self.status < 400:
            return False
        return (
            self.status == 413
            or bool(_TOO_LONG.search(self.words))
            or "exceed_context" in self.words
        )

    @cached_property
    def names_no_model(self) -> bool:
        """Whether it says that it has no such model."""
        return bool(_NO_MODEL.search(self.words))

    @property
    def is_about_the_answer(self) -> bool:
        """Whether the model did answer, and the server found the answer to be of another form."""
        return "json_validate_failed" in self.words or "failed_generation" in self.words

    @property
    def after(self) -> float | None:
        """Seconds that it asks to wait."""
        for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
            if (value := self.headers.get(name)) is not None and (
                seconds := _seconds(value)
            ) is not None:
                return seconds * unit
        return None


def refusal(told: ServerReply, server: str, key: str | None) -> BackendError:
    """Return our error for a status that is no 200.

    Args:
        server: base URL, for the message.
        key: to be kept out of it.
    """
    host, status = host_of(server), told.status
    raw = redacted(told.text, key)
    words = "" if told.is_page else redacted(" ".join(told.message.split()), key)
    said = f": {words if len(words) <= SHOWN else words[:SHOWN] + '…'}" if words else ""
    if status == 401 and key is None:
        return KeyRefused(
            f"{host} requires a key (401): set key_env to the environment variable with the key"
        )
    if status == 401:
        # Its words may repeat the key or parts of it.
        return KeyRefused(f"{host} does not accept the key (401)")
    if status == 403 and not told.names_no_model:
        return KeyRefused(
            f"{host} does not let this key in (403): it may lack a permission, or the country or"
            " address is barred"
        )
    if told.is_about_the_answer:
        return UnusableReply(f"the model's answer is not of the form that was asked for{said}", raw)
    if told.too_long:
        return TooLong(f"the question is too long for the model{said}", raw)
    if 300 <= status < 400:
        target = redacted(told.headers.get("location", "another address"), key)[:SHOWN]
        return RequestRefused(
            f"{host} sends us on to {target}: if that is right, make it the base_url", raw
        )
    if status == 429 and _is_quota(told):
        return RequestRefused(f"the account at {host} has no credit left{said}", raw)
    if status in (408, 429) or (status >= 500 and status != 501):
        what = {408: "was tired of waiting", 429: "asks for fewer requests"}.get(
            status, "has trouble"
        )
        return Unreachable(
            f"{host} {what} ({status}){said}",
            raw,
            after=told.after,
            billed=status in _MAY_BE_BILLED,
        )
    if status in (404, 405) and not told.names_no_model:
        return RequestRefused(
            f"{host} has no such API ({status}){said}; is the base_url right? Most end in /v1", raw
        )
    return RequestRefused(f"{host} refuses the request ({status}){said}", raw)


def told_by(response: Any) -> ServerReply:
    """What an HTTP response says; its body was read already."""
    return ServerReply(
        response.status_code,
        {name.lower(): value for name, value in response.headers.items()},
        response.text,
    )


def storable(text: str) -> str:
    """Return text with U+FFFD for what no database or file takes: U+0000 and lone surrogates."""
    return _UNSTORABLE.sub("\ufffd", text)


def redacted(text: str, key: str | None) -> str:
    """Return text without the key and without words that look like one, and with nothing in it that
    cannot be stored.
    """
    text = storable(text)
    if key and len(key) < _SHORT:
        text = re.sub(rf"(?<!\w){_spelled(key)}(?!\w)", "[key]", text)
    return _HIDDEN.sub("[key]", without_key(text, key))


def without_key(text: str, key: str | None) -> str:
    """Return text without the key itself; one of a few letters may be any word of an answer, and
    stays in it.
    """
    return re.sub(_spelled(key), "[key]", text) if key and len(key) >= _SHORT else text


def _spelled(key: str) -> str:
    """A pattern for the key as it stands, and as JSON in JSON may escape any character of it."""
    rows = ((each, len(list(row))) for each, row in groupby(key))
    return "".join(
        _character(each) * length if each != "\\" else rf"\\{{{length},{4 * length}}}"
        for each, length in rows
    )


def _character(each: str) -> str:
    return rf"(?:\\{{0,3}}{re.escape(each)}|\\{{1,3}}u(?i:{ord(each):04x}))"


def host_of(server: str) -> str:
    """Host and port, which is how messages call a server."""
    return urlsplit(server).netloc.rpartition("@")[2] or server


def unreachable(error: BaseException, host: str, key: str | None) -> Unreachable:
    """Return our error for a connection that was not made, or broke off."""
    import httpx2

    never_sent = (
        httpx2.ConnectError,
        httpx2.ConnectTimeout,
        httpx2.PoolTimeout,
        httpx2.ProxyError,
        httpx2.UnsupportedProtocol,
    )
    cause: BaseException = error
    chain = [error]
    while (inner := cause.__cause__ or cause.__context__) is not None and inner not in chain:
        chain.append(inner)
        cause = inner
    why = next(
        (text for each in chain[1:] or chain if (text := str(each).strip())),
        type(chain[-1]).__name__,
    )
    why = redacted(why, key)[:SHOWN]
    if any(isinstance(each, never_sent) for each in chain):
        return Unreachable(
            f"no connection to {host} ({why}): is the server running, and the address right?"
        )
    if any(isinstance(each, httpx2.TimeoutException) for each in chain):
        return Unreachable(f"{host} did not answer in time", billed=True)
    return Unreachable(f"the connection to {host} broke off ({why})", billed=True)


def _is_quota(told: ServerReply) -> bool:
    named = {str(told.error.get(key) or "").lower() for key in ("code", "type")}
    # A server that says when to come back means a limit of its own, whatever it calls it.
    return bool(named & _QUOTA) or (
        told.after is None and "exceeded your current quota" in told.words
    )


def _sentence(said: object) -> str:
    """A message as text; of a list of validation errors the place and the words, never the input
    that they repeat.
    """
    if isinstance(said, str):
        return said
    if isinstance(said, dict):
        return _sentence(said.get("message") or said.get("msg") or "")
    if isinstance(said, list):
        entries = [entry for entry in said if isinstance(entry, dict)]
        return "; ".join(
            f"{_place(entry.get('loc'))}: {entry.get('msg', '')} ({entry.get('type', '')})"
            for entry in entries[:5]
        )
    return ""


def _place(loc: object) -> str:
    return ".".join(str(step) for step in loc) if isinstance(loc, list) else str(loc or "")


def _seconds(value: str) -> float | None:
    try:
        seconds = float(value)
    except ValueError:
        try:
            then = parsedate_to_datetime(value)
            seconds = (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
