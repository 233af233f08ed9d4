"""Guards what is said of networks, gradients, data sets and libraries: each answer with the words
that ask for it.
"""

import pytest

from reviewers.records import Check
from tests.reviewers.claims.asking import claim, claims

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED

_NETWORKS = """import numpy as np
import torch
from torch import nn


class WordReader(nn.Module):
    def __init__(self, words: int, width: int) -> None:
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.mix = nn.Linear(width, width)

    def forward(self, marks):
        found = self.table(marks)
        return self.mix(found).squeeze(1)


class ColourReader(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.mix = nn.Linear(3, width)

    def forward(self, pixels):
        return self.mix(pixels)


class SoftGate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, value):
        return value * torch.sigmoid(self.weight)


class Planner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.reader = nn.Linear(4, 4)
        self.writer = nn.Linear(4, 1)
        self.register_buffer("memory", torch.zeros(4))

    def forward(self, seen):
        read = self.reader(seen)
        with torch.no_grad():
            self.memory.copy_(read)
        return self.writer(self.memory)


def pairs(rows):
    return rows.min(), rows.max()


def spread(rows: np.ndarray) -> np.ndarray:
    return rows - rows.mean()


def build(cfg):
    backbone = WordReader(100, 8)
    for weight in backbone.parameters():
        weight.requires_grad = False
    backbone.mix.register_forward_hook(lambda module, given, out: SoftGate()(out))
    return backbone
"""
_LOADING = """from datasets import load_dataset
from torch.utils.data import DataLoader

TASKS = [
    {"name": "greek_to_latin", "source": "cooking_recipes"},
    {"name": "latin_to_greek", "source": "old_letters"},
    {"name": "short_tales", "source": "tales"},
]


def encode(record, tokenizer):
    found = tokenizer(record["tale"], padding="max_length", truncation=True)
    found["labels"] = found["input_ids"].copy()
    return found


def collate(rows):
    kept = {"ids": [row["ids"] for row in rows]}
    return kept, [row["answer"] for row in rows]


def load(cfg, tokenizer):
    tales = load_dataset("tales", split="train")
    tales = tales.map(lambda record: record)
    tales = tales.map(encode, remove_columns=tales.column_names)
    tokenizer.pad_token = tokenizer.eos_token
    train_loader = DataLoader(tales, batch_size=4)
    val_loader = DataLoader(tales, batch_size=4)
    path = "data/tales_by_hand.json"
    return train_loader, val_loader
"""
_TRAINING = """import torch
from src.model import ColourReader, Planner, SoftGate


def train(cfg, loader, device):
    planner = Planner()
    gate = SoftGate().to(device)
    optimiser = torch.optim.Adam(planner.parameters())
    colours = ColourReader(4)
    colours.to(device)
    for batch in loader:
        seen, wanted = batch
        seen = seen.to(device)
"""
_FILES = {"src/model.py": _NETWORKS, "src/preprocess.py": _LOADING, "src/train.py": _TRAINING}


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("WordReader expects integer token ids.", CONFIRMED),
        ("`WordReader.forward` requires token indices.", UNVERIFIED),
        ("ColourReader expects integer token ids.", UNVERIFIED),
        ("WordReader may expect integer token ids.", UNVERIFIED),
        ("WordReader returns float embeddings.", CONFIRMED),
        ("`pairs` returns a tuple.", CONFIRMED),
        ("`pairs()` returns a list.", UNVERIFIED),
        ("`spread()` returns a NumPy array.", CONFIRMED),
        ("`build()` freezes the entire backbone.", CONFIRMED),
        ("`pairs()` freezes the entire backbone.", UNVERIFIED),
        ("The Planner object is created on the CPU.", CONFIRMED),
        ("The ColourReader is never moved to the device.", UNVERIFIED),
        ("SoftGate is instantiated anew in a forward hook on every call.", CONFIRMED),
        ("WordReader is instantiated anew in a forward hook on every call.", UNVERIFIED),
        ("In Planner the reader weights never receive gradients.", CONFIRMED),
        ("In Planner the writer weights never receive gradients.", UNVERIFIED),
    ],
)
def test_networks(text: str, answer: Check) -> None:
    found = claim(text, _FILES)
    assert found.check.result is answer, found.check.evidence


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Preprocessing defines only 3 tasks.", CONFIRMED),
        (
            "The registry hard-codes only three tasks instead of the 30 that were promised.",
            CONFIRMED,
        ),
        ("Preprocessing defines only 4 tasks.", UNVERIFIED),
        ("preprocess.py defines only 1 task.", UNVERIFIED),
        (
            'The task registry contains typos: `greek_to_latin` points to "cooking_recipes".',
            CONFIRMED,
        ),
        ('The task registry contains typos: `greek_to_latin` points to "old_letters".', UNVERIFIED),
        ("The loss is computed on padding tokens.", CONFIRMED),
        ("The labels are a copy of the input_ids.", CONFIRMED),
        (
            'preprocess.py hard-codes the path "data/tales_by_hand.json", which is not provided.',
            CONFIRMED,
        ),
        ("preprocess.py removes the `tale` column.", UNVERIFIED),
        ("preprocess.py removes the `answer` column in map.", CONFIRMED),
        ("preprocess.py removes the `title` column in map.", UNVERIFIED),
        ('preprocess.py only works with data sets that have a "tale" column.', CONFIRMED),
        ("preprocess.py creates only train and val loaders.", CONFIRMED),
        ("preprocess.py has no test loader.", CONFIRMED),
        ("preprocess.py has no validation loader.", UNVERIFIED),
        ("The tokenizer's padding token is never set.", UNVERIFIED),
        ("The tokenizer's padding token might never be set.", UNVERIFIED),
    ],
)
def test_data_sets(text: str, answer: Check) -> None:
    found = claim(text, _FILES)
    assert found.check.result is answer, found.check.evidence


def test_masked_padding_is_not_in_the_loss() -> None:
    masked = _LOADING.replace(
        "    return found\n",
        "    found['labels'] = [-100 if t == 0 else t for t in found['labels']]\n    return"
        " found\n",
    )
    assert (
        claim(
            "The loss is computed on padding tokens.", {**_FILES, "src/preprocess.py": masked}
        ).check.result
        is UNVERIFIED
    )


def test_a_batch_that_holds_a_dictionary_has_no_to() -> None:
    found = claims(
        "train.py calls `seen.to(device)`. For tales the batch inputs are a dict → AttributeError.",
        _FILES,
    )
    assert found[-1].check.result is CONFIRMED
    assert "AttributeError" in found[-1].check.evidence


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("SoftGate is not included in the optimiser.", CONFIRMED),
        ("SoftGate is never trained.", CONFIRMED),
        ("Planner is not included in the optimiser.", UNVERIFIED),
        ("SoftGate is possibly never trained.", UNVERIFIED),
    ],
)
def test_optimisers(text: str, answer: Check) -> None:
    found = claim(
        text,
        {
            "src/train.py": _TRAINING,
            "src/model.py": _NETWORKS.replace(
                "lambda module, given, out: SoftGate()(out)", "print"
            ),
        },
    )
    assert found.check.result is answer, found.check.evidence


_LIBRARIES = """import datasets
import seaborn as sns
from transformers import DataCollatorForSeq2Seq
from sklearn.metrics import f1_score


def measure(cfg, tokenizer, rows):
    metric = datasets.load_metric("rouge")
    with tokenizer.as_target_tokenizer():
        ids = tokenizer(rows)
    collate = DataCollatorForSeq2Seq(tokenizer)
    score = f1_score(rows, rows, averaging="macro")
    other = f1_score(rows, rows, average="macro")
    return metric, ids, collate, score, other
"""


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("`datasets.load_metric` does not exist any more.", CONFIRMED),
        ("`load_metric` was removed in datasets 3.0.", CONFIRMED),
        ("`datasets.load_metric` was removed in datasets 2.15.", UNVERIFIED),
        ("`as_target_tokenizer` was removed in transformers 4.40.", UNVERIFIED),
        (
            "`f1_score` was removed from scikit-learn.",
            UNVERIFIED,
        ),
        ("`f1_score` might have been removed from scikit-learn.", UNVERIFIED),
        ("`f1_score` does not accept the argument `averaging`.", CONFIRMED),
        ("`f1_score` has no `average` parameter.", UNVERIFIED),
        (
            "`DataCollatorForSeq2Seq` requires the argument `model`.",
            UNVERIFIED,
        ),
        ("The code uses the deprecated `as_target_tokenizer()` context.", CONFIRMED),
        ("The code uses the deprecated `measure()` helper.", UNVERIFIED),
    ],
)
def test_libraries(text: str, answer: Check) -> None:
    found = claim(text, {"src/preprocess.py": _LIBRARIES})
    assert found.check.result is answer, found.check.evidence
    assert found.check.misreading is None


def test_an_error_follows_from_the_claim_before() -> None:
    text = (
        "`f1_score` does not accept the argument `averaging`, so this raises a TypeError at"
        " runtime."
    )
    found = [each.check.result for each in claims(text, {"src/preprocess.py": _LIBRARIES})]
    assert found == [CONFIRMED, CONFIRMED]


def test_no_error_follows_from_what_does_not_hold() -> None:
    text = "`f1_score` was removed from scikit-learn. This raises an AttributeError."
    found = [each.check.result for each in claims(text, {"src/preprocess.py": _LIBRARIES})]
    assert found == [UNVERIFIED, UNVERIFIED]


def test_another_error_than_the_proven_one_is_left_open() -> None:
    text = (
        "`f1_score` does not accept the argument `averaging`, so this raises a ZeroDivisionError."
    )
    assert claims(text, {"src/preprocess.py": _LIBRARIES})[-1].check.result is UNVERIFIED


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (
            "No thermal annealing logic is present although required by the method description.",
            CONFIRMED,
        ),
        (
            (
                "The thermal annealing described in the paper is not implemented anywhere in the"
                " training pipeline."
            ),
            CONFIRMED,
        ),
        ("The planner described in the paper is not implemented anywhere in the code.", UNVERIFIED),
        ("Only a ColourReader is implemented.", UNVERIFIED),
        ("Only a SoftGate is implemented.", CONFIRMED),
        ("The comparison figures described in the paper are missing.", UNVERIFIED),
        ("There is no gradient clipping.", CONFIRMED),
    ],
)
def test_parts_of_the_method(text: str, answer: Check) -> None:
    found = claim(text, _FILES)
    assert found.check.result is answer, found.check.evidence
