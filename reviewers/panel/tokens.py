"""How many tokens a text costs, estimated without a vocabulary: cut as o200k_base cuts, each piece
priced by its looks.

The tables are averages over source code, YAML and documentation in Python packages; nothing here is
a count.
"""

import re
from collections import Counter
from functools import lru_cache
from itertools import groupby

_PIECE = re.compile(
    r"[A-Za-z0-9+/]{60,}"
    r"|[^\r\nA-Za-z0-9\x80-\U0010ffff]?(?:[A-Z]*[a-z\u00c0-\u052f]+|[A-Z]+)(?:'(?:[stmdSTMD]|[rR][eE]|[vV][eE]|[lL]{2})\b)?"
    r"|[0-9]{1,3}"
    r"| ?[^\sA-Za-z0-9\x80-\U0010ffff]+[\r\n/]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
    r"| ?[\x80-\U0010ffff]+"
)


def _prices(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


# Tokens of a word by its number of letters (index 0: none), by what stands before it: words after a
# blank are the commonest.
_SPACED = _prices("1 1 1 1.02 1.03 1.04 1.05 1.09 1.13 1.22 1.22 1.32 1.53 1.5 1.9 2.0")
_JOINED = _prices("1 1 1.03 1.07 1.06 1.1 1.16 1.29 1.38 1.65 1.7 1.75 2.2 2.7 3.0 3.3")
_MARKED = _prices("1 1.06 1.25 1.22 1.17 1.43 1.5 1.68 1.89 2.05 2.0 2.1 2.8 2.5 2.8 3.4")
_CAPITALS = _prices("1 1 1.15 1.3 1.35 1.6 1.8 2.1 2.2 2.5 2.8")
_SHORT = 24
"""Prices of pieces of so many characters are kept: most words come again."""
_BY_THE_LETTER = 0.25  # for each letter beyond the table
_UNREADABLE = re.compile(r"[^aeiouyAEIOUY\W\d_]{5,}|[a-z]{41,}|([A-Za-z])\1{5,}")
_PER_UNREADABLE = 0.55  # tokens a letter of what is no word
_PER_ENCODED = 0.72  # and a character of base64
_PER_CHARACTER = (
    # up to this code point, tokens a character
    (0x007F, 0.28),  # plain letters between others
    (0x00BF, 1.0),  # signs
    (0x024F, 0.7),  # accented Latin letters
    (0x03FF, 0.37),  # Greek
    (0x052F, 0.28),  # Cyrillic
    (0x06FF, 0.5),  # Hebrew, Arabic
    (0x0DFF, 0.6),
    (0x1FFF, 1.0),
    (0x2FFF, 1.1),  # punctuation, arrows, operators, boxes
    (0x30FF, 0.7),  # kana
    (0x9FFF, 0.8),  # ideographs
    (0xABFF, 1.5),
    (0xD7AF, 0.65),  # Hangul
    (0xFFFF, 1.5),
    (0x10FFFF, 2.0),  # emoji, mathematical letters
)
_PER_REPEATED = {
    # in a row of more than three of the same; marks that people draw lines with have tokens for
    # whole rows
    mark: tokens
    for marks, tokens in (
        ("-=#*./_%+~", 1 / 32),
        ("!:;…—─", 1 / 15),
        ("<>?@^═━", 1 / 7.5),
        ("\"$'(),\\|█", 1 / 4),
        ("&[]`{}", 1 / 2),
        (" ", 1 / 64),
        ("\t\n", 1 / 15),
        ("\r", 1 / 2),
    )
    for mark in marks
}
_INDENT = 16
"""Blanks up to here are one token, mostly with those around them."""


def estimate(text: str) -> int:
    """Return about how many tokens of o200k_base a text has; 0 for an empty one.

    Within 5 % on code, configuration and English prose of some thousand characters; coarser for
    other languages and short texts.
    """
    pieces = Counter(_PIECE.findall(text))
    return round(
        sum(
            count * (_known(piece) if len(piece) <= _SHORT else _cost(piece))
            for piece, count in pieces.items()
        )
    )


@lru_cache(maxsize=50_000)
def _known(piece: str) -> float:
    return _cost(piece)


def _cost(piece: str) -> float:
    if len(piece) >= 60 and piece.isascii() and not piece.isspace() and not piece.isalpha():
        return _of_long(piece)
    if not piece.isascii():
        return max(1.0, _in_rows(piece.strip(" ")))
    if piece[-1].isalpha():
        return _of_word(piece)
    if piece[0].isdigit():
        return 1.0
    return _of_blanks(piece) if piece.isspace() else _of_marks(piece)


def _of_blanks(piece: str) -> float:
    if len(piece) <= _INDENT and not piece.strip(" \t\n"):
        return 1.0
    rows = ((mark, len(list(row))) for mark, row in groupby(piece))
    return max(1.0, sum(max(0.25, length * _of_repeated(mark)) for mark, length in rows))


def _of_marks(piece: str) -> float:
    marks = piece.rstrip("\r\n")
    ends = piece[len(marks) :]
    return max(1.0, _in_rows(marks.strip())) + (_of_blanks(ends) if len(ends) > _INDENT else 0)


def _of_word(piece: str) -> float:
    letters = piece if piece[0].isalpha() else piece[1:]
    if _UNREADABLE.search(letters):
        return max(1.0, _PER_UNREADABLE * len(letters))
    if len(letters) > 1 and letters.isupper():
        table = _CAPITALS
    elif piece[0] == " ":
        table = _SPACED
    else:
        table = _JOINED if piece[0].isalpha() or piece[0] in "._" else _MARKED
    longest = len(table) - 1
    if len(letters) <= longest:
        return table[len(letters)]
    return table[longest] + _BY_THE_LETTER * (len(letters) - longest)


def _of_long(piece: str) -> float:
    if piece.isdigit():
        return len(piece) / 3
    return _PER_ENCODED * len(piece) if any(map(str.isalnum, piece)) else _of_marks(piece)


def _in_rows(marks: str) -> float:
    """A short row of the same ASCII mark is mostly one token; so are up to three ASCII marks
    together.
    """
    rows = ((mark, len(list(row))) for mark, row in groupby(marks))
    return sum(
        _of_row(mark, length) if length > 3 else _of_character(ord(mark)) * length
        for mark, length in rows
    )


def _of_row(mark: str, length: int) -> float:
    each = _of_repeated(mark)
    return 1 + each * length if each < 1 else each * length


def _of_repeated(mark: str) -> float:
    """Where nothing is known of a mark, each is as many tokens as it has bytes: never too few."""
    return _PER_REPEATED.get(mark) or len(mark.encode(errors="surrogatepass"))


def _of_character(code: int) -> float:
    return next(tokens for last, tokens in _PER_CHARACTER if code <= last)
