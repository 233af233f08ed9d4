"""Guards that `5e-4`, which PyYAML reads as a text and OmegaConf as a number, is a finding exactly
where a text stops the run.
"""

import pytest

from reviewers.facts import Facts
from reviewers.rules import find_rule
from tests.builders import make_submission

RUN = "run_id: proposed\ntraining:\n  lr: 5e-4\n  decay: 5.0e-4\n"
CODE = """
import hydra, torch, yaml
from omegaconf import OmegaConf

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    training = {load}["training"]
    weights = torch.nn.Linear(2, 2).parameters()
    {use}
"""
PYYAML = 'yaml.safe_load(open(f"config/runs/{cfg.run}.yaml"))'
OMEGACONF = 'OmegaConf.load(f"config/runs/{cfg.run}.yaml")'


def messages(load: str, use: str) -> list[str]:
    code = CODE.replace("{load}", load).replace("{use}", use)
    facts = Facts(make_submission({"src/train.py": code}, {"proposed": RUN}))
    return [each.message for rule in ("RC09", "IM12") for each in find_rule(rule)(facts)]


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ('print(training["lr"] * 0.1)', "for '5e-4' is a text here"),
        ('print(-training["lr"] * weights)', "bad operand type for unary -: 'str', for '5e-4'"),
        ('print(training["lr"] < 0.1)', "for '5e-4' is a text here"),
        ('torch.optim.AdamW(weights, lr=training["lr"])', "PyYAML reads 5e-4 as a text"),
        ('torch.optim.SGD(weights, 0.1, weight_decay=training["lr"])', "5.0e-4 as a number"),
        ('torch.nn.Dropout(training.get("lr", 0.1))', "'<' not supported between"),
    ],
    ids=["arithmetic", "sign", "comparison", "optimizer", "weight decay", "dropout"],
)
def test_a_number_without_a_dot_stops_what_needs_a_number(use: str, said: str) -> None:
    (message,) = messages(PYYAML, use)
    assert said in message
    assert messages(OMEGACONF, use) == []


@pytest.mark.parametrize(
    "use",
    [
        'torch.optim.AdamW(weights, lr=float(training["lr"]))',
        'torch.optim.AdamW(weights, lr=training["decay"])',
        'print(training["lr"])',
    ],
    ids=["converted", "with a dot", "only shown"],
)
def test_a_text_that_stops_nothing_is_no_finding(use: str) -> None:
    assert messages(PYYAML, use) == []
