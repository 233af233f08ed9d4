"""Guards the tokens of the code view: every character arrives once, hidden ones as marks, and sizes
are bounded.
"""

import time

import pytest

from dashboard.parts.tokens import HIDDEN, MAX_LINE, MAX_LINES, source_tokens
from tests.builders import SOUND_FILES


def text_of(tokens: list[str]) -> str:
    return "".join(tokens[1::2])


@pytest.mark.parametrize("path", sorted(SOUND_FILES))
def test_lines_are_the_files_lines(path: str) -> None:
    source = source_tokens(path, SOUND_FILES[path])
    assert [text_of(line) for line in source.lines] == SOUND_FILES[path].splitlines()
    assert not source.left_out


def test_known_languages_have_colours() -> None:
    assert source_tokens("a.py", "def f(): return 'x'").lines[0][:2] == ["k", "def"]
    assert "" in source_tokens("README", "def f()").lines[0]


@pytest.mark.parametrize(
    "text",
    ["a\nb\n", "a\r\nb\r\n", "a\rb\r", "a\nb"],
    ids=["unix", "windows", "old mac", "no last end"],
)
def test_every_kind_of_line_end_counts_once(text: str) -> None:
    assert [text_of(line) for line in source_tokens("x.txt", text).lines] == ["a", "b"]


def test_form_feeds_and_separators_end_no_line() -> None:
    """Python counts lines so, and findings are numbered as Python does."""
    assert len(source_tokens("x.py", "a = 1\x0c\x1c\u2028\nb = 2\n").lines) == 2


def test_hidden_characters_are_tokens_of_their_own() -> None:
    (line,) = source_tokens("x.py", "a = 'user\u202e\x00'").lines
    marks = [text for kind, text in zip(line[::2], line[1::2], strict=True) if kind == HIDDEN]
    assert "".join(marks) == "[U+202E][U+0000]"


def test_markup_in_code_stays_text() -> None:
    code = "x = '<script>alert(1)</script></span><img src=x onerror=alert(2)>'"
    assert text_of(source_tokens("x.py", code).lines[0]) == code


def test_long_files_and_lines_are_cut_and_say_so() -> None:
    long_file = source_tokens("x.py", "a\n" * (MAX_LINES + 5))
    assert len(long_file.lines) == MAX_LINES
    assert long_file.left_out == "only the first 20,000 lines are shown"
    long_line = source_tokens("x.py", "x = '" + "a" * 90_000 + "'\ny = 1\n")
    assert len(text_of(long_line.lines[0])) == MAX_LINE
    assert text_of(long_line.lines[1]) == "y = 1"
    assert long_line.left_out == "1 long line is cut after 2,000 characters"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("(" * 100_000, id="brackets"),
        pytest.param("'" * 100_000, id="quotes"),
        pytest.param('f"' + "{" * 50_000, id="f-string braces"),
        pytest.param("\\" * 100_000, id="backslashes"),
        pytest.param("a: " * 60_000, id="colons"),
        pytest.param(" " * 150_000 + "x", id="spaces"),
        pytest.param("x" * 2_000_000, id="two megabytes"),
    ],
)
@pytest.mark.parametrize("ending", ["py", "yaml", "toml"])
def test_hostile_text_is_lexed_in_bounded_time(text: str, ending: str) -> None:
    start = time.process_time()
    source_tokens(f"x.{ending}", text)
    assert time.process_time() - start < 60
