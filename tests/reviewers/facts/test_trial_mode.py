"""Guards what is said to be done in trial mode, and that doubt counts as done."""

import pytest

from reviewers.facts import Facts, ModeBranches
from tests.builders import with_one_run


def trial_mode_of(body: str) -> ModeBranches:
    """The trial mode of a submission whose train.py has this function body."""
    text = f"def main(cfg, loader, data):\n    {body}\n"
    files = {
        "src/train.py": text,
        "src/main.py": None,
        "src/preprocess.py": None,
        "src/model.py": None,
    }
    return Facts(with_one_run(files)).modes["trial"]


LIMITS = {
    "a loop broken off": (
        "for step, b in enumerate(loader):\n        if cfg.mode == 'trial' and step > 1:\n         "
        "   break"
    ),
    "a smaller data set": "if cfg.mode == 'trial':\n        data = data.select(range(4))",
    "a slice": "if cfg.mode == 'trial':\n        data = data[:2]",
    "a limit set": "if cfg.mode == 'trial':\n        cfg.training.limit_batches = 2",
    "a limit passed on": "if cfg.trial_mode:\n        words = ['training.max_steps=2']",
    "a limit chosen": "limit = 2 if cfg.mode == 'trial' else None",
    "the mode handed on": "fit(cfg, trial_mode=cfg.mode == 'trial')",
    "the other way round": (
        "if cfg.mode != 'trial':\n        pass\n    else:\n        data = data[:2]"
    ),
}
NO_LIMITS = {
    "only what is not a batch": (
        "if cfg.mode == 'trial':\n        cfg.wandb.mode = 'disabled'\n       "
        " cfg.training.epochs = 1"
    ),
    "intervals of logging": "if cfg.mode == 'trial':\n        cfg.training.eval_steps = max(1, 2)",
    "an Optuna trial": "if trial is not None:\n        data = data[:2]",
    "nothing": "pass",
}


@pytest.mark.parametrize("body", LIMITS.values(), ids=LIMITS)
def test_whatever_may_shorten_an_epoch_counts_as_a_limit(body: str) -> None:
    assert trial_mode_of(body).limits_batches()


@pytest.mark.parametrize("body", NO_LIMITS.values(), ids=NO_LIMITS)
def test_what_leaves_every_batch_is_no_limit(body: str) -> None:
    assert not trial_mode_of(body).limits_batches()


def test_settings_are_those_of_trial_mode_alone() -> None:
    body = (
        "if cfg.mode == 'trial':\n        cfg.optuna.n_trials = 0\n    else:\n       "
        " cfg.optuna.n_trials = 20"
    )
    assert [(setting.target, setting.value) for setting in trial_mode_of(body).settings] == [
        ("cfg.optuna.n_trials", 0)
    ]
    negative = "if cfg.mode != 'trial':\n        cfg.optuna.n_trials = 20"
    assert trial_mode_of(negative).settings == ()


def test_a_file_that_does_not_parse_leaves_it_open() -> None:
    trial = Facts(with_one_run({"src/model.py": "def ("})).modes["trial"]
    assert not trial.is_readable
