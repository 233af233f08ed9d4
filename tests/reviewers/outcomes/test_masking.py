"""Guards what is kept of a run's output: no key and no password that stood in it, and everything
else.
"""

from datetime import UTC, datetime
from time import process_time

import pytest

from reviewers.outcomes.masking import masked, without_keys
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


KEY_LINE = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB"


@pytest.mark.parametrize(
    ("code", "secret"),
    [
        ('client = OpenAI("sk-proj-abcdefGHIJ0123456789xyz")', "abcdefGHIJ"),
        ('os.environ["HF_TOKEN"] = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz01234567"', "AbCdEfGh"),
        ('WANDB_API_KEY = "0123456789abcdef0123456789abcdef01234567"', "0123456789abcdef"),
        ('os.environ["WANDB_API_KEY"] = "0123456789abcdef0123"', "0123456789abcdef"),
        ("pip install git+https://ada:pa55word@example.org/x.git", "pa55word"),
        ("export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567 x", "0123456789abcdef"),
        ("> wandb_api_key: 0123456789abcdef0123456789abcdef01234567", "0123456789abcdef"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY9EXAMPLEK1", "wJalrXUt"),
        ("AWS_SECRET_ACCESS_KEY = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'", "wJalrXUt"),
        ("wandb.login(key='0123456789abcdef0123456789abcdef01234567')", "0123456789abcdef"),
        ("api_key: str = '0123456789abcdef0123'", "0123456789abcdef"),
        ("X(api_key=b'0123456789abcdef0123')", "0123456789abcdef"),
        ("curl -H 'Authorization: Bearer 0123456789abcdef0123'", "0123456789abcdef"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,01\n\n"
            + KEY_LINE,
            "MIIEpAIB",
        ),
        (f"> -----BEGIN PRIVATE KEY-----\n> {KEY_LINE}\n> {KEY_LINE}", "MIIEpAIB"),
        (f'K = """-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINE}\n{KEY_LINE}\n"""', "MIIEpAIB"),
    ],
)
def test_a_key_in_code_is_hidden_and_its_lines_stay(code: str, secret: str) -> None:
    shown = without_keys(code)
    assert secret not in shown
    assert shown.count("\n") == code.count("\n")


@pytest.mark.parametrize(
    "code",
    [
        "hf_model_checkpoint_path_with_a_long_name = 1",
        "pad_token = tokenizer.eos_token",
        'tokenizer.pad_token = "<|endoftext|>"',
        'load_dataset("opus100-en-sk-translation-dataset")',
        'unk_token="[UNK]", sep_token="[SEP]"',
        'url = f"https://{user}:{token}@example.org/x.git"',
        'key = "encoder_layer4_attention_conv2_weight"',
        "token = get_token_of_layer123(name)\nsecret_key: str\npassword = config.database12345678",
        "api_key: ${oc.env:WANDB_API_KEY_OF_TEAM_12345}",
        "num_tokens: 100000000000000000000000\nbearer of good news",
        'revision = "0123456789abcdef0123456789abcdef01234567"',
        "# -----BEGIN PRIVATE KEY-----\nmodel = build(config)\nloss.backward()\n" * 3,
    ],
)
def test_code_is_shown_as_it_is_written(code: str) -> None:
    assert without_keys(code) == code


def test_no_text_makes_hiding_slow() -> None:
    for part in (
        "sk-",
        "eyJ-",
        "-eyJaaaaaaaa.",
        "a://a:",
        'API_KEY = "',
        "PRIVATE KEY-----\n",
        "a_key: b",
        "token: a1",
    ):
        start = process_time()
        without_keys(part * (300_000 // len(part)))
        assert process_time() - start < 2, part
