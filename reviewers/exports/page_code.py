"""Files of the HTML page as numbered, coloured lines, bounded by size alone, so that the same file
always looks the same.
"""

from collections.abc import Iterator, Mapping

from pygments.lexer import Lexer
from pygments.lexers.configs import TOMLLexer
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

from reviewers.exports.markup import Markup, element, joined, text
from reviewers.records import SourceFile, lines_of

LONGEST_LINE = 2_000
_LEXERS: dict[str, tuple[type[Lexer], int]] = {
    # Characters that are coloured: YAML made to harm its reader takes minutes for what Python takes
    # a second for.
    "py": (PythonLexer, 400_000),
    "toml": (TOMLLexer, 50_000),
    "json": (JsonLexer, 50_000),
    "yaml": (YamlLexer, 20_000),
    "yml": (YamlLexer, 20_000),
}
_MOST_COLOURED_LINE = 1_000
_CLASSES: Mapping[_TokenType, str] = {
    Comment: "c",
    String: "s",
    Number: "m",
    Keyword: "k",
    Name.Function: "f",
    Name.Class: "f",
    Name.Decorator: "d",
    Name.Tag: "f",
    Name.Builtin: "b",
}


def code_lines(file: SourceFile, room: int) -> Iterator[Markup]:
    """Yield each line, coloured where the file is of a known kind and neither it nor one of its
    lines is too large.

    Args:
        room: characters that may be coloured still.
    """
    lines = lines_of(file.reading)
    known = _LEXERS.get(file.path.rpartition(".")[2].lower())
    longest = max(map(len, lines), default=0)
    if known is None or len(file.reading) > min(known[1], room) or longest > _MOST_COLOURED_LINE:
        yield from (_plain(line) for line in lines)
        return
    parts: list[Markup] = []
    for _, kind, value in known[0](stripnl=False, ensurenl=False).get_tokens_unprocessed(
        "\n".join(lines) + "\n"
    ):
        first, *rest = value.split("\n")
        parts.append(_token(kind, first))
        for part in rest:
            yield joined(parts)
            parts = [_token(kind, part)]


def _plain(line: str) -> Markup:
    if len(line) <= LONGEST_LINE:
        return text(line)
    more = element("em", f" … {len(line) - LONGEST_LINE:,} more characters")
    return joined((line[:LONGEST_LINE], more))


def _token(kind: _TokenType, value: str) -> Markup:
    if not value.strip():
        return text(value)
    parent: _TokenType | None = kind
    while parent is not None and parent not in _CLASSES:
        parent = parent.parent
    return (
        text(value)
        if parent is None
        else Markup(f'<i class="{_CLASSES[parent]}">{text(value)}</i>')
    )
