"""Twins of the predicates that look at tracking, packaging, the command line and activities."""

from tests.reviewers.propositions.twins import twins

_RUN = "import wandb\nrun = wandb.init()\n"


def _train(text: str) -> dict[str, str]:
    return {"src/train.py": _RUN + text}


def _evaluate(text: str) -> dict[str, str]:
    return {"src/evaluate.py": text}


def _project(text: str) -> dict[str, str]:
    return {"pyproject.toml": f'[project]\nname = "x"\nversion = "1"\n{text}'}


_GETATTR = "def f(thing):\n    getattr(thing, input())()\n"


_PYPLOT = "import matplotlib.pyplot as plt\n"


def _main(word: str) -> dict[str, str]:
    """A main script that starts the training with one word."""
    return {
        "src/main.py": (
            "import subprocess, sys\nimport hydra\n"
            "@hydra.main(version_base=None, config_path='../config', config_name='config')\n"
            "def main(cfg):\n"
            f"    subprocess.run([sys.executable, '-m', 'src.train', {word}], check=True)\n"
            "if __name__ == '__main__':\n    main()\n"
        ),
        "src/train.py": "print('training')\n",
        "config/config.yaml": "run: null\nmode: full\nresults_dir: x\ntracking: online\n",
    }


TWINS = [
    *twins(
        {"p": "logs", "scope": "src/train.py::fit", "key": "val_loss"},
        true={
            "there": _train("def fit():\n    wandb.log({'val_loss': 1})\n"),
            "called": _train("def fit():\n    log()\ndef log():\n    wandb.log({'val_loss': 1})\n"),
        },
        false={
            "elsewhere": _train(
                "def fit():\n    pass\ndef log():\n    wandb.log({'val_loss': 1})\n"
            ),
        },
        unknown={"template": _train("def fit(s):\n    wandb.log({f'{s}_loss': 1})\n")},
    ),
    *twins(
        {"p": "logs", "scope": "src/train.py", "key": "val_loss"},
        true={
            "literal": _train("wandb.log({'val_loss': 1})\n"),
            "of the run": _train("run.log({'val_loss': 1})\n"),
            "summary": _train("run.summary['val_loss'] = 1\n"),
            "variable": _train("row = {'val_loss': 1}\nwandb.log(row)\n"),
            "of a parameter": _train(
                "def log(values, part):\n"
                "    wandb.log({f'{part}_{name}': value for name, value in values.items()})\n"
                "log({'loss': 1}, 'val')\n"
            ),
        },
        false={
            "other": _train("wandb.log({'train_loss': 1})\n"),
            "printed": _train("print({'val_loss': 1})\nwandb.log({'acc': 1})\n"),
            "named": _train("val_loss = 1\nwandb.log({'acc': val_loss})\n"),
        },
        unknown={
            "template": _train("for s in input():\n    wandb.log({f'{s}_loss': 1})\n"),
            "made": _train("wandb.log(dict(zip(input(), input())))\n"),
            "longer": _train("wandb.log({'val_loss_mean': 1})\n"),
        },
    ),
    *twins(
        {
            "only": {"p": "logs", "scope": "src/train.py", "key": "?"},
            "hole": "key",
            "are": ["loss", "lr"],
        },
        true={
            "both": _train("wandb.log({'loss': 1, 'lr': 1})\n"),
            "one": _train("wandb.log({'loss': 1})\n"),
            "twice": _train("wandb.log({'loss': 1})\nrun.log({'lr': 1})\n"),
        },
        false={
            "more": _train("wandb.log({'loss': 1, 'acc': 1})\n"),
            "later": _train("wandb.log({'loss': 1})\nwandb.log({'acc': 1})\n"),
            "other": _train("wandb.log({'acc': 1})\n"),
        },
        unknown={
            "nothing": _train(""),
            "summary": _train("wandb.log({'loss': 1})\nrun.summary['acc'] = 1\n"),
        },
    ),
    *twins(
        {"p": "reads_metric", "scope": "src/evaluate.py", "key": "val_loss"},
        true={
            "summary": _evaluate(
                "import wandb\nrun = wandb.Api().run('p')\nprint(run.summary['val_loss'])\n"
            ),
            "get": _evaluate(
                "import wandb\nrun = wandb.Api().run('p')\nprint(run.summary.get('val_loss'))\n"
            ),
            "history": _evaluate(
                "import wandb\nrun = wandb.Api().run('p')\nprint(run.history()['val_loss'])\n"
            ),
        },
        false={},
        unknown={
            "other": _evaluate(
                "import wandb\nrun = wandb.Api().run('p')\nprint(run.summary['acc'])\n"
            ),
            "no run": _evaluate("row = {}\nprint(row['val_loss'])\n"),
        },
    ),
    *twins(
        {"p": "declares", "package": "scikit_learn"},
        true={
            "plain": _project('dependencies = ["scikit-learn"]\n'),
            "version": _project('dependencies = ["numpy", "scikit-learn>=1.0"]\n'),
            "extra": _project(
                'dependencies = []\n[project.optional-dependencies]\nall = ["scikit-learn"]\n'
            ),
        },
        false={
            "other": _project('dependencies = ["scikit-image"]\n'),
            "nothing": _project("dependencies = []\n"),
            "empty file": {"pyproject.toml": ""},
        },
        unknown={
            "absent": {"src/train.py": "import sklearn\n"},
            "broken": {"pyproject.toml": "[project\n"},
        },
    ),
    *twins(
        {"p": "command_line", "file": "src/evaluate.py", "style": "positional"},
        true={
            "argparse": _evaluate(
                "import argparse\np = argparse.ArgumentParser()\np.add_argument('results_dir')\n"
            ),
            "second": _evaluate(
                "import argparse\np = argparse.ArgumentParser()\n"
                "p.add_argument('--x')\np.add_argument('runs', nargs='*')\n"
            ),
            "click": _evaluate("import click\n@click.argument('runs')\ndef main(runs): ...\n"),
        },
        false={
            "flags": _evaluate(
                "import argparse\np = argparse.ArgumentParser()\np.add_argument('--runs')\n"
            ),
            "words": _evaluate("from omegaconf import OmegaConf\nc = OmegaConf.from_cli()\n"),
            "hydra": _evaluate(
                "import hydra\n@hydra.main(version_base=None)\ndef main(cfg): ...\n"
            ),
            "each word by hand": _evaluate(
                "import sys\nfor word in sys.argv[1:]:\n    key, value = word.split('=', 1)\n"
            ),
            "all words by hand": _evaluate(
                "import sys\nwords = dict(one.split('=') for one in sys.argv[1:])\n"
            ),
        },
        unknown={
            "by hand": _evaluate("import sys\nprint(sys.argv[1])\n"),
            "by place": _evaluate("import sys\nprint(sys.argv[1].split('=')[0])\n"),
            "nothing": _evaluate("x = 1\n"),
            "absent": {"src/train.py": "x = 1\n"},
        },
    ),
    *twins(
        {"p": "does", "scope": "src/evaluate.py", "activity": "significance_test"},
        true={
            "scipy": _evaluate("from scipy import stats\nstats.ttest_ind([1], [2])\n"),
            "alias": _evaluate("from scipy.stats import wilcoxon as w\nw([1], [2])\n"),
            "in a function": _evaluate(
                "import scipy.stats\ndef f(a, b):\n    return scipy.stats.mannwhitneyu(a, b)\n"
            ),
        },
        false={
            "nothing": _evaluate("import numpy as np\nprint(np.mean([1]))\n"),
            "comment": _evaluate("# a t-test would do\nx = 1\n"),
            "empty": _evaluate(""),
            "a name that hides the import": _evaluate(
                "from scipy import stats\ndef f(a):\n    stats = a + 1\n    return stats\n"
            ),
            "a name that is given another value before": _evaluate(
                "from scipy import stats\nfor a in [1]:\n    stats = a + 1\n    print(stats)\n"
            ),
        },
        unknown={
            "import": _evaluate("from scipy.stats import ttest_ind\nprint(ttest_ind)\n"),
            "own": _evaluate("def p_value(a, b): ...\np_value(1, 2)\n"),
            "a name that is given another value on some ways": _evaluate(
                "from scipy import stats\nif input():\n    stats = 1\nprint(stats)\n"
            ),
            "a name that is imported where it can be": _evaluate(
                "stats = None\ntry:\n    from scipy import stats\nexcept ImportError:\n    pass\n"
                "print(stats)\n"
            ),
            "a name that is imported once more": _evaluate(
                "stats = 1\nfrom scipy import stats\nprint(stats)\n"
            ),
        },
    ),
    *twins(
        {"p": "does", "scope": "src/train.py", "activity": "evaluation"},
        true={
            "mode": {"src/train.py": "def f(model):\n    model.eval()\n"},
        },
        false={"nothing": {"src/train.py": "import torch\nw = torch.ones(1)\n"}},
        unknown={
            "name": {"src/train.py": "accuracy = 1\n"},
            "a step without gradients": {
                "src/train.py": "import torch\nwith torch.no_grad():\n    w = torch.ones(1)\n"
            },
        },
    ),
    *twins(
        {"p": "does", "scope": "src/train.py", "activity": "optuna"},
        true={"study": {"src/train.py": "import optuna\noptuna.create_study()\n"}},
        false={
            "its settings": {"src/train.py": "words = ['optuna.n_trials=0']\nn_trials = 0\n"},
        },
        unknown={
            "import": {"src/train.py": "import optuna\nprint(optuna.logging)\n"},
            "by name": {"src/train.py": "import importlib\nimportlib.import_module('optuna')\n"},
        },
    ),
    *twins(
        {"p": "does", "scope": "src/train.py", "activity": "entropy_bonus"},
        true={},
        false={
            "nothing": {"src/train.py": "loss = 1\n"},
            "comment": {"src/train.py": "loss = 1  # no entropy yet\n"},
            "docstring": {"src/train.py": '"""With an entropy bonus."""\nloss = 1\n'},
        },
        unknown={
            "name": {"src/train.py": "entropy = 1\n"},
            "text": {"src/train.py": "print('entropy')\n"},
        },
    ),
    *twins(
        {"p": "judgement", "text": "the design is weak"},
        true={},
        false={},
        unknown={"code": {"src/train.py": "x = 1\n"}, "nothing": {}},
    ),
    *twins(
        {"p": "sets", "scope": "src/train.py", "target": "cfg.wandb.mode", "value": "disabled"},
        true={
            "attribute": "def f(cfg):\n    cfg.wandb.mode = 'disabled'\n",
            "item": "def f(cfg):\n    cfg['wandb']['mode'] = 'disabled'\n",
            "update": (
                "from omegaconf import OmegaConf\n"
                "def f(cfg):\n    OmegaConf.update(cfg, 'wandb.mode', 'disabled')\n"
            ),
            "unpacked": "def f(cfg):\n    cfg.x, cfg.wandb.mode = 1, 'disabled'\n",
        },
        false={
            "other value": "def f(cfg):\n    cfg.wandb.mode = 'online'\n",
            "other key": "def f(cfg):\n    cfg.wandb.project = 'disabled'\n",
            "read": "def f(cfg):\n    print(cfg.wandb.mode == 'disabled')\n",
            "an item of another section": "def f(cfg, k):\n    cfg.training[k] = 'disabled'\n",
            "an item of a library's": "def f(run, k):\n    run.summary[k] = 'disabled'\n",
            "an item of a table": (
                "def f(rows):\n    found = {}\n    for k, v in rows:\n"
                "        found.setdefault(k, {})[v] = 'disabled'\n"
            ),
        },
        unknown={
            "made": "def f(cfg, mode):\n    cfg.wandb.mode = mode\n",
            "an item of the section": "def f(cfg, k):\n    cfg.wandb[k] = 'disabled'\n",
            "an item of what may be the section": "def f(held, k):\n    held[k] = 'disabled'\n",
            "an item of a section by another name": (
                "def f(cfg, k):\n    cfg.log = cfg.wandb\n    cfg.log[k] = 'disabled'\n"
            ),
            "a key that may have sections": (
                "from omegaconf import OmegaConf\n"
                "def f(cfg, k):\n    OmegaConf.update(cfg.top, k, 'disabled')\n"
            ),
            "getattr": _GETATTR,
        },
    ),
    *twins(
        {"p": "sets", "scope": "src/train.py", "target": "cfg.rate"},
        true={"item": "def f(cfg):\n    cfg['rate'] = 1\n"},
        false={"deeper": "def f(cfg, k):\n    cfg.training[k] = 1\n"},
        unknown={
            "a key made at run time": (
                "from omegaconf import OmegaConf\n"
                "def f(cfg, keys):\n    for k in keys:\n        OmegaConf.update(cfg, k, 1)\n"
            ),
            "an item": "def f(cfg, k):\n    cfg[k] = 1\n",
        },
    ),
    *twins(
        {"p": "sets", "scope": "src/train.py", "target": "rate", "value": "0.10"},
        true={"number": "rate = 0.1\n"},
        false={"other": "rate = 0.2\n", "nothing": "rate = None\n"},
        unknown={},
    ),
    *twins(
        {"p": "sets", "scope": "src/train.py", "target": "self.w", "value": "nn.Parameter"},
        true={
            "whole name": "import torch\nself.w = torch.nn.Parameter(torch.ones(1))\n",
            "its end": "from torch import nn\nself.w = nn.Parameter(1)\n",
        },
        false={"other target": "import torch\nself.v = torch.nn.Parameter(1)\n"},
        unknown={"other module": "import own\nself.w = own.Parameter(1)\n"},
    ),
    *twins(
        {"p": "sets", "scope": "src/train.py", "target": "lr", "value": "trial.suggest_*"},
        true={
            "name": "def f(trial):\n    lr = trial.suggest_float('lr', 1, 2)\n",
            "key": "def f(trial):\n    return {'lr': trial.suggest_float('lr', 1, 2)}\n",
            "item": "def f(trial, p):\n    p['lr'] = trial.suggest_int('lr', 1, 2)\n",
        },
        false={
            "constant": "lr = 0.1\n",
            "other name": "def f(trial):\n    wd = trial.suggest_float('lr', 1, 2)\n",
            "other call": "import numpy\nlr = numpy.log(1)\n",
        },
        unknown={"made": "def f(x):\n    lr = x\n", "getattr": _GETATTR},
    ),
    *twins(
        {"p": "returns", "scope": "src/train.py::f", "kind": "*acc*"},
        true={"outlined": "def f(val_acc):\n    return val_acc\n"},
        false={},
        unknown={"negated": "def f(val_acc):\n    return -val_acc\n"},
    ),
    *twins(
        {"p": "returns", "scope": "src/train.py::f", "kind": "list"},
        true={
            "display": "def f():\n    return [1]\n",
            "built": "def f(a):\n    return [x for x in a]\n",
            "both ways": "def f(a):\n    if a:\n        return []\n    return [1]\n",
            "words": "def f(a):\n    return a.split(',')\n",
        },
        false={
            "tuple": "def f():\n    return 1, 2\n",
            "number": "def f():\n    return 1\n",
            "dict": "def f():\n    return {}\n",
        },
        unknown={
            "call": "def f():\n    return g()\n",
            "pieces of a tensor": "def f(net, x):\n    return net(x).split(1, dim=-1)\n",
            "one of two": "def f(a):\n    if a:\n        return []\n    return 1\n",
            "falls off": "def f(a):\n    if a:\n        return 1\n",
            "absent": "x = 1\n",
        },
    ),
    *twins(
        {"p": "passes", "scope": "src/main.py", "key": "wandb.mode"},
        true={
            "literal": _main("'wandb.mode=disabled'"),
            "added": _main("'+wandb.mode=online'"),
            "made value": _main("f'wandb.mode={cfg.tracking}'"),
        },
        false={
            "other": _main("'wandb.project=x'"),
            "none": _main("'run=a'"),
            "text": _main("'note=wandb.mode'"),
            "no child": {"src/main.py": "x = 1\n"},
        },
        unknown={
            "made": _main("*cfg.words"),
            "another child": {"src/main.py": "import os\nos.system('uv sync')\n"},
        },
        runs={"a": "run_id: a\n"},
    ),
    *twins(
        {"p": "passes", "scope": "src/main.py", "key": "run", "value": "{cfg.run.run_id}"},
        true={"made of this code": _main("f'run={cfg.run.run_id}'")},
        false={"other": _main("'mode=trial'")},
        unknown={"made of other code": _main("f'run={cfg.run}'"), "literal": _main("'run=a'")},
        runs={"a": "run_id: a\n"},
    ),
    *twins(
        {"p": "draws", "scope": "src/evaluate.py", "figure": "*"},
        true={},
        false={"nothing": _evaluate("print('figure')\n")},
        unknown={
            "bar": _evaluate(f"{_PYPLOT}plt.bar([1], [1])\nplt.savefig('a.pdf')\n"),
            "of another library": _evaluate("import tools\ntools.plot_all()\n"),
        },
    ),
    *twins(
        {"p": "does", "scope": "src/evaluate.py", "activity": "significance_test"},
        true={
            "of its own": _evaluate(
                "def _wilcoxon(a, b):\n    rank = sorted(abs(x - y) for x, y in zip(a, b))\n"
                "    return sum(rank) / len(rank)\n_wilcoxon([1], [2])\n"
            ),
        },
        false={},
        unknown={
            "a stub": _evaluate("def _wilcoxon(a, b):\n    return 0.05\n_wilcoxon([1], [2])\n"),
            "never called": _evaluate(
                "def _wilcoxon(a, b):\n    rank = sorted(abs(x - y) for x, y in zip(a, b))\n"
                "    return sum(rank) / len(rank)\n"
            ),
        },
    ),
    *twins(
        {"p": "does", "scope": "src/evaluate.py", "activity": "*"},
        true={},
        false={},
        unknown={"anything": _evaluate("x = 1\n")},
    ),
    *twins(
        {"p": "draws", "scope": "src/evaluate.py", "figure": "box"},
        true={
            "pyplot": _evaluate(
                "import matplotlib.pyplot as plt\nplt.boxplot([1])\nplt.savefig('a.pdf')\n"
            ),
            "axes": _evaluate("def f(ax, fig):\n    ax.boxplot([1])\n    fig.savefig('a.pdf')\n"),
            "seaborn": _evaluate(
                "import seaborn as sns\ndef f(d, fig):\n    sns.boxplot(data=d)\n"
                "    fig.savefig('a.pdf')\n"
            ),
        },
        false={
            "other": _evaluate(
                "import matplotlib.pyplot as plt\nplt.hist([1])\nplt.savefig('a.pdf')\n"
            ),
            "nothing": _evaluate("x = 1\n"),
            "comment": _evaluate("# a boxplot\nx = 1\n"),
            "empty": _evaluate("def draw_box(): ...\n"),
        },
        unknown={
            "not saved": _evaluate("import matplotlib.pyplot as plt\nplt.boxplot([1])\n"),
            "name": _evaluate("from tools import draw_box\ndraw_box()\n"),
        },
    ),
    *twins(
        {"p": "draws", "scope": "src/evaluate.py", "figure": "learning_curve"},
        true={
            name: _evaluate(
                "import matplotlib.pyplot as plt\nimport seaborn as sns\n"
                f"def curve(history, ax):\n    {call}\n    plt.savefig('c.pdf')\n"
            )
            for name, call in (
                ("pyplot", "plt.plot(history)"),
                ("axes", "ax.plot(history)"),
                ("seaborn", "sns.lineplot(data=history)"),
            )
        },
        false={
            "bars of the history": _evaluate(
                "import matplotlib.pyplot as plt\nimport wandb\n"
                "history = wandb.Api().run('a').history()\n"
                "plt.bar(['a'], [history['loss'].mean()])\nplt.savefig('bar.pdf')\n"
            ),
            "its data only": _evaluate("def learning_curve(h):\n    return h['epoch']\n"),
            "a matrix": _evaluate(
                "from sklearn.metrics import ConfusionMatrixDisplay\n"
                "def matrix(cm, fig, epoch):\n    shown = ConfusionMatrixDisplay(cm)\n"
                "    shown.plot()\n    fig.savefig(f'{epoch}.pdf')\n"
            ),
        },
        unknown={
            "of a kind": _evaluate(
                "def f(history, kind):\n    history.plot(kind=kind).figure.savefig('a.pdf')\n"
            ),
            "by a stranger": _evaluate(
                "from tools import plot_all\nhistory = [1]\nplot_all(history)\n"
            ),
        },
    ),
]
