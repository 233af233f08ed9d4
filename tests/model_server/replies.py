"""An answer's text as both APIs wrap it, at once or as a stream, and what trouble looks like in
them.
"""

import json
from collections.abc import Iterator
from typing import Any

from tests.model_server.exchange import Fault, Raw, Received

_HTML = "<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"
_ENDINGS = {"length": "length", "filter": "content_filter", "tool-call": "tool_calls"}


def usage(asked: Received, text: str, cached: int) -> dict[str, Any]:
    """Count four characters a token, in the words of the API that was asked."""
    sent, said = max(1, len(asked.text) // 4), max(1, len(text) // 4)
    if asked.path.endswith("/responses"):
        return {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": said,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + said,
        }
    details = {"cached_tokens": cached}
    return {
        "prompt_tokens": sent,
        "prompt_tokens_details": details,
        "completion_tokens": said,
        "total_tokens": sent + said,
    }


def whole(
    asked: Received, text: str, cached: int = 0, fault: Fault | None = None
) -> dict[str, Any]:
    """The reply in one piece, sound or with a fault that lies in its body."""
    kind = fault.kind if fault else ""
    counted = usage(asked, text, cached)
    model = f"{asked.body.get('model', 'model')}-2026-01-01"
    if asked.path.endswith("/responses"):
        part = (
            {"type": "refusal", "refusal": text}
            if kind == "refusal"
            else {"type": "output_text", "text": text, "annotations": []}
        )
        output: list[dict[str, Any]] = [{"type": "reasoning", "id": "rs_1", "summary": []}]
        if kind == "tool-call":
            output.append(
                {
                    "type": "function_call",
                    "id": "fc_1",
                    "call_id": "c",
                    "name": "open",
                    "arguments": "{}",
                }
            )
        elif kind != "reasoning":
            message = {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
            output.append(message)
        reason = {"length": "max_output_tokens", "filter": "content_filter"}.get(kind)
        return {
            "id": f"resp_{asked.number}",
            "object": "response",
            "created_at": 1,
            "status": "incomplete" if reason else "completed",
            "error": None,
            "incomplete_details": {"reason": reason} if reason else None,
            "model": model,
            "output": output,
            "usage": counted,
        }
    message = {"role": "assistant", "content": text, "refusal": None}
    if kind == "refusal":
        message = {"role": "assistant", "content": None, "refusal": text}
    elif kind == "reasoning":
        message = {"role": "assistant", "content": None, "reasoning_content": text}
    elif kind == "tool-call":
        call = {"id": "c", "type": "function", "function": {"name": "open", "arguments": "{}"}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {
        "id": f"chatcmpl-{asked.number}",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": _ENDINGS.get(kind, "stop")}],
        "usage": counted,
    }


def pieces(asked: Received, reply: dict[str, Any]) -> Iterator[bytes]:
    """The same reply as server-sent events, its last ones last."""
    if asked.path.endswith("/responses"):
        for number, event in enumerate(_response_events(reply)):
            yield _event({**event, "sequence_number": number})
        return
    frame = {
        "id": reply["id"],
        "object": "chat.completion.chunk",
        "created": 1,
        "model": reply["model"],
    }
    choice = reply["choices"][0]
    for key, value in choice["message"].items():
        for piece in _cut(value) if key != "role" and isinstance(value, str) else [value]:
            yield _event(
                {**frame, "choices": [{"index": 0, "delta": {key: piece}, "finish_reason": None}]}
            )
    yield _event(
        {**frame, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    )
    if (asked.body.get("stream_options") or {}).get("include_usage"):
        yield _event({**frame, "choices": [], "usage": reply["usage"]})
    yield b"data: [DONE]\n\n"


def _response_events(reply: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {
        "type": "response.created",
        "response": {**reply, "status": "in_progress", "output": [], "usage": None},
    }
    for index, item in enumerate(reply["output"]):
        at = {"output_index": index, "item_id": item["id"]}
        yield {
            "type": "response.output_item.added",
            **at,
            "item": {**item, "content": []} if "content" in item else item,
        }
        for number, part in enumerate(item.get("content", [])):
            kind, key = (
                ("output_text", "text") if part["type"] == "output_text" else ("refusal", "refusal")
            )
            yield {
                "type": "response.content_part.added",
                **at,
                "content_index": number,
                "part": {**part, key: ""},
            }
            for piece in _cut(part[key]):
                yield {
                    "type": f"response.{kind}.delta",
                    **at,
                    "content_index": number,
                    "delta": piece,
                }
            yield {"type": f"response.{kind}.done", **at, "content_index": number, key: part[key]}
            yield {
                "type": "response.content_part.done",
                **at,
                "content_index": number,
                "part": part,
            }
        yield {"type": "response.output_item.done", **at, "item": item}
    yield {"type": f"response.{reply['status']}", "response": reply}


def status_fault(fault: Fault) -> Raw | None:
    """What a fault that lies in the status or in the whole body looks like; None for every
    other.
    """
    later = {} if fault.after is None else {"Retry-After": str(fault.after)}
    match fault.kind:
        case "html":
            return Raw(200, _HTML, content_type="text/html")
        case "empty":
            return Raw(200, b"")
        case "null":
            return Raw(200, None)
        case "no-choices":
            return Raw(200, {"id": "x", "object": "thing"})
        case "error-200":
            return Raw(200, error("upstream said no", "server_error"))
        case "quota":
            return Raw(
                429,
                error(
                    "You exceeded your current quota.", "insufficient_quota", "insufficient_quota"
                ),
                later,
            )
        case "401":
            return Raw(
                401,
                error("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
            )
        case "429":
            return Raw(
                429,
                error("Rate limit reached for requests.", "requests", "rate_limit_exceeded"),
                later,
            )
        case "500":
            return Raw(
                500,
                error("The server had an error while processing your request.", "server_error"),
                later,
            )
        case "503":
            return Raw(503, _HTML, later, "text/html")
    return None


def error(
    message: str, kind: str, code: str | int | None = None, param: str | None = None
) -> dict[str, Any]:
    """An error object as most servers send it."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _event(value: dict[str, Any]) -> bytes:
    named = f"event: {value['type']}\n" if "type" in value else ""
    return f"{named}data: {json.dumps(value)}\n\n".encode()


def _cut(text: str, size: int = 20) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]
