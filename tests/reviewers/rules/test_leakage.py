"""Guards the rules about leaking test data and about labels of tokens: legitimate code that looks
alike stays unmarked.
"""

import pytest

from reviewers.records import Finding
from tests.reviewers.rules.asking import findings


def found(rule: str, preprocess: str, **others: str) -> list[Finding]:
    files = {
        "src/preprocess.py": preprocess,
        **{f"src/{name}.py": text for name, text in others.items()},
    }
    return findings(rule, files)


LOADED = """
from torch.utils.data import DataLoader, Subset, random_split
from torchvision.datasets import CIFAR10

def build(cfg):
    train_set = CIFAR10(".cache/", train=True, transform=cfg.augment)
    val_set = CIFAR10(".cache/", train=True, transform=cfg.plain)
"""


@pytest.mark.parametrize(
    ("rest", "leaks"),
    [
        ("return train_set, val_set", True),
        ("return Subset(train_set, range(9)), Subset(val_set, range(9, 12))", False),
        ("val_set = random_split(train_set, [1, 2])[1]\n    return train_set, val_set", False),
        ("val_set.data = val_set.data[45000:]\n    return train_set, val_set", False),
        (
            (
                "return DataLoader(train_set, sampler=cfg.some), DataLoader(val_set,"
                " sampler=cfg.others)"
            ),
            False,
        ),
    ],
)
def test_two_views_of_the_training_data_leak_unless_they_are_cut(rest: str, leaks: bool) -> None:
    assert bool(found("DA15", f"{LOADED}    {rest}\n")) is leaks


SCALED = """
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, StandardScaler

def build(rows, labels):
"""


@pytest.mark.parametrize(
    ("lines", "leaks"),
    [
        (
            (
                "rows = StandardScaler().fit_transform(rows)\n    return train_test_split(rows,"
                " labels)"
            ),
            True,
        ),
        (
            (
                "labels = LabelEncoder().fit_transform(labels)\n    return train_test_split(rows,"
                " labels)"
            ),
            False,
        ),
        ("a, b = train_test_split(rows)\n    return StandardScaler().fit_transform(a), b", False),
        (
            (
                "seen = StandardScaler().fit_transform(rows)\n    return train_test_split(labels),"
                " seen"
            ),
            False,
        ),
    ],
)
def test_a_scaler_leaks_only_what_is_divided_later(lines: str, leaks: bool) -> None:
    assert bool(found("DA16", f"{SCALED}    {lines}\n")) is leaks


@pytest.mark.parametrize(
    ("returned", "leaks"),
    [
        ("score(test_loader)", True),
        ("score(val_loader)", False),
        ("score(val_loader), score(test_loader)", False),
    ],
)
def test_an_objective_may_report_the_test_score_beside_the_one_that_counts(
    returned: str, leaks: bool
) -> None:
    train = (
        f"def objective(trial):\n    return {returned}\n\nstudy.optimize(lambda trial:"
        " objective(trial), n_trials=3)\n"
    )
    assert bool(found("DA17", "", train=train)) is leaks


ENCODED = """
def encode(row, tokenizer):
    asked = tokenizer(row["question"])
    told = tokenizer(row["answer"])
"""
MODEL = "from transformers import AutoModelForCausalLM\n"
STEP = "def step(model, batch):\n    return model(**batch)\n"


@pytest.mark.parametrize(
    ("lines", "model", "wrong"),
    [
        ('asked["labels"] = told["input_ids"]', MODEL, True),
        (
            'return {"input_ids": asked["input_ids"], "labels": told["input_ids"].copy()}',
            MODEL,
            True,
        ),
        ('asked["labels"] = asked["input_ids"].copy()', MODEL, False),
        ('asked["labels"] = told["input_ids"]', MODEL.replace("CausalLM", "Seq2SeqLM"), False),
        (
            (
                'asked["input_ids"] = asked["input_ids"] + told["input_ids"]\n    asked["labels"] ='
                ' told["input_ids"]'
            ),
            MODEL,
            False,
        ),
    ],
)
def test_labels_of_another_text_suit_encoder_decoder_models_alone(
    lines: str, model: str, wrong: bool
) -> None:
    assert bool(found("DA13", f"{ENCODED}    {lines}\n", model=model, train=STEP)) is wrong


FILLED = "def collate(ids, pad):\n    return [-100 if one == pad else one for one in ids]\n"


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        ('return tok.batch_decode(batch["labels"])', True),
        ('labels = batch["labels"].cpu()\n    return tok.batch_decode(labels)', True),
        (
            (
                'labels = np.where(batch["labels"] != -100, batch["labels"], 0)\n    return'
                " tok.batch_decode(labels)"
            ),
            False,
        ),
        (
            (
                'batch["labels"][batch["labels"] < 0] = 0\n    return'
                ' tok.batch_decode(batch["labels"])'
            ),
            False,
        ),
        ('return tok.batch_decode(batch["input_ids"])', False),
    ],
)
def test_labels_are_decoded_once_the_filling_is_out(lines: str, wrong: bool) -> None:
    assert bool(found("DA14", FILLED, train=f"def answers(tok, batch):\n    {lines}\n")) is wrong
    assert not found("DA14", "", train=f"def answers(tok, batch):\n    {lines}\n")
