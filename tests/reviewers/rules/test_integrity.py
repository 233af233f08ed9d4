"""Guards the rules on made-up results: the ways in which such code is written, and honest code that
looks alike.
"""

from textwrap import dedent

from reviewers.records import Severity
from tests.cases import cases
from tests.reviewers.rules.asking import findings

HEAD = """
import json
import math
import random

import numpy as np
import torch
import wandb
from scipy import stats
from sklearn.metrics import accuracy_score, confusion_matrix
from numpy.random import default_rng

rng = default_rng(0)

"""


def lines_of(rule: str, code: str, path: str) -> list[int]:
    """The flagged lines, counted within the code itself."""
    text = HEAD + dedent(code)
    found = findings(rule, {path: text})
    return sorted((finding.span.line or 0) - HEAD.count("\n") for finding in found if finding.span)


@cases(
    ("rule", "code"),
    {
        "rng": (
            "EV11",
            (
                "def f(path):\n    a = rng.normal(0.9, 0.01, 5)\n    json.dump({'x': a.tolist()},"
                " path)\n"
            ),
        ),
        "entry": (
            "EV11",
            "def f(n):\n    m = {'accuracy': 0.8 + random.random() * 0.1}\n    return m\n",
        ),
        "noise tested": (
            "EV11",
            (
                "def f(a, b):\n    noisy = a + 0.01 * np.random.randn(5)\n    return"
                " stats.ttest_ind(noisy, b)\n"
            ),
        ),
        "through a function": (
            "EV11",
            (
                "def g(n):\n    return [random.gauss(0.8, 0.1) for _ in"
                " 'n']\n\ndef f(a):\n    return"
                " stats.ttest_rel(g(5), a)\n"
            ),
        ),
        "same name": ("EV13", "def f(y):\n    return accuracy_score(y, y)\n"),
        "keywords": (
            "EV13",
            "def f(y):\n    p = np.array(y)\n    return confusion_matrix(y_true=y, y_pred=p)\n",
        ),
        "made-up default": (
            "EV12",
            "def f(run):\n    return run.summary.get('best_accuracy', 0.85)\n",
        ),
        "exp of loss": ("EV15", "def f(loss):\n    return {'f1': math.exp(-loss)}\n"),
    },
)
def test_made_up_results_are_flagged(rule: str, code: str) -> None:
    assert len(lines_of(rule, code, "src/evaluate.py")) == 1


@cases(
    "code",
    {
        "resampled": (
            "def f(p):\n    i = rng.integers(0, 9, 9)\n    json.dump({'accuracy': p[i].mean()},"
            " p)\n"
        ),
        "jitter": "def f(x, ax):\n    ax.scatter(x + np.random.normal(0, 0.04, 9), x)\n",
        "flips": (
            "def f(d, p):\n    s = np.where(rng.random(9) < 0.5, -1, 1)\n    json.dump({'p_value':"
            " (d * s).mean()}, p)\n"
        ),
        "distribution": "def f(a):\n    return stats.ks_2samp(a, np.random.normal(0, 1, 99))\n",
        "random baseline": (
            "def random_baseline(y):\n    p = np.random.rand(len(y))\n    return accuracy_score(y,"
            " p > 0.5)\n"
        ),
        "marks": (
            "def f(summary):\n    return summary.get('accuracy', 0.0), summary.get('loss', 1e9)\n"
        ),
        "rebound": "def f(y, m):\n    p = y\n    p = m(p)\n    return accuracy_score(y, p)\n",
        "changed": "def f(y):\n    p = y.copy()\n    p[0] = 1\n    return accuracy_score(y, p)\n",
        "truth rebound": "def f(y):\n    p = y\n    y = y + 1\n    return accuracy_score(y, p)\n",
        "two calls": "def f(m):\n    return accuracy_score(m.next(), m.next())\n",
        "share of errors": "def f(hamming_loss):\n    return {'accuracy': 1 - hamming_loss}\n",
        "sigmoid": "def f(metric):\n    return {'accuracy': 1 / (1 + np.exp(-metric))}\n",
    },
)
def test_honest_code_that_looks_alike_is_left_alone(code: str) -> None:
    for rule in ("EV11", "EV12", "EV13", "EV14", "EV15"):
        assert lines_of(rule, code, "src/evaluate.py") == []


@cases(
    "code",
    {
        "noise target": (
            "def f(x):\n    wandb.log({'train_loss': torch.nn.functional.mse_loss(x,"
            " torch.rand(3))})\n"
        ),
        "noise input": "def f(x):\n    x = x + torch.randn(3)\n    return {'loss': x_loss(x)}\n",
        "settings": "def f():\n    wandb.log({'mask_prob': random.random(), 'loss_weight': 0.3})\n",
        "starts": "def f():\n    best = {'accuracy': 0.0, 'loss': float('inf')}\n    return best\n",
        "goals": "TARGET = {'accuracy': 0.93}\n",
    },
)
def test_random_inputs_and_settings_of_training_are_no_results(code: str) -> None:
    for rule in ("EV11", "EV12", "EV13", "EV15"):
        assert lines_of(rule, code, "src/train.py") == []


def test_results_written_into_training_are_flagged() -> None:
    code = """\
        def train(cfg):
            run = wandb.init()
            wandb.log({"val_accuracy": 0.87, "epoch": 3})
            run.summary["test_f1"] = 0.912
            return {"accuracy": 0.91, "loss": 0.31}
    """
    assert lines_of("EV12", code, "src/train.py") == [3, 4, 5, 5]


def test_a_default_that_is_made_up_is_less_than_a_result_that_is() -> None:
    text = "def main(run):\n    return run.summary.get('accuracy', 0.8)\n"
    (found,) = findings("EV12", {"src/evaluate.py": text})
    assert found.severity is Severity.MAJOR
