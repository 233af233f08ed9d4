"""Guards what is known of tensors: their devices and number formats, and what torch refuses."""

import importlib.util

import pytest

from reviewers.facts import Facts
from reviewers.facts.config_flow.tensors import REFUSALS
from tests.builders import with_one_run
from tests.reviewers.facts import tensor_containment

HEAD = """
import hydra
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset
from transformers import AutoModel, AutoTokenizer

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 2)
        self.register_buffer("kept", torch.zeros(2))
        self.left = torch.zeros(2)

    def forward(self, x):
        return self.first(x)

class Kept(nn.Module):
    def __init__(self, values):
        super().__init__()
        self.register_buffer("values", torch.as_tensor(values))

    def forward(self, x):
        return x - self.values

class Pairs(Dataset):
    def __getitem__(self, at):
        return read(at), at

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net, x = Net().to(device), torch.randn(4, 8)
    y = torch.zeros(4, dtype=torch.long)
"""


def causes(lines: str) -> list[tuple[str, bool]]:
    """What is refused in an entry function with these lines, and whether that is certain."""
    code = HEAD + "".join(f"    {line}\n" for line in lines.splitlines())
    problems = Facts(with_one_run({"src/train.py": code})).data_problems
    return [(one.cause, one.certain) for one in problems if one.cause in REFUSALS]


LEAF = "w = nn.Parameter(torch.ones(3))"
LAYER = "layer, h = nn.Linear(8, 8), torch.zeros(4, 8)"
LSTM = "rnn, state = nn.LSTM(8, 8), None\nfor _ in range(3):\n    out, state = rnn(x, state)\n"
SCALED = """class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(8))
        self.weights = self.logits.softmax(0)

    def forward(self, x):
        return x * self.weights
scaled = Scaled()
"""
# What is refused, and the same as it is right.
PAIRS = {
    "a batch left on the CPU": ("devices", "net(x)", "net(x.to(device))"),
    "a network left on the CPU": ("devices", "Net()(x.cuda())", "Net()(x)"),
    "a tensor that no network keeps": (
        "devices", "net(x.cuda()) + net.left", "net(x.cuda()) + net.kept",
    ),
    "parts of two devices": (
        "devices", "torch.cat([x, x.to(device)])", "torch.cat([x.cuda(), x.to(device)])",
    ),
    "targets left on the CPU": (
        "devices", "F.cross_entropy(net(x.cuda()), y)", "F.cross_entropy(net(x.cuda()), y.cuda())",
    ),
    "class weights left on the CPU": (
        "devices",
        "nn.CrossEntropyLoss(weight=torch.ones(2))(net(x.cuda()), y.cuda())",
        "nn.CrossEntropyLoss(weight=torch.ones(2)).to(device)(net(x.cuda()), y.cuda())",
    ),
    "what a loader gives": (
        "devices",
        "for a, b in DataLoader(Pairs(), batch_size=2): net(a)",
        "for a, b in DataLoader(Pairs(), batch_size=2): net(a.to(device))",
    ),
    "what a loader gives, as a whole": (
        "devices",
        "for i, batch in enumerate(DataLoader(read())): Net().cuda()(**batch)",
        "for i, batch in enumerate(DataLoader(read())):"
        " Net().cuda()(**{k: v.cuda() for k, v in batch.items()})",
    ),
    "a pretrained network": (
        "devices",
        "AutoModel.from_pretrained('gpt2').cuda()"
        "(**AutoTokenizer.from_pretrained('gpt2')('a', return_tensors='pt'))",
        "AutoModel.from_pretrained('gpt2').cuda()"
        "(**AutoTokenizer.from_pretrained('gpt2')('a', return_tensors='pt').to('cuda'))",
    ),
    "doubles of NumPy": (
        "weights",
        "Net()(torch.from_numpy(np.random.randn(4, 8)))",
        "Net()(torch.from_numpy(np.random.randn(4, 8).astype(np.float32)))",
    ),
    "a half network": (
        "weights", "net.half()(x.cuda())", "with torch.autocast('cuda'): net.half()(x.cuda())",
    ),
    "doubles under autocast": (
        "weights",
        "with torch.autocast('cuda'): net(x.cuda().double())",
        "with torch.autocast('cuda'): net(x.cuda())",
    ),
    "a product of two formats": ("weights", "x.half() @ x.T", "x @ x.T"),
    "floating-point indices": ("indices", "nn.Embedding(9, 2)(x)", "nn.Embedding(9, 2)(y)"),
    "a floating-point index": ("index_format", "x[torch.zeros(4)]", "x[y]"),
    "an index on the GPU": ("index_device", "x[torch.zeros(4).cuda().long()]", "x.cuda()[y]"),
    "a double put among floats": (
        "index_put", "x[x > 0] = torch.zeros(4).double()", "x[0] = torch.zeros(8).double()",
    ),
    "classes as int32": (
        "class_targets",
        "F.cross_entropy(net(x.cuda()), y.cuda().int())",
        "F.cross_entropy(net(x.cuda()), y.cuda().float())",
    ),
    "whole targets": (
        "float_targets",
        "nn.BCEWithLogitsLoss()(net(x.cuda()), y.cuda())",
        "nn.BCEWithLogitsLoss()(net(x.cuda()), y.cuda().float())",
    ),
    "probabilities under autocast": (
        "unsafe_loss",
        "with torch.autocast('cuda'): F.binary_cross_entropy(read(), read())",
        "with torch.autocast('cuda', enabled=False): F.binary_cross_entropy(read(), read())",
    ),
    "an array from the GPU": (
        "array_device", "net(x.cuda()).detach().numpy()", "net(x.cuda()).detach().cpu().numpy()",
    ),
    "an array of NumPy from the GPU": ("array_device", "np.mean([x.cuda()])", "np.mean([x])"),
    "an array of bfloat16": (
        "array_format", "x.bfloat16().numpy()", "x.bfloat16().float().numpy()",
    ),
    "a mean of truth values": ("whole_mean", "(y == y).mean()", "(y == y).float().mean()"),
    "a parameter of integers": ("whole_parameter", "nn.Parameter(y)", "nn.Parameter(y.float())"),
    "a graph from before a loop": (
        "second_backward",
        f"{LEAF}\ns = w.exp()\nfor _ in range(3): (s * 2).sum().backward()",
        f"{LEAF}\nfor _ in range(3): (w.exp() * 2).sum().backward()",
    ),
    "a graph under two losses": (
        "second_backward",
        f"{LEAF}\nmade = F.relu(w)\nmade.mean().backward()\nmade[0].backward()",
        f"{LEAF}\nmade = F.relu(w)\nmade.mean().backward(retain_graph=True)\nmade[0].backward()",
    ),
    "a state that is handed on": (
        "second_backward",
        f"{LAYER}\nfor _ in range(3):\n    h = layer(h).tanh()\n    h.sum().backward()",
        f"{LAYER}\nfor _ in range(3):\n    h = layer(h.detach()).tanh()\n    h.sum().backward()",
    ),
    "a state of a recurrent layer": (
        "second_backward",
        f"{LSTM}    out.sum().backward()",
        f"{LSTM}    state = tuple(one.detach() for one in state)\n    out.sum().backward()",
    ),
    "what a constructor computes": (
        "second_backward",
        f"{SCALED}for _ in range(2): scaled(x).sum().backward()",
        f"{SCALED}scaled(x).sum().backward()",
    ),
    "a graph of another loop": (
        "second_backward",
        f"{LEAF}\ns = w.exp()\nfor _ in range(3):\n    for a in DataLoader(read()):\n"
        "        (s * 2).sum().backward()",
        f"{LEAF}\nfor _ in range(3):\n    for a in DataLoader(read()):\n        s = w.exp()\n"
        "        (s * 2).sum().backward()",
    ),
    "a schedule of NumPy": (
        "weights",
        "b = np.cumprod(1.0 - np.linspace(0, 1, 9))\nNet()(torch.from_numpy(b)[y][:, None] * x)",
        "b = np.cumprod(1.0 - np.linspace(0, 1, 9))\nb = torch.from_numpy(b).float()\n"
        "Net()(b[y][:, None] * x)",
    ),
    "a buffer of NumPy": (
        "weights",
        "kept = Kept(np.sqrt(np.arange(8) / 8))\nNet()(kept(x))",
        "kept = Kept(np.sqrt(np.arange(8) / 8).astype(np.float32))\nNet()(kept(x))",
    ),
    "a number of NumPy": (
        "weights",
        "Net()(x * torch.tensor(np.array([0.5])))",
        "Net()(x * torch.tensor(np.linspace(0, 1, 9))[3])",
    ),
    "autocast by a device": (
        "autocast_device", "torch.autocast(device)", "torch.autocast(device.type)",
    ),
    "a format as a text": (
        "format_text",
        "torch.zeros(4, dtype='float32')",
        "torch.zeros(4, dtype=getattr(torch, 'float32'))",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("cause", "bad", "good"), PAIRS.values(), ids=PAIRS)
def test_what_torch_refuses_is_told(cause: str, bad: str, good: str) -> None:
    assert causes(bad) == [(cause, True)]
    assert causes(good) == []


def test_every_refusal_has_a_program() -> None:
    assert {cause for cause, _, _ in PAIRS.values()} == REFUSALS.keys()


@pytest.mark.parametrize(
    "lines",
    [
        "net = read() or net\nnet(x)",
        "if read(): net = net.cpu()\nnet(x)",
        "if read(): x = x.cuda()\nnet(x)",
        "prepare(net)\nnet(x)",
        "net = AutoModel.from_pretrained('gpt2', device_map='auto')\nnet(y.cuda())\nnet(y)",
        "net.first.weight.data = read()\nx.data = read()\nnet(x)",
        "torch.set_default_device('cuda')\nNet()(torch.zeros(4, 8))",
        "with torch.device('cuda'): x = torch.zeros(4, 8)\nnet(x)",
        "with read(): net.half()(x.cuda())",
        "x.cuda() * torch.tensor(2.0)",
        "x.cuda() + y.sum()",
        "x.cuda()[y]",
        "for a in DataLoader(TensorDataset(x.cuda())): net(a[0])",
        "net(x.to(cfg.device))",
        "nn.Sequential(*read())(y)",
        "x += torch.tensor(np.ones(8))\nNet()(x)",
        "Net()(x * torch.tensor(np.ones(8, np.float32)))",
        "Net()(x * torch.tensor(np.ones(8) * read()))",
        "Net()(x * torch.tensor(np.ones(8, read())))",
        "Net()(x * torch.tensor(np.ones(8))[read()])",
        f"{LEAF}\ns = w + 1\nfor _ in range(3): s.sum().backward()",
        f"{LEAF}\nwith torch.no_grad(): s = w.exp()\nfor _ in range(3): (s * w).sum().backward()",
        f"{LEAF}\ns = w.exp()\nfor _ in range(1): s.sum().backward()",
        f"{LEAF}\ns = w.exp()\nfor _ in range(3):\n    s.sum().backward()\n    s = w.exp()",
        f"{LEAF}\ns = w.exp()\nfor _ in range(3): (s.detach() * w).sum().backward()",
        f"{LEAF}\ns = w.exp()\nw.requires_grad_(False)\nfor _ in range(3): s.sum().backward()",
        f"{LEAF}\nw = nn.Parameter(w, requires_grad=False)\nfor _ in range(3): w.exp().backward()",
        f"{LEAF}\ns = (w > 0).float()\nfor _ in range(3): (s * w).sum().backward()",
        f"{LEAF}\ns = w.exp().argmax()\nfor _ in range(3): (s * w).sum().backward()",
        f"{LEAF}\ns = read(w.exp())\nfor _ in range(3): s.sum().backward()",
        f"{LAYER}\ns = layer(x)\ns.mean().backward(retain_graph=read())\ns.sum().backward()",
        f"{SCALED}for _ in range(2):\n    scaled(x).sum().backward()\n    scaled = Scaled()",
    ],
)
def test_what_is_not_known_is_not_refused(lines: str) -> None:
    assert causes(lines) == []


def test_what_is_refused_under_a_condition_is_uncertain() -> None:
    assert causes("if read(): net(x)") == [("devices", False)]
    twice = f"{LEAF}\ns = w.exp()\nfor _ in LOOP: s.sum().backward()"
    for loop in ("DataLoader(read())", "read()"):
        lines = twice.replace("LOOP", loop)
        assert causes(lines) == ([("second_backward", False)] if "Data" in loop else [])
    for end in ("if read(): break", "if read(): return"):
        lines = f"{LEAF}\ns = w.exp()\nfor _ in range(3):\n    s.sum().backward()\n    {end}"
        assert causes(lines) == [("second_backward", False)]


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="torch is not installed")
def test_the_abstract_run_contains_what_torch_does() -> None:
    import torch

    found = list(tensor_containment.results(400, 0, torch))
    assert [said for _, said, _, _ in found if said] == []
    failing = [is_seen for _, _, fails, is_seen in found if fails]
    assert sum(failing) / len(failing) > 0.3
