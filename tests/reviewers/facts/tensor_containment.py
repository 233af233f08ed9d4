"""Runs small programs on tensors with the real torch and abstractly, and says where the abstract
run is wrong: a number format, a device or a dimension that is not so, or a refusal that is none.

`python -m tests.reviewers.facts.tensor_containment 2000 --seed 3` tries many. What has no memory
(torch's device `meta`) stands for a GPU. Torch is none of our dependencies: without it no test
runs.
"""

import argparse
import contextlib
import re
import types
from collections import defaultdict
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from reviewers.facts.config_flow import follow
from reviewers.facts.config_flow.cells import Cell
from reviewers.facts.python_file import PythonFile
from reviewers.facts.submitted_files import SubmittedFiles
from tests.reviewers.facts.containment import config

_FILE = "src/main.py"
_JOINING = re.compile("operator|comparison|parts")
_LAX = re.compile(r"\+=|\] = | @ |matmul")
_HEAD = """import subprocess
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, 4)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(4, 4))
        self.register_buffer("scale", torch.ones(4))
        self.shift = torch.zeros(4)

    def forward(self, x):
        x = self.rest(self.first(x)) * self.scale
        return x + self.shift if x.mean() is None else x

def s0(cfg):
"""
_DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "bool")
_MAKING = (
    "torch.zeros(4, 4{})", "torch.ones(4, 4{})", "torch.randn(4, 4{})", "torch.full((4, 4), 1{})",
    "torch.tensor(1.5{})", "torch.tensor([[1, 2, 3, 4]] * 4{})", "torch.arange(4{})",
    "torch.eye(4{})", "torch.from_numpy(np.zeros((4, 4)))", "torch.tensor(np.ones((4, 4)))",
    "torch.from_numpy(np.cumprod(1.0 - np.linspace(0, 1, 4)))", "torch.tensor(np.arange(4) / 3{})",
    "torch.as_tensor(np.zeros(4, np.float32) * 2)", "torch.tensor(np.sqrt(np.arange(4))[1:] - 1)",
    "torch.tensor(np.ones((4, 4), dtype=np.float32) + np.ones(4))", "torch.tensor(np.ones(4)[0])",
    "torch.tensor(np.random.randn(4, 4).astype(np.float32) / 2)", "torch.randint(0, 4, (4,))",
    "torch.tensor(np.array([1.0, 2, 3, 4]) ** 2)", "torch.tensor(np.ones(4, int) * 2)",
    "torch.from_numpy(np.clip(np.ones(4)[1:] / np.arange(1, 4), 0.0, 0.9))",
    "torch.arange(0, 2, 0.5{})", "torch.randperm(4)", "torch.full((4, 4), 0.5{})",
)  # fmt: skip
_DOING = (
    "{a} + {b}", "{a} * {b}", "{a} / {b}", "{a} - 1", "{a} / 2", "{a} * 0.5", "2 ** {a}", "-{a}",
    "{a} @ {b}", "{a} == {b}", "({a} > 0)", "({a} == {b}).mean()", "{a}.mean()", "{a}.sum()",
    "{a}.float()", "{a}.half()", "{a}.long()", "{a}.double()", "{a}.to({d})", "{a}.to(torch.{t})",
    "{a}.to({b})", "{a}.cpu()", "{a}.view(-1)", "{a}.squeeze()", "{a}.unsqueeze(0)", "{a}[0]",
    "{a}[{b}]", "{a}.argmax(-1)", "{a}.softmax(-1)", "{a}.exp()", "{a}.detach()", "{a}.clone()",
    "{a}.max()", "{a}.masked_fill({b} > 0, 0)", "torch.cat([{a}, {b}])", "torch.stack([{a}, {b}])",
    "torch.zeros_like({a})", "torch.matmul({a}, {b})", "{m}({a})", "{n}({a})", "F.relu({a})",
    "F.mse_loss({a}, {b})", "F.cross_entropy({a}, {b})", "nn.Parameter({a})", "{e}({a})",
    "F.binary_cross_entropy_with_logits({a}, {b})", "nn.CrossEntropyLoss()({a}, {b})",
    "F.nll_loss({a}, {b})", "torch.where({a} > 0, {a}, {b})", "nn.MSELoss()({a}, {b})",
    "F.cross_entropy({a}, {b}, weight={a}[0])", "torch.sigmoid({a})",
    "next({m}.parameters()).clone()",
    "{a}.sqrt() * {b}", "{a}[{b}][:, None]", "{a}[:, None] + {b}", "({a} * w)", "w.exp()", "w[0]",
    "w + {a}", "w.softmax(0) @ {a}", "F.gelu({a})", "F.normalize(w * 2)", "w.std()", "-w",
    "nn.LayerNorm(4)({a})", "nn.LSTM(4, 4)({a})[0]", "{a} - w.detach()", "w.abs().log()",
    "nn.BCELoss()({a}.sigmoid(), {b})", "{a}.to({d}, dtype=torch.{t})", "{a}.T",
)  # fmt: skip
_CHANGING = (
    "{m}.to({d})", "{m}.half()", "{m} = {m}.double()", "{n}.to({d})", "{n}.float()",
    "{a} += {b}", "{a} = {a}.cpu().numpy()", "{a}[{b}] = {a}", "{e}.to({d})",
    "{m}.to(torch.{t})", "{a}.mean().backward()", "{a}.sum().backward(retain_graph=True)",
    "for _ in range(2): {a}.float().sum().backward()", "{a}.float().mean().backward()",
    "for _ in range(3): {a} = ({a} * w).tanh(); {a}.sum().backward()",
    "with torch.no_grad(): {a} = {a} * w",
)  # fmt: skip


def program(random: Random) -> str:
    """The lines of one program; each shows what it has made."""
    lines = [
        "m = nn.Linear(4, 4)",
        "n = Net(4)",
        "e = nn.Embedding(8, 4)",
        "w = nn.Parameter(torch.ones(4, 4))",
    ]
    names = ["a", "b"]
    devices = random.choice([["'cpu'"], ["'cuda'", "'cpu'", "torch.device('cuda')"]])
    for number in range(random.randint(4, 14)):
        words = {
            "a": random.choice(names),
            "b": random.choice(names),
            "d": random.choice(devices),
            "t": random.choice(_DTYPES),
            **{name: name for name in "mne"},
        }
        kinds = [f", dtype=torch.{words['t']}", f", device={words['d']}", "", ""]
        if number < len(names) or random.random() < 0.2:
            name = names[number] if number < len(names) else random.choice(names)
            lines.append(f"{name} = {random.choice(_MAKING).format(random.choice(kinds))}")
        elif random.random() < 0.2:
            name = words["a"]
            line = random.choice(_CHANGING).format(**words)
            lines.append(line if ".numpy()" not in line else line.replace(f"{name} = ", "c = "))
        else:
            name = random.choice(["a", "b", "c"])
            lines.append(f"{name} = {random.choice(_DOING).format(**words)}")
            names += [name] if name not in names else []
        lines.append(f"subprocess.run(({number}, {name}))" if name in names else "pass")
        if random.random() < 0.15:
            dtype = random.choice(["float16", "bfloat16"])
            line = lines[-2]
            lines[-2] = f"with torch.autocast('cuda', dtype=torch.{dtype}):\n        {line}"
    return "".join(f"    {line}\n" for line in lines)


def really(text: str, torch: Any) -> tuple[Mapping[int, list[Any]], int | None, str]:
    """What a program shows, and the line and name of the error that ends it."""
    shown: dict[int, list[Any]] = defaultdict(list)
    stand_in = types.SimpleNamespace(run=lambda given: shown[given[0]].append(given[1]))
    names: dict[str, Any] = {"__name__": "src.main"}
    # What autocast does on a GPU is not to be seen here: it is off without one.
    code = text.replace("import subprocess\n", "\n").replace("'cuda'", "'meta'")
    code = code.replace("autocast('meta'", "autocast('cuda'")
    exec(compile(code, _FILE, "exec"), names)  # noqa: S102  our own text
    names["subprocess"] = stand_in
    try:
        with contextlib.redirect_stderr(None):
            names["s0"](None)
    except Exception as error:  # noqa: BLE001  whatever it raises is what we ask for
        step, line = error.__traceback__, 0
        while step is not None:
            line = step.tb_lineno if step.tb_frame.f_code.co_filename == _FILE else line
            step = step.tb_next
        return shown, line, f"{type(error).__name__}: {error}"
    return shown, None, ""


def wrong(text: str, torch: Any) -> Iterator[str]:
    """Where the abstract run of a program says what is not so."""
    shown, ends, said = really(text, torch)
    python = PythonFile(_FILE, text)
    trace = follow({_FILE: python}, _FILE, "s0", config(), SubmittedFiles({}))
    for _, value in trace.handed_over:
        number, found = value
        is_known = isinstance(found, Cell) and not ("'cuda'" in text and _LAX.search(text))
        for real in shown.get(number, ()) if is_known else ():
            if not isinstance(real, torch.Tensor):
                continue
            device = {"meta": "cuda"}.get(real.device.type, real.device.type)
            if found.device not in ("", device):
                yield f"value {number}: on {device}, not {found.device}"
            if found.dtype and f"torch.{found.dtype}" != str(real.dtype):
                yield f"value {number}: {real.dtype}, not {found.dtype}"
            if found.is_array and not real.dim():
                yield f"value {number}: a number"
    certain = [one for one in trace.data_problems if one.certain]
    for one in certain:
        line = one.span.line or 0
        # Without memory torch asks for less: only of what it adds or joins, and not in place.
        is_asked = one.key == "devices" and _JOINING.search(one.message)
        if "'cuda'" in text and (not is_asked or _LAX.search(text)):
            continue
        is_inner = line < len(_HEAD.splitlines())
        if ends is None or (ends > line and not is_inner):
            yield f"line {line}: {one.message}, but really {said or 'nothing'}"


def results(count: int, seed: int, torch: Any) -> Iterator[tuple[str, list[str], bool, bool]]:
    """Each program, what is wrong of it, whether it fails, and whether that is seen."""
    for number in range(count):
        text = _HEAD + program(Random(f"{seed} {number}"))
        _, ends, _ = really(text, torch)
        trace = follow({_FILE: PythonFile(_FILE, text)}, _FILE, "s0", config(), SubmittedFiles({}))
        seen = any(one.span.line == ends for one in trace.data_problems if one.certain)
        yield text, list(wrong(text, torch)), ends is not None, seen


def main() -> None:
    import torch  # type: ignore[import-not-found]

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=500)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    failing = seen = bad = 0
    for text, said, fails, is_seen in results(given.count, given.seed, torch):
        failing, seen, bad = failing + fails, seen + is_seen, bad + bool(said)
        if said and bad <= 12:
            lines = enumerate(
                text.splitlines()[len(_HEAD.splitlines()) :], len(_HEAD.splitlines()) + 1
            )
            print("\n".join([*said, *(f"    {number} {line}" for number, line in lines)]))
    print(f"{given.count} programs, {failing} fail, {seen} of them seen, {bad} wrong")


if __name__ == "__main__":
    main()
