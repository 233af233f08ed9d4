"""Twins of the predicates that look at files, columns, modes and what lies around the code."""

from tests.reviewers.propositions.twins import twins

_OPEN = "def f(path):\n    with open(path, 'w') as file:\n        file.write('x')\n"
_PLOT = "import matplotlib.pyplot as plt\nfrom pathlib import Path\n"
_CONFIG = "run: null\nmode: full\nresults_dir: x\n"


def _started(version: str, more: str = "", config: str = _CONFIG) -> dict[str, str]:
    """A main script under Hydra."""
    return {
        "src/main.py": (
            "import os\nimport hydra\n"
            f"@hydra.main(version_base={version}, config_path='../config', config_name='config')\n"
            f"def main(cfg):\n    print(cfg.results_dir)\n{more}"
            "if __name__ == '__main__':\n    main()\n"
        ),
        "config/config.yaml": config,
    }


def _trial(inside: str, after: str = "") -> str:
    """Code that does something in mode `trial` only."""
    return (
        "def main(cfg, loader):\n"
        f"    if cfg.mode == 'trial':\n        {inside}\n"
        f"    for epoch in range(cfg.training.epochs):\n        print(epoch)\n{after}"
    )


_ROUNDS = "    for _ in range(int(cfg.inner_steps)):\n        {}\n"
_CHECK = "def check(val_loader, train_loader):\n    for at, row in {}:\n        {}\n"


def _preprocess(text: str) -> dict[str, str]:
    return {"src/preprocess.py": text}


def _composed(text: str) -> dict[str, str]:
    """A script that Hydra starts, with a text behind its configuration."""
    script = "import hydra\n@hydra.main(config_path='../config', config_name='config')\n"
    return {
        "src/train.py": f"{script}def main(cfg):\n    print(cfg.lr)\n",
        "config/config.yaml": f"run: null\nmode: full\nresults_dir: x\n{text}",
    }


_POSITIONAL = "    p.add_argument('folder')\n    p.add_argument('ids')\n    return p.parse_args()\n"


def _evaluated(inside: str, before: str = "") -> dict[str, str]:
    """An evaluation that parses its words, with what a function does with the parser."""
    made = "    p = argparse.ArgumentParser()\n"
    end = "if __name__ == '__main__':\n    main()\n"
    return {"src/evaluate.py": f"import argparse\n{before}def main():\n{made}{inside}{end}"}


def _tried(handler: str) -> str:
    """A call under a handler."""
    return f"import json\ndef f(a):\n    try:\n        return json.load(a)\n    {handler}\n"


_MODEL = "class Model:\n    def encode(self, x):\n        return x\n"


def _project(text: str) -> dict[str, str]:
    return {"src/train.py": text}


_WORK = "        x = x + 1\n        y = x * 2\n        self.seen.append(y)\n        return x + y\n"


def _model(body: str) -> dict[str, str]:
    """A class with one method."""
    return {"src/model.py": f"class Adapter:\n    def update(self, x):\n{body}"}


TWINS = [
    *twins(
        {"p": "stub", "scope": "src/model.py"},
        true={"all of it": {"src/model.py": "import torch\ndef f(x):\n    pass\n"}},
        false={},
        unknown={"it runs": {"src/model.py": "def f(x):\n    pass\nprint(f(1))\n"}},
    ),
    *twins(
        {"p": "stub", "scope": "src/model.py::Adapter.update"},
        true={
            "pass": _model("        pass\n"),
            "constant": _model("        return 0.0\n"),
            "raises": _model("        raise NotImplementedError('later')\n"),
        },
        false={
            "works": _model(_WORK),
            "elsewhere": _model(f"{_WORK}    def other(self):\n        pass\n"),
            "stands in a loop": _model(
                f"        for x in x:\n    {_WORK.replace(chr(10), chr(10) + '    ')}\n"
            ),
        },
        unknown={
            "little": _model("        return x.sum()\n"),
            "called so": _model(f"        # TODO: the real update\n{_WORK}"),
            "absent": {"src/model.py": "x = 1\n"},
        },
    ),
    *twins(
        {"p": "writes", "scope": "src/train.py", "file": "comparison_*.pdf"},
        true={
            "literal": _PLOT + "plt.savefig('out/comparison_loss.pdf')\n",
            "joined": _PLOT + "plt.savefig(Path('out') / 'comparison_loss.pdf')\n",
            "template": _PLOT + "def f(t):\n    plt.savefig(f'comparison_{t}.pdf')\n",
            "in a helper": {
                "src/train.py": "from src.model import save\nsave()\n",
                "src/model.py": _PLOT + "def save():\n    plt.savefig('out/comparison_loss.pdf')\n",
            },
            "by a caller": (
                _PLOT + "def save(path):\n    plt.savefig(path)\n"
                "save('a.png')\nsave('comparison_a.pdf')\n"
            ),
        },
        false={
            "other": _PLOT + "plt.savefig('loss.pdf')\n",
            "read": "text = open('comparison_loss.pdf').read()\n",
            "printed": "print('comparison_loss.pdf')\n",
            "no such word": _PLOT + "def f(t):\n    plt.savefig(f'{t}.pdf')\n",
        },
        unknown={
            "path": _OPEN + "print('comparison_', '.pdf')\n",
            "broken": "def f(:\n",
            "in a helper of a branch": {
                "src/train.py": "from src.model import save\nif input():\n    save()\n",
                "src/model.py": _PLOT + "def save():\n    plt.savefig('out/comparison_loss.pdf')\n",
            },
        },
    ),
    *twins(
        {"p": "writes", "scope": "src/train.py", "file": "checkpoint"},
        true={
            "torch": "import torch\ntorch.save({}, 'last.pt')\n",
            "folder": "def f(model):\n    model.save_pretrained('checkpoint')\n",
            "kept": "import torch\nPATH = 'best.ckpt'\ntorch.save({}, PATH)\n",
        },
        false={
            "metrics": "import json\njson.dump({}, open('metrics.json', 'w'))\n",
            "nothing": "checkpoint = 1\n",
            "loaded": "import torch\ntorch.load('last.pt')\n",
        },
        unknown={
            "path": _OPEN + "print('a.pt')\n",
            "trainer": "def f(t):\n    t.save_all('x.pt')\n",
        },
    ),
    *twins(
        {"p": "writes", "scope": "src/train.py", "file": "<run_id>/metrics.json"},
        true={
            "text": "def f(run_id):\n    open(f'{run_id}/metrics.json', 'w')\n",
            "joined": "def f(out, rid):\n    (out / rid / 'metrics.json').write_text('')\n",
            "handed on": (
                "def f(folder):\n    open(folder / 'metrics.json', 'w')\n"
                "def g(out, run):\n    f(out / run.id)\n"
            ),
        },
        false={
            "other": "open('out/log.json', 'w')\n",
            "read": "def f(run_id):\n    open(f'{run_id}/metrics.json')\n",
            "another": "def f(run_id):\n    open(f'{run_id}/config.json', 'w')\n",
        },
        unknown={
            "folder of all": "def f(results_dir):\n    open(results_dir / 'metrics.json', 'w')\n",
            "made": (
                "def make(cfg_run):\n    return cfg_run.results_dir\n"
                "def f(cfg):\n    open(make(cfg) / 'metrics.json', 'w')\n"
            ),
            "of itself": (
                "def f(x):\n    x = f(x)\n    open(x / 'metrics.json', 'w')\n    return x\n"
            ),
        },
    ),
    *twins(
        {"p": "reads_file", "scope": "src/train.py", "file": "data.csv"},
        true={
            "pandas": "import pandas as pd\npd.read_csv('in/data.csv')\n",
            "open": "text = open('data.csv').read()\n",
            "path": "from pathlib import Path\nPath('data.csv').read_text()\n",
        },
        false={
            "written": "open('data.csv', 'w')\n",
            "other": "import pandas as pd\npd.read_csv('in/other.csv')\n",
            "spoken of": "print('data.csv')\n",
        },
        unknown={
            "path": "def f(path):\n    return open(path)\nprint('data.csv')\n",
            "exec": "exec(input())\n",
        },
    ),
    *twins(
        {"p": "limits", "scope": "code", "what": "epochs", "mode": "trial", "to": 1},
        true={
            "key": _trial("cfg.training.epochs = 1"),
            "below": _trial("cfg.training.epochs = 1", "    print(cfg.training.epochs + 1)\n"),
            "name": (
                "def main(cfg):\n    epochs = cfg.training.epochs\n"
                "    if cfg.mode == 'trial':\n        epochs = 1\n"
                "    for _ in range(epochs):\n        print(1)\n"
            ),
        },
        false={
            "more": _trial("cfg.training.epochs = 5"),
            "tracking only": _trial("cfg.wandb.mode = 'disabled'"),
            "no branch": "def main(cfg):\n    print('trial', cfg.training.epochs)\n",
            "an iterator": _trial("first = next(iter(loader))"),
            "of a library": "import tqdm\n"
            + _trial("print(1)", "    tqdm.tqdm(loader, disable=cfg.mode == 'trial')\n"),
        },
        unknown={
            "of a function": _trial("print(1)", "    fit(loader, short=cfg.mode == 'trial')\n"),
            "made": _trial("cfg.training.epochs = int(input())"),
            "none": _trial("cfg.training.epochs = 0"),
            "left early": _trial("return"),
        },
    ),
    *twins(
        {"p": "limits", "scope": "code", "what": "evaluation batches", "mode": "trial"},
        true={},
        false={},
        unknown={
            "left": (
                "def main(cfg, loader):\n    for at, batch in enumerate(loader):\n"
                "        if cfg.mode == 'trial' and at >= 2:\n            break\n"
            ),
        },
    ),
    *twins(
        {"p": "limits", "scope": "code", "what": "batches", "mode": "trial", "to": 2},
        true={
            "slice": _trial("loader = list(loader)[:2]"),
            "islice": "from itertools import islice\n" + _trial("loader = islice(loader, 2)"),
            "key": _trial("cfg.limit_batches = 2", "    print(cfg.limit_batches)\n"),
            "left": (
                "def main(cfg, loader):\n    for at, batch in enumerate(loader):\n"
                "        if cfg.mode == 'trial' and at >= 2:\n            break\n"
            ),
            "left at the end": (
                "def main(cfg, loader):\n    for at, batch in enumerate(loader):\n"
                "        print(batch)\n"
                "        if cfg.mode == 'trial' and at + 1 >= 2:\n            break\n"
            ),
            "chosen": (
                "def main(cfg, fit):\n    fit(max_batches=2 if cfg.mode == 'trial' else None)\n"
            ),
        },
        false={
            "how often": _trial("cfg.eval_steps = 2", "    print(cfg.eval_steps)\n"),
            "epochs left": (
                "def main(cfg):\n    for epoch in range(9):\n"
                "        if cfg.mode == 'trial':\n            break\n"
            ),
            "more": _trial("cfg.limit_batches = 9", "    print(cfg.limit_batches)\n"),
            "size": _trial("cfg.batch_size = 2", "    print(cfg.batch_size)\n"),
            "rounds within": _trial("cfg.inner_steps = 2", _ROUNDS.format("print(1)")),
            "tracking only": _trial("cfg.wandb.mode = 'disabled'"),
            "no branch": "def main(cfg):\n    print('trial', cfg.training.epochs)\n",
        },
        unknown={
            "unread": _trial("cfg.limit_batches = 2"),
            "rounds that draw": _trial("cfg.inner_steps = 2", _ROUNDS.format("next(loader)")),
            "rounds elsewhere": _trial("cfg.inner_steps = 2", "    fit(cfg.inner_steps)\n"),
            "stopped": _trial("return"),
            "chosen and unread": "def main(cfg):\n    batches = 2 if cfg.mode == 'trial' else 9\n",
        },
    ),
    *twins(
        {"p": "limits", "scope": "src/train.py::check", "what": "validation batches", "to": 1},
        true={
            "one round": _CHECK.format("val_loader", "print(row)\n        break"),
            "left": _CHECK.format("enumerate(val_loader)", "if at >= 1:\n            break"),
            "slice": _CHECK.format("list(val_loader)[:1]", "print(row)"),
        },
        false={
            "more": _CHECK.format("list(val_loader)[:9]", "print(row)"),
            "left later": _CHECK.format("enumerate(val_loader)", "if at >= 3:\n            break"),
            "islice": "from itertools import islice\n"
            + _CHECK.format("islice(val_loader, 4)", "print(row)"),
        },
        unknown={
            "all": _CHECK.format("val_loader", "print(row)"),
            "train": _CHECK.format("train_loader", "print(row)\n        break"),
            "at times": _CHECK.format("val_loader", "if row:\n            break"),
            "one of two": _CHECK.format("val_loader", "print(row)\n        break")
            + "    for row in val_loader:\n        print(row)\n",
            "passed over": _CHECK.format(
                "val_loader", "if row:\n            continue\n        break"
            ),
        },
    ),
    *twins(
        {"p": "has_column", "scope": "src/preprocess.py", "column": "labels"},
        true={
            "item": _preprocess("def f(row):\n    row['labels'] = 1\n    return row\n"),
            "renamed": _preprocess("def f(data):\n    return data.rename_column('y', 'labels')\n"),
            "table": _preprocess("import pandas as pd\nx = pd.DataFrame({'labels': [1]})\n"),
        },
        false={
            "other": _preprocess("def f(row):\n    row['y'] = 1\n    return row\n"),
            "nothing": _preprocess("x = 1\n"),
            "variable": _preprocess("labels = 1\n"),
        },
        unknown={
            "loaded": _preprocess("import datasets\nx = datasets.load_dataset('own/x')\n"),
            "one branch": _preprocess("def f(row):\n    if row:\n        row['labels'] = 1\n"),
        },
    ),
    *twins(
        {"p": "published", "kind": "dataset", "name": "imdb"},
        true={
            "loaded": "import datasets\ndatasets.load_dataset('imdb')\n",
            "named": "DATA = 'imdb'\n",
            "default": "def f(name='imdb'):\n    return name\n",
        },
        false={},
        unknown={},
    ),
    *twins(
        {"p": "published", "kind": "dataset", "name": "alpaca-cleaned"},
        true={},
        false={
            "loaded": "import datasets\ndatasets.load_dataset('alpaca-cleaned')\n",
            "named": "DATA = 'alpaca-cleaned'\n",
            "nowhere": "x = 1\n",
        },
        unknown={},
    ),
    *twins(
        {"p": "published", "kind": "dataset", "name": "someone/own-data"},
        true={},
        false={},
        unknown={"loaded": "DATA = 'someone/own-data'\n", "nowhere": "x = 1\n"},
    ),
    *twins(
        {"p": "path_base", "path": "results_dir", "base": "hydra job directory"},
        true={
            "old": _started("'1.1'"),
            "with more": _started("'1.1'", config=_CONFIG + "lr: 1\n"),
            "read": _started("'1.1'", "    open(cfg.results_dir)\n"),
            "asked for": _started("None", config=_CONFIG + "hydra:\n  job:\n    chdir: true\n"),
        },
        false={
            "new": _started("None"),
            "named": _started("'1.3'"),
            "told": _started("'1.1'", config=_CONFIG + "hydra:\n  job:\n    chdir: false\n"),
        },
        unknown={
            "no hydra": "x = 1\n",
            "moved": _started("None", "    os.chdir(cfg.results_dir)\n"),
        },
    ),
    *twins(
        {"p": "composes", "command": "main"},
        true={
            "plain": _started("None"),
            "old": _started("'1.1'"),
            "more": _started("None", config=_CONFIG + "lr: 1\n"),
        },
        false={
            "default": _started("None", config="defaults:\n- absent: x\n" + _CONFIG),
            "interpolated": _started("None", config="defaults:\n- _self_\n- gone\n" + _CONFIG),
            "no key": _started("None", config="mode: full\n"),
        },
        unknown={"no hydra": {"src/main.py": "x = 1\n"}, "nothing": "x = 1\n"},
        runs={"a": "run_id: a\n"},
    ),
    *twins(
        {"p": "sound"},
        true={},
        false={},
        unknown={"plain": "x = 1\n", "nothing": ""},
    ),
    *twins(
        {"p": "computes", "scope": "src/train.py", "metric": "f1"},
        true={
            "imported": "from sklearn.metrics import f1_score\nf1_score([1], [1])\n",
            "dotted": "import sklearn.metrics as m\nm.f1_score([1], [1])\n",
            "in a function": "from sklearn.metrics import f1_score as f\ndef g(a):\n    f(a, a)\n",
        },
        false={
            "other": "from sklearn.metrics import accuracy_score\naccuracy_score([1], [1])\n",
            "nothing": "x = 1\n",
            "written": "from sklearn.metrics import r2_score\nr2_score([1], [1])\n",
        },
        unknown={"name": "def f(a):\n    f1 = 2 * a\n    return f1\n", "exec": "exec(input())\n"},
    ),
    *twins(
        {"p": "implements", "scope": "src/train.py", "component": "entropy bonus"},
        true={},
        false={
            "nothing": "x = 1\n",
            "other": "def loss(a):\n    return a\n",
            "comment": "# entropy bonus\nx = 1\n",
        },
        unknown={
            "name": "def entropy(a):\n    return a\n",
            "key": "def f(cfg):\n    return cfg['entropy_bonus']\n",
        },
    ),
    *twins(
        {"p": "fails", "command": "train", "error": "ModuleNotFoundError"},
        true={},
        false={
            "of Python": "import json\nfrom pathlib import Path\n",
            "of its own": {
                "src/train.py": "from src.model import f\n",
                "src/model.py": "def f():\n    pass\n",
            },
            "nothing": "x = 1\n",
            "of another command": {
                "src/train.py": "import json\n",
                "src/evaluate.py": "import somelibrary\n",
            },
            "what comes along": {
                "src/train.py": "from omegaconf import OmegaConf\n",
                "pyproject.toml": '[project]\nname = "a"\ndependencies = ["hydra-core>=1.3"]\n',
            },
        },
        unknown={
            "unknown library": "import somelibrary\n",
            "not declared": "import torch\n",
            "not there": "from src.model import f\n",
            "not defined there": {
                "src/train.py": "from src.model import f\n",
                "src/model.py": "def g():\n    pass\n",
            },
        },
    ),
    *twins(
        {"p": "fails", "command": "train", "error": "AttributeError", "at": "model.encode"},
        true={},
        false={"a method": _MODEL + "model = Model()\nmodel.encode(1)\n"},
        unknown={
            "another": _MODEL + "model = Model()\nmodel.decode(1)\n",
            "of a parameter": _MODEL + "def f(model):\n    model.encode(1)\n",
        },
    ),
    *twins(
        {"p": "fails", "command": "train", "error": "AttributeError", "at": "run.log"},
        true={},
        false={"made": "import wandb\nrun = wandb.init()\nrun.log({})\n"},
        unknown={
            "or nothing": "import wandb\nrun = wandb.init() if input() else None\nrun.log({})\n",
            "given": "import wandb\ndef f(run=None):\n    run.log({})\nf(wandb.init())\n",
        },
    ),
    *twins(
        {
            "p": "fails",
            "command": "train",
            "error": "TypeError",
            "at": "build",
            "message": "unexpected keyword argument",
        },
        true={},
        false={
            "fits": "def build(size, deep=1):\n    pass\nbuild(2, deep=3)\n",
            "of a library": "from torch.nn import Linear as build\nbuild(2, 3, bias=False)\n",
        },
        unknown={
            "does not": "def build(size):\n    pass\nbuild(2, deep=3)\n",
            "spread": "def build(size):\n    pass\nbuild(2, **dict(input()))\n",
            "elsewhere": "def f(build):\n    build(2, deep=3)\n",
        },
    ),
    *twins(
        {"p": "fails", "command": "train", "error": "KeyError", "at": "found['top']"},
        true={},
        false={"written": "def f():\n    found = {'top': 1}\n    return found['top']\n"},
        unknown={
            "taken out": "found = {'top': 1}\nfound.pop('top')\nprint(found['top'])\n",
            "another": "def f():\n    found = {'last': 1}\n    return found['top']\n",
            "given": "def f(found):\n    return found['top']\n",
        },
    ),
    *twins(
        {"p": "fails", "command": "train", "error": "NotImplementedError"},
        true={},
        false={"nothing raises it": "import torch\nprint(torch.ones(2))\n"},
        unknown={
            "raised": "def f():\n    raise NotImplementedError\nf()\n",
            "a stub": "import torch\nclass Net(torch.nn.Module):\n    pass\nNet()(1)\n",
        },
    ),
    *(
        twin
        for error, value in (
            ("ConfigCompositionException", "[\n"),
            ("MissingMandatoryValue", "???\n"),
            ("InterpolationKeyError", "${opt.lr}\n"),
        )
        for twin in twins(
            {"p": "fails", "command": "train", "error": error},
            true={},
            false={"composed": _composed("lr: 1\n")},
            unknown={"refused": _composed(f"lr: {value}"), "no Hydra": "x = 1\n"},
            runs={"a": "run_id: a\n"},
        )
    ),
    *twins(
        {"p": "fails", "command": "evaluate", "error": "SystemExit"},
        true={},
        false={
            "positional words": _evaluated(_POSITIONAL),
            "in a helper": _evaluated("    return words(p)\n", "def words(p):\n" + _POSITIONAL),
            "what it does not know": _evaluated(
                "    p.add_argument('--x')\n    return p.parse_known_args()\n"
            ),
            "a type that takes it": _evaluated(_POSITIONAL.replace("'ids'", "'ids', type=str")),
        },
        unknown={
            "a flag that is needed": _evaluated(
                "    p.add_argument('--ids', required=True)\n    return p.parse_args()\n"
            ),
            "a type that refuses it": _evaluated(_POSITIONAL.replace("'ids'", "'ids', type=int")),
            "a type that is unknown": _evaluated(
                _POSITIONAL.replace("'ids'", "'ids', type=tools.words"), "import tools\n"
            ),
            "choices that are unknown": _evaluated(
                _POSITIONAL.replace("'ids'", "'ids', choices=tools.names()"), "import tools\n"
            ),
            "an end of its own": _evaluated(
                _POSITIONAL, "import sys\ndef stop():\n    sys.exit(1)\n"
            ),
            "an error of its own": _evaluated(
                _POSITIONAL.replace("return p.parse_args()", "p.parse_args(); p.error('no')")
            ),
            "Hydra": _evaluated(_POSITIONAL, "import hydra\n"),
            "no parser": {"src/evaluate.py": "x = 1\n"},
        },
        runs={"a": "run_id: a\n"},
    ),
    *twins(
        {"p": "fails", "command": "train", "error": "OSError", "at": "json.load"},
        true={},
        false={
            "caught": _tried("except OSError:\n        pass"),
            "caught as a broader one": _tried("except Exception as e:\n        print(e)"),
            "suppressed": (
                "import json\nfrom contextlib import suppress\n"
                "def f(a):\n    with suppress(OSError):\n        return json.load(a)\n"
            ),
        },
        unknown={
            "raised again": _tried("except OSError:\n        raise"),
            "another": _tried("except KeyError:\n        pass"),
            "an end in a helper": _tried("except OSError:\n        stop()")
            + "def stop():\n    exit(1)\n",
            "the end": _tried("except OSError:\n        exit(1)"),
            "elsewhere, too": _tried("except OSError:\n        pass") + "json.load(1)\n",
        },
    ),
    *twins(
        {"p": "fails", "command": "train", "error": "NameError", "at": "src/train.py"},
        true={},
        false={
            "bound": "x = 1\nprint(x)\n",
            "parameter": "def f(a):\n    return a\n",
            "builtin": "print(len([]))\n",
            "both branches": (
                "def f(a):\n    if a:\n        b = 1\n    else:\n        b = 2\n    return b\n"
            ),
            "tried or left": (
                "def f(a):\n    try:\n        b = a()\n    except OSError:\n        raise\n"
                "    return b\n"
            ),
        },
        unknown={
            "tried": (
                "def f(a):\n    try:\n        b = a()\n    except OSError:\n        print(a)\n"
                "    return b\n"
            ),
            "star": "from os import *\nprint(x)\n",
            "unbound": "print(x)\n",
            "one branch": "def f(a):\n    if a:\n        b = 1\n    return b\n",
        },
    ),
    *twins(
        {
            "p": "fails",
            "command": "train",
            "error": "AttributeError",
            "at": "src/train.py::cfg.a.b",
        },
        true={},
        false={
            "read nowhere": "def main(cfg):\n    print(cfg.a.c)\n",
            "no configuration": "x = 1\n",
            "another section": "def main(cfg):\n    print(cfg.c.d, cfg.a.e)\n",
        },
        unknown={
            "read": "def main(cfg):\n    print(cfg.a.b)\n",
            "handed on": "import tools\ndef main(cfg):\n    tools.run(cfg.a)\n",
            "by a name": "def main(cfg, name):\n    print(cfg.a[name])\n",
        },
    ),
    *twins(
        {
            "only": {"p": "draws", "scope": "src/train.py", "figure": "?", "per": "run"},
            "hole": "figure",
            "are": ["bar"],
        },
        true={
            "alone": _PLOT
            + "def f(run):\n    plt.bar([1], [1])\n    plt.savefig(f'{run}_a.pdf')\n",
            "beside one for all": _PLOT
            + "def f(run):\n    plt.bar([1], [1])\n    plt.savefig(f'{run}_a.pdf')\n"
            + "def g(path):\n    plt.boxplot([1])\n    plt.savefig('comparison_a.pdf')\n",
            "told by a word": _PLOT + "plt.bar([1], [1])\nplt.savefig('per_run.pdf')\n",
        },
        false={
            "one more": _PLOT
            + "def f(run):\n    plt.bar([1], [1])\n    plt.savefig(f'{run}_a.pdf')\n"
            + "def g(run):\n    plt.boxplot([1])\n    plt.savefig(f'{run}_b.pdf')\n",
            "another": _PLOT + "def f(r):\n    plt.hist([1])\n    plt.savefig(f'{r}_a.pdf')\n",
            "in a word": _PLOT + "plt.hist([1])\nplt.savefig('per_run.pdf')\n",
        },
        unknown={
            "none": _PLOT,
            "saved elsewhere": _PLOT
            + "def f(run):\n    plt.bar([1], [1])\n    plt.savefig(f'{run}_a.pdf')\n"
            + "def g(axes):\n    axes.boxplot([1])\n    return axes\n",
            "of a path that is given": _PLOT
            + "def f(run):\n    plt.bar([1], [1])\n    plt.savefig(f'{run}_a.pdf')\n"
            + "def g(path):\n    plt.boxplot([1])\n    plt.savefig(path)\n",
            "drawn by a stranger": _PLOT
            + "import tools\ndef f(run):\n    plt.bar([1], [1])\n    plt.savefig(f'{run}_a.pdf')\n"
            + "def g(run):\n    tools.show(run)\n    plt.savefig(f'{run}_b.pdf')\n",
        },
    ),
    *twins(
        {
            "only": {"p": "draws", "scope": "src/train.py", "figure": "?", "per": "comparison"},
            "hole": "figure",
            "are": ["bar"],
        },
        true={
            "one for all": _PLOT
            + "def f(run):\n    plt.plot([1], [1])\n    plt.savefig(f'{run}_a.pdf')\n"
            + "plt.bar([1], [1])\nplt.savefig('accuracy.pdf')\n",
        },
        false={"two": _PLOT + "plt.hist([1])\nplt.savefig('accuracy.pdf')\n"},
        unknown={
            "in a loop": _PLOT
            + "for one in input():\n    plt.bar([1], [1])\n    plt.savefig('accuracy.pdf')\n",
            "of another library": _PLOT
            + "import tools\ntools.plot_all()\nplt.bar([1], [1])\nplt.savefig('a.pdf')\n",
        },
    ),
    *twins(
        {
            "only": {"p": "draws", "scope": "src/train.py", "figure": "?"},
            "hole": "figure",
            "are": ["bar", "confusion_matrix"],
        },
        true={
            "bar": _PLOT + "plt.bar([1], [1])\nplt.savefig('a.pdf')\n",
            "with a line in it": _PLOT
            + "plt.bar([1], [1])\nplt.plot([1], [1])\nplt.savefig('a.pdf')\n",
            "of an object": _PLOT
            + "from sklearn.metrics import ConfusionMatrixDisplay as D\n"
            + "d = D([[1]])\nd.plot()\nplt.savefig('a.pdf')\n",
        },
        false={
            "line": _PLOT + "plt.plot([1], [1])\nplt.savefig('a.pdf')\n",
            "one more": _PLOT
            + "def f():\n    plt.hist([1])\n    plt.savefig('b.pdf')\n"
            + "plt.bar([1], [1])\nplt.savefig('a.pdf')\n",
            "box": _PLOT + "plt.boxplot([1])\nplt.savefig('a.pdf')\n",
        },
        unknown={"nothing": _PLOT, "shown": _PLOT + "plt.bar([1], [1])\nplt.show()\n"},
    ),
]
