"""Guards what is said of networks: a forward that is missing, a Parameter overwritten, methods
nobody tells apart.
"""

from collections.abc import Mapping

import pytest

from reviewers.records import Finding, Severity, Span
from tests.builders import SOUND_RUNS
from tests.reviewers.rules.asking import findings

HEAD = "import torch\nfrom torch import nn\n"
HOLDER = """
class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Parameter(torch.zeros(3))
"""


def found(rule: str, model: str, files: Mapping[str, str] | None = None) -> list[Finding]:
    return findings(rule, {"src/model.py": HEAD + model, **(files or {})})


@pytest.mark.parametrize(
    ("model", "severity"),
    [
        (HOLDER + "holder = Holder()\n", Severity.MINOR),
        (HOLDER + "holder = Holder()\nholder(1)\n", Severity.BLOCKER),
        (HOLDER + "def build_model(cfg):\n    return Holder()\n", Severity.BLOCKER),
        (HOLDER + "def make(cfg):\n    return Holder()\n", Severity.MAJOR),
        (HOLDER + "net = nn.Sequential(nn.Linear(1, 1), Holder())\n", Severity.MAJOR),
    ],
    ids=["only held", "called", "called by train.py", "returned", "a layer"],
)
def test_a_network_without_forward_is_as_bad_as_its_use(model: str, severity: Severity) -> None:
    (finding,) = found("MO01", model)
    assert finding.severity is severity


@pytest.mark.parametrize(
    "model",
    [
        HOLDER + "    def step(self): return self.u\nHolder().step()\n",
        HOLDER + "    forward = torch.relu\n",
        HOLDER + "class Net(Holder):\n    def forward(self, x): return x\n",
        "from x import Base\nclass Net(Base): pass\n",
    ],
    ids=["other method used", "assigned", "abstract base", "unknown base"],
)
def test_a_class_that_needs_no_forward_is_passed_over(model: str) -> None:
    assert found("MO01", model) == []


OVERWRITING = {
    "maker": "self.u = torch.ones(3)\n",
    "arithmetic": "self.u = self.u * 0.9\n",
    "module": "self.u = self.cell(x, self.u)\n",
    "local network": "self.u = self.layer(self.u)\n",
    "variable": "new = self.u + x\n        self.u = new.detach()\n",
    "under no_grad": "with torch.no_grad():\n            self.u = torch.ones(3)\n",
}
KEEPING = {
    "data": "self.u.data = torch.ones(3)\n",
    "parameter": "self.u = nn.Parameter(torch.ones(3))\n",
    "in place": "self.u.mul_(0.9)\n",
    "unknown value": "self.u = x\n",
    "none": "self.u = None\n",
    "other name": "self.v = torch.ones(3)\n",
}
NET = """
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
    def forward(self, x):
        y = self.linear(x).mean(0)
        return y

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.Parameter(torch.zeros(3))
        self.cell = nn.GRUCell(3, 3)
        self.layer = Layer()
    def forward(self, x):
        """


@pytest.mark.parametrize("line", OVERWRITING.values(), ids=OVERWRITING)
def test_a_tensor_in_a_parameters_place_is_flagged(line: str) -> None:
    (finding,) = found("MO02", NET + line + "Net()\n")
    assert "cannot assign a tensor as parameter 'u'" in finding.message
    assert finding.severity is Severity.BLOCKER


@pytest.mark.parametrize("line", KEEPING.values(), ids=KEEPING)
def test_a_parameter_that_stays_one_is_passed_over(line: str) -> None:
    assert found("MO02", NET + line) == []


def test_a_constructor_may_put_a_parameter_in_a_tensors_place() -> None:
    init = HOLDER.replace("self.u =", "self.u = torch.zeros(3)\n        self.u =")
    assert found("MO02", init + "    def forward(self, x):\n        return x\n") == []


@pytest.mark.parametrize(
    ("line", "count"), [("", 1), ("gate = cfg.gating.open\n", 0)], ids=["unread", "read"]
)
def test_runs_that_differ_only_in_what_no_code_reads_train_the_same_thing(
    line: str, count: int
) -> None:
    runs = {
        run_id: f"{text}gating:\n  open: {number}\n"
        for number, (run_id, text) in enumerate(SOUND_RUNS.items())
    }
    model = f"{HEAD}def build_model(cfg):\n    {line or 'pass'}\n"
    assert len(findings("MO03", {"src/model.py": model}, runs)) == count


def test_a_dead_backward_names_what_cut_the_gradient() -> None:
    train = (
        "import torch\n@torch.no_grad()\ndef score(x):\n    return x * 2\nloss ="
        " score(net(1))\nloss.backward()\n"
    )
    (finding,) = found("MO04", "", {"src/train.py": train})
    assert (
        "`loss` (src/train.py:6) carries no gradient, since `score` runs under no_grad"
        " (src/train.py:3)" in finding.message
    )
    assert finding.span == Span("src/train.py", 2, 3)
