"""Guards the rule on training data that goes by the name of held-out data."""

import pytest

from tests.reviewers.rules.asking import findings


def found_in(code: str) -> int:
    text = (
        "from torch.utils.data import DataLoader\n\ndef main(cfg, model, train_loader, train_ds,"
        f" val_ds):\n    {code}\n"
    )
    return len(findings("EV30", {"src/train.py": text}))


@pytest.mark.parametrize(
    "code",
    [
        "val_loader = train_loader",
        "self.test_dataset = self.train_dataset",
        "test_loader = DataLoader(train_ds, batch_size=4)",
        "test_acc = evaluate(model, train_loader)",
    ],
)
def test_training_data_under_another_name(code: str) -> None:
    assert found_in(code) == 1


@pytest.mark.parametrize(
    "code",
    [
        "val_loader = DataLoader(val_ds)",
        "train_eval_loader = DataLoader(train_ds, shuffle=False)",
        "train_acc = evaluate(model, train_loader)",
        "val_acc = train_and_evaluate(model, train_loader, val_loader=val_ds)",
        "val_ds = train_ds\n    val_ds = val_ds.select(range(9))",
        "test_fn = train_step",
        "val_ds = train_ds.train_test_split(0.1)['test']",
        "if cfg.mode == 'trial':\n        val_loader = train_loader",
        "eval_every = training_steps",
    ],
)
def test_held_out_data_and_other_names(code: str) -> None:
    assert found_in(code) == 0
