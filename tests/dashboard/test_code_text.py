"""Guards code and words as they are shown: tokens of each line, hidden characters, the marks
of reviewers, and the text of a review with its marks.
"""

import json
import time

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.parts.cards import Card
from dashboard.parts.plain import one_line, plain, visible
from dashboard.parts.review_text import marked
from dashboard.parts.tokens import HIDDEN, MAX_LINE, MAX_LINES, source_tokens
from dashboard.reviewer_marks import distinct_marks
from reviewers.records import Review, Verdict
from reviewers.store import Store
from tests.builders import SOUND_FILES, make_submission
from tests.cases import cases
from tests.dashboard.desk import claim


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


def card(start: int, end: int, id: str = "a") -> Card:
    return Card(f"recorded/{id}", claim("said", claim_at=(start, end), id=id), "recorded", None, ())


@pytest.mark.parametrize(
    ("spans", "claimed"),
    [
        pytest.param([], [], id="none"),
        pytest.param([(0, 3)], ["012"], id="at the beginning"),
        pytest.param([(7, 10)], ["789"], id="at the end"),
        pytest.param([(5, 7), (1, 3)], ["12", "56"], id="in any order"),
        pytest.param([(1, 6), (4, 8)], ["12345", "67"], id="overlapping"),
        pytest.param([(1, 6), (2, 4)], ["12345"], id="nested"),
        pytest.param([(8, 99)], ["89"], id="past the end"),
        pytest.param([(5, 5), (7, 2)], [], id="empty or turned round"),
    ],
)
def test_every_character_stands_once(spans: list[tuple[int, int]], claimed: list[str]) -> None:
    parts = marked("0123456789", [card(*span, id=str(n)) for n, span in enumerate(spans)])
    assert "".join(part["text"] for part in parts) == "0123456789"
    assert [part["text"] for part in parts if "key" in part] == claimed


def test_offsets_count_characters_not_code_units() -> None:
    parts = marked("𝒜𝒜 x", [card(3, 4)])
    assert [part["text"] for part in parts] == ["𝒜𝒜 ", "x"]


MANY = ["recorded", "rules", "openai:gpt-5", "openai:gpt-5-mini", "o3", "o4-mini", "sarif:ruff"]


@cases(
    ("names", "marks"),
    {
        "their own": (["people", "recorded", "rules"], ["person", "Re", "Ru"]),
        "two letters": (["gpt", "o3"], ["Gp", "O3"]),
        "beside one with its own": (["rules", "sarif:ruff"], ["Ru", "Rf"]),
        "without the provider": (["openai:gpt-4", "openai:gpt-5"], ["G4", "G5"]),
        "the last word first": (["gpt-5", "gpt-5-mini"], ["G5", "Gm"]),
        "the words between": (["claude-opus-5", "claude-sonnet-5"], ["C5", "Cs"]),
        "one within the other": (["a", "ab"], ["A", "Ab"]),
        "no letters": (["!", "!!"], ["?", "?2"]),
        "nobody": ([], []),
    },
)
def test_a_mark_is_short_and_no_two_are_the_same(names: list[str], marks: list[str]) -> None:
    assert [distinct_marks(names)[name] for name in names] == marks


def test_many_reviewers_have_as_many_marks() -> None:
    names = [f"openai:model {n}" for n in range(30)] + MANY
    assert len(set(map(distinct_marks(names).get, names))) == len(names)
    assert distinct_marks(names) == distinct_marks(names[::-1])


def test_a_reviewer_has_one_mark_on_every_screen(store: Store) -> None:
    said = {"recorded": 2, "gpt-5": 1, "gpt-5-mini": 1, "rules": 1}
    for name, times in said.items():
        reviews = (Review(reviewer=name, verdict=Verdict.READY, raw=f"{n}") for n in range(times))
        store.add(make_submission(name=name, files={"src/train.py": f"# {name}"}), tuple(reviews))
    at = AppTest.from_function(_marks)
    assert at.run().json[0].value == json.dumps(
        {
            "recorded #2": {"reviewer": "recorded #2", "mark": "Re2"},
            "recorded a model": {"reviewer": "recorded a model", "mark": "Re"},
            # Alone on a screen, and of the second one of the store.
            "gpt-5-mini": {"reviewer": "gpt-5-mini", "mark": "Gm"},
            "people": {"reviewer": "people", "mark": "person"},
        }
    )


def _marks() -> None:
    import streamlit as st

    from dashboard.reviewer_marks import reviewer_marks

    st.json(dict(reviewer_marks(["recorded #2", "recorded a model", "gpt-5-mini", "people"])))
