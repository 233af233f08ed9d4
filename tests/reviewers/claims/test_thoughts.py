"""Guards which statements of a review are one finding: a thought with its consequences, an item,
what the reviewer separated itself.
"""

import pytest

from reviewers.claims.check import check_claims, cut_claims
from reviewers.facts import Facts
from reviewers.panel.stated import StatedFinding, as_text
from reviewers.records import Check, Finding
from tests.builders import make_submission

FACTS = Facts(make_submission())


def _found(text: str) -> list[str | None]:
    return [finding.claim for finding in check_claims(text, FACTS).findings]


def _parts(finding: Finding) -> list[str]:
    return [part.claim for part in finding.parts]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param(
            "The mask has the wrong shape, so the product raises a RuntimeError.",
            ["The mask has the wrong shape", "so the product raises a RuntimeError."],
            id="so",
        ),
        pytest.param(
            "The encoder is frozen, which means that nothing is learned.",
            ["The encoder is frozen", "which means that nothing is learned."],
            id="which",
        ),
        pytest.param(
            "The encoder returns floats. Therefore the embedding fails, leading to a TypeError.",
            ["The encoder returns floats.", "Therefore the embedding fails", "leading to a"
             " TypeError."],
            id="next-sentence",
        ),
        pytest.param(
            "The script draws a histogram and the loader never shuffles.",
            ["The script draws a histogram", "the loader never shuffles."],
            id="and",
        ),
        pytest.param(
            "1. `dim_out` is set to 4. The head reads `cfg.dim_out`. Both differ from the paper.",
            ["`dim_out` is set to 4.", "The head reads `cfg.dim_out`.",
             "Both differ from the paper."],
            id="item",
        ),
        pytest.param(
            "The wrapper has no attribute `n_heads`. train.py reads `model.n_heads`.",
            ["The wrapper has no attribute `n_heads`.", "train.py reads `model.n_heads`."],
            id="same-name",
        ),
    ],
)  # fmt: skip
def test_a_thought_is_one_finding_with_its_statements_as_parts(text: str, parts: list[str]) -> None:
    (finding,) = cut_claims(text, FACTS).findings
    assert _parts(finding) == parts
    assert finding.claim == text.removeprefix("1. ")
    assert finding.message == finding.claim


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        pytest.param(
            "The loader never shuffles. The head has two outputs.",
            ["The loader never shuffles.", "The head has two outputs."],
            id="sentences",
        ),
        pytest.param(
            "1. The loader never shuffles. Also, the head has two outputs.",
            ["The loader never shuffles.", "Also, the head has two outputs."],
            id="also",
        ),
        pytest.param(
            "It has faults: (1) it reads a key twice; (2) it never closes the file, so it leaks.",
            ["it reads a key twice", "it never closes the file, so it leaks."],
            id="counted",
        ),
        pytest.param(
            "1. The head has two outputs. All other requirements are satisfied.",
            ["The head has two outputs.", "All other requirements are satisfied."],
            id="praise",
        ),
        pytest.param(
            "1. Data gaps\n   - The loader drops a batch.\n   - So many labels are shifted.",
            ["The loader drops a batch.", "So many labels are shifted."],
            id="items-below",
        ),
    ],
)
def test_what_begins_anew_is_a_finding_of_its_own(text: str, claims: list[str]) -> None:
    assert _found(text) == claims


def test_what_a_model_states_as_one_finding_stays_one_whatever_its_sentences() -> None:
    messages = [
        "The loader never shuffles. Also, the head has two outputs; all other code is fine.",
        "So the run is not reproducible.",
    ]
    text, stated = as_text([StatedFinding(message=message) for message in messages])
    found = check_claims(text, FACTS, (), [each.cited for each in stated]).findings
    assert [finding.claim for finding in found] == messages
    assert len(found[0].parts) == 3


def test_of_what_is_said_before_a_but_nothing_is_confirmed_alone() -> None:
    (finding,) = check_claims(
        "`src/helpers.py` is not in the submission, but the third weather report is wrong.", FACTS
    ).findings
    assert [part.check.result for part in finding.parts] == [Check.CONFIRMED, Check.UNVERIFIED]
    assert finding.check.result is Check.UNVERIFIED


def test_a_part_keeps_the_place_where_it_stands() -> None:
    (finding,) = check_claims(
        "In src/model.py, `GatedMLP` is too wide, and `class GatedMLP` is too deep.", FACTS
    ).findings
    assert {part.span and part.span.file for part in finding.parts} == {"src/model.py"}
