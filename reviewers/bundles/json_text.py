"""Parses untrusted JSON: bounded depth, no duplicate keys, and every error with its position."""

import json
import re
from collections.abc import Iterator

MAX_DEPTH = 64
# A string that never ends matches to the end of the text, so that scanning stays linear.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)

_NO_TEXT = re.compile("[\0\ud800-\udfff]")


class JsonProblem(ValueError):
    """Why a text is not JSON that we take; the text of the error says where."""


def parse_json(text: str) -> object:
    """Parse one JSON value that fills the text.

    Raises:
        JsonProblem: it does not parse, is nested too deep, or names a key twice.
    """
    start = len(text) - len(text.lstrip())
    value, end = parse_json_at(text, start)
    if rest := text[end:].strip():
        raise JsonProblem(
            f"{_place(text, len(text) - len(text[end:].lstrip()))}: {rest[:20]!r} follows after the"
            " JSON value"
        )
    return value


def parse_json_at(text: str, start: int) -> tuple[object, int]:
    """Parse the JSON value that begins at `start`; return it and the index after its end.

    Raises:
        JsonProblem: as for `parse_json`.
    """
    _check_depth(text, start)
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        what = error.msg
        if error.pos >= len(text.rstrip()) or what.startswith("Unterminated string"):
            what = "it breaks off"
        elif what.startswith("Invalid control character"):
            what = "a text is not closed before its line ends"
        raise JsonProblem(f"{_place(text, error.pos)}: {what}") from None
    except (ValueError, RecursionError) as error:  # ValueError: a number of thousands of digits
        raise JsonProblem(str(error)) from None


def _check_depth(text: str, start: int) -> None:
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0] in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise JsonProblem(
                    f"{_place(text, token.start())}: it is nested deeper than {MAX_DEPTH} levels"
                )
        elif token[0] in "]}":
            depth -= 1
        if depth <= 0:
            return


def values_in(text: str, start: int) -> Iterator[str]:
    """Cut out the objects and lists of the list that begins at `start`, however deep they are: one
    that does not parse then costs the others nothing.

    Raises:
        JsonProblem: the list does not end.
    """
    depth, first = 0, start
    for token in _TOKEN.finditer(text, start):
        if token[0] in "[{":
            depth += 1
            first = token.start() if depth == 2 else first
        elif token[0] in "]}":
            depth -= 1
            if depth == 1:
                yield text[first : token.end()]
            elif depth <= 0:
                return
    raise JsonProblem("it breaks off")


def _place(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    return f"line {line}, column {at - text.rfind(chr(10), 0, at)}"


def _no_key_twice(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise JsonProblem(f"the key {key[:100]!r} occurs twice")
        found[key] = value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_no_key_twice)


def file_bytes(text: str) -> bytes:
    """Return the text of a file as the bytes that would lie on disk.

    Half of a surrogate pair is what a reader made of a byte that is not UTF-8, which comes back; or
    an escape of JSON (`\\ud83d`) that no UTF-8 file can hold, whose bytes are no UTF-8 either.
    """
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def readable(text: str) -> str:
    """Return a text, as long as it was, with what no store and no screen takes replaced: a NUL,
    half of a surrogate pair.
    """
    return _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", text)
