"""What a submission says to its reader rather than to the machine (comments, docstrings, prose),
and text that it hides.
"""

import ast
import io
import re
import tokenize
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts.python_file import PythonFile
from reviewers.records import lines_of

_LONG = re.compile(r"[^\n]{151}")
# A line that ends in a lone `^` or `^~~` is how tools point at a place, and says nothing.
_FAR = re.compile(r"(?:\S[ \t]{150,}(?=[^\s\\])|^[ \t]{400,}(?=\S))(?!\^[\^~]*[ \t]*$)")
# Marks that turn the direction of text, and Unicode's tag characters, which no font shows.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_TAGS = re.compile("(?<!\U0001f3f4)(?<![\U000e0000-\U000e007f])[\U000e0000-\U000e007f]")
# A zero-width character joins letters in some scripts and emoji; between Latin letters it only
# hides something.
_ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
# Letters of other scripts that look like Latin ones.
_LOOK_ALIKE = str.maketrans(
    "аеоорсуіјѕһԁԛԝАВЕКМНОРСТУХІЈЅαοινρυΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeoopcyijshdqwABEKMHOPCTYXIJSaoivpuABEZHIKMNOPTYX",
)
_MIXED = re.compile(r"[\u0370-\u052f](?:[A-Za-z]|(?<=[A-Za-z].))")
_BETWEEN_LATIN = re.compile("(?<=[A-Za-z0-9 ])[\u200b\u200c\u200d\u2060\ufeff]+(?=[A-Za-z0-9 ])")


@dataclass(frozen=True, slots=True)
class TextOnLines:
    """A text with the lines it is on.

    Attributes:
        is_data: a string that the program may well use, such as a prompt; not a comment.
    """

    text: str
    line: int
    end_line: int
    is_data: bool


@dataclass(frozen=True, slots=True)
class HiddenText:
    """A place where text is hidden from the eye, and how."""

    line: int
    how: str


def remarks(path: str, text: str, file: PythonFile | None) -> Iterator[TextOnLines]:
    """Yield every remark of a file; comments on neighbouring lines are one, a line each."""
    if file is not None:
        # A file that does not parse still has the comments before the place if it does not.
        comments = (
            _comments(text)
            if file.tree is None
            else [(line, said.lstrip("#").strip()) for line, said in file.comments]
        )
        yield from _joined(comments)
        # What stands between the statements and is none of them is prose.
        yield from (
            TextOnLines("\n".join(file.lines[first - 1 : last]), first, last, False)
            for first, last in file.set_aside
        )
        loose = _loose(file)
        for string in file.strings:
            is_data = not string.is_docstring and string.line not in loose
            yield TextOnLines(string.value, string.line, string.end_line, is_data)
    elif path.endswith((".yaml", ".yml", ".toml", ".cfg", ".ini")):
        yield from _joined(
            [
                (number, line.partition("#")[2])
                for number, line in enumerate(lines_of(text), 1)
                if "#" in line
            ]
        )
        yield from (
            TextOnLines(line, number, number, False)
            for number, line in enumerate(lines_of(text), 1)
            if line.strip()
        )
    else:
        yield from _joined(
            [(number, line) for number, line in enumerate(lines_of(text), 1) if line.strip()]
        )


def in_plain_letters(text: str) -> str:
    """Return a text as it looks: wide and styled letters made plain, look-alikes made Latin where a
    word mixes scripts.
    """
    if text.isascii():
        return text
    plain = _ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", text))
    return plain.translate(_LOOK_ALIKE) if _MIXED.search(plain) else plain


def _comments(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    try:
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        found.extend(
            (token.start[0], token.string.lstrip("#").strip())
            for token in tokens
            if token.type == tokenize.COMMENT
        )
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return found


def _joined(lines: list[tuple[int, str]]) -> Iterator[TextOnLines]:
    start = 0
    for index in range(1, len(lines) + 1):
        if index == len(lines) or lines[index][0] != lines[index - 1][0] + 1 or index - start >= 40:
            block = lines[start:index]
            yield TextOnLines(
                "\n".join(part for _, part in block), block[0][0], block[-1][0], False
            )
            start = index


def _loose(file: PythonFile) -> frozenset[int]:
    """The first lines of strings that stand alone as a statement, so that the program does not use
    them.
    """
    return frozenset(
        node.lineno
        for node in file.of(ast.Expr)
        if isinstance(node.value, (ast.Constant, ast.JoinedStr))
    )


def hidden_texts(text: str) -> Iterator[HiddenText]:
    """Yield the lines on which text is hidden: turned round, made of invisible characters, or
    pushed out of sight.
    """
    if text.isascii() and not _LONG.search(text):
        return
    for number, line in enumerate(lines_of(text), 1):
        if not line.isascii():
            if _TURNING.search(line):
                yield HiddenText(number, "characters that turn the direction of the text")
            elif _TAGS.search(line):
                yield HiddenText(number, "invisible tag characters")
            elif _ZERO_WIDTH.search(line) and _BETWEEN_LATIN.search(line):
                yield HiddenText(number, "zero-width characters between letters")
        if len(line) > 150 and _FAR.search(line):
            yield HiddenText(number, "text pushed out of sight by a long run of blanks")
