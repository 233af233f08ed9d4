"""Guards what is said of the classes of values: followed through the code where it is certain, open
everywhere else.
"""

import ast
from collections.abc import Mapping

import pytest

from reviewers.facts import Facts
from reviewers.facts.library_types import LibraryTypes
from reviewers.facts.local_code import LocalCode
from reviewers.facts.python_file import PythonFile
from reviewers.facts.third_party import load_index
from tests.builders import with_one_run

RUN = "wandb.sdk.wandb_run.Run"
HOLDER = """
class T:
    def __init__(self):
        self.run = wandb.init()
    def f(self):
        probe(self.run)
"""
HEAD = "import optuna\nimport torch\nimport wandb\nfrom datasets import load_dataset\n"


def types_of(text: str, others: Mapping[str, str] | None = None) -> set[str]:
    """The classes of the value that the last `probe(…)` of the text is given."""
    python = {
        path: PythonFile(path, code)
        for path, code in {**(others or {}), "src/train.py": HEAD + text}.items()
    }
    file = python["src/train.py"]
    probes = [
        node
        for node in file.nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "probe"
    ]
    return set(LibraryTypes(LocalCode(python), load_index()).of(file, probes[-1].args[0]))


KNOWN = {
    "assignment": ("run = wandb.init()\nprobe(run)\n", {RUN}),
    "chain": ("api = wandb.Api()\nprobe(api.run('a/b/c').summary)\n", {"wandb.apis.public.summary.HTTPSummary"}),  # noqa: E501
    "with": ("with wandb.init() as run:\n    probe(run)\n", {RUN}),
    "value of a module": ("probe(wandb.run)\n", {RUN}),
    "or None": ("run = None\nif x:\n    run = wandb.init()\nprobe(run)\n", {RUN}),
    "choice": ("o = torch.optim.SGD(p) if x else torch.optim.Adam(p)\nprobe(o)\n", {"torch.optim.SGD", "torch.optim.Adam"}),  # noqa: E501
    "annotation": ("def f(run: wandb.sdk.wandb_run.Run | None):\n    probe(run)\n", {RUN}),
    "objective": ("def f(t):\n    probe(t)\nstudy = optuna.create_study()\nstudy.optimize(f, n_trials=3)\n", {"optuna.Trial"}),  # noqa: E501
    "lambda": ("def f(t):\n    probe(t)\noptuna.create_study().optimize(lambda t: f(t))\n", {"optuna.Trial"}),  # noqa: E501
    "parameter": ("def f(run, n=1):\n    probe(run)\ndef g():\n    f(wandb.init())\n    f(run=wandb.init())\n", {RUN}),  # noqa: E501
    "result": ("def make():\n    run = wandb.init()\n    return run\nprobe(make())\n", {RUN}),
    "own attribute": (HOLDER, {RUN}),
    "rebound to itself": ("d = load_dataset('x', split='train')\nd = d.map(f)\nprobe(d)\n", {"datasets.Dataset"}),  # noqa: E501
    "dictionary": ("d = load_dataset('x')\nprobe(d['train'])\n", {"datasets.Dataset"}),
    "streamed": ("probe(load_dataset('x', split='train', streaming=True))\n",
    {"datasets.IterableDataset"}),
}  # fmt: skip
OPEN = {
    "other value": "run = wandb.init()\nif x:\n    run = Fake()\nprobe(run)\n",
    "unknown call": "run = wrap(wandb.init())\nprobe(run)\n",
    "unpacked": "run, other = wandb.init(), 1\nprobe(run)\n",
    "asked about": "run = wandb.init()\nif isinstance(run, Fake):\n    probe(run)\n",
    "called otherwise too": "def f(run):\n    probe(run)\nf(wandb.init())\nf(other)\n",
    "handed on": "def f(run):\n    probe(run)\nf(wandb.init())\nhooks.append(f)\n",
    "called by others": "def f(t):\n    probe(t)\nstudy.optimize(f)\nf(Fake())\n",
    "patched library": "wandb.init = fake\nrun = wandb.init()\nprobe(run)\n",
    "shadowed import": "def f(wandb):\n    run = wandb.init()\n    probe(run)\n",
    "conditional import": "try:\n    import wandb\nexcept ImportError:\n    wandb = Fake()\nprobe(wandb.init())\n",  # noqa: E501
    "split of unknown kind": "probe(load_dataset('x', split=split))\n",
    "own subclass": "class Mine(optuna.Study):\n    extra = 1\ndef f(study: optuna.Study):\n    probe(study)\n",  # noqa: E501
    "set elsewhere": HOLDER + "t.run = 3\n",
    "unknown base": HOLDER.replace("class T:", "class T(Base):"),
    "decorated": "@cached\ndef make():\n    return wandb.init()\nprobe(make())\n",
    "generator": "def make():\n    yield 1\n    return wandb.init()\nprobe(make())\n",
    "model": "from transformers import AutoModel\nprobe(AutoModel.from_pretrained('x'))\n",
    "only itself": "def f(a):\n    a = a.b\n    probe(a)\n",
}  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), KNOWN.values(), ids=KNOWN)
def test_the_class_is_followed_to_where_a_library_gives_it(text: str, wanted: set[str]) -> None:
    assert types_of(text) == wanted


@pytest.mark.parametrize("text", OPEN.values(), ids=OPEN)
def test_what_may_be_of_another_class_is_open(text: str) -> None:
    assert types_of(text) == set()


def test_functions_are_followed_into_other_files() -> None:
    other = "import wandb\ndef make():\n    return wandb.init()\n"
    assert types_of("from src.model import make\nprobe(make())\n", {"src/model.py": other}) == {RUN}


def test_endless_and_deep_code_comes_to_an_end() -> None:
    assert types_of("a = b\nb = a\nprobe(a)\n") == set()
    assert types_of("def f(x):\n    return f(x)\nprobe(f(1))\n") == set()
    chain = "".join(f"v{number} = v{number - 1}.map(f)\n" for number in range(1, 400))
    assert types_of(f"v0 = load_dataset('x')\n{chain}probe(v399)\n") == set()


SPREADING = """
import hydra
import torch
from omegaconf import OmegaConf

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    taken = OmegaConf.to_container(cfg.optimizer)
    taken.pop("kind")
    if unknown():
        torch.optim.AdamW(p)
    torch.optim.Adam(p, **taken)
    torch.optim.SGD(p, 0.5, nesterov=cfg.optimizer.fast, **cfg.optimizer)
"""


def test_what_the_configuration_gives_to_a_call_is_known() -> None:
    config = "run: null\nresults_dir: null\nmode: null\noptimizer:\n  kind: sgd\n  fast: true\n"
    facts = Facts(
        with_one_run(
            {"config/config.yaml": config, "src/train.py": SPREADING, "src/main.py": SPREADING}
        )
    )
    found = {
        call.func.attr: given[0][1]
        for call, given in facts.hydra.passed.items()
        if isinstance(call.func, ast.Attribute)
    }
    assert found["SGD"].positional[1] == 0.5
    assert (dict(found["SGD"].keywords)["nesterov"], set(found["SGD"].spread)) == (
        True,
        {"kind", "fast"},
    )
    assert (found["SGD"].open, found["SGD"].certain, found["AdamW"].certain) == (False, True, False)
    assert set(found["Adam"].spread) == {"fast"}
