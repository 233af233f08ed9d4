"""Decides from a server's error message which option to leave out."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from reviewers.backends.capabilities import Ability
from reviewers.backends.error_mapping import ServerReply

_NO_PATH = re.compile(
    r"(?:unknown|invalid|unsupported|unexpected)[ _](?:request"
    r" )?(?:url|endpoint|path|route)|responses api"
)
_FORM = (
    r"response_format|text\.format|json[_ ](?:schema|object)|structured"
    r" output|guided|grammar|\bformat\b|\bresponse_schema\b"
)
_FORM_IN_500 = re.compile(r"response_format|text\.format|json_schema|json_object|grammar")
# A limit that is too high for the model is for a person to lower.
_ABOUT_THE_VALUE = re.compile(
    r"too (?:large|big|high|small)|at (?:most|least)|(?:less|greater|more)"
    r" than|maximum|minimum|supported values are"
)
_VAGUE = re.compile(
    r"|(?:error: )?(?:bad|invalid|malformed|unprocessable)[ _](?:request|entity|argument|input)(?:["
    r" _]error)?\.?"
    r"|validation error\.?"
)
_OPTIONAL = frozenset({"temperature", "seed", "effort", "store", "stream_options"})
_NAMED: Mapping[
    str, tuple[str, str]
] = {  # option in the body → what to do without, how messages name it
    "max_output_tokens": ("limit", r"\bmax_output_tokens\b"),
    "max_completion_tokens": ("max_completion_tokens", r"\bmax_completion_tokens\b"),
    "max_tokens": ("limit", r"\bmax_tokens\b"),
    "temperature": ("temperature", r"\btemperature\b"),
    "seed": ("seed", r"\bseed\b"),
    "store": ("store", r"\bstore\b"),
    "reasoning": ("effort", r"\breasoning\b|\beffort\b|\bthinking\b|\breasoning[._]effort\b"),
    "reasoning_effort": (
        "effort",
        r"\breasoning\b|\beffort\b|\bthinking\b|\breasoning[._]effort\b",
    ),
    "stream_options": ("stream_options", r"\bstream_options\b"),
    "stream": ("stream", r"\bstream(?:ing)?\b"),
}
_SYSTEM = (
    r"system role|role.{0,40}\bsystem\b|\[0\]\.role|system (?:message|prompt)s? (?:is|are|not)"
)
_LESS: Mapping[str, Literal["json", "text"]] = {"schema": "json", "json": "text"}


def concede(
    ability: Ability, told: ServerReply, sent: Mapping[str, Any], *, any_api: bool
) -> Ability | None:
    """Return what to ask with instead; None if the refusal is about something else.

    Args:
        sent: the body that was refused.
        any_api: whether the other API may be tried.
    """
    if (
        told.too_long
        or told.is_about_the_answer
        or told.status not in (400, 404, 405, 415, 422, 500, 501)
    ):
        return None
    if any_api and (other := _other_api(ability, told)):
        return other
    if told.status in (404, 405, 501) or told.names_no_model:
        return None
    has_form = "response_format" in sent or "text" in sent
    if told.status == 500:
        return _less_form(ability) if has_form and _FORM_IN_500.search(told.words) else None
    named = _first_named(ability, told, sent, has_form)
    if named == "form":
        return _less_form(ability)
    if named:
        return replace(ability, without=ability.without | {named})
    return (
        _guess(ability, sent, has_form)
        if told.is_page or _VAGUE.fullmatch(told.message.lower())
        else None
    )


def _other_api(ability: Ability, told: ServerReply) -> Ability | None:
    if ability.api == "chat":
        return Ability("responses") if "v1/responses" in told.words else None
    missing = told.status in (404, 405, 501) and not told.names_no_model
    return (
        Ability("chat")
        if missing or _NO_PATH.search(told.words) or "chat/completions" in told.words
        else None
    )


def _first_named(
    ability: Ability, told: ServerReply, sent: Mapping[str, Any], has_form: bool
) -> str | None:
    """The first thing that the message names out of what was sent; `form` for the form of the
    answer.
    """
    known = {what: pattern for option, (what, pattern) in _NAMED.items() if option in sent}
    if has_form and ability.answer in _LESS:
        known["form"] = _FORM
    if "system" not in ability.without and any(
        turn["role"] == "system" for turn in sent.get("messages", sent.get("input", []))
    ):
        known["system"] = _SYSTEM
    for text in (told.param.lower(), told.message.lower()):
        found = {
            what: match.start()
            for what, pattern in known.items()
            if (match := re.search(pattern, text))
        }
        if found:
            what = min(found, key=found.__getitem__)
            fixed = what in (
                "limit",
                "max_completion_tokens",
                "effort",
            ) and _ABOUT_THE_VALUE.search(told.words)
            return None if fixed else what
    return None


def _less_form(ability: Ability) -> Ability | None:
    return replace(ability, answer=_LESS[ability.answer]) if ability.answer in _LESS else None


def _guess(ability: Ability, sent: Mapping[str, Any], has_form: bool) -> Ability | None:
    """A refusal without a reason: give up first what is refused most often."""
    if has_form and ability.answer in _LESS:
        return _less_form(ability)
    if _OPTIONAL - ability.without:
        return replace(ability, without=ability.without | _OPTIONAL)
    if "max_completion_tokens" in sent:
        return replace(ability, without=ability.without | {"max_completion_tokens"})
    return None
