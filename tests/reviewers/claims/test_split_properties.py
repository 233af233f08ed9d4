"""Guards that cutting loses and invents nothing, gives the same again, and stays fast, whatever the
text.
"""

import itertools
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reviewers.claims.clauses import TextPiece
from reviewers.claims.roles import PieceRole
from reviewers.claims.split import split
from tests.shared_data import LOGS, SEEDS, needs_shared

_WORDS = st.sampled_from(
    [
        "train.py", "does", "not", "log", "the", "loss", ",", "so", "it", "fails", ";", "and",
        "but", "–", "→", "(", ")", "`", "“", "”", '"', "'", "**", "1.", "2)", "•", "-", "\n",
        "\n\n", "(1)", "e.g.", "never", "because", "of", "these", "issues", "no", "tests", ",",
        "no", "plots", ".", "must", "be", "fixed", "```", "`a", "b`", "def", "f(x)", "->", "int:",
        "\x00", "�", "\u3000", "。", "is", "missing", "are", "absent", "which", "raises",
    ]
)  # fmt: skip
_TEXTS = st.one_of(st.text(max_size=400), st.lists(_WORDS, max_size=120).map(" ".join))


def _check(text: str, pieces: tuple[TextPiece, ...]) -> None:
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    assert all(before.end == after.start for before, after in itertools.pairwise(pieces))
    for piece in pieces:
        if piece.role is PieceRole.CLAIM:
            assert any(character.isalnum() for character in text[piece.start : piece.end])
        for start, end in (*piece.under, *([piece.lead] if piece.lead else [])):
            assert 0 <= start <= end <= len(text)


@given(_TEXTS)
@example(">")
@example("> a loss is never logged\n>\n> \n>")
def test_the_pieces_are_the_text(text: str) -> None:
    _check(text, split(text))


@given(_TEXTS)
def test_the_same_text_gives_the_same_pieces(text: str) -> None:
    assert split(text) == split(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("`" * 1_000_000, id="backticks"),
        pytest.param('"a ' * 330_000, id="open-quotes"),
        pytest.param("[({" * 330_000, id="open-brackets"),
        pytest.param("x is y; " * 125_000, id="one-sentence"),
        pytest.param(
            "It never logs a loss and it never saves a model. " * 20_000, id="one-paragraph"
        ),
        pytest.param("- It never logs a loss, so it fails.\n" * 27_000, id="many-items"),
        pytest.param(
            "".join(" " * (depth % 400) + "- x is y\n" for depth in range(5_000)), id="deep-nesting"
        ),
        pytest.param("```\n" * 250_000, id="fences"),
        pytest.param("no a, " * 9_900 + "\n\n" + "e.g. " * 100_000, id="lists"),
    ],
)
def test_a_megabyte_is_cut_within_seconds(text: str) -> None:
    start = time.perf_counter()
    pieces = split(text)
    assert time.perf_counter() - start < 60
    _check(text, pieces)


@needs_shared
def test_every_real_review_is_cut_without_loss() -> None:
    for path in (*SEEDS, *LOGS):
        text = path.read_text("utf-8", errors="replace").rpartition("\nOutput:")[2]
        _check(text, split(text))
