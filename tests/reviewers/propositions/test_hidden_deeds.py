"""Guards that nothing is refuted that the code does in an unusual way: its certificate has gaps."""

from collections.abc import Mapping
from typing import Any

from reviewers.propositions import Truth
from tests.reviewers.propositions.hidden_deeds import DEEDS
from tests.reviewers.propositions.twins import Twin

TRAIN = "src/train.py"
SCOPE = {"scope": TRAIN}
API = {"p": "calls", **SCOPE, "callee": "wandb.Api"}
SAVE = {"p": "calls", **SCOPE, "callee": "torch.save"}
PDF = {"p": "writes", **SCOPE, "file": "loss.pdf"}
READS = {"p": "reads_key", **SCOPE, "key": "training.lr"}
SETS = {"p": "sets", **SCOPE, "target": "cfg.wandb.mode", "value": "disabled"}
LOGS = {"p": "logs", **SCOPE, "key": "val_loss"}
SEEDS = {"p": "does", **SCOPE, "activity": "seeding"}
MAIN = """
import hydra
@hydra.main(config_path="../config", config_name="config", version_base=None)
def main(cfg):
"""

CALLED: Mapping[str, str] = {
    "an alias of the module": "import wandb as w\nx = w\nx.Api()\n",
    "an alias of the name": "from wandb import Api as A\nB = A\nB()\n",
    "getattr with a text": "import wandb\ngetattr(wandb, 'Api')()\n",
    "getattr with a made text": "import wandb\ngetattr(wandb, 'A' + 'pi')()\n",
    "attrgetter": "import operator, wandb\noperator.attrgetter('Api')(wandb)()\n",
    "methodcaller": "import operator, wandb\noperator.methodcaller('Api')(wandb)\n",
    "partial": "import functools, wandb\nfunctools.partial(wandb.Api, timeout=3)()\n",
    "a dictionary of functions": "import wandb\nT = {'api': wandb.Api}\nT['api']()\n",
    "a default of a parameter": "import wandb\ndef f(make=wandb.Api):\n    return make()\nf()\n",
    "a decorator": "import wandb\n@wandb.Api\ndef f():\n    pass\n",
    "a subclass": "import wandb\nclass A(wandb.Api):\n    pass\nA()\n",
    "map": "import wandb\nlist(map(wandb.Api, [1]))\n",
    "importlib": "import importlib\nimportlib.import_module('wandb').Api()\n",
    "importlib by another name": "from importlib import import_module as im\nim('wandb').Api()\n",
    "__import__": "__import__('wandb').Api()\n",
    "sys.modules": "import sys\nsys.modules['wandb'].Api()\n",
    "vars of the module": "import wandb\nvars(wandb)['Api']()\n",
    "the module's __dict__": "import wandb\nwandb.__dict__['Api']()\n",
    "exec": "exec('import wandb; wandb.Api()')\n",
    "globals": "from wandb import Api\nglobals()['Api']()\n",
    "a star import": "from wandb import *\nApi()\n",
    "a lambda that is kept": "import wandb\nmake = lambda: wandb.Api()\nmake()\n",
    "a tuple that is unpacked": "import wandb\na, b = wandb.Api, wandb.init\na()\n",
    "a class attribute": "import wandb\nclass C:\n    make = wandb.Api\nC.make()\n",
    "a walrus": "import wandb\n(f := wandb.Api)()\n",
    "a conditional callee": "import wandb\n(wandb.Api if 1 else None)()\n",
    "a child process by -c": "import subprocess, sys\n"
    "subprocess.run([sys.executable, '-c', 'import wandb; wandb.Api()'])\n",
}
SAVED: Mapping[str, str] = {
    "an inherited method": "from src.model import Base\nclass T(Base):\n    pass\nT().keep()\n",
    "super": "from src.model import Base\nclass T(Base):\n"
    "    def keep(self):\n        super().keep()\nT().keep()\n",
    "a registry": "from src.model import REGISTRY\nREGISTRY['keep']({})\n",
    "a context manager": "from src.model import Keeper\nwith Keeper():\n    pass\n",
    "an operator": "from src.model import Keeper\nKeeper() + 1\n",
    "a property": "from src.model import Keeper\nKeeper().kept\n",
    "a module that is imported": "import src.model\n",
    "a relative module": "from . import model\nmodel.keep({})\n",
    "a callback of atexit": "import atexit\nfrom src.model import keep\natexit.register(keep)\n",
    "hydra's instantiate": "import hydra\n"
    "hydra.utils.instantiate({'_target_': 'src.model.keep'})\n",
    "hydra's get_method": "from hydra.utils import get_method\nget_method('src.model.keep')({})\n",
}
MODEL = """import torch
REGISTRY = {}
def register(f):
    REGISTRY[f.__name__] = f
    return f
@register
def keep(state):
    torch.save(state, 'x.pt')
class Base:
    def keep(self):
        torch.save({}, 'x.pt')
class Keeper(Base):
    def __exit__(self, *_):
        self.keep()
    def __enter__(self):
        pass
    def __add__(self, other):
        self.keep()
    @property
    def kept(self):
        self.keep()
"""
OTHER: list[tuple[str, Mapping[str, Any], str]] = [
    ("a path by an operator", PDF, "import os\nopen(os.sep.join(['out', 'loss.pdf']), 'w')\n"),
    (
        "a path by parts",
        PDF,
        "from pathlib import Path\n(Path('o') / 'loss').with_suffix('.pdf').write_text('')\n",
    ),
    ("a path by format", PDF, "n = 'loss'\nopen('{}.{}'.format(n, 'pdf'), 'w').write('')\n"),
    ("a path by percent", PDF, "open('%s.pdf' % 'loss', 'w').write('')\n"),
    ("a path by replace", PDF, "open('loss.png'.replace('png', 'pdf'), 'w').write('')\n"),
    ("a path in a list", PDF, "for n in ['acc.pdf', 'loss.pdf']:\n    open(n, 'w').write('')\n"),
    ("a rename", PDF, "import os\nopen('a', 'w').write('')\nos.rename('a', 'loss.pdf')\n"),
    ("a copy", PDF, "import shutil\nshutil.copy('a', 'loss.pdf')\n"),
    ("a mode from a name", PDF, "m = 'w'\nopen('loss.pdf', m).write('')\n"),
    ("a mode by keyword", PDF, "open(mode='w', file='loss.pdf').write('')\n"),
    ("an opener that is kept", PDF, "o = open\no('loss.pdf', 'w').write('')\n"),
    (
        "savefig as a value",
        PDF,
        "import matplotlib.pyplot as plt\nf = plt.savefig\nf('loss.pdf')\n",
    ),
    (
        "PdfPages",
        PDF,
        "from matplotlib.backends.backend_pdf import PdfPages\nPdfPages('loss.pdf')\n",
    ),
    ("a shell", PDF, "import os\nos.system('touch loss.pdf')\n"),
    ("a file's own method", PDF, "import numpy as np\nnp.array([1]).tofile('loss.pdf')\n"),
    (
        "a key by select",
        READS,
        f"{MAIN}    from omegaconf import OmegaConf\n    OmegaConf.select(cfg, 'training.lr')\n",
    ),
    ("a key by getattr", READS, f"{MAIN}    getattr(cfg.training, 'lr')\n"),
    ("a key by a made getattr", READS, f"{MAIN}    getattr(cfg.training, 'l' + 'r')\n"),
    (
        "a key by a loop",
        READS,
        f"{MAIN}    for k in cfg.training:\n        print(cfg.training[k])\n",
    ),
    ("a section that is unpacked", READS, f"{MAIN}    dict(**cfg.training)\n"),
    ("a section for a class", READS, f"{MAIN}    Trainer(**cfg['training'])\n"),
    (
        "a section as an attribute",
        READS,
        "class T:\n    def __init__(self, c):\n        self.c = c\n"
        f"    def f(self):\n        return self.c.lr\n{MAIN}    T(cfg.training).f()\n",
    ),
    ("a section by instantiate", READS, f"{MAIN}    hydra.utils.instantiate(cfg.training)\n"),
    ("a section by vars", READS, f"{MAIN}    t = vars(cfg)['training']\n    t['lr']\n"),
    ("a section in a tuple", READS, f"{MAIN}    a, b = cfg.training, 1\n    print(a.lr)\n"),
    (
        "a section in a container",
        READS,
        f"{MAIN}    d = {{'t': cfg.training}}\n    print(d['t'].lr)\n",
    ),
    (
        "a match",
        READS,
        f"{MAIN}    match cfg.training:\n        case {{'lr': lr}}:\n            print(lr)\n",
    ),
    ("a value by update", SETS, f"{MAIN}    cfg.wandb.update({{'mode': 'disabled'}})\n"),
    ("a value by keyword", SETS, f"{MAIN}    cfg.wandb.update(mode='disabled')\n"),
    (
        "a value by merge",
        SETS,
        f"{MAIN}    from omegaconf import OmegaConf\n"
        "    cfg = OmegaConf.merge(cfg, {'wandb': {'mode': 'disabled'}})\n",
    ),
    (
        "a value by dotlist",
        SETS,
        f"{MAIN}    from omegaconf import OmegaConf\n"
        "    cfg.merge_with_dotlist(['wandb.mode=disabled'])\n",
    ),
    ("a value by setattr", SETS, f"{MAIN}    setattr(cfg.wandb, 'mode', 'disabled')\n"),
    ("a value through an alias", SETS, f"{MAIN}    w = cfg.wandb\n    w.mode = 'disabled'\n"),
    ("a value through a name", SETS, f"{MAIN}    m = 'disabled'\n    cfg.wandb.mode = m\n"),
    (
        "a value in a loop",
        SETS,
        f"{MAIN}    for k, v in [('mode', 'disabled')]:\n        cfg.wandb[k] = v\n",
    ),
    ("a value of an unpacking", SETS, f"{MAIN}    cfg.wandb.mode, x = 'disabled', 1\n"),
    ("a value by or", SETS, f"{MAIN}    cfg.wandb.mode = cfg.x or 'disabled'\n"),
    ("keys by a dictionary", LOGS, "import wandb\nd = dict(val_loss=1)\nwandb.log(d)\n"),
    (
        "keys by a comprehension",
        LOGS,
        "import wandb\nwandb.log({f'val_{k}': 1 for k in ['loss']})\n",
    ),
    ("keys by update", LOGS, "import wandb\nd = {}\nd.update(val_loss=1)\nwandb.log(d)\n"),
    ("keys by zip", LOGS, "import wandb\nwandb.log(dict(zip(['val_loss'], [1])))\n"),
    ("keys by or", LOGS, "import wandb\nwandb.log({'a': 1} | {'val_loss': 2})\n"),
    ("log as a value", LOGS, "import wandb\nlog = wandb.log\nlog({'val_loss': 1})\n"),
    (
        "log by a run",
        LOGS,
        "import wandb\nclass T:\n    def __init__(self):\n        self.r = wandb.init()\n"
        "    def f(self):\n        self.r.log({'val_loss': 1})\n",
    ),
    ("log by getattr", LOGS, "import wandb\ngetattr(wandb, 'log')({'val_loss': 1})\n"),
    (
        "log by a partial",
        LOGS,
        "import wandb, functools\nfunctools.partial(wandb.log, {'val_loss': 1})()\n",
    ),
    (
        "seeding by lightning",
        SEEDS,
        "from pytorch_lightning import seed_everything\nseed_everything(1)\n",
    ),
    ("seeding by transformers", SEEDS, "import transformers\ntransformers.set_seed(1)\n"),
    ("seeding by accelerate", SEEDS, "from accelerate.utils import set_seed\nset_seed(1)\n"),
    ("a generator", SEEDS, "import torch\ng = torch.Generator()\ng.manual_seed(1)\n"),
    ("a generator of numpy", SEEDS, "import numpy as np\nr = np.random.default_rng(1)\n"),
]


def _twins() -> list[Twin]:
    found = [Twin("", API, {TRAIN: code}, {}, about) for about, code in CALLED.items()]
    files = {"src/model.py": MODEL, "src/__init__.py": ""}
    found += [Twin("", SAVE, {TRAIN: code, **files}, {}, about) for about, code in SAVED.items()]
    found += [Twin("", reading, {TRAIN: code}, {}, about) for about, reading, code in OTHER]
    for said, cases in DEEDS:
        for about, code in cases.items():
            found.append(
                Twin("", said, code if isinstance(code, dict) else {TRAIN: code}, {}, about)
            )
    return found


def test_what_is_done_in_an_unusual_way_is_not_refuted() -> None:
    assert [str(twin) for twin in _twins() if twin.answer().truth is Truth.FALSE] == []
