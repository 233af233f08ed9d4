"""Converts requests to the JSON of both OpenAI APIs and their JSON to replies, without network
access.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from reviewers.backends.base import Message, Reply, Request
from reviewers.backends.capabilities import Ability
from reviewers.backends.error_mapping import storable
from reviewers.backends.replies import (
    as_dict,
    fail,
    made_reply,
    shown,
    token_count,
    told_by_error,
)

_MOST_TOKENS = 2**31 - 1
_SHOWN = 300
_CUT_OFF = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FILTERED = frozenset({"content_filter", "safety", "recitation"})
_BROKEN = frozenset({"error", "abort", "cancelled"})


def responses_body(request: Request, ability: Ability) -> dict[str, Any]:
    """Return the body of a call to /responses; it has no seed, and asks the provider to keep
    nothing.
    """
    without = ability.without
    body: dict[str, Any] = {"model": request.model, "input": _turns(request.messages, without)}
    if "limit" not in without:
        body["max_output_tokens"] = request.max_output_tokens
    if "store" not in without:
        body["store"] = False
    if request.temperature is not None and "temperature" not in without:
        body["temperature"] = request.temperature
    if request.effort is not None and "effort" not in without:
        body["reasoning"] = {"effort": request.effort}
    if request.form and ability.answer == "schema":
        form = {
            "type": "json_schema",
            "name": request.form.name,
            "schema": request.form.schema,
            "strict": True,
        }
        body["text"] = {"format": form}
    elif request.form and ability.answer == "json":
        body["text"] = {"format": {"type": "json_object"}}
    return body


def chat_body(request: Request, ability: Ability) -> dict[str, Any]:
    """Return the body of a call to /chat/completions."""
    without = ability.without
    body: dict[str, Any] = {"model": request.model, "messages": _turns(request.messages, without)}
    if "limit" not in without:
        limit = "max_tokens" if "max_completion_tokens" in without else "max_completion_tokens"
        body[limit] = request.max_output_tokens
    if request.temperature is not None and "temperature" not in without:
        body["temperature"] = request.temperature
    if request.seed is not None and "seed" not in without:
        body["seed"] = request.seed
    if request.effort is not None and "effort" not in without:
        body["reasoning_effort"] = request.effort
    if request.form and ability.answer == "schema":
        schema = {"name": request.form.name, "schema": request.form.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif request.form and ability.answer == "json":
        body["response_format"] = {"type": "json_object"}
    return body


def reply_of_response(body: object) -> Reply:
    """Return the reply that the JSON of /responses holds.

    Raises:
        UnusableReply: it holds none; whatever the JSON is.
    """
    answer = _object(body)
    usage = _counts(answer.get("usage"), "input_tokens", "output_tokens")
    status = answer.get("status")
    if answer.get("error"):
        fail(f"the server reports an error: {told_by_error(answer['error'])}", body, usage)
    parts, refused, called, thought = _output(answer.get("output"))
    if status == "incomplete":
        _ended(
            as_dict(answer.get("incomplete_details")).get("reason"),
            body,
            usage,
            usually="the answer is incomplete",
        )
    if refused:
        fail(f"the model refused to answer: {shown(refused)}", body, usage)
    if isinstance(status, str) and status not in ("completed", ""):
        fail(f"the answer is not finished (status {shown(status)})", body, usage)
    return made_reply("".join(parts), answer.get("model"), body, usage, called, thought)


def reply_of_chat(body: object) -> Reply:
    """Return the reply that the JSON of /chat/completions holds.

    Raises:
        UnusableReply: it holds none; whatever the JSON is.
    """
    answer = _object(body)
    usage = _counts(answer.get("usage"), "prompt_tokens", "completion_tokens")
    if answer.get("error"):
        fail(f"the server reports an error: {told_by_error(answer['error'])}", body, usage)
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        fail("the reply contains no answer (no choices)", body, usage)
    message = as_dict(choices[0].get("message"))
    if isinstance(message.get("refusal"), str) and message["refusal"]:
        fail(f"the model refused to answer: {shown(message['refusal'])}", body, usage)
    _ended(choices[0].get("finish_reason"), body, usage)
    content = message.get("content")
    text = content if isinstance(content, str) else "".join(_texts(content, ("text",)))
    called = bool(message.get("tool_calls") or message.get("function_call"))
    thought = any(message.get(name) for name in ("reasoning", "reasoning_content", "thinking"))
    return made_reply(text, answer.get("model"), body, usage, called, thought)


def _turns(messages: Iterable[Message], without: frozenset[str]) -> list[dict[str, str]]:
    """The conversation; the system message is one of the turns, since not every server knows
    `instructions`.
    """
    turns = [{"role": message.role, "content": storable(message.text)} for message in messages]
    if "system" not in without:
        return turns
    told = "\n\n".join(turn["content"] for turn in turns if turn["role"] == "system")
    turns = [turn for turn in turns if turn["role"] != "system"]
    if told and turns:
        turns[0] = {**turns[0], "content": f"{told}\n\n{turns[0]['content']}"}
    return turns or [{"role": "user", "content": told}]


def _object(body: object) -> dict[str, Any]:
    if not isinstance(body, dict):
        fail("the reply is not a JSON object", body, {})
    return body


def _output(output: object) -> tuple[list[str], str, bool, bool]:
    """The texts, the words of a refusal, whether a tool was called, and whether there were
    thoughts.
    """
    items = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
    messages = [item for item in items if item.get("type", "message") == "message"]
    # A model that comments on its work marks what is the answer.
    final = [item for item in messages if item.get("phase") == "final_answer"] or messages
    parts = [
        text for item in final for text in _texts(item.get("content"), ("output_text", "text"))
    ]
    refused = "".join(
        text for item in messages for text in _texts(item.get("content"), ("refusal",))
    )
    kinds = [item.get("type") for item in items]
    called = any(isinstance(kind, str) and kind.endswith("_call") for kind in kinds)
    return parts, refused, called, "reasoning" in kinds


def _texts(content: object, kinds: tuple[str, ...]) -> list[str]:
    if isinstance(content, str):
        return [content] if "text" in kinds else []
    parts = (
        [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    )
    key = "refusal" if kinds == ("refusal",) else "text"
    return [
        part[key] for part in parts if part.get("type") in kinds and isinstance(part.get(key), str)
    ]


def _ended(
    reason: object, body: object, usage: Mapping[str, int | None], usually: str | None = None
) -> None:
    """Raise where an answer ended before its end; `usually` says what to tell where the reason is
    an unknown one.
    """
    word = reason.casefold() if isinstance(reason, str) else ""
    if word in _CUT_OFF:
        counted = usage.get("output_tokens")
        after = "" if counted is None else f" after {counted:,} tokens"
        fail(
            f"the answer was cut off{after}: give the reviewer a larger max_output_tokens",
            body,
            usage,
        )
    if word in _FILTERED:
        fail("the server's content filter stopped the answer", body, usage)
    if word in _BROKEN:
        fail(f"the server broke the answer off ({word})", body, usage)
    if usually:
        fail(usually, body, usage)


def _counts(usage: object, sent: str, said: str) -> dict[str, int | None]:
    """Tokens as counted by the server; None for what is not a sensible number."""
    counted = as_dict(usage)
    details = as_dict(counted.get(f"{sent}_details"))
    read, cached = token_count(counted.get(sent)), token_count(details.get("cached_tokens"))
    if cached is not None and (read is None or cached > read):
        cached = None
    return {
        "input_tokens": read,
        "cached_tokens": cached,
        "output_tokens": token_count(counted.get(said)),
    }
