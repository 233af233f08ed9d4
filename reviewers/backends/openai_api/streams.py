"""Assembles streamed answers into the JSON that the same API returns in one piece."""

import json
from collections.abc import AsyncIterator
from typing import Any

_LINE_ENDS = (b"\n", b"\r")


class CutOff(Exception):
    """The stream ended before the answer did."""


class Broken(Exception):
    """The server reports an error in the middle of the stream.

    Args:
        event: as it came.
    """

    def __init__(self, event: dict[str, Any]) -> None:
        super().__init__("the stream contains an error")
        self.event = event


async def collect(chunks: AsyncIterator[bytes], api: str) -> dict[str, Any]:
    """Return the whole answer.

    Args:
        chunks: the body as it comes.
        api: `responses` or `chat`.

    Raises:
        CutOff: it is not whole.
        Broken: the server gave up.
        ValueError: a piece is no JSON.
    """
    answer: _Response | _Chat = _Response() if api == "responses" else _Chat()
    async for data in _data(chunks):
        if data == "[DONE]":
            answer.is_whole |= api == "chat"
            continue
        event = json.loads(data)
        if not isinstance(event, dict):
            raise ValueError("a piece of the stream is not a JSON object")
        if (event.get("error") and event.get("type") in (None, "error")) or event.get(
            "type"
        ) == "error":
            raise Broken(event)
        answer.add(event)
    if not answer.is_whole:
        raise CutOff
    return answer.body


class _Response:
    """The events of /responses; the last one holds everything."""

    def __init__(self) -> None:
        self.is_whole = False
        self._response: dict[str, Any] = {}
        self._items: list[Any] = []

    def add(self, event: dict[str, Any]) -> None:
        match event:
            case {
                "type": "response.completed" | "response.incomplete" | "response.failed",
                "response": dict(response),
            }:
                self.is_whole = True
                self._response = response
            case {"type": "response.output_item.done", "item": item}:
                self._items.append(item)

    @property
    def body(self) -> dict[str, Any]:
        # Some servers leave the output out of the last event.
        return (
            self._response
            if self._response.get("output")
            else {**self._response, "output": self._items}
        )


class _Chat:
    """The chunks of /chat/completions."""

    def __init__(self) -> None:
        self.is_whole = False
        self._rest: dict[str, Any] = {}
        self._pieces: dict[str, list[str]] = {}
        self._tools: list[Any] = []
        self._reason: Any = None
        self._has_choice = False

    def add(self, event: dict[str, Any]) -> None:
        self._rest |= {
            name: event[name] for name in ("model", "usage") if event.get(name) is not None
        }
        choices = event.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return
        self._has_choice = True
        delta = choices[0].get("delta")
        for name, value in delta.items() if isinstance(delta, dict) else ():
            if name == "tool_calls" and value:
                self._tools.append(value)
            elif isinstance(value, str):
                self._pieces.setdefault(name, []).append(value)
        if choices[0].get("finish_reason") is not None:
            self._reason = choices[0]["finish_reason"]
            self.is_whole = True

    @property
    def body(self) -> dict[str, Any]:
        message = {name: "".join(pieces) for name, pieces in self._pieces.items()} | {
            "tool_calls": self._tools
        }
        choices = [{"message": message, "finish_reason": self._reason}] if self._has_choice else []
        return {**self._rest, "choices": choices}


async def _data(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of each event; lines end as the standard says, and not at every character that
    Python ends a line at.
    """
    held: list[str] = []
    async for line in _lines(chunks):
        name, _, value = line.partition(b":")
        if not line and held:
            yield "\n".join(held)
            held = []
        elif name == b"data":
            held.append(value.removeprefix(b" ").decode("utf-8", errors="replace"))
    if held:
        yield "\n".join(held)


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    rest: list[bytes] = []
    async for chunk in chunks:
        *ended, last = chunk.replace(b"\r\n", b"\n").split(b"\n")
        for line in ended:
            yield b"".join([*rest, line]).rstrip(b"\r")
            rest = []
        rest.append(last)
    yield b"".join(rest)
