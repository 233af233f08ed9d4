"""Guards the estimate of tokens against the real vocabulary, as far as it is at hand, and against
texts that would stall it.
"""

import time

import pytest

from reviewers.bundles import open_bundle
from reviewers.panel.prompts import build_prompt
from reviewers.panel.tokens import estimate
from tests.builders import SOUND_FILES, SOUND_RUNS, make_submission
from tests.shared_data import SAMPLE, needs_shared

# Counted with o200k_base.
COUNTED = {
    "code": ("\n".join(SOUND_FILES[path] for path in sorted(SOUND_FILES)), 2442),
    "yaml": ("\n".join(SOUND_RUNS[run] for run in sorted(SOUND_RUNS)), 252),
    "prompt": (build_prompt(make_submission(), "findings").messages[1].text, 3313),
    "prose": (build_prompt(make_submission(), "recorded").messages[0].text, 1170),
}
COARSE = {
    "Japanese": (
        "学習率は一定の割合で下がり、検証データでの損失が最小になった重みを保存します。",
        32,
    ),
    "Greek": ("Ο ρυθμός μάθησης μειώνεται και αποθηκεύονται τα καλύτερα βάρη του μοντέλου.", 25),
    "German": (
        (
            "Die Lernrate sinkt gleichmäßig, und die Gewichte mit dem kleinsten Verlust werden für"
            " später aufgehoben."
        ),
        23,
    ),
    "symbols": ("θ ← θ − η·∇L, ‖w‖₂ ≤ ε, ∀x ∈ ℝ: σ(x) > 0 ⇒ λ·Σᵢ wᵢ = 1", 47),
    "emoji": ("🚀 started 🔥 done 👩‍🔬 fits ✅", 13),
    "base64": (
        "TGVhcm5pbmcgcmF0ZSBzaW5rcyBhbmQgd2VpZ2h0cyBhcmUga2VwdCBmb3IgbGF0ZXIgdXNlIGJ5IHRoZSBzY3JpcHQu",
        63,
    ),
}


@pytest.mark.parametrize(("text", "tokens"), COUNTED.values(), ids=COUNTED)
def test_code_configuration_and_prose_are_met_within_five_percent(text: str, tokens: int) -> None:
    assert estimate(text) == pytest.approx(tokens, rel=0.05)


@pytest.mark.parametrize(("text", "tokens"), COARSE.values(), ids=COARSE)
def test_other_texts_are_met_roughly(text: str, tokens: int) -> None:
    assert 0.8 * tokens <= estimate(text) <= 1.6 * tokens


@needs_shared
def test_the_prompts_of_the_real_logs_are_met_within_five_percent() -> None:
    splintr = pytest.importorskip(
        "splintr", reason="the real vocabulary (pip install splintr-rs) is not installed"
    )
    vocabulary = splintr.Tokenizer.from_pretrained("o200k_base")
    for log in SAMPLE:
        text = "\n".join(
            message.text for message in build_prompt(open_bundle(log), "findings").messages
        )
        assert estimate(text) == pytest.approx(len(vocabulary.encode(text)), rel=0.05), log.name


# Of a row of 300, counted with o200k_base.
ROWS = {
    "cuneiform": ("\U00012000", 1200),
    "tags": ("\U000e0041", 1200),
    "accents": ("é", 300),
    "arrows": ("→", 300),
    "brackets": ("]", 150),
    "capital vowels": ("U", 150),
    "zeros": ("\0", 300),
    "line tabs": ("\x0b", 300),
    "returns": ("\r", 150),
    "tabs": ("\t", 19),
    "lines": ("\n", 20),
}


@pytest.mark.parametrize(("mark", "tokens"), ROWS.values(), ids=ROWS)
def test_a_row_of_one_character_is_not_taken_for_less_than_it_is(mark: str, tokens: int) -> None:
    assert estimate(mark * 300) >= 0.9 * tokens


def test_marks_and_blanks_before_a_long_row_hide_nothing_of_it() -> None:
    assert estimate(";" + "\n" * 2000) >= 0.9 * 125
    assert estimate("x" + " " * 10_000) >= 0.9 * 79
    assert estimate(" " + "\U00012000" * 2000) >= 0.9 * 8000


def test_lines_that_people_draw_stay_cheap() -> None:
    assert all(estimate(mark * 80) <= 7 for mark in "-=#*_.~+─…")


def test_rows_of_any_character_are_met_by_the_real_vocabulary() -> None:
    splintr = pytest.importorskip(
        "splintr", reason="the real vocabulary (pip install splintr-rs) is not installed"
    )
    vocabulary = splintr.Tokenizer.from_pretrained("o200k_base")
    codes = [*range(0xD800), *range(0xE000, 0x10000, 7), *range(0x10000, 0x110000, 509)]
    low = {
        code: row
        for code in codes
        if estimate(row := chr(code) * 120) < 0.9 * len(vocabulary.encode(row))
    }
    assert not low


def test_nothing_has_no_tokens() -> None:
    assert estimate("") == 0
    assert estimate("x") == 1


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000_000,
        "A" * 1_000_000,
        " " * 1_000_000,
        "=" * 1_000_000,
        "\n " * 500_000,
        "é" * 1_000_000,
        "aB3+" * 250_000,
        "\U000e0041" * 500_000,
    ],
    ids=["letters", "capitals", "blanks", "marks", "lines", "accents", "base64", "tags"],
)
def test_hostile_texts_are_estimated_in_good_time(text: str) -> None:
    start = time.process_time()
    assert estimate(text) > 0
    assert time.process_time() - start < 3
