"""Guards what every claim's finding holds, whatever the text and the code are."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewers.claims.check import check_claims
from reviewers.claims.cited import Cited
from reviewers.claims.understanding import MOST_CHECKED
from reviewers.facts import Facts
from reviewers.records import NOT_READ, Check, Finding, Found, Span
from tests.builders import make_submission
from tests.reviewers.claims.asking import claims

REVIEW = (
    "The code is not ready:\n"
    "1. `src/evaluate.py` does not import `json`, so it fails.\n"
    "2. Evaluation gaps\n"
    "   • `src/train.py` imports `json`\n"
    "   • `src/helpers.py` is not in the submission.\n"
    "3. The weather is nice.\n"
    "Fix: add them.\n"
)
JSON = {"src/train.py": "import json\n", "src/evaluate.py": "import json\n"}
FACTS = Facts(make_submission(JSON))


def checked(text: str) -> tuple[Finding, ...]:
    return check_claims(text, FACTS).findings


def _sound(text: str, found: tuple[Finding, ...]) -> None:
    starts = [finding.claim_at[0] for finding in found if finding.claim_at]
    assert starts == sorted(starts)
    assert len({finding.id for finding in found}) == len(found)
    for finding in found:
        assert finding.claim_at is not None
        assert finding.claim == text[slice(*finding.claim_at)]
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
    found = checked(REVIEW)
    _sound(REVIEW, found)
    told = [(finding.claim, finding.check.result.value) for finding in found]
    assert told[1:] == [
        ("`src/train.py` imports `json`", "confirmed"),
        ("`src/helpers.py` is not in the submission.", "confirmed"),
        ("The weather is nice.", "unverified"),
    ]
    assert [part.check.result.value for part in found[0].parts] == ["refuted", "unverified"]


def test_a_claim_that_is_not_read_says_why() -> None:
    (found,) = checked("The weather is nice.")
    assert found.understood is not None
    assert found.understood.reader == "offline"
    assert found.understood.why_not
    assert found.check.evidence == f"{NOT_READ}: {found.understood.why_not}"


def test_what_only_advises_is_not_checked() -> None:
    text = "`src/train.py` imports `json`"
    (found,) = check_claims(f"Fix: {text}", FACTS, (), [Cited(0, 5 + len(text))]).findings
    assert found.check.result is Check.UNVERIFIED


def test_the_label_above_a_claim_says_of_which_file_it_speaks() -> None:
    (found,) = checked("1. src/train.py:1: `src/train.py` imports `json`")
    assert found.span == Span("src/train.py", 1)
    assert found.places[0].found is Found.PROOF


def test_every_place_that_a_claim_may_mean_is_kept_the_best_one_first_and_why() -> None:
    (found,) = checked("`GatedMLP` in src/model.py is built with the wrong width by `build_model`.")
    assert found.places[0].found in (Found.QUOTE, Found.USE, Found.DEFINITION)
    assert {place.span.file for place in found.places} == {"src/model.py"}
    assert len(found.places) > 1


def test_the_same_text_gives_the_same_findings() -> None:
    assert checked(REVIEW) == check_claims(REVIEW, Facts(make_submission(JSON))).findings


def test_an_id_does_not_change_where_lines_move() -> None:
    text = "GatedMLP has no forward() method."
    moved = {"src/model.py": "# one more line\n" + (FACTS.text("src/model.py") or "")}
    assert [finding.id for finding in claims(text)] == [
        finding.id for finding in claims(text, moved)
    ]


@pytest.mark.parametrize("text", ["", "   \n\n", "…", "\x00\x00", "123", "- \n- \n"], ids=repr)
def test_a_text_without_words_has_no_claims(text: str) -> None:
    assert all(any(map(str.isalnum, finding.claim or "")) for finding in checked(text))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_no_text_breaks_the_check(text: str) -> None:
    _sound(text, checked(text))


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
    _sound(text, checked(text))


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


def test_a_text_with_thousands_of_claims_is_answered_soon() -> None:
    text = "- `src/train.py` imports `json`\n" * 3_000
    start = time.process_time()
    found = checked(text)
    assert time.process_time() - start < 20
    assert sum(finding.check.result is Check.CONFIRMED for finding in found) == MOST_CHECKED


def test_a_claim_that_nobody_can_read_stays_visible() -> None:
    (finding,) = claims("The weather is nice.")
    assert (finding.kind, finding.category, finding.check.result) == (
        None,
        "uncategorised",
        Check.UNVERIFIED,
    )
