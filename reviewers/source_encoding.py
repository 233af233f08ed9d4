"""How Python turns the bytes of a source file into text: UTF-8, or what the file declares (PEP
263).
"""

import codecs
import re
from dataclasses import dataclass

UTF8 = "utf-8"
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_NO_CODE = re.compile(rb"[ \t\f]*(?:#|$)")
_LINE_END = re.compile(rb"\r\n?|\n")
# Their decoders need the square of the length, and no source file is written in them.
_SLOW = frozenset({"idna", "punycode"})


@dataclass(frozen=True, slots=True)
class DeclaredEncoding:
    """What the head of a file says of its encoding.

    Attributes:
        name: as Python spells it; `utf-8` if nothing is declared.
        line: 1-based, on which it is declared; None if it is not.
        marked: whether the file begins with the mark of UTF-8.
    """

    name: str
    line: int | None
    marked: bool


@dataclass(frozen=True, slots=True)
class BadByte:
    """The first byte of a file that is not UTF-8; line and column, in characters, are 1-based."""

    value: int
    line: int
    column: int

    def __str__(self) -> str:
        return f"the byte 0x{self.value:02x} on line {self.line} is not UTF-8"


def declared(data: bytes) -> DeclaredEncoding:
    """Return what the first two lines declare; the second counts where the first holds no code."""
    marked = data.startswith(codecs.BOM_UTF8)
    head = _LINE_END.split(data.removeprefix(codecs.BOM_UTF8), maxsplit=2)[:2]
    for number, line in enumerate(head, 1):
        if found := _COOKIE.match(line):
            return DeclaredEncoding(_spelled(found[1].decode("ascii", "replace")), number, marked)
        if not _NO_CODE.match(line):
            break
    return DeclaredEncoding(UTF8, None, marked)


def decoded(data: bytes, name: str) -> str | None:
    """Return the text of a file in a declared encoding; None if Python has no such encoding, or
    the bytes are not in it.
    """
    try:
        codec = codecs.lookup(name)
        return None if codec.name in _SLOW else data.decode(name)
    except (LookupError, ValueError):  # no codec of text among the first
        return None


def bad_byte(data: bytes) -> BadByte | None:
    """Return the first byte that is not UTF-8; None if all of them are."""
    try:
        data.decode(UTF8)
    except UnicodeDecodeError as error:
        before = _LINE_END.split(data[: error.start])
        column = len(before[-1].decode(UTF8)) + 1
        return BadByte(data[error.start], len(before), column)
    return None


def _spelled(name: str) -> str:
    """The name as Python has it in its errors, which knows two encodings by all their spellings."""
    plain = name[:12].lower().replace("_", "-")
    if plain == UTF8 or plain.startswith(f"{UTF8}-"):
        return UTF8
    latin = ("latin-1", "iso-8859-1", "iso-latin-1")
    if plain in latin or plain.startswith(tuple(f"{each}-" for each in latin)):
        return "iso-8859-1"
    return name
