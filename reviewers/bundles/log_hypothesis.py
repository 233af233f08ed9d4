"""Parses the hypothesis of a log, written as Python's repr writes it (`name='…' name="…"`), without
evaluating it.
"""

import re

_MAX_FIELDS = 100
_FIELD = re.compile(r"(\w+)=")
_STRING = re.compile(r"'((?:[^'\\]|\\.)*+)'|\"((?:[^\"\\]|\\.)*+)\"", re.DOTALL)
_PIECE = re.compile(
    r"'(?:[^'\\]|\\.)*+'?|\"(?:[^\"\\]|\\.)*+\"?|[\[({]|[\])}]|\s+|[^'\"\[\](){}\s]+", re.DOTALL
)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([nrt\\'\"]))")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
_OPENING = re.compile(r"[\w.]+\(")
_BETWEEN = re.compile(r"[\s,]*")


def parse_fields(text: str) -> dict[str, str]:
    """Return field names and their texts, in the order of the log; fields that are None or empty
    are left out.

    What is not in the form of fields is kept under the name `text`, so that no word is lost.
    """
    fields: dict[str, str] = {}
    text = text.strip()
    at = 0
    if (opening := _OPENING.match(text)) and text.endswith(")"):
        at, text = opening.end(), text[:-1]
    while len(fields) < _MAX_FIELDS and (field := _FIELD.match(text, at)):
        if field[1] in fields:
            break
        string = _STRING.match(text, field.end())
        if string and (string.end() == len(text) or text[string.end()] in " \t\r\n,"):
            at, value = string.end(), _unescaped(string[1] if string[1] is not None else string[2])
        else:
            at = _value_end(text, field.end())
            value = text[field.end() : at].strip().removesuffix(",")
            value = "" if value == "None" else value
        if value.strip():
            fields[field[1]] = value
        at = _end(_BETWEEN, text, at)
    if rest := text[at:].strip():
        fields["text"] = f"{fields['text']}\n{rest}" if "text" in fields else rest
    return fields


def _value_end(text: str, at: int) -> int:
    """Where a value that is not a string ends: before the next field, or with the text."""
    depth = 0
    while piece := _PIECE.match(text, at):
        word = piece[0]
        depth += (word in "[({") - (word in "])}")
        if depth <= 0 and word.isspace() and _FIELD.match(text, piece.end()):
            return at
        at = piece.end()
    return len(text)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return at if found is None else found.end()


def _unescaped(body: str) -> str:
    # `ast.literal_eval` would warn about escapes that repr never writes, and cannot read a field
    # that is cut off.
    def letter(escape: re.Match[str]) -> str:
        if escape[4]:
            return _LETTERS.get(escape[4], escape[4])
        code = int(escape[1] or escape[2] or escape[3], 16)
        readable = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
        return chr(code) if readable else "\N{REPLACEMENT CHARACTER}"

    return _ESCAPE.sub(letter, body)
