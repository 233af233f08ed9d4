"""Source text as coloured tokens for the browser: [css class, text, …] per line, bounded in size,
with hidden characters made visible.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

import streamlit as st
from pygments.lexer import Lexer
from pygments.lexers.configs import TOMLLexer
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES, _TokenType

from dashboard.parts.plain import hidden, mark

# The browser draws 20,000 lines in half a second. Lexing takes about 70 ms for 1,000 lines of code,
# but minutes for a few hundred kilobytes of hostile YAML, so what the time does not suffice for
# stays without colours.
MAX_LINES = 20_000
MAX_LINE = 2_000
MAX_LEXED = 300_000
LEXING_SECONDS = 0.5
HIDDEN = "hid"

_LEXERS: dict[str, type[Lexer]] = {
    "py": PythonLexer,
    "yaml": YamlLexer,
    "yml": YamlLexer,
    "toml": TOMLLexer,
    "json": JsonLexer,
}
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class TokenSource:
    """A file's lines as tokens, and what was left out of them in words; nothing if that is
    empty.
    """

    lines: list[list[str]]
    left_out: str


@st.cache_resource(show_spinner=False, max_entries=256)
def source_tokens(path: str, text: str) -> TokenSource:
    """Return the tokens of a file; read-only, since all sessions share them."""
    # One more than is shown, to know whether there are more. Python counts lines so, and findings
    # are numbered as it does.
    whole = _LINE_END.split(text, MAX_LINES)
    if not whole[-1]:
        whole.pop()
    shown = [line[:MAX_LINE] for line in whole[:MAX_LINES]]
    lines: list[list[str]] = [[] for _ in shown]
    number = 0
    for kind, value in _lexed(path, "\n".join(shown)):
        for place, part in enumerate(value.split("\n")):
            number += place > 0
            if part:
                _append(lines[number], kind, part)
    return TokenSource(
        lines,
        _left_out(len(whole) > MAX_LINES, sum(len(line) > MAX_LINE for line in whole[:MAX_LINES])),
    )


def _left_out(more: bool, cut: int) -> str:
    words = [f"only the first {MAX_LINES:,} lines are shown"] * more
    words += [
        f"{cut} long {'line is' if cut == 1 else 'lines are'} cut after {MAX_LINE:,} characters"
    ] * bool(cut)
    return ", ".join(words)


def _lexed(path: str, text: str) -> Iterator[tuple[str, str]]:
    lexer = _LEXERS.get(path.rpartition(".")[2].lower())
    done = 0
    if lexer is not None and len(text) <= MAX_LEXED:
        deadline = time.monotonic() + LEXING_SECONDS
        for start, kind, value in lexer(stripnl=False, ensurenl=False).get_tokens_unprocessed(text):
            yield _css_class(kind) if value.strip() else "", value
            done = start + len(value)
            if time.monotonic() > deadline:
                break
    yield "", text[done:]


def _css_class(kind: _TokenType) -> str:
    """Return Pygments' short class; plain names, punctuation and operators need no colour and join
    their neighbours.
    """
    short = STANDARD_TYPES.get(kind)
    while short is None and kind.parent is not None:
        kind = kind.parent
        short = STANDARD_TYPES.get(kind)
    return "" if short in {None, "n", "p", "o", "w", "nn"} else short


def _append(line: list[str], kind: str, text: str) -> None:
    """Add text to a line; hidden characters get a token of their own, so that they are drawn as
    marks.
    """
    if text.isascii() and text.replace("\t", "").isprintable():
        _push(line, kind, text)
        return
    start = 0
    for place, character in enumerate(text):
        if hidden(character):
            _push(line, kind, text[start:place])
            _push(line, HIDDEN, mark(character))
            start = place + 1
    _push(line, kind, text[start:])


def _push(line: list[str], kind: str, text: str) -> None:
    if not text:
        return
    if line and line[-2] == kind:
        line[-1] += text
    else:
        line += [kind, text]
