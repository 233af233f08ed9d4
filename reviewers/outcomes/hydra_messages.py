"""Reads Hydra's short messages, which replace a traceback unless HYDRA_FULL_ERROR is set."""

import re
from collections.abc import Sequence

from reviewers.outcomes.failure import MOST_MESSAGE, Form, RunFailure, Told

_TAIL = "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace."
_WINDOW = 60  # lines above the tail that a message can have

_COMPOSITION = "hydra.errors.ConfigCompositionException"
_MISSING = "hydra.errors.MissingConfigException"
_OVERRIDE = "hydra.errors.OverrideParseException"
_INSTANTIATION = "hydra.errors.InstantiationException"

_HEADS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), type)
    for pattern, type in (
        (r"In '[^']{0,200}': (?:Could not|Unable to) (?:find|load) '", _MISSING),
        (r"(?:Could not find|Unable to find or open|Could not load) '", _MISSING),
        (r"Cannot find primary config '", _MISSING),
        (r"Primary config (?:module|directory) ", _MISSING),
        (r"Missing config|Config file not found", _MISSING),
        (r"(?:You|In '[^']{0,200}': You) must specify '", _COMPOSITION),
        (r"Could not (?:override|append|delete|add)\b", _COMPOSITION),
        (r"In '[^']{0,200}': ", _COMPOSITION),
        (r"In [\w./-]{1,200}: (?:Too many keys|Missing group name)", _COMPOSITION),
        (r"Error (?:resolving interpolation|merging|loading '|parsing)", _COMPOSITION),
        (
            r"Multiple values for|Override .{1,300} looks like|primary config '|Invalid default",
            _COMPOSITION,
        ),
        (
            (
                r"Duplicate _self_|.{1,200} appears more than once in the final|Ambiguous"
                r" value|Sweep parameters '"
            ),
            _COMPOSITION,
        ),
        (
            (
                r"no viable alternative at input|mismatched input|extraneous input|token"
                r" recognition error|missing .{1,60} at '"
            ),
            _OVERRIDE,
        ),
        (r"LexerNoViableAlt|Error parsing override|Unknown function '", _OVERRIDE),
        (
            r"Error in call to target|Error (?:locating|instantiating)|Error getting .{1,60} at ",
            _INSTANTIATION,
        ),
    )
)
_INSIDE = re.compile(r"^(?P<type>[A-Za-z_][\w.]{0,100})\((?P<message>.*)\)$", re.DOTALL)
_LEXER = re.compile(
    r"^(?:hydra\.errors\.OverrideParseException|LexerNoViableAltException)(?:: ?|\()"
)


def last_hydra_message(lines: Sequence[str]) -> Told | None:
    """Return the last short message, None if there is none.

    An error inside an instantiated object is returned as itself, with Hydra's word for it as the
    outer one.
    """
    tail = next(
        (index for index in range(len(lines) - 1, -1, -1) if lines[index].endswith(_TAIL)), None
    )
    if tail is None:
        return _without_tail(lines)
    found: tuple[int, str] | None = None
    for index in range(tail - 1, max(-1, tail - _WINDOW - 1), -1):
        if lines[index].endswith(("Traceback (most recent call last):", _TAIL)):
            break
        if type := _type_of(lines[index]):
            found = index, type
    if found is None:
        return None
    start, type = found
    return Told(_made(type, "\n".join(lines[start:tail]).strip()[:MOST_MESSAGE]), start, tail + 1)


def _without_tail(lines: Sequence[str]) -> Told | None:
    """The lexer's complaint can be all that is left of an output."""
    for index in range(len(lines) - 1, max(-1, len(lines) - _WINDOW), -1):
        if _LEXER.match(lines[index]) or _type_of(lines[index]) == _OVERRIDE:
            return Told(
                _made(_OVERRIDE, _LEXER.sub("", lines[index])[:MOST_MESSAGE]), index, len(lines)
            )
    return None


def _type_of(line: str) -> str | None:
    return next((type for head, type in _HEADS if head.match(line)), None)


def _made(type: str, message: str) -> RunFailure:
    failure = RunFailure(type, message, form=Form.HYDRA)
    if type == _INSTANTIATION:
        _, _, rest = message.partition("\n")
        if inside := _INSIDE.match(rest.strip().partition("\nfull_key")[0]):
            words = inside["message"].strip("\"'")
            return RunFailure(inside["type"], words, form=Form.HYDRA, outer=failure)
    return failure
