"""Guards the rules about data sets of the Hub: what looks like a mistake and is not, and what the
runs' configs decide.
"""

import pytest

from reviewers.records import Finding, Severity
from tests.reviewers.rules.asking import findings

START = """
import hydra
from datasets import load_dataset
from torch.utils.data import DataLoader
from transformers import AutoTokenizer, DataCollatorWithPadding

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
"""


def found(rule: str, body: str, before: str = "") -> list[Finding]:
    """The findings on a train.py whose entry function has these lines."""
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    return findings(rule, {"src/train.py": before + START + lines})


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ('load_dataset("glue")', True),
        ('load_dataset("glue", "sst2")', False),
        ('load_dataset("glue", name="sst-2")', True),
        ('load_dataset("glue", cfg.nowhere_known or unknown())', False),
        ('load_dataset("imdb")', False),
        ('load_dataset("somebody/own-data")', False),
        ('load_dataset("glue", data_files="rows.json")', False),
        ('load_dataset("glue", **options())', False),
        ('load_dataset(path="openai/gsm8k", split="train")', True),
        ('load_dataset("mbpp")', False),
    ],
)
def test_a_configuration_is_asked_for_where_there_are_several(call: str, wrong: bool) -> None:
    assert bool(found("DA04", f"rows = {call}")) is wrong


@pytest.mark.parametrize(
    ("use", "wrong"),
    [
        ('rows["validation"]', True),
        ('rows["test"]', False),
        ('rows["validation"] if "validation" in rows else rows["test"]', False),
        ('rows.get("validation")', False),
        ("rows[0]", True),
        ("rows.train_test_split(0.1)", True),
        ('rows["train"].train_test_split(0.1)["test"]', False),
        ("[rows[name] for name in rows]", False),
    ],
)
def test_a_split_is_missed_only_where_it_is_read(use: str, wrong: bool) -> None:
    assert bool(found("DA05", f'rows = load_dataset("imdb")\nfound = {use}')) is wrong


@pytest.mark.parametrize("split", ["train[:10%]", "train[90%:]+test", "all"])
def test_slices_and_sums_of_splits_are_splits(split: str) -> None:
    assert not found("DA05", f'rows = load_dataset("imdb", split="{split}")')


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ('rows = rows.map(lambda row: {"n": len(row["text"])})\nrows["text"]', False),
        ('rows = rows.map(lambda row: {"n": 1}, remove_columns=["text"])\nrows["text"]', True),
        ('rows = rows.map(lambda row: {"text": 1}, remove_columns=["text"])\nrows["text"]', False),
        ('rows = rows.map(unknown, remove_columns=["text"])\nrows["text"]', False),
        ('rows = rows.rename_column("label", "labels")\nrows[0]["label"]', True),
        (
            (
                "rows = rows.remove_columns([c for c in rows.column_names if c !="
                ' "label"])\nrows["label"]'
            ),
            False,
        ),
        ('if unknown():\n    rows = rows.rename_column("label", "labels")\nrows["labels"]', False),
        ('if "sentence" in rows.column_names:\n    rows["sentence"]', False),
        ('for row in rows:\n    row["txt"]', True),
        ('row = rows[0]\nrow["extra"] = 1\nrow["extra"]', False),
        ('rows = rows.add_column("more", unknown())\nrows["more"]', False),
        ('rows = rows.cast(unknown())\nrows["more"]', False),
    ],
)
def test_columns_are_followed_through_what_is_done_to_them(lines: str, wrong: bool) -> None:
    assert bool(found("DA08", f'rows = load_dataset("imdb", split="train")\n{lines}')) is wrong


def test_what_a_collator_calls_labels_is_not_read_as_label() -> None:
    body = """
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
for batch in DataLoader(unknown(), collate_fn=DataCollatorWithPadding(tokenizer)):
    batch = {name: value.to("cuda") for name, value in batch.items()}
    batch["{key}"]
"""
    assert found("DA08", body.replace("{key}", "label"))
    assert not found("DA08", body.replace("{key}", "labels"))


@pytest.mark.parametrize(
    ("bound", "refused"),
    [
        ("datasets", True),
        ("datasets>=2.14", True),
        ("datasets<4", False),
        ("datasets==3.6.0", False),
    ],
)
def test_a_script_is_refused_where_a_new_library_may_be_installed(
    bound: str, refused: bool
) -> None:
    project = f'[project]\nname = "gated"\nversion = "0.1.0"\ndependencies = ["{bound}"]\n'
    train = START + '    rows = load_dataset("xsum")\n'
    assert bool(findings("DA06", {"src/train.py": train, "pyproject.toml": project})) is refused


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ("rows.select(range(9))", True),
        ("rows.take(9)", False),
        ("len(rows)", True),
        ("DataLoader(rows, shuffle=True)", True),
        ("DataLoader(rows, batch_size=8)", False),
        ("rows.shuffle(seed=1, buffer_size=1000)", False),
        ("next(iter(rows))", False),
    ],
)
def test_streams_have_no_length_and_no_positions(lines: str, wrong: bool) -> None:
    assert (
        bool(found("DA09", f'rows = load_dataset("imdb", split="train", streaming=True)\n{lines}'))
        is wrong
    )
    assert not found("DA09", f'rows = load_dataset("imdb", split="train")\n{lines}')


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ("", True),
        ("tokenizer.pad_token = tokenizer.eos_token", False),
        ("if unknown():\n    tokenizer.pad_token = tokenizer.eos_token", False),
        ('tokenizer.add_special_tokens({"pad_token": "[PAD]"})', False),
        ("prepare(tokenizer)", False),
    ],
)
def test_a_padding_token_that_may_have_been_set_is_not_missed(lines: str, wrong: bool) -> None:
    body = (
        f'tokenizer = AutoTokenizer.from_pretrained("gpt2")\n{lines}\ntokenizer(["a"],'
        " padding=True)"
    )
    assert bool(found("DA11", body)) is wrong


def test_a_failure_that_is_caught_is_no_blocker() -> None:
    body = 'try:\n    rows = load_dataset("openai/gsm8k")\nexcept Exception:\n    rows = None'
    assert [finding.severity for finding in found("DA04", body)] == [Severity.MAJOR]


def test_a_table_of_tasks_is_gone_through() -> None:
    before = (
        'TASKS: list[dict] = [{"hf": ("imdb", None)}, {"hf": ("wmt14", "de-en")}, {"hf": ("wmt14",'
        ' "en-de")}]\n'
    )
    body = "for task in TASKS:\n    rows = load_dataset(*task['hf'], split='train')"
    assert ["'en-de' not found" in finding.message for finding in found("DA04", body, before)] == [
        True
    ]
