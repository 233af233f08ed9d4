"""Guards what is said of values that hang on a graph: only of those that certainly do."""

import pytest

from reviewers.records import Severity
from tests.reviewers.rules.asking import findings

TRAIN = """
import torch
from torch import nn
from torch.nn import functional as F
from transformers import AutoModelForCausalLM

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return self.fc(x)

def train(loader, x, y):
    model = MODEL
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    LINES
    return F.mse_loss(model(x), y).backward()

train([], 1, 2)
"""
BACK = "loss.backward()"
STEP = "loss = F.cross_entropy(model(x), y)"


def found(rule: str, lines: str, model: str = "Net().to('cuda')") -> list[Severity]:
    code = TRAIN.replace("MODEL", model).replace("LINES", lines.replace("\n", "\n    "))
    return [finding.severity for finding in findings(rule, {"src/train.py": code})]


@pytest.mark.parametrize(
    "lines",
    [
        "print(model(x).cpu().numpy())",
        "out = model(x)\nkept = out.softmax(-1).numpy()",
        "kept = (F.cross_entropy(model(x), y) / 2).numpy()",
        "criterion = nn.CrossEntropyLoss()\nkept = [criterion(model(x), y).cpu().numpy()]",
        "for x in loader:\n    out = model(x)\n    print(torch.softmax(out, -1).numpy())",
    ],
)
def test_a_value_with_gradients_is_no_array(lines: str) -> None:
    assert found("MO21", lines) == [Severity.BLOCKER]
    off = lines.replace("\n", "\n    ")
    assert found("MO21", f"with torch.no_grad():\n    {off}") == []
    assert found("MO21", lines.replace(".numpy()", ".detach().numpy()")) == []
    assert found("MO21", lines, "other()") == []


@pytest.mark.parametrize(
    "lines",
    [
        "print(model(x).argmax(-1).cpu().numpy(), y.numpy())",
        "out = model(x)\nout = out.detach()\nprint(out.numpy())",
        "try:\n    print(model(x).numpy())\nexcept RuntimeError:\n    pass",
        "model.requires_grad_(False)\nprint(model(x).numpy())",
        "read = lambda: model(x).numpy()",
    ],
)
def test_a_value_that_may_have_none_is_left_alone(lines: str) -> None:
    assert found("MO21", lines) == []


@pytest.mark.parametrize(
    ("lines", "severities"),
    [
        (f"{STEP}\n{BACK}\noptimizer.step()\n{BACK}", [Severity.BLOCKER]),
        (f"{STEP}\nfor _ in range(3):\n    {BACK}", [Severity.BLOCKER]),
        (f"{STEP}\nfor _ in loader:\n    {BACK}", [Severity.MAJOR]),
        (f"out = model(x)\n{STEP}\nfor _ in loader:\n    {STEP}\n    {BACK}", []),
        (f"{STEP}\nloss.backward(retain_graph=True)\n{BACK}", []),
        (f"{STEP}\nfor _ in loader:\n    {BACK}\n    break", []),
        (f"{STEP}\nif y:\n    {BACK}\nelse:\n    {BACK}", []),
        (f"for x in loader:\n    {STEP}\n    {BACK}", []),
    ],
)
def test_a_graph_serves_one_backward(lines: str, severities: list[Severity]) -> None:
    assert found("MO22", lines) == severities
