"""Guards where a claim is shown: lines that are checked, quotes by equal tokens, definitions, uses,
and what is nowhere.
"""

import pytest

from reviewers.records import Span
from tests.reviewers.claims.asking import claim, claims

LAYERS = '''"""Layers; the gate is described in prose here: open_gate."""

from torch import nn


class WideGate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.entropy_bonus = 0.1
        self.scale = nn.Parameter(width)

    def open_gate(self, x):
        # the scale is learned
        self.scale = x  # overwritten
        return self.scale * 2


def build(width):
    gate = WideGate(width)
    return gate.open_gate(width)
'''


def _place(text: str) -> Span | None:
    return claim(text, {"src/model.py": LAYERS}).span


@pytest.mark.parametrize(
    ("text", "line", "end_line"),
    [
        pytest.param("Line 13 of src/model.py is odd.", 13, 13, id="explicit-line"),
        pytest.param("src/model.py:14 is odd.", 14, 14, id="path-and-line"),
        pytest.param(
            "model.py has `return self.scale*2` there, oddly placed.",
            15,
            15,
            id="quote-with-other-spacing",
        ),
        pytest.param(
            "model.py has “self.scale = x” oddly placed.", 14, 14, id="quote-before-a-comment"
        ),
        pytest.param(
            "Line 9 of model.py is odd: `return self.scale * 2`.",
            15,
            15,
            id="line-number-that-is-wrong",
        ),
        pytest.param(
            "Line 900 of model.py is odd: `return self.scale * 2`.",
            15,
            15,
            id="line-number-beyond-the-end",
        ),
        pytest.param("WideGate is odd.", 6, 15, id="class"),
        pytest.param("open_gate() is odd.", 12, 15, id="method"),
    ],
)
def test_a_claim_is_shown_where_it_points(text: str, line: int, end_line: int) -> None:
    assert _place(text) == Span("src/model.py", line, end_line)


def test_a_quote_that_is_only_like_the_code_is_said_to_be_near() -> None:
    found = claim("model.py has `return self.scale * 3.0` oddly placed.", {"src/model.py": LAYERS})
    assert found.span == Span("src/model.py", 15)
    assert "nearest to the quoted" in found.check.evidence


def test_a_wrong_line_number_is_told() -> None:
    found = claim("Line 900 of model.py is odd: `return self.scale * 2`.", {"src/model.py": LAYERS})
    assert "20 lines, not 900" in found.check.evidence


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Lines 6-15 of model.py are odd: `return self.scale * 2`.", id="within"),
        pytest.param("Lines 2-12 of model.py are odd: `return self.scale * 2`.", id="just-after"),
        pytest.param(
            "Line 3 of model.py is odd, as is line 15: `return self.scale * 2`.", id="second-line"
        ),
        pytest.param(
            "Line 3 of model.py is odd, as is `return self.scale * 2` in `open_gate`.",
            id="definition",
        ),
        pytest.param(
            "Line 3 of model.py is odd, as is `json.dumps(` in evaluate.py.",
            id="file",
        ),
        pytest.param(
            "Line 30 is odd in model.py and in evaluate.py: `self.entropy_bonus = 0.1`.",
            id="line-of-the-other-file",
        ),
        pytest.param(
            "Line 3 of model.py is odd. So is `return self.scale * 2`.", id="line-named-before"
        ),
    ],
)
def test_a_quote_at_any_place_that_the_claim_names_is_no_mistake(text: str) -> None:
    files = {"src/model.py": LAYERS, "src/evaluate.py": "import json\n" * 40 + "json.dumps(1)\n"}
    for found in claims(text, files):
        assert " not " not in found.check.evidence.replace("so not checked", "")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Lines 1-5 of model.py are odd: `return self.scale * 2`.", id="range"),
        pytest.param(
            "Line 3 of model.py is odd, as is line 7: `return gate.open_gate(width)`.", id="two"
        ),
    ],
)
def test_a_quote_that_is_nowhere_near_is_told(text: str) -> None:
    found = claim(text, {"src/model.py": LAYERS})
    assert "the quoted code stands on line" in found.check.evidence


def test_a_quote_with_an_ellipsis_spans_its_parts() -> None:
    assert _place("model.py has `self.scale = x ... self.scale * 2` in it, oddly.") == Span(
        "src/model.py", 14, 15
    )


def test_a_consequence_is_shown_where_its_cause_is() -> None:
    found = claims(
        "1. `self.scale = x` is odd, so the optimiser sees nothing of it.", {"src/model.py": LAYERS}
    )
    assert [finding.span for finding in found] == [
        Span("src/model.py", 14),
        Span("src/model.py", 14),
    ]


def test_a_claim_about_nothing_in_particular_has_no_place() -> None:
    assert claim("The weather is nice.").span is None
