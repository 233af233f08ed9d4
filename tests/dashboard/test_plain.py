"""Guards how text of submissions is made fit for the screen: nothing hidden acts, no Markdown is
read.
"""

import pytest

from dashboard.parts.plain import one_line, plain, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param(
            "plain words, tab\tand\nline", "plain words, tab\tand\nline", id="nothing hidden"
        ),
        pytest.param("a\x00b\x1b[31mc\x7f", "a[U+0000]b[U+001B][31mc[U+007F]", id="controls"),
        pytest.param("a\r\nb\rc", "a\nb[U+000D]c", id="line ends"),
        pytest.param("user\u202enimda", "user[U+202E]nimda", id="bidirectional override"),
        pytest.param(
            "\u2066x\u2069\u200b\ufeff",
            "[U+2066]x[U+2069][U+200B][U+FEFF]",
            id="isolates and zero width",
        ),
        pytest.param("\ud800", "[U+D800]", id="lone surrogate"),
        pytest.param("αβ — ℓ “ok” 日本", "αβ — ℓ “ok” 日本", id="letters of all kinds"),
    ],
)
def test_hidden_characters_are_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_line_is_one_line_and_bounded() -> None:
    assert one_line("  a\n\n b\tc ") == "a b c"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    "text",
    [
        "**bold** _it_ `code` ~~gone~~",
        "[x](javascript:alert(1))",
        "![x](http://elsewhere.example/x.png)",
        "<img src=x onerror=alert(1)>",
        ":material/delete: :red[danger] :smile: :streamlit:",
        "$E=mc^2$ and $$x$$",
        "# head",
        "- item",
        "1. item",
        "> quote",
        "http://elsewhere.example www.elsewhere.example a@b.example",
        "a -> b <- c -- d >= e <= f ~= g",
        "&lt;b&gt; &amp; \\*",
        "| a | b |\n|---|---|",
    ],
)
def test_markdown_keeps_every_character_and_none_next_to_another_mark(text: str) -> None:
    """What the browser makes of it is held by the browser test; here, that each mark is escaped and
    nothing is lost.
    """
    escaped, line = plain(text), one_line(text)
    assert (
        escaped.replace("\\\\", "\0").replace("\\", "").replace("\0", "\\").replace("\u2060", "")
        == line
    )
    for mark in "*_`[]()<>$:|~&#-.@/=":
        assert escaped.count(f"\\{mark}\u2060") == line.count(mark)
