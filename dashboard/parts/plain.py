"""Escapes a submission's text for the screen: control characters become visible, and Markdown is
neutralised.
"""

import re
import unicodedata

_KEPT = "\n\t"
# Word joiner: has no width, but keeps addresses (www.…) and Streamlit's marks (:material/…:, ->)
# from being interpreted, which escapes do not.
_JOINER = "\u2060"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$<>&=:/@^\"'])")
_FORMULA = re.compile(r"^[=+\-@\t\r]")
_SPACE = re.compile(r"\s+")
_UNCOMMON = re.compile(r"[^ -~\n\t]")


def hidden(character: str) -> bool:
    """Whether a character is invisible or affects its surroundings: controls, bidirectional and
    zero-width characters, surrogates.
    """
    return character not in _KEPT and unicodedata.category(character) in {
        "Cc",
        "Cf",
        "Cs",
        "Zl",
        "Zp",
    }


def mark(character: str) -> str:
    """Return the replacement of a hidden character: its code point in brackets."""
    return f"[U+{ord(character):04X}]"


def visible(text: str) -> str:
    """Return text with every hidden character shown; line breaks and tabs stay."""
    if text.isprintable():
        return text
    return _UNCOMMON.sub(_shown, text.replace("\r\n", "\n"))


def _shown(found: re.Match[str]) -> str:
    return mark(found[0]) if hidden(found[0]) else found[0]


def one_line(text: str, limit: int = 200) -> str:
    """Return visible text on one line, cut with an ellipsis at `limit` characters."""
    line = _SPACE.sub(" ", visible(text)).strip()
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def plain(text: str, limit: int = 500) -> str:
    """Return text that Streamlit's Markdown shows as it is, on one line; for labels, captions and
    messages.
    """
    return _MARKDOWN.sub(rf"{_JOINER}\\\1{_JOINER}", one_line(text, limit))


def safe_cell(value: object) -> object:
    """Return the value of a cell of a CSV file, with an apostrophe before it where a spreadsheet
    would run it as a formula.
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
