"""Guards what every claim's finding holds, whatever the text and the code are."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.claims.check import MOST_CHECKED, check_text
from reviewers.facts import Facts
from reviewers.records import Check, Finding, Found
from reviewers.rules import run_rules
from tests.builders import make_submission
from tests.reviewers.claims.asking import claims

FACTS = Facts(make_submission())
FOUND = run_rules(FACTS).findings
REVIEW = (
    "The code is not ready:\n"
    "1. evaluate.py never imports json, so a NameError follows.\n"
    "2. Evaluation gaps\n"
    "   • No box plots, no violin plots and no significance tests are drawn.\n"
    "   • `train.py` logs only `train_loss`.\n"
    "3. GatedMLP has no forward() method.\n"
    "Fix: add them.\n"
)


def _sound(text: str, found: tuple[Finding, ...]) -> None:
    starts = [finding.claim_at[0] for finding in found if finding.claim_at]
    assert starts == sorted(starts)
    assert len({finding.id for finding in found}) == len(found)
    for finding in found:
        assert finding.claim_at is not None
        assert finding.claim == text[slice(*finding.claim_at)]
        assert finding.kind
        assert finding.category
        assert finding.check.evidence
        assert (finding.check.misreading is None) or finding.check.result is Check.REFUTED
        assert [place.span for place in finding.places][:1] == (
            [finding.span] if finding.span else []
        )
        assert len({place.span for place in finding.places}) == len(finding.places) <= 4
        if finding.span is not None:
            lines = FACTS.lines(finding.span.file)
            assert finding.span.line is None or 1 <= finding.span.line <= (
                finding.span.end_line or 0
            ) <= max(len(lines), 1)


def test_every_claim_keeps_its_own_words_and_place_in_the_text() -> None:
    found = check_text(REVIEW, FACTS, FOUND)
    _sound(REVIEW, found)
    assert [[part.check.result.value for part in finding.statements] for finding in found] == [
        ["refuted", "refuted"],
        ["confirmed", "confirmed", "unverified"],
        ["unverified"],
        ["refuted"],
    ]


def test_every_place_that_a_claim_may_mean_is_kept_the_best_one_first_and_why() -> None:
    (found,) = check_text(
        "`GatedMLP` in src/model.py is built with the wrong width by `build_model`.", FACTS, FOUND
    )
    assert found.places[0].found is Found.QUOTE
    assert {place.span.file for place in found.places} == {"src/model.py"}
    assert len(found.places) > 1


def test_the_same_text_gives_the_same_findings() -> None:
    assert check_text(REVIEW, FACTS, FOUND) == check_text(REVIEW, Facts(make_submission()), FOUND)


def test_an_id_does_not_change_where_lines_move() -> None:
    text = "GatedMLP has no forward() method."
    moved = {"src/model.py": "# one more line\n" + (FACTS.text("src/model.py") or "")}
    assert [finding.id for finding in claims(text)] == [
        finding.id for finding in claims(text, moved)
    ]


@pytest.mark.parametrize("text", ["", "   \n\n", "…", "\x00\x00", "123", "- \n- \n"], ids=repr)
def test_a_text_without_words_has_no_claims(text: str) -> None:
    assert all(
        any(map(str.isalnum, finding.claim or "")) for finding in check_text(text, FACTS, FOUND)
    )


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_no_text_breaks_the_check(text: str) -> None:
    _sound(text, check_text(text, FACTS, FOUND))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *REVIEW.split(" "),
                "“",
                "`",
                "(",
                ")",
                "-\\u003e",
                "line 99999",
                "</span><script>",
                "\x1b[31m",
            ]
        ),
        max_size=80,
    )
)
def test_no_mutation_of_a_review_breaks_the_check(words: list[str]) -> None:
    text = " ".join(words)
    _sound(text, check_text(text, FACTS, FOUND))


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"src/model.py": "def f(:\n"}, id="syntax-error"),
        pytest.param({"src/model.py": "x = " + "(" * 5_000 + ")" * 5_000}, id="deep-nesting"),
        pytest.param({"config/config.yaml": "a: &a [*a]\n- b\n: : :"}, id="broken-yaml"),
        pytest.param({"config/config.yaml": "defaults: 3\nrun: [1]\n"}, id="odd-yaml"),
        pytest.param({"pyproject.toml": "[[["}, id="broken-toml"),
        pytest.param({"src/evaluate.py": "\x0c\x1c\u2028x = 1\r\ny = 2\r"}, id="odd-line-ends"),
        pytest.param(
            dict.fromkeys(
                ("src/train.py", "src/evaluate.py", "src/model.py", "config/config.yaml")
            ),
            id="files-gone",
        ),
        pytest.param(
            {"src/train.py": "", "src/evaluate.py": "", "src/model.py": ""}, id="empty-files"
        ),
    ],
)
def test_no_code_breaks_the_check(files: dict[str, str | None]) -> None:
    assert claims(REVIEW, files)


def test_shuffled_reviews_never_turn_a_true_claim_into_a_refuted_one() -> None:
    parts = [
        "No box plots are drawn.",
        "train.py never saves the model.",
        "The learning rate is not logged.",
        "Everything is odd.",
    ]
    generator = random.Random(7)
    for _ in range(50):
        generator.shuffle(parts)
        found = check_text(" ".join(parts), FACTS, FOUND)
        assert all(finding.check.result is not Check.REFUTED for finding in found)


def test_a_text_with_thousands_of_claims_is_answered_soon() -> None:
    text = "- train.py never saves the model.\n" * 3_000
    start = time.perf_counter()
    found = check_text(text, FACTS, FOUND)
    assert time.perf_counter() - start < 60
    assert sum(finding.check.result is Check.CONFIRMED for finding in found) == MOST_CHECKED


def test_a_claim_that_no_kind_fits_stays_visible() -> None:
    (finding,) = claims("The weather is nice.")
    assert (finding.kind, finding.category, finding.check.result) == (
        "other",
        "uncategorised",
        Check.UNVERIFIED,
    )
