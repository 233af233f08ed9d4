"""Guards when a backward is called certainly dead, and that a value that may carry a gradient never
is.
"""

import pytest

from reviewers.facts.gradients import dead_backwards
from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import PythonFile

HEAD = """
import torch

@torch.no_grad()
def score(x):
    return torch.log_softmax(x, -1)

def shift(x, by=0.0):
    return x.mean() + by

class Net(torch.nn.Module):
    def forward(self, x):
        return self.w * x
"""


def causes(body: str) -> list[str]:
    file = PythonFile("src/train.py", HEAD + body)
    assert file.syntax_error is None
    return [found.cause for found in dead_backwards(LocalCode({"src/train.py": file}))]


DEAD = {
    "decorated": "loss = score(net(x))\nloss.backward()\n",
    "through arithmetic": (
        "def f(cfg):\n    loss = -score(net(x)).sum(dim=-1) / cfg.steps\n    loss.backward()\n"
    ),
    "through a function": "loss = shift(score(net(x)), by=1.0)\nloss.backward()\n",
    "block": "with torch.no_grad():\n    y = net(x)\nloss = torch.mean(y)\nloss.backward()\n",
    "scaled": "loss = score(net(x))\nscaler.scale(loss).backward()\n",
    "accelerator": "loss = score(net(x))\naccelerator.backward(loss)\n",
    "batch data": (
        "def f(loader):\n    for step, b in enumerate(loader):\n        (score(net(b)) *"
        " b[0]).backward()\n"
    ),
    "added up": "loss = 0.0\nfor x in y:\n    loss += score(net(x))\nloss.backward()\n",
    "asked of autograd": "with torch.no_grad():\n    y = net(x)\n    torch.autograd.grad(y, p)\n",
    "decorated caller": "@torch.no_grad()\ndef g(x):\n    y = net(x)\n    y.backward()\ng(1)\n",
    "all callers off": (
        "def g(x):\n    y = net(x)\n    y.backward()\nwith torch.no_grad():\n    g(1)\n    g(2)\n"
    ),
    "unpacked": "a, b = score(x), score(y)\n(a + b).backward()\n",
}
ALIVE = {
    "network": "loss = net(x)\nloss.backward()\n",
    "one part alive": "loss = score(net(x)) + net(x)\nloss.backward()\n",
    "parameter": "def f(x):\n    loss = score(x) * x\n    loss.backward()\n",
    "own parameter": "class A:\n    def f(self):\n        (score(x) * self.w).backward()\n",
    "own parameter, method called": (
        "class A:\n    def f(self, x):\n        (score(x) * self.w).backward()\na = A()\na.f(1)\n"
    ),
    "either": "loss = score(x)\nif y:\n    loss = net(x)\nloss.backward()\n",
    "asked for": "loss = score(x)\nloss.requires_grad_(True)\nloss.backward()\n",
    "asked for when made": (
        "loss = torch.zeros(1, requires_grad=True)\n(loss * score(x)).backward()\n"
    ),
    "switched on again": (
        "with torch.no_grad():\n    with torch.enable_grad():\n        y = net(x)\ny.backward()\n"
    ),
    "taken from a list": "with torch.no_grad():\n    y = losses.pop()\ny.backward()\n",
    "weight under no_grad": "with torch.no_grad():\n    y = net.weight\ny.backward()\n",
    "unknown call": "y = other(score(x))\ny.backward()\n",
    "called with both": "def g(v):\n    v.backward()\ng(score(x))\ng(net(x))\n",
    "one caller on": (
        "def g(x):\n    y = net(x)\n    y.backward()\nwith torch.no_grad():\n    g(1)\ng(2)\n"
    ),
    "handed on as a value": (
        "def g(x):\n    y = net(x)\n    y.backward()\nwith torch.no_grad():\n    g(1)\nh(g)\n"
    ),
    "switched on by a decorator": (
        "@torch.enable_grad()\ndef g(x):\n    net(x).backward()\nwith torch.no_grad():\n    g(1)\n"
    ),
    "detached in one place": "loss = torch.mean(net(x).detach() * net(x))\nloss.backward()\n",
    "made anew and asked for": (
        "loss = torch.tensor([1.0])\nloss.requires_grad = True\nloss.backward()\n"
    ),
    "detached parameter": "w = torch.nn.Parameter(x.detach())\n(w * w).backward()\n",
    "teacher": "loss = criterion(net(x), teacher(x).detach())\nloss.backward()\n",
    "sum of a list": (
        "total = torch.tensor(0.0)\nfor x in y:\n    total = total + net(x)\ntotal.backward()\n"
    ),
    "constants alone": "loss = 0.0\nloss.backward()\n",
    "gives an attribute": "@torch.no_grad()\ndef h(m):\n    return m.weight\nh(x).backward()\n",
}


def test_what_calls_it_without_gradients_is_told_as_well() -> None:
    body = (
        "class C:\n    @torch.no_grad()\n    def probe(self, x):\n"
        "        loss = self.model(**x).loss\n        loss.backward()\n\n"
        "    @torch.no_grad()\n    def end(self, x):\n        self.probe(x)\n"
    )
    (found,) = dead_backwards(LocalCode({"src/train.py": PythonFile("src/train.py", HEAD + body)}))
    first = HEAD.count("\n") + 1
    assert found.place.line == first + 1
    assert [span.line for span in found.callers] == [first + 6]


def test_a_caller_without_gradients_is_no_cause_where_another_has_them() -> None:
    body = (
        "def total(net, x):\n    loss = torch.tensor(net(x).item())\n    return loss\n\n"
        "def evaluate(net, x):\n    with torch.no_grad():\n        return total(net, x)\n\n"
        "total(net, x).backward()\n"
    )
    (cause,) = causes(body)
    assert "takes the numbers alone" in cause


@pytest.mark.parametrize("body", DEAD.values(), ids=DEAD)
def test_a_value_cut_from_the_graph_makes_backward_dead(body: str) -> None:
    (cause,) = causes(body)
    assert "no_grad" in cause
    assert "src/train.py:" in cause


CUT = {
    "summed up as numbers": (
        "def total(net, xs):\n    nll, n = 0.0, 0\n    for x in xs:\n        nll += net(x).item()\n"
        "        n += int(x.sum())\n    return torch.tensor(nll / max(1, n)), n\n"
        "loss, n = total(net, xs)\n(loss / int(cfg.steps)).backward()\n"
    ),
    "detached": "loss = torch.mean(net(x).detach())\nloss.backward()\n",
    "made anew": "loss = torch.tensor(losses).mean()\nloss.backward()\n",
}


FREEZING = "for p in net.parameters():\n        p.requires_grad = False\n    "
HELD = {
    "a key of a dict": (
        "def f(net, x):\n    parts = {'n': net(x)}\n    parts['loss'] = net(x).detach()\n"
        "    parts['loss'].backward()\n",
        "    parts['loss'] = net(x)\n",
    ),
    "items of a list": (
        "def f(net, x):\n    losses = []\n    for y in x:\n        losses.append(net(y).item())\n"
        "    loss = sum(losses) / len(losses)\n    loss.backward()\n",
        "    losses.append(net(x))\n",
    ),
    "a list that another function fills": (
        "def f(net, x):\n    losses = [net(x).item()]\n    sum(losses).backward()\n",
        "    more(losses)\n",
    ),
    "a frozen model": (
        f"def f(net, loader):\n    {FREEZING}for x in loader:\n        loss = net(x).mean()\n"
        "        loss.backward()\n",
        "    net.head.requires_grad_(True)\n",
    ),
    "a model that is frozen at once": (
        "def f(net):\n    net.requires_grad_(False)\n    x = torch.randn(3, 4)\n"
        "    net(x).sum().backward()\n",
        "    x = add_adapters(net)\n",
    ),
}


@pytest.mark.parametrize(("body", "living"), HELD.values(), ids=HELD)
def test_containers_and_frozen_models_are_followed(body: str, living: str) -> None:
    (cause,) = causes(body)
    assert "takes the numbers alone" in cause or "is frozen as a whole (src/train.py:" in cause
    *before, last = body.splitlines(keepends=True)
    indented = last[: len(last) - len(last.lstrip())]
    assert causes("".join([*before, indented + living.lstrip(), last])) == []


@pytest.mark.parametrize("body", CUT.values(), ids=CUT)
def test_a_value_made_of_numbers_alone_makes_backward_dead(body: str) -> None:
    (cause,) = causes(body)
    assert "takes the numbers alone (src/train.py:" in cause


@pytest.mark.parametrize("body", ALIVE.values(), ids=ALIVE)
def test_a_value_that_may_carry_a_gradient_is_left_alone(body: str) -> None:
    assert causes(body) == []


def test_a_value_that_depends_on_itself_ends_the_walk() -> None:
    assert causes("def f(x):\n    return f(f(x))\nloss = f(loss)\nloss.backward()\n") == []
