"""Guards which names of a submission a reader is shown, and that it is shown no code."""

from reviewers.facts import Facts
from reviewers.readers.symbols import symbols_text
from tests.builders import make_submission

TRAIN = """
from typing import Any

import wandb
from src.model import Net


class Loop:
    def step(self, batch: Any, size: int = 2) -> float:
        secret_of_the_body = 1
        wandb.log({"train_loss": secret_of_the_body})
        return 0.0
"""
CONFIG = "model:\n  name: x\n  lora: {r: 1}\nruns:\n  - {id: a, seed: 1}\n  - {id: b}\n"


def shown(**files: str) -> list[str]:
    made = {"src/train.py": TRAIN, "config/config.yaml": CONFIG, **files}
    return symbols_text(Facts(make_submission(made))).split("\n")


def test_commands_modes_definitions_nested_keys_and_what_is_logged_are_shown() -> None:
    lines = shown(**{"src/empty.py": " \n", "config/odd.yaml": "a: [\n", "config/none.yaml": "#\n"})
    assert {
        "mode trial: mode=trial",
        "command train: src/train.py",
        "file src/empty.py (empty)",
        "keys config/config.yaml: model{name, lora{r}}, runs{id, seed}",
        "keys config/odd.yaml: (it cannot be read)",
        "imports src/train.py: src.model.Net, wandb",
        "def src/train.py::Loop.step(self, batch: Any, size: int=2)",
        "class src/train.py::Loop",
        "calls src/train.py: wandb.log",
        "logs key src/train.py: train_loss",
    } <= set(lines)
    assert not any(line.startswith("keys config/none.yaml") for line in lines)
    assert not any(line.startswith("imports name") for line in lines)
    assert "secret_of_the_body" not in "".join(lines)


def test_a_large_submission_is_cut_between_names_and_says_how_much_is_left_out() -> None:
    many = "".join(f"import module_{number:04}\n" for number in range(2_000))
    lines = shown(**{"src/many.py": many, "src/far.py": "def f(): ...\n" * 3_000})
    (imports,) = [line for line in lines if line.startswith("imports src/many.py")]
    assert imports.endswith(" more)")
    assert "module_0000, " in imports
    assert len("\n".join(lines)) < 70_000
