"""Guards how a review is cut: which words become claims, which are summary, advice or requirement,
and what completes a claim.
"""

import pytest

from reviewers.claims.claim import read_claims
from reviewers.claims.clauses import TextPiece
from reviewers.claims.roles import PieceRole
from reviewers.claims.split import split


def claims_of(text: str) -> tuple[TextPiece, ...]:
    return tuple(piece for piece in split(text) if piece.role is PieceRole.CLAIM)


def _claims(text: str) -> list[str]:
    return [text[piece.start : piece.end] for piece in claims_of(text)]


def _roles(text: str) -> list[tuple[str, str]]:
    return [
        (piece.role.value, text[piece.start : piece.end])
        for piece in split(text)
        if piece.role is not PieceRole.GAP
    ]


def test_numbered_items_become_claims_and_the_frame_does_not() -> None:
    text = (
        "The code cannot run as it stands:\n"
        "1. train.py calls load_corpus() with two arguments.\n"
        "2) The sampler never shuffles.\n\n"
        "Because of these issues the package is not ready for execution."
    )
    assert _claims(text) == [
        "train.py calls load_corpus() with two arguments.",
        "The sampler never shuffles.",
    ]
    assert [role for role, _ in _roles(text)] == ["summary", "claim", "claim", "summary"]


@pytest.mark.parametrize("bullet", ["-", "*", "•", "‒", "–", "·", "▪"])
def test_nested_bullets_stand_under_their_heading(bullet: str) -> None:
    text = (
        f"1. Data pipeline gaps\n   {bullet} The loader drops the last batch.\n   {bullet} Labels"
        " are never shifted.\n"
    )
    pieces = claims_of(text)
    assert [text[piece.start : piece.end] for piece in pieces] == [
        "The loader drops the last batch.",
        "Labels are never shifted.",
    ]
    assert all(
        [text[start:end] for start, end in piece.under] == ["Data pipeline gaps"]
        for piece in pieces
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "The encoder returns floats, but the head expects integers.",
            ["The encoder returns floats", "the head expects integers."],
            id="but",
        ),
        pytest.param(
            "sampler.py never seeds the generator; the split is therefore random.",
            ["sampler.py never seeds the generator", "the split is therefore random."],
            id="semicolon",
        ),
        pytest.param(
            "The mask has the wrong shape, so the product raises a RuntimeError.",
            ["The mask has the wrong shape", "so the product raises a RuntimeError."],
            id="consequence",
        ),
        pytest.param(
            "The scaler is called with a list causing a TypeError.",
            ["The scaler is called with a list", "causing a TypeError."],
            id="causing",
        ),
        pytest.param(
            "The script only draws a histogram – no scatter plots, no tables, no tests.",
            ["The script only draws a histogram", "no scatter plots", "no tables", "no tests."],
            id="list-of-no",
        ),
        pytest.param(
            "evaluate.py omits box plots, effect sizes and significance tests.",
            ["evaluate.py omits box plots", "effect sizes", "significance tests."],
            id="omitted-things",
        ),
        pytest.param(
            "Warm-up, clipping and early stopping are missing.",
            ["Warm-up", "clipping", "early stopping are missing."],
            id="missing-things",
        ),
        pytest.param(
            "The script has three faults: (1) it never closes the file; (2) it reads a key twice;"
            " (3) it returns nothing.",
            ["it never closes the file", "it reads a key twice", "it returns nothing."],
            id="counted-within-a-sentence",
        ),
        pytest.param(
            "The baselines are not faithful (e.g. the second one never updates its buffer).",
            ["The baselines are not faithful", "the second one never updates its buffer"],
            id="clause-in-brackets",
        ),
        pytest.param(
            "train.py should log the loss but never calls wandb.log.",
            ["never calls wandb.log."],
            id="wish-and-defect",
        ),
        pytest.param(
            "The reader uses json.load and yaml.safe_load.",
            ["The reader uses json.load and yaml.safe_load."],
            id="two-names",
        ),
        pytest.param(
            "See `a; b` and “x, but y”: the quote is split.",
            ["See `a; b` and “x, but y”: the quote is split."],
            id="quotes",
        ),
    ],
)
def test_a_sentence_is_cut_between_its_assertions(text: str, expected: list[str]) -> None:
    assert _claims(text) == expected


@pytest.mark.parametrize(
    ("text", "role"),
    [
        pytest.param("Fix: move the helper into src/model.py.", "advice", id="fix"),
        pytest.param(
            "Provide a complete implementation of the decoder.", "advice", id="imperative"
        ),
        pytest.param("Please add numpy to the dependencies.", "advice", id="please"),
        pytest.param("To make it run, rename the group.", "advice", id="purpose"),
        pytest.param("The path should be relative to the root.", "advice", id="should"),
        pytest.param(
            "The specification requires one figure per run.", "requirement", id="specification"
        ),
        pytest.param("Requirement 5 forbids extra files.", "requirement", id="requirement"),
        pytest.param(
            "Therefore the submission is not production-ready.", "summary", id="therefore"
        ),
        pytest.param(
            "Due to these defects the experiment cannot be executed.", "summary", id="due-to"
        ),
        pytest.param("The project violates several core requirements.", "summary", id="violates"),
        pytest.param("All other criteria are met.", "claim", id="sweeping"),
        pytest.param(
            "The rest of the code runs end to end without further issues.",
            "claim",
            id="sweeping-run",
        ),
        pytest.param("Missing import of os in evaluate.py.", "claim", id="missing"),
        pytest.param("Uses a deprecated argument of the scheduler.", "claim", id="third-person"),
    ],
)
def test_summaries_and_advice_are_no_claims(text: str, role: str) -> None:
    assert _roles(text)[0][0] == role


def test_a_label_names_what_its_claim_is_about() -> None:
    text = "2. preprocess.py ‒ the classification branch drops its target."
    (piece,) = claims_of(text)
    assert text[piece.start : piece.end] == "the classification branch drops its target."
    assert [text[start:end] for start, end in piece.under] == ["preprocess.py"]


def test_what_a_list_denies_stays_with_each_of_its_parts() -> None:
    text = "It does NOT 1) draw violin plots, 2) test significance."
    pieces = claims_of(text)
    assert [text[piece.start : piece.end] for piece in pieces] == [
        "draw violin plots",
        "test significance.",
    ]
    assert all(piece.lead and text[slice(*piece.lead)] == "It does NOT" for piece in pieces)


@pytest.mark.parametrize(
    "text",
    [
        "The script draws one chart; it never\n  - computes F1,\n  - runs any test.\n",
        "The script never:\n\n- computes F1\n- runs any test\n",
    ],
)
def test_what_a_list_leaves_open_before_its_items_completes_each_of_them(text: str) -> None:
    said = [each.words for each in read_claims(text) if "F1" in each.words or "test" in each.words]
    assert len(said) == 2
    assert all("never" in words and "chart" not in words for words in said)


def test_fenced_code_and_commands_are_quotes() -> None:
    text = (
        "1. The branch is wrong:\n   ```python\n   if x: pass\n   ```\n   It is never taken.\n\nIt"
        " is started with\n\n  uv run python -m src.main\n"
    )
    assert [role for role, _ in _roles(text)] == ["heading", "quote", "claim", "claim", "quote"]


@pytest.mark.parametrize("quote", ["“{}”", "«{}»", "„{}“", "‘{}’", "`{}`", '"{}"', "「{}」"])
def test_no_quote_is_cut_apart(quote: str) -> None:
    inside = quote.format("a; b – c, so it fails")
    assert _claims(f"The comment says {inside} in the loader.") == [
        f"The comment says {inside} in the loader."
    ]
