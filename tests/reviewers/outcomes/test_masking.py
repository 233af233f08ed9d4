"""Guards what is kept of a run's output: no key and no password that stood in it, and everything
else.
"""

from datetime import UTC, datetime

import pytest

from reviewers.outcomes.masking import masked
from reviewers.outcomes.outcome import Stage, outcome_of_run
from tests.builders import make_submission

AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("401 for sk-proj-abcdefGHIJ0123456789", "abcdefGHIJ"),
        ("token hf_AbCdEfGhIjKlMnOp refused", "AbCdEfGh"),
        ("WANDB_API_KEY=0123456789abcdef0123", "0123456789abcdef"),
        ('{"api_key": "s3cr3t-s3cr3t"}', "s3cr3t"),
        ("clone https://ada:pa55word@example.org/x.git", "pa55word"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123", "abcdefghij"),
    ],
)
def test_a_key_is_hidden(text: str, secret: str) -> None:
    assert secret not in masked(text)
    assert masked(masked(text)) == masked(text)


@pytest.mark.parametrize(
    "text",
    [
        "KeyError: 'token_ids'",
        "tokenizer = AutoTokenizer",
        "http://localhost:8000/a@b",
        "max_tokens=5",
    ],
)
def test_what_is_no_key_stays(text: str) -> None:
    assert masked(text) == text


def test_a_runs_output_is_kept_without_keys() -> None:
    place = '  File "src/train.py", line 1, in <module>'
    output = (
        f"Traceback (most recent call last):\n{place}\nValueError: bad key hf_AbCdEfGhIjKlMnOp\n"
    )
    outcome, _ = outcome_of_run(make_submission(), output, 1, Stage.TRIAL, AT)
    assert "AbCdEfGh" not in outcome.excerpt + (outcome.message or "")
    assert outcome.error == "ValueError"


def test_the_same_output_with_another_exit_code_is_another_outcome() -> None:
    codes = [
        outcome_of_run(make_submission(), "", code, Stage.TRIAL, AT)[0].digest for code in (0, 137)
    ]
    assert codes[0] != codes[1]
