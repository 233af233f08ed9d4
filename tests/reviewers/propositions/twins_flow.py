"""Twins of the predicates that look at order, guards, origins, values and types."""

from tests.reviewers.propositions.twins import twins

_ELSEWHERE = "import tools\n"
_LOAD = "import torch\n"


def _in(*lines: str) -> str:
    """A function of some lines."""
    return _LOAD + "def main(path, data, model):\n" + "".join(f"    {line}\n" for line in lines)


_GATE = "class Gate:\n    def __init__(self):\n        self.level = 0.5\n"
_NET = """import torch
def share(n):
    return float(n % 5) / 4.0
class Net:
    def __init__(self, depth: float):
        self.depth = torch.tensor([depth])
    def go(self, x, kind):
        vec = torch.cat([self.depth.to(x.device), torch.tensor([share(kind)], device=x.device)])
        return vec
"""
_SET = """import numpy as np
class Set:
    def __init__(self, rows):
        self.rows = {}
    def get(self):
        part = self.rows
        return part
"""

TWINS = [
    *twins(
        {"p": "guarded", "scope": "src/train.py", "thing": "torch.load", "by": "path"},
        true={
            "test": _in("if path:", "    torch.load(path)"),
            "exit": _in("if not path:", "    return", "torch.load(path)"),
            "expression": _in("x = torch.load(path) if path else None"),
        },
        false={
            "bare": _in("torch.load(path)"),
            "other test": _in("if data:", "    torch.load(path)"),
            "after": _in("torch.load(path)", "if path:", "    print(path)"),
        },
        unknown={
            "by a caller": _in("torch.load(path)")
            + "def run(path):\n    path and main(path, 1, 1)\n",
            "not there": _in("print(path)"),
        },
    ),
    *twins(
        {"p": "guarded", "scope": "src/train.py", "thing": "torch.load", "by": "*best*"},
        true={"outlined": _in("best_path = path + 'x'", "if best_path:", "    torch.load(path)")},
        false={"another": _in("if model.other(1):", "    torch.load(path)")},
        unknown={"part of a word": _in("if data.bestial:", "    torch.load(path)")},
    ),
    *twins(
        {
            "p": "within",
            "scope": "src/train.py",
            "thing": "torch.load(*path*)",
            "context": "for * in *loader*",
        },
        true={
            "loop": _in("for batch in data.train_loader:", "    torch.load(path)"),
            "counted": _in("for n, b in enumerate(data.loader):", "    torch.load(my.path)"),
        },
        false={
            "before": _in("torch.load(path)", "for b in data.loader:", "    print(b)"),
            "another": _in("for epoch in range(9):", "    torch.load(path)"),
        },
        unknown={"other data": _in("for batch in data.rows:", "    torch.load(path)")},
    ),
    *twins(
        {"p": "handles", "scope": "src/train.py", "thing": "torch.load", "error": "OSError"},
        true={
            "named": _in("try:", "    torch.load(path)", "except OSError:", "    pass"),
            "broad": _in("try:", "    torch.load(path)", "except Exception:", "    pass"),
            "one of two": _in(
                "try:", "    torch.load(path)", "except (ValueError, OSError):", "    pass"
            ),
        },
        false={
            "bare": _in("torch.load(path)"),
            "other": _in("try:", "    torch.load(path)", "except KeyError:", "    pass"),
            "in the handler": _in("try:", "    data()", "except OSError:", "    torch.load(path)"),
        },
        unknown={
            "by a caller": _in("torch.load(path)")
            + "try:\n    main(1, 1, 1)\nexcept OSError:\n    pass\n",
            "not there": _in("print(path)"),
        },
    ),
    *twins(
        {"p": "within", "scope": "src/train.py", "thing": "model", "context": "torch.no_grad"},
        true={
            "with": _in("with torch.no_grad():", "    model(data)"),
            "decorator": _LOAD + "@torch.no_grad()\ndef main(model, data):\n    model(data)\n",
            "several": _in("with open(path), torch.no_grad():", "    model(data)"),
        },
        false={
            "bare": _in("model(data)"),
            "other": _in("with torch.enable_grad():", "    model(data)"),
            "after": _in("with torch.no_grad():", "    print(data)", "model(data)"),
        },
        unknown={
            "by a caller": _in("model(data)") + "with torch.no_grad():\n    main(1, 1, 1)\n",
            "not there": "x = 1\n",
            "its namesake": _in("with torch.autograd.no_grad():", "    model(data)"),
        },
    ),
    *twins(
        {"p": "within", "scope": "src/train.py", "thing": "measure", "context": "torch.no_grad"},
        true={"called so": _LOAD + "def measure(): ...\nwith torch.no_grad():\n    measure()\n"},
        false={"bare": _LOAD + "def measure(): ...\nmeasure()\n"},
        unknown={
            "defined so": _LOAD + "@torch.no_grad()\ndef measure(): ...\nmeasure()\n",
            "so inside": (
                _LOAD + "def measure():\n    with torch.no_grad():\n        print(1)\nmeasure()\n"
            ),
        },
    ),
    *twins(
        {
            "p": "before",
            "scope": "src/train.py",
            "first": "model.zero_grad",
            "then": "data.backward",
        },
        true={
            "straight": _in("model.zero_grad()", "data.backward()"),
            "loop": _in("for _ in path:", "    model.zero_grad()", "    data.backward()"),
            "in a branch": _in("model.zero_grad()", "if path:", "    data.backward()"),
            "beside a library's of the name": (
                "import tool\ndef clear(model):\n    model.zero_grad()\n"
                "@tool.main(1)\ndef main(model, data):\n    clear(model)\n    data.backward()\n"
                "main()\n"
            ),
        },
        false={
            "after": _in("data.backward()", "model.zero_grad()"),
            "in a branch": _in("if path:", "    data.backward()", "model.zero_grad()"),
            "at the end": _in("data.backward()", "print(path)", "model.zero_grad()"),
        },
        unknown={
            "one only": _in("data.backward()"),
            "loop": _in("for _ in path:", "    data.backward()", "    model.zero_grad()"),
            "both ways": _in("if path:", "    model.zero_grad()", "else:", "    data.backward()"),
        },
    ),
    *twins(
        {"p": "derives_from", "scope": "src/train.py::main", "value": "total", "source": "data"},
        true={
            "straight": _in("total = data + 1"),
            "chain": _in("part = [x for x in data]", "total = sum(part)"),
            "grown": _in("total = []", "for x in data:", "    total.append(x)"),
        },
        false={
            "constant": _LOAD + "def main(data):\n    total = 3\n    print(data)\n",
            "other": _LOAD + "def main(data):\n    n = 2\n    total = n + 1\n    print(data)\n",
            "after": _LOAD + "def main(data):\n    total = 1\n    print(total, data)\n",
        },
        unknown={
            "by a caller": "def main(rows):\n    total = sum(rows)\n",
            "kept": "class A:\n    pass\ndef main(self):\n    total = self.rows\n",
        },
    ),
    *twins(
        {
            "p": "derives_from",
            "scope": "src/train.py::Set.get",
            "value": "part",
            "source": "random",
        },
        true={"drawn": _SET.format("np.random.rand(3)")},
        false={
            "given": _SET.format("sorted(rows)") + "Set([1, 2])\n",
            "written": _SET.format("[1, 2]"),
        },
        unknown={
            "callers": _SET.format("sorted(rows)"),
            "set from outside": _SET.format("[1]") + "def f(a, b):\n    a.rows = b\n",
        },
    ),
    *twins(
        {"p": "derives_from", "scope": "src/train.py::main", "value": "test", "source": "noisy"},
        true={"handed on": _in("noisy = crop(data)", "test = load(path, noisy)")},
        false={
            # A local name that no caller, and no other function, can know.
            "from a caller": _in("noisy = crop(data)", "train = load(noisy)", "test = load(data)"),
            "changed elsewhere": _in("noisy = data + 1", "model.run(data)", "test = [data]"),
        },
        unknown={
            "put in": _in("noisy = crop(data)", "test = []", "model.put(test, noisy)"),
            "of the caller": _in("test = load(data)"),
        },
    ),
    *twins(
        {
            "p": "derives_from",
            "scope": "src/train.py::main",
            "value": "*.score(1)",
            "source": "*val*",
        },
        true={
            "argument": _in("val_rows = model(data)", "model.score(path, val_rows)"),
            "chain": _in("my_val = model(data)", "part = my_val", "model.score(1, part)"),
        },
        false={
            "other": _in("val = 2", "test = model.rows()", "torch.score(val, 3)"),
            "first": _in("val = 2", "torch.score(val, 3)"),
        },
        unknown={
            "part of a word": _in("validation = model(data)", "model.score(1, validation)"),
            "one of two": _in("val_a = data[0]", "val_b = data[1]", "model.score(1, val_a)"),
        },
    ),
    *twins(
        {"p": "has_value", "scope": "src/train.py::main", "expr": "gap", "value": 0.0},
        true={
            "one": _in("gap = 0.0"),
            "whole": _in("gap = 0"),
            "both": _in("if path:", "    gap = 0.0", "else:", "    gap = 0.0"),
        },
        false={
            "other": _in("gap = 1.0"),
            "negative": _in("gap = -1.0"),
            "text": _in("gap = 'none'"),
        },
        unknown={"made": _in("gap = data"), "two": _in("gap = 0.0", "if path:", "    gap = 1.0")},
    ),
    *twins(
        {"p": "has_value", "scope": "src/train.py::main", "expr": "gap", "value": "None"},
        true={"none": _in("gap = None")},
        false={"zero": _in("gap = 0"), "its name": _in("gap = 'a'")},
        unknown={"made": _in("gap = data")},
    ),
    *twins(
        {"p": "has_value", "scope": "src/train.py::Gate", "expr": "self.level", "value": 0.5},
        true={"alone": _GATE},
        false={"another": _GATE.replace("0.5", "0.7")},
        unknown={"set from outside": f"{_GATE}gate = Gate()\ngate.level = 0.9\n"},
    ),
    *twins(
        {"p": "has_type", "scope": "src/train.py::main", "expr": "rows", "type": "tensor[2, n]"},
        true={
            "made": _in("rows = torch.zeros(2, n)"),
            "joined": _in("part = torch.ones(1, n)", "rows = torch.cat([part, part])"),
            "turned": _in("rows = torch.randn(n, 2).t().float()"),
        },
        false={
            "one dimension": _in("rows = torch.tensor([1.0, float(path)])"),
            "one more": _in("rows = torch.zeros(2, n).unsqueeze(0)"),
            "other size": _in("rows = torch.zeros((3, n))"),
        },
        unknown={
            "another name": _in("rows = torch.zeros(2, data)"),
            "given": _in("rows = torch.zeros(data)"),
            "of values": _in("rows = torch.tensor([path, data])"),
            "two": _in("rows = torch.zeros(2, n)", "if path:", "    rows = torch.zeros(2)"),
        },
    ),
    *twins(
        {"p": "has_type", "scope": "src/train.py::Net.go", "expr": "vec", "type": "tensor[2]"},
        true={"from parts": _NET},
        false={"stacked": _NET.replace("cat", "stack")},
        unknown={"of any": _NET.replace("depth: float", "depth")},
    ),
    *twins(
        {"p": "has_type", "scope": "src/train.py::main", "expr": "rows", "type": "list"},
        true={
            "literal": _in("rows = [1]"),
            "made": _in("rows = sorted(data)"),
            "comprehension": _in("rows = [x for x in data]"),
        },
        false={
            "tuple": _in("rows = (1, 2)"),
            "tensor": _in("rows = torch.zeros(2)"),
            "number": _in("rows = len(data)"),
        },
        unknown={
            "given": _in("rows = data"),
            "two": _in("rows = [1]", "if path:", "    rows = (1,)"),
        },
    ),
    *twins(
        {"p": "has_type", "scope": "src/train.py::main", "expr": "h", "type": "tensor"},
        true={
            "of a layer": _in("layer = torch.nn.GRUCell(2, 2)", "h = layer(data)"),
            "of a method": _in("h = torch.cat([data]).mean(1)"),
            "of arithmetic": _in("h = torch.zeros(2) * data"),
            "part": _in("h = torch.zeros(9)[:2]"),
            "given back": "import torch\ndef make():\n    return torch.zeros(2)\n"
            "def main(data):\n    h = make()\n    print(h)\n",
        },
        false={
            "part of a list": _in("h = [1, 2, 3][:2]"),
            "a number": _in("h = torch.zeros(2).sum().item()", "h = int(data)"),
            "given back": "def make():\n    return [1]\ndef main(data):\n    h = make()\n"
            "    print(h)\n",
        },
        unknown={
            "several": _in("layer = torch.nn.LSTM(2, 2)", "h = layer(data)"),
            "one or the other": "import torch\ndef make(a):\n    if a:\n        return [1]\n"
            "    return torch.zeros(2)\ndef main(data):\n    h = make(data)\n    print(h)\n",
        },
    ),
    *twins(
        {"p": "trains", "scope": "src/train.py", "parameter": "W"},
        true={},
        false={
            "nothing": "x = 1\n",
            "only kept": "import numpy\nW = numpy.zeros(3)\n",
            "forward": "def f(a, W):\n    return a * W\n",
        },
        unknown={
            "backward": _in("data.backward()"),
            "exec": "exec(input())\n",
        },
    ),
]
