"""Guards what is said of models and data sets of the hub."""

import pytest

from reviewers.records import Check
from tests.reviewers.claims.asking import claim, claims

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED

_LOADING = """from datasets import load_dataset
from peft import LoraConfig
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer


def load(cfg):
    rows = load_dataset("code_alpaca", split="train")
    more = load_dataset("imdb", split="test")
    model = AutoModelForSeq2SeqLM.from_pretrained("openai-community/gpt2")
    adapter = LoraConfig(target_modules=["q_proj", "query", "value"])
    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    return rows, more, model, adapter, tokenizer
"""


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("openai-community/gpt2 is a causal LM.", CONFIRMED),
        ("gpt2 is decoder-only.", CONFIRMED),
        ("gpt2 is not a causal LM.", UNVERIFIED),
        ("gpt2 is an encoder-decoder model.", UNVERIFIED),
        ("distilbert-base-uncased is encoder-only.", CONFIRMED),
        ("gpt2 could be a causal LM.", UNVERIFIED),
        ("some-unknown-model is a causal LM.", UNVERIFIED),
        ("AutoModelForSeq2SeqLM cannot load gpt2.", CONFIRMED),
        ("AutoModelForSeq2SeqLM cannot load facebook/bart-base.", UNVERIFIED),
        ("AutoModelForSeq2SeqLM cannot load some-unknown-model.", UNVERIFIED),
        ("bert-base-uncased has no layer called `q_proj`.", CONFIRMED),
        ("distilbert-base-uncased has no module named `q_lin`.", UNVERIFIED),
        ("The data set `code_alpaca` does not exist on the Hub.", CONFIRMED),
        ("The data set `imdb` does not exist on the Hub.", UNVERIFIED),
        ("The data set `imdb` has no `sentence` column.", CONFIRMED),
        ("The data set `imdb` has no `text` column.", UNVERIFIED),
        ("The data set `imdb` has no `validation` split.", CONFIRMED),
        ("The data set `never_heard_of` has no `text` column.", UNVERIFIED),
    ],
)
def test_models_and_data_sets(text: str, answer: Check) -> None:
    found = claim(text, {"src/preprocess.py": _LOADING})
    assert found.check.result is answer, found.check.evidence


_READING = """from datasets import load_dataset
from transformers import AutoTokenizer


def build_loaders(cfg):
    tokenizer = AutoTokenizer.from_pretrained("distilbert-base-uncased")
    rows = load_dataset("imdb", split="train", cache_dir=".cache/")

    def encode(record):
        return tokenizer(record["sentence"], truncation=True)

    return rows.map(encode), rows
"""


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("The data set lacks the `sentence` column that encode reads.", CONFIRMED),
        ("The data set lacks the `summary` column that encode reads.", UNVERIFIED),
    ],
)
def test_a_column_that_a_rule_found_missing(text: str, answer: Check) -> None:
    found = claim(text, {"src/preprocess.py": _READING})
    assert found.check.result is answer, found.check.evidence


@pytest.mark.parametrize(
    "end",
    [". This crashes.", ", so this stops with a KeyError.", ", which raises a ZeroDivisionError."],
)
def test_a_crash_follows_where_a_rule_found_the_error_in_these_lines(end: str) -> None:
    found = claims(
        f"The data set lacks the `sentence` column that encode reads{end}",
        {"src/preprocess.py": _READING},
    )
    assert found[0].check.result is CONFIRMED
    assert (found[-1].check.result is CONFIRMED) == ("Zero" not in end)
