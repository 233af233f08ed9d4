"""Guards what is taken for granted of the world: its way is followed, the other one in doubt."""

import textwrap
from pathlib import Path

import pytest

from reviewers.facts import Facts
from reviewers.facts.config_flow.values import ConfigProblem
from reviewers.facts.world import SENTENCES
from tests.builders import with_one_run

HEAD = (
    "import os, subprocess, sys\nimport hydra, optuna, torch, wandb\ntry:\n    import timm\n"
    "    HAS_TIMM = True\nexcept ImportError:\n    timm = None\n    HAS_TIMM = False\n\n"
    '@hydra.main(version_base="1.3", config_path="../config", config_name="config")\n'
    "def main(cfg):\n"
)
RUNS = {"a": "run_id: a\nmodel: {name: mlp}\noptuna: {n_trials: 2}\n"}


def problems(body: str) -> list[ConfigProblem]:
    """What goes wrong in a train.py whose entry function has this body."""
    text = f"{HEAD}{textwrap.indent(body, '    ')}\n"
    facts = Facts(with_one_run({"src/train.py": text, "src/main.py": None}, RUNS))
    assert facts.python["src/train.py"].syntax_error is None
    return [problem for _, problem in facts.hydra.problems if problem.key.endswith("absent")]


CERTAIN = {
    "CUDA": "if torch.cuda.is_available():\n    cfg.absent",
    "not CUDA": "if not torch.cuda.is_available():\n    return\ncfg.absent",
    "a device": (
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "if device.type == 'cuda':\n    cfg.absent"
    ),
    "a number of devices": "if torch.cuda.device_count() > 0:\n    cfg.absent",
    "CUDA among others": "if torch.cuda.is_available() and cfg.mode:\n    cfg.absent",
    "a choice": "x = cfg.absent if torch.cuda.is_available() else 1",
    "a run": "run = wandb.init()\nif run is not None:\n    cfg.absent",
    "WandB's key": "if os.environ.get('WANDB_API_KEY'):\n    cfg.absent",
    "a process": (
        "done = subprocess.run(['ls'])\nif done.returncode != 0:\n    raise OSError\ncfg.absent"
    ),
    "a process that is waited for": (
        "code = subprocess.Popen(['ls']).wait()\nif code:\n    sys.exit(code)\ncfg.absent"
    ),
    "a trial": (
        "def objective(trial):\n    if trial is not None:\n        cfg.absent\n    return 1.0\n"
        "optuna.create_study().optimize(objective, n_trials=2)"
    ),
    "a constant that tells of a library": "if HAS_TIMM and cfg.mode:\n    cfg.absent",
    "a library": "if timm is not None:\n    cfg.absent",
}
UNCERTAIN = {
    "without CUDA": "if not torch.cuda.is_available():\n    cfg.absent",
    "without a library": "if not HAS_TIMM:\n    cfg.absent",
    "without a run": "run = wandb.init()\nif run is None:\n    cfg.absent",
    "a process that fails": (
        "done = subprocess.run(['ls'])\nif done.returncode != 0:\n    cfg.absent"
    ),
    "another variable": "if os.environ.get('HOME'):\n    cfg.absent",
    "what nobody knows": "if torch.rand(1) > 0.5:\n    cfg.absent",
}


@pytest.mark.parametrize("body", CERTAIN.values(), ids=CERTAIN)
def test_what_lies_on_the_assumed_way_is_certain(body: str) -> None:
    (problem,) = problems(body)
    assert problem.certain


@pytest.mark.parametrize("body", UNCERTAIN.values(), ids=UNCERTAIN)
def test_what_lies_on_the_other_way_is_in_doubt(body: str) -> None:
    (problem,) = problems(body)
    assert not problem.certain


def test_what_is_found_behind_an_assumption_says_so() -> None:
    (behind,) = problems("if torch.cuda.is_available():\n    cfg.absent")
    (beside,) = problems("if torch.cuda.is_available():\n    pass\ncfg.absent")
    assert behind.message.endswith("(where CUDA is available)")
    assert "where" not in beside.message


def test_a_value_of_the_other_way_does_not_stay() -> None:
    body = "x = 1\nif not torch.cuda.is_available():\n    x = 2\nif x == 1:\n    cfg.absent"
    assert problems(body)[0].certain


def test_the_documentation_lists_what_is_assumed() -> None:
    text = Path(__file__).parents[3].joinpath("docs", "contracts.md").read_text("utf-8")
    assert all(sentence in " ".join(text.split()) for sentence in SENTENCES)
