"""Twins of the predicates that look at files, names and calls."""

from tests.reviewers.propositions.twins import twins

_GETATTR = "def f(thing):\n    getattr(thing, input())()\n"
_BROKEN = "def f(:\n"
_MAIN = (
    "import hydra\n@hydra.main(config_path='../config', config_name='config', version_base=None)\n"
    "def main(cfg):\n"
)
_PLANNER = "class Planner:\n    def step(self): ...\n"
_STARTED = {
    "config/config.yaml": "run_id: a\nname: b\n",
    "src/train.py": f"{_MAIN}    import wandb\n    wandb.init(id={{}})\n",
}


def _started(id: str) -> dict[str, str]:
    """A configured script that starts a W&B run under an id that is this code."""
    return {path: text.replace("{}", id) for path, text in _STARTED.items()}


_TRIAL = """import wandb
def run(cfg):
    if cfg.wandb.mode != 'disabled':
        wandb.log(1)
def trial(cfg):
    cfg.wandb.mode = 'disabled'
    return run(cfg)
"""

TWINS = [
    *twins(
        {"p": "exists", "file": "src/tools.py"},
        true={
            "python": {"src/tools.py": "x = 1\n"},
            "empty": {"src/tools.py": ""},
            "beside": {"src/tools.py": "x = 1\n", "src/train.py": "y = 1\n"},
        },
        false={
            "other": {"src/tool.py": "x = 1\n"},
            "folder": {"src/tools/__init__.py": ""},
            "case": {"src/Tools.py": "x = 1\n"},
        },
        unknown={},
    ),
    *twins(
        {"p": "empty", "file": "src/train.py"},
        true={"nothing": "", "lines": "\n\n", "spaces": "   \n\t\n"},
        false={"code": "x = 1\n", "comment": "# later\n", "docstring": '"""Train."""\n'},
        unknown={"absent": {"src/main.py": "x = 1\n"}, "elsewhere": {"train.py": ""}},
    ),
    *twins(
        {"p": "parses", "file": "src/train.py"},
        true={"code": "x = 1\n", "nothing": "", "comment": "# x\n"},
        false={"bracket": _BROKEN, "indent": "  x = 1\ny = 2\n", "word": "def def f(): pass\n"},
        unknown={"absent": {"src/main.py": "x = 1\n"}, "elsewhere": {"train.py": "x = 1\n"}},
    ),
    *twins(
        {"p": "parses", "file": "config/config.yaml"},
        true={"keys": {"config/config.yaml": "a: 1\n"}, "list": {"config/config.yaml": "- a\n"}},
        false={"bracket": {"config/config.yaml": "a: [1\nb: 2\n"}},
        unknown={},
    ),
    *twins(
        {"p": "contains", "scope": "src/train.py::fit", "text": "lr = 0.1"},
        true={"there": "def fit():\n    lr = 0.1\n"},
        false={"elsewhere": "lr = 0.1\ndef fit():\n    pass\n"},
        unknown={"no such": "lr = 0.1\n"},
    ),
    *twins(
        {"p": "contains", "scope": "src/train.py", "text": "lr = 0.1"},
        true={"same": "lr = 0.1\n", "spaces": "lr=0.1\n", "comment": "x = 1  # lr = 0.1\n"},
        false={"other": "lr = 0.2\n", "nothing": "", "name": "rate = 0.1\n"},
        unknown={"absent": {"src/main.py": "lr = 0.1\n"}, "elsewhere": {"train.py": "lr = 0.1\n"}},
    ),
    *twins(
        {"p": "contains", "scope": "src/train.py", "text": "save(*, 'a.pt')|x | y"},
        true={
            "left out": "save(\n    model.state(), 'a.pt')\n",
            "as it is": "print('save(*, \"a.pt\")')\n# save(*, 'a.pt')|x | y\n",
            "the other": "z = x|y\n",
        },
        false={
            "one piece": "save(model, 'b.pt')\n",
            "the other order": "'a.pt')\nsave(model,\n",
            "half of the other": "x = y\n",
        },
        unknown={
            "far apart": "save(\n" + "x = 1\n" * 200 + ", 'a.pt')\n",
            "absent": {"src/main.py": "z = x | y\n"},
        },
    ),
    *twins(
        {"only": {"p": "imports", "scope": "src/train.py"}, "hole": "name", "are": ["os", "torch"]},
        true={"both": "import os\nfrom torch.nn import Linear\n"},
        false={"more": "import os\nimport json\n"},
        unknown={"star": "from torch import *\n"},
    ),
    *twins(
        {"p": "defines", "scope": "src/train.py", "name": "Model.forward"},
        true={
            "method": "class Model:\n    def forward(self): ...\n",
            "async": "class Model:\n    async def forward(self): ...\n",
            "second": "x = 1\nclass Model:\n    y = 1\n    def forward(self): ...\n",
        },
        false={
            "function": "def forward(): ...\n",
            "other class": "class Net:\n    def forward(self): ...\n",
            "text": "'class Model: def forward'\n",
        },
        unknown={
            "broken": _BROKEN,
            "absent": {"src/main.py": "class Model:\n    def forward(self): ...\n"},
        },
    ),
    *twins(
        {"p": "imports", "scope": "src/train.py", "name": "wandb"},
        true={
            "plain": "import wandb\n",
            "alias": "import wandb as w\n",
            "from": "from wandb import init\n",
            "inside": "def f():\n    import wandb\n",
        },
        false={
            "comment": "# import wandb\n",
            "text": "x = 'import wandb'\n",
            "similar": "import wandb_osh\n",
        },
        unknown={"broken": _BROKEN, "absent": {"src/main.py": "import wandb\n"}},
    ),
    *twins(
        {"p": "imports", "scope": "src/train.py", "name": "src.utils.set_seed"},
        true={
            "relative": "from .utils import set_seed\n",
            "absolute": "from src.utils import set_seed\n",
            "alias": "from .utils import log, set_seed as seed\n",
        },
        false={
            "another": "from .utils import log\n",
            "elsewhere": "from .tools import set_seed\n",
            "above": "from ..utils import set_seed\n",
        },
        unknown={"broken": _BROKEN, "absent": {"src/main.py": "from .utils import set_seed\n"}},
    ),
    *twins(
        {"p": "bound", "scope": "src/train.py", "name": "np"},
        true={
            "import": "import numpy as np\nnp.zeros(1)\n",
            "set": "np = 1\nprint(np)\n",
            "argument": "def f(np):\n    return np\n",
        },
        false={
            "never": "np.zeros(1)\n",
            "in a function": "def f():\n    return np.zeros(1)\nf()\n",
            "too late": "print(np)\nimport numpy as np\n",
        },
        unknown={
            "unused": "x = 1\n",
            "star": "from tools import *\nnp.zeros(1)\n",
            "in a loop": "for np in input():\n    pass\nprint(np)\n",
            "in an annotation": "from __future__ import annotations\nx: np = 1\n",
        },
    ),
    *twins(
        {"p": "uses", "scope": "src/train.py", "name": "set_seed"},
        true={
            "call": "from tools import set_seed\nset_seed(1)\n",
            "attribute": "import tools\ntools.set_seed(1)\n",
            "passed": "from tools import set_seed\nprint(set_seed)\n",
        },
        false={
            "import": "from tools import set_seed\n",
            "text": "x = 'set_seed'\n",
            "definition": "def set_seed(n): ...\n",
        },
        unknown={
            "compared": "def f(kind):\n    return kind == 'set_seed'\n",
            "getattr": _GETATTR,
            "broken": _BROKEN,
            "in a helper": {
                "src/train.py": "from src.work import go\ngo()\n",
                "src/work.py": "import tools\ndef go():\n    tools.set_seed(1)\n",
            },
        },
    ),
    *twins(
        {"p": "uses", "scope": "src/train.py", "name": "np.random.seed"},
        true={"of an alias": "import numpy as np\nnp.random.seed(1)\n"},
        false={"another": "import numpy as np\nnp.random.rand(1)\n"},
        unknown={"getattr": _GETATTR},
    ),
    *twins(
        {"p": "uses", "scope": "src/train.py", "name": 'batch["labels"]'},
        true={
            "item": "def f(batch):\n    return batch['labels']\n",
            "get": "def f(batch):\n    return batch.get('labels')\n",
        },
        false={
            "other": "def f(batches):\n    return [batch['x'] for batch in batches]\n",
            "set": "def f(batch, y):\n    batch['labels'] = y\n",
            "nothing": "x = 1\n",
        },
        unknown={
            "of another": "def f(row):\n    return row['labels']\n",
            "handed on": "import tools\ndef f(batch):\n    return tools.run(batch)\n",
            "by a name": "def f(batch, key):\n    return batch[key]\n",
            "all": "def f(batch):\n    return list(batch.values())\n",
            "attribute": "def f(batch):\n    return batch.labels\n",
        },
    ),
    *twins(
        {"p": "raises", "scope": "src/train.py", "error": "NotImplementedError"},
        true={
            "call": "def f():\n    raise NotImplementedError('later')\n",
            "class": "def f():\n    raise NotImplementedError\n",
            "from": "def f(e):\n    raise NotImplementedError() from e\n",
        },
        false={
            "other": "def f():\n    raise ValueError\n",
            "text": "'raise NotImplementedError'\n",
            "made": "error = NotImplementedError('x')\n",
        },
        unknown={
            "exec": "exec(input())\n",
            "broken": _BROKEN,
            "in a helper": {
                "src/train.py": "from src.work import go\ngo()\n",
                "src/work.py": "def go():\n    raise NotImplementedError\n",
            },
        },
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py::trial", "callee": "wandb.log"},
        true={"in what it calls": _TRIAL.replace("    cfg.wandb.mode = 'disabled'\n", "")},
        false={"not there": _TRIAL.replace("wandb.log(1)", "pass")},
        unknown={
            "the caller sets what is asked": _TRIAL,
            "the caller says so": _TRIAL.replace("run(cfg", "run(on")
            .replace("cfg.wandb.mode != 'disabled'", "on")
            .replace("return run(on)", "return run(False)"),
        },
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py::main", "callee": "tqdm.tqdm"},
        true={
            "imported from it": "from tqdm import tqdm\ndef main(x):\n    return tqdm(x)\n",
            "above it": "import tqdm\n@tqdm.tqdm(desc='a')\ndef main(x):\n    return x\n",
        },
        false={"not there": "from tqdm import tqdm\ndef main(x):\n    return x\n"},
        unknown={"exec": "def main(x):\n    exec(x)\n"},
    ),
    *twins(
        {
            "p": "calls",
            "scope": "src/train.py",
            "callee": "load",
            "with": {"note": "a [b] of 'c|d'"},
        },
        true={"signs": "load(note=\"a [b] of 'c|d'\")\n"},
        false={"other": "load(note='ab')\n"},
        unknown={"made": "load(note=input())\n"},
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py", "callee": "cut", "with": {"deep": True}},
        true={"by its place": "def cut(x, deep):\n    pass\ncut(1, True)\n"},
        false={"another": "def cut(x, deep):\n    pass\ncut(1, False)\n"},
        unknown={"of a library": "from tools import cut\ncut(1, 2, input())\n"},
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py", "callee": "Lora", "mentions": "q_proj"},
        true={"listed": "Lora(targets=['q_proj'])\n"},
        false={"others": "Lora(targets=['query', 'value'], bias='none')\n"},
        unknown={"made": "Lora(targets=find())\n"},
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py", "callee": "wandb.init"},
        true={
            "plain": "import wandb\nwandb.init()\n",
            "alias": "import wandb as w\nw.init(project='p')\n",
            "from": "from wandb import init\ninit()\n",
            "in a function": "import wandb\ndef f():\n    wandb.init()\n",
            "in a helper": {
                "src/train.py": "from src.work import go\ngo()\n",
                "src/work.py": "import wandb\ndef go():\n    wandb.init()\n",
            },
        },
        false={
            "import": "import wandb\n",
            "text": "x = 'wandb.init()'\n",
            "named only": "import wandb\ndef f():\n    start = wandb.init\n",
            "own": "def init(): ...\ninit()\n",
        },
        unknown={
            "getattr": _GETATTR,
            "broken": _BROKEN,
            "exec": "exec(input())\n",
            "in a helper of a branch": {
                "src/train.py": "from src.work import go\nif input():\n    go()\n",
                "src/work.py": "import wandb\ndef go():\n    wandb.init()\n",
            },
        },
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py", "callee": "optimizer.step"},
        true={"named so": "def f(optimizer):\n    optimizer.step()\n"},
        false={"another method": "def f(optimizer):\n    optimizer.zero_grad()\n"},
        unknown={
            "another name": "def f(opt):\n    opt.step()\n",
            "an attribute": "class T:\n    def f(self):\n        self.optim.step()\n",
        },
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py", "callee": "Planner.step"},
        true={
            "of an object": _PLANNER + "planner = Planner()\nplanner.step()\n",
            "of an attribute": _PLANNER
            + "class T:\n    def __init__(self):\n        self.planner = Planner()\n"
            + "    def go(self):\n        self.planner.step()\n",
        },
        false={
            "another's": _PLANNER + "class A:\n    def step(self): ...\na = A()\na.step()\n",
            "never": _PLANNER + "planner = Planner()\n",
        },
        unknown={"of a parameter": _PLANNER + "def f(plan):\n    plan.step()\n"},
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py", "callee": "plt.close"},
        true={"of an alias": "import matplotlib.pyplot as plt\nplt.close()\n"},
        false={"another": "import matplotlib.pyplot as plt\nplt.show()\n"},
        unknown={"of an object": "def f(figure):\n    figure.close()\n"},
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py", "callee": "torch.optim.AdamW"},
        true={
            "plain": "import torch\ntorch.optim.AdamW([])\n",
            "from": "from torch.optim import AdamW\nAdamW([])\n",
            "module": "from torch import optim\noptim.AdamW([])\n",
        },
        false={
            "another": "import torch\ntorch.optim.SGD([])\n",
            "a module that has it not": "import torch.nn.functional as F\nprint([F])\n",
            "a function of a module that has it not": (
                "import torch.nn.functional as F\ndef f(name):\n    return getattr(F, name)(1)\n"
            ),
            "a part by name": (
                "def f(parent, names):\n    for p in names:\n"
                "        parent = parent[int(p)] if p.isdigit() else getattr(parent, p)\n"
                "    return parent\n"
            ),
            "kept in a class": (
                "class Wrapped:\n    def __init__(self, inner):\n        self.inner = inner\n"
                "def f(parent, name):\n    return Wrapped(getattr(parent, name))\n"
            ),
        },
        unknown={
            "its module": "import torch.optim as o\ndef f(run):\n    run(o)\n",
            "the whole": "import torch\ndef f(run):\n    run(torch)\n",
            "by a name": (
                "import torch\ndef f(name):\n    return getattr(torch.optim, name)([])\n"
            ),
            "handed on": "def f(owner, name, run):\n    return run(getattr(owner, name))\n",
        },
    ),
    *twins(
        {
            "p": "calls",
            "scope": "src/train.py",
            "callee": "wandb.init",
            "with": {"id": "*cfg.run_id*"},
        },
        true={
            "code": _started("cfg.run_id"),
            "part of it": _started("cfg.run_id if 'run_id' in cfg else 'x'"),
        },
        false={"text": _started("'x'"), "another text": _started("'y', name='z'")},
        unknown={"other code": _started("cfg.name")},
    ),
    *twins(
        {
            "p": "calls",
            "scope": "src/train.py",
            "callee": "load_dataset",
            "with": {"cache_dir": ".cache/"},
        },
        true={
            "given": "from datasets import load_dataset\nload_dataset('x', cache_dir='.cache/')\n",
            "second": (
                "from datasets import load_dataset\nload_dataset('y')\n"
                "load_dataset('x', cache_dir='.cache/')\n"
            ),
            "dotted": "import datasets\ndatasets.load_dataset('x', cache_dir='.cache/')\n",
        },
        false={
            "absent": "from datasets import load_dataset\nload_dataset('x')\n",
            "other value": (
                "from datasets import load_dataset\nload_dataset('x', cache_dir='data')\n"
            ),
            "other call": "def f(**k): ...\nf(cache_dir='.cache/')\n",
        },
        unknown={
            "splat": "from datasets import load_dataset\nload_dataset('x', **options)\n",
            "variable": (
                "from datasets import load_dataset\n"
                "def f(where):\n    load_dataset('x', cache_dir=where)\n"
            ),
        },
    ),
    *twins(
        {"p": "has_key", "where": "config/config.yaml", "key": "training.lr"},
        true={
            "there": {"config/config.yaml": "training:\n  lr: 0.1\n"},
            "null": {"config/config.yaml": "training: {lr: null}\n"},
            "dotted": {"config/config.yaml": "training.lr: 0.1\n"},
        },
        false={
            "elsewhere": {"config/config.yaml": "lr: 0.1\n"},
            "empty section": {"config/config.yaml": "training:\n"},
            "empty file": {"config/config.yaml": ""},
        },
        unknown={
            "absent": {"config/other.yaml": "training: {lr: 1}\n"},
            "broken": {"config/config.yaml": "training: {lr: 1\n"},
        },
    ),
    *twins(
        {"p": "has_key", "where": "config/config.yaml", "key": "defaults.run"},
        true={"entry": {"config/config.yaml": "defaults:\n- run: a\n"}},
        false={"another": {"config/config.yaml": "defaults:\n- model: a\n- _self_\n"}},
        unknown={
            "optional": {"config/config.yaml": "defaults:\n- optional run: a\n"},
            "as one word": {"config/config.yaml": "defaults:\n- run/a\n"},
        },
    ),
    *twins(
        {"p": "has_key", "where": "config/config.yaml", "key": "defaults.run", "value": "base"},
        true={
            "list": {"config/config.yaml": "defaults:\n- run: base\n"},
            "second": {"config/config.yaml": "defaults:\n- _self_\n- run: base\n"},
            "case": {"config/config.yaml": "defaults: [{run: Base}]\n"},
        },
        false={
            "other value": {"config/config.yaml": "defaults:\n- run: other\n"},
            "no entry": {"config/config.yaml": "defaults:\n- _self_\n"},
            "no list": {"config/config.yaml": "run: base\n"},
        },
        unknown={"absent": {"config/x.yaml": "a: 1\n"}, "broken": {"config/config.yaml": "a: [\n"}},
    ),
    *twins(
        {"p": "reads_key", "scope": "src/train.py", "key": "training.lr", "guarded": False},
        true={"attribute": f"{_MAIN}    print(cfg.training.lr)\n"},
        false={"another": f"{_MAIN}    print(cfg.training.size)\n"},
        unknown={"set": f"{_MAIN}    cfg.training.lr = 1\n"},
    ),
    *twins(
        {"p": "reads_key", "scope": "src/train.py", "key": "training.lr"},
        true={
            "attribute": f"{_MAIN}    print(cfg.training.lr)\n",
            "item": f"{_MAIN}    print(cfg['training']['lr'])\n",
            "alias": f"{_MAIN}    t = cfg.training\n    print(t.lr)\n",
            "get": f"{_MAIN}    print(cfg.training.get('lr', 0.1))\n",
            "select": (
                "from omegaconf import OmegaConf\n"
                f"{_MAIN}    print(OmegaConf.select(cfg, 'training.lr'))\n"
            ),
            "below": f"{_MAIN}    print(cfg.training.lr.start)\n",
            "parameter": f"def work(t):\n    return t.lr\n{_MAIN}    work(cfg.training)\n",
            "of a file": (
                "from omegaconf import OmegaConf\n"
                "cfg = OmegaConf.merge({}, OmegaConf.load('config/config.yaml'))\n"
                "print(cfg.training.lr)\n"
            ),
            "of a global": (
                f"{_MAIN}    global CONFIG\n    CONFIG = cfg\n    work()\n"
                "def work():\n    print(CONFIG.training.lr)\n"
            ),
            "of a clone": (
                "from omegaconf import DictConfig, OmegaConf\n"
                f"{_MAIN}    own = DictConfig(OmegaConf.clone(cfg))\n    print(own.training.lr)\n"
            ),
            "of a text": (
                "import yaml\nwith open('config/config.yaml') as file:\n"
                "    cfg = yaml.safe_load(file)\nprint(cfg['training']['lr'])\n"
            ),
        },
        false={
            "other key": f"{_MAIN}    print(cfg.training.epochs)\n",
            "shown": f"{_MAIN}    print(cfg)\n",
            "saved": (
                "import yaml\nfrom omegaconf import OmegaConf\n"
                f"{_MAIN}    own = OmegaConf.clone(cfg)\n    OmegaConf.set_readonly(own, True)\n"
                "    yaml.safe_dump(OmegaConf.to_container(own), open('x', 'w'))\n"
            ),
            "no configuration": "lr = 0.1\n",
        },
        unknown={
            "handed on": f"import tools\n{_MAIN}    tools.train(cfg.training)\n",
            "made key": f"{_MAIN}    key = input()\n    print(cfg.training[key])\n",
            "other section": f"{_MAIN}    print(cfg.run.training.lr)\n",
            "spread": f"import tools\n{_MAIN}    tools.train(**cfg.training)\n",
        },
    ),
    *twins(
        {"p": "library_has", "name": "sklearn.metrics.f1_score"},
        true={
            "used": "from sklearn.metrics import f1_score\nf1_score([1], [1])\n",
            "dotted": "import sklearn.metrics\nsklearn.metrics.f1_score([1], [1])\n",
            "unused": "x = 1\n",
        },
        false={},
        unknown={
            "own library": {"sklearn/__init__.py": "", "src/train.py": "import sklearn\n"},
            "own module": {"sklearn.py": "", "src/train.py": "import sklearn\n"},
        },
    ),
    *twins(
        {"p": "library_has", "name": "sklearn.metrics.ttest_ind"},
        true={},
        false={
            "imported": "from sklearn.metrics import ttest_ind\n",
            "nothing": "x = 1\n",
            "dotted": "import sklearn.metrics\nsklearn.metrics.ttest_ind\n",
        },
        unknown={"own module": {"sklearn.py": "", "src/train.py": "import sklearn\n"}},
    ),
    *twins(
        {"p": "library_has", "name": "metrics.ttest_ind"},
        true={},
        false={
            "as it is imported": "from sklearn import metrics\nmetrics.ttest_ind\n",
            "as": "import sklearn.metrics as metrics\n",
        },
        unknown={
            "two ways": {
                "src/train.py": "from sklearn import metrics\n",
                "src/model.py": "from src import metrics\n",
            },
            "no import": "metrics.ttest_ind\n",
        },
    ),
    *twins(
        {"p": "calls", "scope": "src/train.py", "callee": "f", "positional": 2},
        true={
            "two": "f(1, 2)\n",
            "named": "f(1, 2, lr=3)\n",
            "one of two": "f(1)\nf(1, 2)\n",
        },
        false={"one": "f(1)\n", "by name": "f(1, lr=2)\n", "another": "g(1, 2)\n"},
        unknown={"spread": "f(*rows)\n", "handed on": "run(f)\n"},
    ),
    *twins(
        {"p": "accepts", "callee": "src/train.py::f", "argument": "2 positional"},
        true={
            "two": "def f(a, b):\n    return a\n",
            "default": "def f(a, b=1, *, c=2):\n    return a\n",
            "any": "def f(*rows):\n    return rows\n",
        },
        false={
            "one": "def f(a):\n    return a\n",
            "by name": "def f(a, *, b=1):\n    return a\n",
            "spread names": "def f(a, **more):\n    return a\n",
        },
        unknown={
            "decorated": "@made\ndef f(a):\n    return a\n",
            "none": "print(1)\n",
        },
    ),
    *twins(
        {"p": "accepts", "callee": "src/train.py::A.f", "argument": "2 positional"},
        true={"three": "class A:\n    def f(self, a, b):\n        return a\n"},
        false={"itself": "class A:\n    def f(self):\n        return 1\n"},
        unknown={"with itself": "class A:\n    def f(self, a):\n        return a\n"},
    ),
    *twins(
        {"p": "accepts", "callee": "OmegaConf.save", "argument": "colour"},
        true={},
        false={"as it is imported": "from omegaconf import OmegaConf\nOmegaConf.save({}, 'a')\n"},
        unknown={"no import": "OmegaConf.save({}, 'a')\n"},
    ),
    *twins(
        {"p": "accepts", "callee": "src/train.py::f", "argument": "lr"},
        true={
            "argument": "def f(lr): ...\n",
            "keyword": "def f(*, lr=1): ...\n",
            "async": "async def f(a, lr): ...\n",
        },
        false={
            "other": "def f(rate): ...\n",
            "none": "def f(): ...\n",
            "rest": "def f(*lr): ...\n",
        },
        unknown={
            "more": "def f(**options): ...\n",
            "wrapped": "import tools\n@tools.wraps\ndef f(): ...\n",
            "absent": "x = 1\n",
        },
    ),
]
