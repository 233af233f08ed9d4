"""Guards the repairs of names: what is written for a name that a library lacks, for a keyword that
it does not take, and the imports that are forgotten.
"""

import pytest

from tests.builders import SOUND_FILES
from tests.reviewers.repairs.planning import repaired, text_after, text_of_example

TRAIN = "src/train.py"


def test_a_name_that_was_never_there_is_written_with_its_import() -> None:
    code = '''"""Train."""

import json

from omegaconf import OmegaConf


def prepared(cfg):
    kept = OmegaConf.deepcopy(
        cfg,  # the whole
    )
    return json.dumps(kept)
'''
    expected = code.replace("import json\n", "import copy\nimport json\n")
    assert text_after("IM09", TRAIN, code) == expected.replace("OmegaConf.deep", "copy.deep")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "from scipy.stats import binom_test, ttest_ind\n\n\n"
            "def p(a, b):\n    return binom_test(a, n=b, p=0.5), ttest_ind(a, b)\n",
            "from scipy.stats import binomtest, ttest_ind\n\n\n"
            "def p(a, b):\n    return binomtest(a, n=b, p=0.5).pvalue, ttest_ind(a, b)\n",
            id="an expression around the call",
        ),
        pytest.param(
            "from scipy import stats\n\n\ndef p(a, b):\n    return stats.binom_test(a, b)\n",
            "from scipy import stats\n\n\ndef p(a, b):\n    return stats.binomtest(a, b).pvalue\n",
            id="through its module",
        ),
        pytest.param(
            "from sklearn.metrics import (\n    f1_score,\n    ttest_ind,  # two samples\n)\n\n\n"
            "def p(a, b):\n    return ttest_ind(a, b), f1_score(a, b)\n",
            "from scipy.stats import ttest_ind\n"
            "from sklearn.metrics import (\n    f1_score,\n)\n\n\n"
            "def p(a, b):\n    return ttest_ind(a, b), f1_score(a, b)\n",
            id="another module of its group has it",
        ),
        pytest.param(
            "import numpy as np\n\n\ndef f(x):\n    return np.array(x, dtype=np.float) * np.Inf\n",
            "import numpy as np\n\n\ndef f(x):\n    return np.array(x, dtype=float) * np.inf\n",
            id="one of Python's own",
        ),
        pytest.param(
            "from torch import nn\nfrom transformers import AdamW\n\n\n"
            "def f(model: nn.Module):\n"
            "    return AdamW(model.parameters(), lr=0.1, correct_bias=False)\n",
            "from torch import nn\nfrom torch.optim import AdamW\n\n\n"
            "def f(model: nn.Module):\n"
            "    return AdamW(model.parameters(), lr=0.1, eps=1e-6, weight_decay=0.0)\n",
            id="the values that it had by itself",
        ),
        pytest.param(
            "from collections import Mapping, OrderedDict\n\n\n"
            "def f(x):\n    return isinstance(x, Mapping), OrderedDict()\n",
            "from collections import OrderedDict\nfrom collections.abc import Mapping\n\n\n"
            "def f(x):\n    return isinstance(x, Mapping), OrderedDict()\n",
            id="moved within Python",
        ),
    ],
)
def test_a_renamed_name_is_written_as_it_is_now(before: str, after: str) -> None:
    needs = '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.11"\ndependencies = ['
    named = ("torch", "scipy", "numpy", "scikit-learn", "transformers", "hydra-core", "wandb")
    project = needs + ", ".join(f'"{each}"' for each in named) + "]\n"
    assert text_after("IM09", TRAIN, before, {"pyproject.toml": project}) == after


def test_a_name_that_is_something_else_here_is_left_alone() -> None:
    code = (
        "from omegaconf import OmegaConf\n\n\n"
        "def f(cfg, copy):\n    return OmegaConf.deepcopy(cfg) if copy else cfg\n"
    )
    assert text_after("IM09", TRAIN, code) == code


def test_the_parameter_that_holds_the_word_is_the_one_that_is_meant() -> None:
    code = (
        "from peft import LoraConfig\n\n\n"
        "def adapter(rank):\n"
        "    return LoraConfig(\n        r=rank,\n        dropout=0.05,\n    )\n\n\nadapter(8)\n"
    )
    version, (repair,) = repaired("IM10", {TRAIN: code})
    assert version.by_path[TRAIN].text == code.replace("  dropout=", "  lora_dropout=")
    assert repair.intent == "Write lora_dropout= for dropout="


def test_a_keyword_without_a_like_is_left_out_with_its_consequence() -> None:
    code = "from omegaconf import OmegaConf\n\n"
    code += "kept = OmegaConf.to_container(\n    OmegaConf.create({}),\n    deepcopy=True,\n)\n"
    version, (repair,) = repaired("IM10", {TRAIN: code})
    assert version.by_path[TRAIN].text == code.replace("    deepcopy=True,\n", "")
    assert "the library's default" in repair.proof.proposal.consequence


def test_a_search_space_is_passed_without_its_kind() -> None:
    code = """import hydra
import optuna


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    def objective(trial: optuna.Trial):
        return trial.suggest_float("lr", **cfg.optuna.search_space.lr)

    optuna.create_study().optimize(objective, n_trials=cfg.optuna.n_trials)


if __name__ == "__main__":
    main()
"""
    space = "{type: loguniform, low: 1.0e-4, high: 0.1}"
    space = f"optuna:\n  n_trials: 2\n  search_space:\n    lr: {space}\n"
    version, _ = repaired("IM10", {TRAIN: code}, {"proposed": f"run_id: proposed\n{space}"})
    space = "cfg.optuna.search_space.lr"
    line = f'suggest_float("lr", {space}.low, {space}.high, log={space}.type == "loguniform")'
    assert line in version.by_path[TRAIN].text


@pytest.mark.parametrize(
    ("used", "line"),
    [
        ("os.getcwd()", "import os\n"),
        ("F.relu(x)", "import torch.nn.functional as F\n"),
        ("OmegaConf.create({})", "from omegaconf import OmegaConf\n"),
        ("GatedMLP(x)", "from src.model import GatedMLP\n"),
    ],
    ids=["Python's", "everybody's", "a library's", "the submission's own"],
)
def test_a_forgotten_import_is_added(used: str, line: str) -> None:
    code = f"import json\n\n\ndef f(x):\n    return json.dumps({used})\n\n\nf(1)\n"
    text = text_after("IM02", "src/preprocess.py", code)
    assert line in text
    gap = "" if used.startswith("os.") else "\n"  # another section
    assert text.replace(f"{gap}{line}", "") == code


def test_a_name_that_two_files_define_is_not_guessed() -> None:
    code = "def f(x):\n    return helper(x)\n\n\nf(1)\n"
    files = {f"src/{each}.py": "def helper(x):\n    return x\n" for each in ("model", "extra")}
    assert text_after("IM02", "src/preprocess.py", code, files) == code


def test_an_import_after_its_first_use_goes_to_the_top() -> None:
    code = (
        "import json\n\n\ndef f(x):\n    with torch.no_grad():\n"
        "        import torch\n\n        return torch.relu(x)\n\n\nf(json)\n"
    )
    expected = "import json\n\nimport torch\n" + code.removeprefix("import json\n")
    text = text_after("IM02", "src/model.py", code)
    assert text == expected.replace("        import torch\n", "")


def test_a_local_name_is_imported_from_the_file_that_has_it() -> None:
    code = "from .model import GatedMLP, build_loaders\n\n\nprint(GatedMLP, build_loaders)\n"
    text = text_after("IM04", "src/train.py", code)
    assert text.startswith("from .model import GatedMLP\nfrom .preprocess import build_loaders\n")


def test_a_local_import_that_nothing_uses_is_taken_out() -> None:
    text, _ = text_of_example("IM04", TRAIN)
    assert "from src.model import build_model\n" in text


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [
        (
            "IM09",
            "from torch.utils.data import Dataloader\n\nprint(Dataloader)\n",
            "from torch.utils.data import DataLoader\n\nprint(DataLoader)\n",
        ),
        (
            "IM09",
            "from sklearn.metric import f1_score\n\nprint(f1_score)\n",
            "from sklearn.metrics import f1_score\n\nprint(f1_score)\n",
        ),
        (
            "IM09",
            "import os\n\nprint(os.path.exist, os.getcwd())\n",
            "import os\n\nprint(os.path.exists, os.getcwd())\n",
        ),
        (
            "IM09",
            "import datetime\n\nprint(datetime.now())\n",
            "import datetime\n\nprint(datetime.datetime.now())\n",
        ),
        (
            "IM10",
            "import torch.nn.functional as F\n\nprint(lambda x: F.softmax(x, axis=-1))\n",
            "import torch.nn.functional as F\n\nprint(lambda x: F.softmax(x, dim=-1))\n",
        ),
        (
            "IM11",
            "import wandb\n\nrun = wandb.init(project='x')\nprint(run.get_url(), run.mode)\n",
            "import wandb\n\nrun = wandb.init(project='x')\nprint(run.url, run.settings.mode)\n",
        ),
        (
            "IM02",
            "import numpy as np\n\nprint(numpy.pi, np.e)\n",
            "import numpy as np\n\nprint(np.pi, np.e)\n",
        ),
        (
            "IM02",
            "import os\n\nprint(datetime.now(), os.sep)\n",
            "import os\nfrom datetime import datetime\n\nprint(datetime.now(), os.sep)\n",
        ),
        (
            "IM02",
            "import os\n\n\ndef f():\n    logger.info(os.sep)\n\n\nf()\n",
            "import logging\nimport os\n\nlogger = logging.getLogger(__name__)\n\n\n"
            "def f():\n    logger.info(os.sep)\n\n\nf()\n",
        ),
    ],
)
def test_a_name_that_nearly_is_one_of_a_library(rule: str, before: str, after: str) -> None:
    assert text_after(rule, TRAIN, before) == after


IMPORTS = '''"""Train."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import (
    accuracy_score,
    f1_score,  # weighted
)

from src.preprocess import Splits, load
'''


@pytest.mark.parametrize(
    ("used", "behind", "line"),
    [
        ("math.pi", "import json\n", "import math\n"),
        ("copy.copy", "annotations\n\n", "import copy\n"),
        ("defaultdict", "import os\n", "from collections import defaultdict\n"),
        ("Dict", "import Path\n", "from typing import Dict\n"),
        ("wandb.run", "import torch\n", "import wandb\n"),
        ("F.relu", "import torch\n", "import torch.nn.functional as F\n"),
        ("OmegaConf", "import torch\n", "from omegaconf import OmegaConf\n"),
        ("confusion_matrix", "    accuracy_score,\n", "    confusion_matrix,\n"),
        ("roc_auc_score", "    f1_score,  # weighted\n", "    roc_auc_score,\n"),
        ("build_loaders", "import Splits, ", "build_loaders, "),
        ("zipped", "import Splits, load", ", zipped"),
        ("GatedMLP", ")\n\n", "from src.model import GatedMLP\n"),
    ],
)
def test_an_import_stands_where_isort_has_it(used: str, behind: str, line: str) -> None:
    home = "class Splits:\n    pass\n\n\ndef load():\n    pass\n\n\ndef zipped():\n    pass\n"
    home += "\n\ndef build_loaders():\n    pass\n"
    code = f"{IMPORTS}\n\ndef f():\n    return {used}\n\n\nprint(f)\n"
    text = text_after("IM02", TRAIN, code, {"src/preprocess.py": home})
    assert text == code.replace(behind, behind + line, 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print(run.get_url())", "print(run.url)"),
        ("print(run.project_name())", "print(run.project)"),
        ("run.join()", "run.finish()"),
    ],
)
def test_an_attribute_that_a_library_took_out_is_written_as_it_is_now(before, after) -> None:
    code = "import wandb\n\n\ndef main(cfg):\n    run = wandb.init(project=cfg.p)\n    {}\n"
    assert text_after("IM11", TRAIN, code.format(before)) == code.format(after)


def test_an_older_release_is_the_way_where_nothing_else_is_known() -> None:
    code = (
        "import torch\n\n\ndef main(optimizer):\n"
        "    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)\n"
        "    scheduler.print_lr(True, 0, 0.1)\n"
    )
    project = '[project]\nname = "x"\nversion = "1"\nrequires-python = ">=3.11"\n'
    project += 'dependencies = [\n    "torch>=2.2",  # CUDA 12\n    "hydra-core",\n]\n'
    files = {TRAIN: code, "pyproject.toml": project}
    version, _ = repaired("IM11", files)
    text = version.by_path["pyproject.toml"].text
    assert '    "torch<=2.6.0,>=2.2",  # CUDA 12\n' in text


@pytest.mark.parametrize(("bound", "others"), [(">=2.10", 1), (">=3.0", 0)])
def test_an_older_release_comes_last_and_only_where_it_is_allowed(bound: str, others: int) -> None:
    code = "from datasets import load_metric\n\n\ndef main():\n    return load_metric('glue')\n"
    project = SOUND_FILES["pyproject.toml"].replace("datasets>=3.0", f"datasets{bound}")
    version, (repair,) = repaired("IM09", {TRAIN: code, "pyproject.toml": project})
    assert "evaluate.load('glue')" in version.by_path[TRAIN].text
    assert len(repair.others) == others
