"""How servers say that they do not know something, each in its own words and with its own
status.
"""

from collections.abc import Collection, Mapping
from typing import Any

from tests.model_server.exchange import Raw, Received
from tests.model_server.replies import error

DIALECTS = (
    "openai", "azure", "vllm", "ollama", "llama.cpp", "llama-cpp-python", "lmstudio", "litellm",
    "bare",
)  # fmt: skip
ABILITIES = (
    "responses", "chat", "json_schema", "json_object", "temperature", "seed", "effort",
    "max_completion_tokens", "max_tokens", "max_output_tokens", "stream_options", "stream", "store",
    "system",
)  # fmt: skip
_FORMS = {"json_schema", "json_object"}


def refusal(asked: Received, without: Collection[str], dialect: str) -> Raw | None:
    """Return what the server says to the first thing it does not know; None where it knows all."""
    api = "responses" if asked.path.endswith("/responses") else "chat"
    if api in without:
        return _no_endpoint(dialect, asked.path)
    for ability, option in _used(asked.body, api).items():
        if ability in without:
            return (
                _no_form(dialect, ability, option)
                if ability in _FORMS
                else _no_option(dialect, option)
            )
    return None


def _used(body: Mapping[str, Any], api: str) -> dict[str, str]:
    """What the request makes use of, with the name of the option that asks for it."""
    form = body.get("response_format") or (body.get("text") or {}).get("format") or {}
    used = {
        name: name
        for name in (
            "temperature",
            "seed",
            "max_completion_tokens",
            "max_tokens",
            "max_output_tokens",
            "store",
        )
    }
    used |= {
        "stream_options": "stream_options",
        "effort": "reasoning_effort" if api == "chat" else "reasoning",
    }
    used = {ability: option for ability, option in used.items() if option in body}
    if form.get("type") in _FORMS:
        used[form["type"]] = "response_format" if api == "chat" else "text.format"
    if body.get("stream"):
        used["stream"] = "stream"
    turns = body.get("messages", body.get("input"))
    if isinstance(turns, list) and any(turn.get("role") == "system" for turn in turns):
        used["system"] = "messages[0].role"
    return used


def _no_endpoint(dialect: str, path: str) -> Raw:
    match dialect:
        case "ollama":
            return Raw(404, "404 page not found", content_type="text/plain")
        case "vllm" | "litellm" | "llama-cpp-python":
            return Raw(404, {"detail": "Not Found"})
        case "llama.cpp":
            return Raw(404, error("File Not Found", "not_found_error", 404))
        case "lmstudio":
            return Raw(200, {"error": f"Unexpected endpoint or method. (POST {path})"})
        case "azure":
            return Raw(404, error("Resource not found", "", "404"))
        case "bare":
            return Raw(
                405, "<html><body>Method Not Allowed</body></html>", content_type="text/html"
            )
    return Raw(404, error(f"Invalid URL (POST {path})", "invalid_request_error"))


def _no_form(dialect: str, kind: str, option: str) -> Raw:
    match dialect:
        case "azure":
            told = (
                f"{option} value as {kind} is enabled only for api versions 2024-08-01-preview and"
                " later"
            )
            return Raw(400, error(told, "", "BadRequest"))
        case "vllm":
            where = {
                "type": "extra_forbidden",
                "loc": ["body", option],
                "msg": "Extra inputs are not permitted",
            }
            return Raw(422, {"detail": [where]})
        case "ollama":
            return Raw(400, error("invalid JSON schema in format", "invalid_request_error"))
        case "llama.cpp":
            told = f'response_format type must be one of "text" or "json_object", but got: {kind}'
            return Raw(500, error(told, "server_error", 500))
        case "llama-cpp-python":
            literal = {
                "type": "literal_error",
                "loc": ["body", option, "type"],
                "msg": "Input should be 'text' or 'json_object'",
            }
            return Raw(500, error(f"[{literal}]", "internal_server_error"))
        case "lmstudio":
            return Raw(400, {"error": f"'{option}.type' must be 'text'"})
        case "litellm":
            told = (
                f"litellm.UnsupportedParamsError: bedrock does not support parameters: ['{option}']"
            )
            return Raw(400, error(told, "None", "400"))
        case "bare":
            return Raw(400, "Bad Request", content_type="text/plain")
    told = f"Invalid parameter: '{option}' of type '{kind}' is not supported with this model."
    return Raw(400, error(told, "invalid_request_error", None, option))


def _no_option(dialect: str, option: str) -> Raw:
    match dialect:
        case "azure":
            return Raw(
                400,
                error(f"Unrecognized request argument supplied: {option}", "invalid_request_error"),
            )
        case "vllm" | "llama-cpp-python":
            return Raw(
                422,
                {
                    "detail": [
                        {
                            "type": "extra_forbidden",
                            "loc": ["body", option],
                            "msg": "Extra inputs are not permitted",
                        }
                    ]
                },
            )
        case "ollama":
            return Raw(400, error(f'json: unknown field "{option}"', "invalid_request_error"))
        case "litellm":
            told = (
                f"litellm.UnsupportedParamsError: bedrock does not support parameters: ['{option}']"
            )
            return Raw(400, error(told, "None", "400"))
        case "bare":
            return Raw(400, "Bad Request", content_type="text/plain")
    told = f"Unsupported parameter: '{option}' is not supported with this model."
    return Raw(400, error(told, "invalid_request_error", "unsupported_parameter", option))
