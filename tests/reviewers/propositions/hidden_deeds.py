"""Deeds that are done in an unusual way, by what a claim says of them."""

from collections.abc import Mapping
from typing import Any

Case = tuple[Mapping[str, Any], Mapping[str, str | dict[str, str]]]
_MAIN = """
import hydra
@hydra.main(config_path="../config", config_name="config", version_base=None)
def main(cfg):
"""
DEEDS: list[Case] = [
    (
        {"p": "defines", "scope": "src/train.py", "name": "Net.forward"},
        {
            "def by setattr": ("class Net:\n    pass\nsetattr(Net,'forward',lambda self: 1)\n"),
            "def by attribute assign": "class Net:\n    pass\ndef f(self): pass\nNet.forward = f\n",
        },
    ),
    (
        {"p": "defines", "scope": "src/train.py", "name": "forward"},
        {
            "def by assign": "forward = lambda x: x\n",
        },
    ),
    (
        {"p": "defines", "scope": "src/train.py", "name": "Net"},
        {
            "def by type()": "Net = type('Net', (), {})\n",
            "def by exec": "exec('class Net: pass')\n",
        },
    ),
    (
        {"p": "defines", "scope": "src/train.py", "name": "Row"},
        {
            "def by namedtuple": (
                "from collections import namedtuple\nRow = namedtuple('Row', 'a b')\n"
            ),
        },
    ),
    (
        {"p": "defines", "scope": "src/train.py", "name": "Net.step"},
        {
            "def inherited": ("class B:\n    def step(self): pass\nclass Net(B):\n    pass\n"),
        },
    ),
    (
        {"p": "imports", "scope": "src/train.py", "name": "wandb"},
        {
            "import by importlib": ("import importlib\nwandb = importlib.import_module('wandb')\n"),
            "import by __import__": "wandb = __import__('wandb')\n",
            "import lazily pkgutil": "import pkgutil\nwandb = pkgutil.resolve_name('wandb')\n",
        },
    ),
    (
        {"p": "uses", "scope": "src/train.py", "name": "set_seed"},
        {
            "uses by getattr": "import utils\ngetattr(utils,'set_seed')()\n",
        },
    ),
    (
        {"p": "raises", "scope": "src/train.py", "error": "ValueError"},
        {
            "raise from variable": "e = ValueError('x')\nraise e\n",
            "raise subclass": "class Bad(ValueError):\n    pass\nraise Bad()\n",
            "raise alias": "E = ValueError\nraise E('x')\n",
            "raise made by function": "def mk():\n    return ValueError()\nraise mk()\n",
            "throw": "def g():\n    yield\ng().throw(ValueError())\n",
            "re-raise": "try:\n    int('x')\nexcept ValueError:\n    raise\n",
            "raise in dict": "raise {'a': ValueError}['a']()\n",
        },
    ),
    (
        {"p": "returns", "scope": "src/train.py::f", "kind": "list"},
        {
            "returns via name": "def f():\n    x = [1]\n    return x\n",
            "returns list()": "def f():\n    return list(range(3))\n",
            "returns ternary": "def f(a):\n    return [1] if a else [2]\n",
            "returns decorated": (
                "def d(g):\n    return lambda: list(g())\n@d\ndef f():\n    return (1, 2)\n"
            ),
        },
    ),
    (
        {"p": "guarded", "scope": "src/train.py::f", "thing": "g", "by": "x"},
        {
            "guard by early return": "def f(x):\n    if not x:\n        return\n    g()\n",
            "guard by assert": "def f(x):\n    assert x\n    g()\n",
            "guard by match": ("def f(x):\n    match x:\n        case 1:\n            g()\n"),
            "guard by and": "def f(x):\n    x and g()\n",
            "guard by helper": (
                "def check(x):\n    if not x: raise ValueError\ndef f(x):\n    check(x)\n    g()\n"
            ),
            "guard by alias": ("def f(x):\n    ok = x is not None\n    if ok:\n        g()\n"),
            "guard by sys.exit": (
                "import sys\ndef f(x):\n    if not x:\n        sys.exit(1)\n    g()\n"
            ),
            "guard at loop continue in else": (
                "def f(x):\n    for i in [1]:\n        if not x:\n"
                "            print(1)\n            continue\n        g()\n"
            ),
            "guard by caller": ("def f(x):\n    g()\ndef h(x):\n    if x:\n        f(x)\nh(1)\n"),
            "guard by comprehension if": "def f(x):\n    return [g() for i in [1] if x]\n",
            "guard by while test": "def f(x):\n    while x:\n        g()\n",
        },
    ),
    (
        {"p": "guarded", "scope": "src/train.py::f", "thing": "g", "by": "except ValueError"},
        {
            "guard by suppress": (
                "import contextlib\ndef f(x):\n"
                "    with contextlib.suppress(ValueError):\n        g()\n"
            ),
        },
    ),
    (
        {"p": "handles", "scope": "src/train.py::f", "thing": "g", "error": "OSError"},
        {
            "handles decorator retry": "import tenacity\n@tenacity.retry\ndef f():\n    g()\n",
            "handles suppress": (
                "import contextlib\ndef f():\n    with contextlib.suppress(OSError):\n        g()\n"
            ),
            "handles alias class": (
                "def f():\n    try:\n        g()\n    except IOError:\n        pass\n"
            ),
            "handles tuple const": (
                "ERR = (OSError, ValueError)\ndef f():\n    try:\n"
                "        g()\n    except ERR:\n        pass\n"
            ),
            "handles inside callee": (
                "def g():\n    try:\n        open('x')\n"
                "    except OSError:\n        pass\ndef f():\n    g()\n"
            ),
            "handles by caller": ("def f():\n    g()\ntry:\n    f()\nexcept OSError:\n    pass\n"),
        },
    ),
    (
        {"p": "handles", "scope": "src/train.py::f", "thing": "g", "error": "FileNotFoundError"},
        {
            "handles base": (
                "def f():\n    try:\n        g()\n    except OSError:\n        pass\n"
            ),
        },
    ),
    (
        {"p": "within", "scope": "src/train.py::f", "thing": "model", "context": "torch.no_grad"},
        {
            "within decorator": ("import torch\n@torch.no_grad()\ndef f(model):\n    model(1)\n"),
            "within inference_mode": (
                "import torch\ndef f(model):\n    with torch.inference_mode():\n        model(1)\n"
            ),
            "within set_grad_enabled": (
                "import torch\ntorch.set_grad_enabled(False)\ndef f(model):\n    model(1)\n"
            ),
            "within exitstack": (
                "import torch, contextlib\ndef f(model):\n"
                "    with contextlib.ExitStack() as s:\n"
                "        s.enter_context(torch.no_grad())\n"
                "        model(1)\n"
            ),
            "within alias": (
                "import torch\nng = torch.no_grad()\ndef f(model):\n"
                "    with ng:\n        model(1)\n"
            ),
            "within generator decorator class": (
                "import torch\nf2 = None\ndef f(model):\n    model(1)\nf = torch.no_grad()(f)\n"
            ),
        },
    ),
    (
        {"p": "before", "scope": "src/train.py", "first": "opt.zero_grad", "then": "loss.backward"},
        {
            "before in loop": (
                "for b in [1, 2]:\n    loss.backward()\n    opt.step()\n    opt.zero_grad()\n"
            ),
        },
    ),
    (
        {"p": "before", "scope": "src/train.py", "first": "a", "then": "b"},
        {
            "before by defer": "def h():\n    a()\ndef g():\n    b()\nh2 = g\nh()\nh2()\n",
            "before with nested fn": (
                "def main():\n    def lazy_section():\n        b()\n    a()\n    later()\nmain()\n"
            ),
        },
    ),
    (
        {"p": "before", "scope": "src/train.py::main", "first": "a", "then": "b"},
        {
            "before nested fn direct": "def main():\n    cb = lambda: b()\n    a()\n    cb()\n",
        },
    ),
    (
        {"p": "has_value", "scope": "src/train.py", "expr": "x", "value": 1},
        {
            "has_value overwritten attr": "x = 0\nglobals()['x'] = 1\n",
            "has_value loop": "x = 0\nx += 1\n",
            "has_value name": "ONE = 1\nx = ONE\n",
            "has_value nonlocal": "x = 0\nexec('x = 1')\n",
        },
    ),
    (
        {"p": "has_value", "scope": "src/train.py", "expr": "self.x", "value": 1},
        {
            "has_value keyword": (
                "class A:\n    def __init__(self):\n        self.x = 0\n"
                "        setattr(self, 'x', 1)\n"
            ),
            "has_value dict update": (
                "class A:\n    def __init__(self):\n        self.x = 0\n"
                "        self.__dict__.update(x=1)\n"
            ),
        },
    ),
    (
        {"p": "has_value", "scope": "src/train.py", "expr": "a.x", "value": 1},
        {
            "has_value other file": "a = object()\na.x = 0\nb = a\nb.x = 1\n",
        },
    ),
    (
        {"p": "derives_from", "scope": "src/train.py::f", "value": "y", "source": "x"},
        {
            "derives via closure": (
                "def f(x):\n    def g():\n        return x\n    y = g()\n    return y\n"
            ),
            "derives via global": (
                "G = []\ndef put(v):\n    G.append(v)\ndef f(x):\n"
                "    put(x)\n    y = G[0]\n    return y\n"
            ),
            "derives via inplace": (
                "import numpy as np\ndef f(x):\n    y = np.zeros(3)\n"
                "    np.copyto(y, x)\n    return y\n"
            ),
            "derives via out=": (
                "import numpy as np\ndef f(x):\n    y = np.zeros(3)\n"
                "    np.add(x, 1, out=y)\n    return y\n"
            ),
            "derives via method": (
                "def f(x):\n    y = []\n    g = y.append\n    g(x)\n    return y\n"
            ),
            "derives via alias": (
                "def f(x):\n    y = []\n    z = y\n    z.append(x)\n    return y\n"
            ),
            "derives via control": (
                "def f(x):\n    y = 0\n    if x:\n        y = 1\n    return y\n"
            ),
            "derives via with": (
                "def f(x):\n    with open(x) as h:\n        y = h.read()\n    return y\n"
            ),
            "derives via file": (
                "import json\ndef f(x):\n    json.dump(x, open('a', 'w'))\n"
                "    y = json.load(open('a'))\n    return y\n"
            ),
            "derives via slice": "def f(x):\n    y = [0] * 3\n    y[:] = x\n    return y\n",
            "derives via for tuple": (
                "def f(x):\n    y = 0\n    for i, v in enumerate(x):\n"
                "        y = max(y, v)\n    return y\n"
            ),
            "derives via except": (
                "def f(x):\n    try:\n        raise ValueError(x)\n"
                "    except ValueError as e:\n        y = e.args\n"
                "    return y\n"
            ),
            "derives via augassign": "def f(x):\n    y = 0\n    y += x\n    return y\n",
            "derives via match": (
                "def f(x):\n    match x:\n        case [y, *_]:\n            return y\n"
            ),
        },
    ),
    (
        {"p": "derives_from", "scope": "src/train.py::A.f", "value": "y", "source": "x"},
        {
            "derives via self": (
                "class A:\n    def s(self, x):\n        self.x = x\n"
                "    def f(self, x):\n        self.s(x)\n"
                "        y = self.x\n        return y\n"
            ),
        },
    ),
    (
        {"p": "has_type", "scope": "src/train.py::f", "expr": "x", "type": "list"},
        {
            "has_type of union": "def f(a):\n    x = (1,)\n    x = list(x)\n    return x\n",
        },
    ),
    (
        {"p": "has_type", "scope": "src/train.py::f", "expr": "x", "type": "float"},
        {
            "has_type aug": "def f():\n    x = 0\n    x += 0.5\n    return x\n",
        },
    ),
    (
        {"p": "has_type", "scope": "src/train.py::A.f", "expr": "self.h", "type": "parameter"},
        {
            "has_type tensor param": (
                "import torch\nclass A(torch.nn.Module):\n"
                "    def __init__(self):\n        self.h = torch.zeros(1)\n"
                "        self.register_parameter('h', torch.nn.Para"
                "meter(self.h))\n    def f(self):\n        return self.h\n"
            ),
        },
    ),
    (
        {"p": "has_type", "scope": "src/train.py::f", "expr": "x", "type": "scalar"},
        {
            "has_type np float": (
                "import numpy as np\ndef f():\n    x = np.array(1)[()]\n    return x\n"
            ),
        },
    ),
    (
        {"p": "command_line", "file": "src/train.py", "style": "positional"},
        {
            "command_line sys.argv": (
                "import sys, argparse\np = argparse.ArgumentParser()\n"
                "p.add_argument('--x')\nprint(sys.argv[1])\n"
            ),
            "command_line loop pos": (
                "import argparse\np = argparse.ArgumentParser()\n"
                "p.add_argument('--a')\nfor n in ['y']:\n"
                "    p.add_argument(n)\n"
            ),
        },
    ),
    (
        {"p": "command_line", "file": "src/train.py", "style": "flags"},
        {
            "command_line fire": "import fire\ndef main(a): pass\nfire.Fire(main)\n",
            "command_line by helper": (
                "import argparse\np = argparse.ArgumentParser()\n"
                "p.add_argument('x')\nadd = p.add_argument\nadd('--y')\n"
            ),
            "command_line made": (
                "import argparse\np = argparse.ArgumentParser()\n"
                "p.add_argument('x')\nfor n in ['y']:\n"
                "    p.add_argument(f'--{n}')\n"
            ),
        },
    ),
    (
        {"p": "command_line", "file": "src/train.py", "style": "hydra"},
        {
            "command_line hydra in helper": (
                "import argparse, hydra\np = argparse.ArgumentParser()\n"
                "p.add_argument('--a')\ndef main(cfg): pass\n"
                "hydra.main(config_path=None)(main)()\n"
            ),
        },
    ),
    (
        {"p": "draws", "scope": "src/train.py", "figure": "bar"},
        {
            "draws wandb": (
                "import wandb\nwandb.log({'c': wandb.plot.bar(wandb.Table(data=[]), 'a', 'b')})\n"
            ),
            "draws pandas kind": (
                "import pandas as pd\npd.DataFrame().plot(kind='bar').figure.savefig('x.pdf')\n"
            ),
            "draws getattr": (
                "import matplotlib.pyplot as plt\n"
                "fig, ax = plt.subplots()\n"
                "getattr(ax, 'b' + 'ar')([1], [2])\nplt.savefig('x.pdf')\n"
            ),
            "draws alias": (
                "import matplotlib.pyplot as plt\nb = plt.bar\nb([1], [2])\nplt.savefig('x.pdf')\n"
            ),
            "draws patches": (
                "import matplotlib.pyplot as plt\n"
                "from matplotlib.patches import Rectangle\n"
                "fig, ax = plt.subplots()\n"
                "ax.add_patch(Rectangle((0, 0), 1, 2))\n"
                "fig.savefig('x.pdf')\n"
            ),
            "draws catplot": ("import seaborn as sns\nsns.catplot(kind='bar').savefig('x.pdf')\n"),
        },
    ),
    (
        {"p": "draws", "scope": "src/train.py", "figure": "line"},
        {
            "draws line seaborn relplot": (
                "import seaborn as sns\nsns.relplot(kind='line').savefig('x.pdf')\n"
            ),
        },
    ),
    (
        {"p": "draws", "scope": "src/train.py", "figure": "heatmap"},
        {
            "draws heatmap imshow": (
                "import matplotlib.pyplot as plt\nplt.pcolor([[1]])\nplt.savefig('x.pdf')\n"
            ),
        },
    ),
    (
        {"p": "draws", "scope": "src/train.py", "figure": "histogram"},
        {
            "draws hist bins": (
                "import matplotlib.pyplot as plt\nplt.stairs([1], [0, 1])\nplt.savefig('x.pdf')\n"
            ),
            "draws hist pandas": (
                "import pandas as pd\npd.DataFrame().plot.hist().figure.savefig('x.pdf')\n"
            ),
        },
    ),
    (
        {"p": "computes", "scope": "src/train.py", "metric": "f1"},
        {
            "computes via report": (
                "from sklearn.metrics import classification_report\n"
                "classification_report([1], [1])\n"
            ),
        },
    ),
    (
        {"p": "does", "scope": "src/train.py", "activity": "gradient_clipping"},
        {
            "does clip by hand": ("for p in model.parameters():\n    p.grad.data.clamp_(-1, 1)\n"),
        },
    ),
    (
        {"p": "does", "scope": "src/train.py", "activity": "lr_schedule"},
        {
            "does lr decay by hand": "for g in opt.param_groups:\n    g['lr'] *= 0.9\n",
        },
    ),
    (
        {"p": "does", "scope": "src/train.py", "activity": "significance_test"},
        {
            "does ttest pingouin": "import pingouin as pg\npg.wilcoxon([1], [2])\n",
        },
    ),
    (
        {"p": "does", "scope": "src/train.py", "activity": "mixed_precision"},
        {
            "does mixed precision": "import torch\nmodel.half()\n",
        },
    ),
    (
        {"p": "does", "scope": "src/train.py", "activity": "training"},
        {
            "does training by Trainer": (
                "from transformers import Trainer\nt = Trainer()\nt.train()\n"
            ),
            "does training by fit": (
                "from sklearn.linear_model import LogisticRegression\n"
                "LogisticRegression().fit([[1]], [1])\n"
            ),
        },
    ),
    (
        {"p": "does", "scope": "src/train.py", "activity": "checkpointing"},
        {
            "does checkpoint by pickle": "import pickle\npickle.dump(model, open('m.pkl', 'wb'))\n",
        },
    ),
    (
        {"p": "limits", "scope": "code", "what": "batches", "mode": "trial"},
        {
            "limits by slice name": _MAIN
            + (
                "    loader = [1]\n    if cfg.mode == 'trial':\n"
                "        loader = list(loader)[:2]\n"
                "    for b in loader: pass\nmain()\n"
            ),
            "limits by range": _MAIN
            + (
                "    cap = 2 if cfg.mode == 'trial' else 10**9\n"
                "    for i, b in enumerate([1]):\n        if i >= cap:\n"
                "            break\nmain()\n"
            ),
            "limits by subset": _MAIN
            + (
                "    import torch\n    ds = [1]\n"
                "    if cfg.mode == 'trial':\n"
                "        ds = torch.utils.data.Subset(ds, [0, 1])\nmain()\n"
            ),
            "limits by flag": _MAIN
            + (
                "    is_trial = cfg.mode == 'trial'\n    train(is_trial)\n"
                "def train(quick):\n    for i in range(9):\n"
                "        if quick and i > 1:\n            break\nmain()\n"
            ),
        },
    ),
    (
        {"p": "limits", "scope": "code", "what": "epochs", "mode": "trial"},
        {
            "limits epochs by min": _MAIN
            + (
                "    n = min(1, cfg.e) if cfg.mode == 'trial' else cfg.e\n"
                "    for e in range(n): pass\nmain()\n"
            ),
            "limits epochs dict": _MAIN
            + ("    n = {'trial': 1, 'full': 9}[cfg.mode]\n    for e in range(n): pass\nmain()\n"),
        },
    ),
    (
        {"p": "has_column", "scope": "src/train.py", "column": "z"},
        {
            "column by assign": (
                "import pandas as pd\ndf = pd.DataFrame({'a': [1]}).assign(z=1)\n"
            ),
            "column by dict": "import pandas as pd\ndf = pd.DataFrame([dict(z=1)])\n",
            "column by csv": "import csv\nrows = list(csv.DictReader(open('a.csv')))\n",
            "column by json": "import json\nrows = json.load(open('a.json'))\n",
            "column by class": (
                "import pandas as pd, dataclasses\n@dataclasses.dataclass\n"
                "class R:\n    z: int\ndf = pd.DataFrame([R(1)])\n"
            ),
        },
    ),
    (
        {"p": "has_column", "scope": "src/train.py", "column": "z_1"},
        {
            "column by f-string": (
                "import pandas as pd\ndf = pd.DataFrame()\n"
                "for i in range(2):\n    df[f'z_{i}'] = 1\n"
            ),
        },
    ),
    (
        {"p": "has_column", "scope": "src/train.py", "column": "z_a"},
        {
            "column by prefix": (
                "import pandas as pd\ndf = pd.DataFrame({'a': [1]}).add_prefix('z_')\n"
            ),
        },
    ),
    (
        {"p": "accepts", "callee": "src/train.py::f", "argument": "k"},
        {
            "accepts by decorator": (
                "import functools\ndef d(g):\n    def w(*a, k=1, **kw):\n"
                "        return g(*a, **kw)\n    return w\n@d\n"
                "def f(x): pass\n"
            ),
            "accepts posonly": "def f(k, /): pass\n",
        },
    ),
    (
        {"p": "accepts", "callee": "src/train.py::C", "argument": "k"},
        {
            "accepts by class": ("class B:\n    def __init__(self, k): pass\nclass C(B): pass\n"),
            "accepts dataclass": (
                "import dataclasses\n@dataclasses.dataclass\nclass C:\n    k: int\n"
            ),
        },
    ),
    (
        {"p": "bound", "scope": "src/train.py", "name": "foo"},
        {
            "bound by builtins": "import builtins\nbuiltins.foo = 1\nprint(foo)\n",
            "bound by globals update": "globals().update(foo=1)\nprint(foo)\n",
            "bound by global": "def g():\n    global foo\n    foo = 1\ng()\nprint(foo)\n",
        },
    ),
    (
        {"p": "reads_file", "scope": "src/train.py", "file": "a.json"},
        {
            "reads_file by Path": (
                "from pathlib import Path\nimport json\n"
                "json.loads(Path('a').with_suffix('.json').read_text())\n"
            ),
        },
    ),
    (
        {"p": "reads_file", "scope": "src/train.py", "file": "a.csv"},
        {
            "reads_file by pandas method": "import pandas\npandas.read_table('a.csv')\n",
            "reads_file by datasets": (
                "import datasets\ndatasets.load_dataset('csv', data_files='a.csv')\n"
            ),
            "reads_file by glob": (
                "import glob\nfor p in glob.glob('*.csv'):\n    open(p).read()\n"
            ),
        },
    ),
    (
        {"p": "reads_file", "scope": "src/train.py", "file": "a.npy"},
        {
            "reads_file by numpy": "import numpy as np\nnp.memmap('a.npy')\n",
        },
    ),
    (
        {"p": "logs", "scope": "src/train.py", "key": "val_loss"},
        {
            "logs by lightning": (
                "import lightning as L\nclass M(L.LightningModule):\n"
                "    def validation_step(self, b):\n"
                "        self.log('val_loss', 1)\n"
            ),
            "logs by define_metric": (
                "import wandb\nrun = wandb.init()\nrun.summary.update(dict(val_loss=1))\n"
            ),
        },
    ),
    (
        {"p": "trains", "scope": "src/train.py", "parameter": "w"},
        {
            "trains by Trainer": "from transformers import Trainer\nTrainer().train()\n",
            "trains by fit": "from sklearn.svm import SVC\nSVC().fit([[1]], [1])\n",
            "trains by engine": "import deepspeed\ne = deepspeed.initialize()\ne.step()\n",
            "trains jax": "import jax\ng = jax.grad(lambda w: w)(1.0)\n",
        },
    ),
    (
        {"p": "has_key", "where": "config/config.yaml", "key": "a.b"},
        {
            "has_key interpolation": {"config/config.yaml": "a: ${c}\nc:\n  b: 1\n"},
            "has_key anchor": {"config/config.yaml": "x: &x\n  b: 1\na:\n  <<: *x\n"},
            "has_key alias": {"config/config.yaml": "x: &x\n  b: 1\na: *x\n"},
        },
    ),
    (
        {"p": "has_key", "where": "composed", "key": "a.b"},
        {
            "has_key defaults": {
                "config/config.yaml": "defaults:\n  - a: z\n",
                "config/a/z.yaml": "b: 1\n",
                "src/train.py": _MAIN + "    pass\nmain()\n",
            },
        },
    ),
    (
        {"p": "has_key", "where": "config/config.yaml", "key": "a", "value": 1},
        {
            "has_key value interp": {"config/config.yaml": "a: ${b}\nb: 1\n"},
        },
    ),
    (
        {"p": "has_key", "where": "config/config.yaml", "key": "a", "value": 0.001},
        {
            "has_key number text": {"config/config.yaml": "a: 1e-3\n"},
        },
    ),
    (
        {"p": "passes", "scope": "src/train.py", "key": "wandb.mode", "value": "disabled"},
        {
            "passes by env": {
                "src/train.py": _MAIN
                + (
                    "    import subprocess, sys\n"
                    "    subprocess.run([sys.executable, '-m', 'src.mod"
                    "el', *cfg.words])\nmain()\n"
                ),
                "config/config.yaml": "words: [wandb.mode=disabled]\n",
            },
        },
    ),
    (
        {"p": "declares", "package": "torch"},
        {
            "declares extras": {
                "pyproject.toml": (
                    "[project]\nname='a'\nversion='1'\n"
                    "[project.optional-dependencies]\ngpu=['torch']\n"
                ),
                "src/train.py": "",
            },
            "declares group": {
                "pyproject.toml": (
                    "[project]\nname='a'\nversion='1'\n[dependency-groups]\ngpu=['torch']\n"
                ),
                "src/train.py": "",
            },
            "declares poetry": {
                "pyproject.toml": (
                    "[tool.poetry]\nname='a'\nversion='1'\n[tool.poetry.dependencies]\ntorch='*'\n"
                ),
                "src/train.py": "",
            },
            "declares dynamic": {
                "pyproject.toml": (
                    "[project]\nname='a'\nversion='1'\n"
                    "dynamic=['dependencies']\n[tool.setuptools.dynamic]\n"
                    "dependencies={file=['req.txt']}\n"
                ),
                "src/train.py": "",
            },
            "declares setup.py": {
                "pyproject.toml": "[build-system]\nrequires=['setuptools']\n",
                "setup.py": ("from setuptools import setup\nsetup(install_requires=['torch'])\n"),
                "src/train.py": "",
            },
        },
    ),
]
