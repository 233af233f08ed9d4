"""Guards what is said of calls and objects of libraries: what no allowed version takes or has, and
nothing that may be right.
"""

import pytest

from reviewers.records import Finding, Found, Severity
from tests.builders import SOUND_FILES
from tests.reviewers.rules.asking import findings

HEAD = """
import hydra, json, optuna, torch, wandb
import pandas as pd
from datasets import load_dataset
from omegaconf import OmegaConf
from torch.utils.data import DataLoader, RandomSampler
"""


def found(rule: str, text: str, **others: str) -> list[Finding]:
    files = {
        "src/train.py": HEAD + text,
        **{path.replace("__", "/"): code for path, code in others.items()},
    }
    return findings(rule, files)


REFUSED = {
    "unknown keyword": ("OmegaConf.to_container(c, deepcopy=True)\n", "no keyword 'deepcopy'"),
    "too many": ("OmegaConf.is_config(a, b)\n", "at most 1 positional"),
    "missing": ("OmegaConf.update(c)\n", "misses 'key'"),
    "method": ("d = load_dataset('x', split='train', streaming=True)\nd.shuffle(10, seed=1)\n",
    "'seed' twice"),
    "trial": ("def f(t: optuna.Trial):\n    t.suggest_int('n', 1, 2, choices=[1])\n",
    "no keyword 'choices'"),
    "hub metric": ("import evaluate\nm = evaluate.load('accuracy')\nm.compute(a, b)\n", "no positional"),  # noqa: E501
    "handed on to a base": (
        "class A(torch.nn.Linear):\n    def __init__(self, n, rank=1, **more):\n"
        "        super().__init__(n, n, **more)\nA(3, rank=2, biass=True)\n",
        "the nearest name is `bias`"),
    "a base's constructor": (
        "class A(torch.nn.Linear):\n    pass\nA(3, 4, biass=True)\n", "no keyword 'biass'"),
    "near name": ("wandb.init(projct='x')\n", "the nearest name is `project`"),
}  # fmt: skip
TAKEN = {
    "fits": "OmegaConf.to_container(c, resolve=True)\n",
    "unpacked": "OmegaConf.update(*parts)\nOmegaConf.to_container(c, **more)\n",
    "caught": "try:\n    OmegaConf.to_container(c, deepcopy=True)\nexcept TypeError:\n    pass\n",
    "by version": "if torch.__version__ > '2':\n    OmegaConf.to_container(c, deepcopy=True)\n",
    "shadowed": "def f(OmegaConf):\n    OmegaConf.to_container(c, deepcopy=True)\n",
    "patched": "OmegaConf.to_container = mine\nOmegaConf.to_container(c, deepcopy=True)\n",
    "any keyword": "evaluate(**kwargs)\nwandb.log({}, 1)\n",
    "what a class takes itself": (
        "class A(torch.nn.Linear):\n    def __init__(self, n, **more):\n"
        "        more.pop('rank')\n        super().__init__(n, n, **more)\n"
        "class B(torch.nn.Linear):\n    def __init__(self, n, rank=1, **more):\n"
        "        super().__init__(n, n, **more)\n"
        "class C(A):\n    def __init__(self, n, **more):\n        super().__init__(n, **more)\n"
        "A(3, rank=2)\nB(3, rank=2, bias=False)\nB(3, **more)\nC(3, biass=False)\n"
    ),
    "either class": "d = load_dataset('x', split='train') if a else load_dataset('x')\nd.shuffle(10, seed=1)\n",  # noqa: E501
    "newer version": "@hydra.main(version_base=None, config_path='x', config_name='y')\ndef f(c): pass\n",  # noqa: E501
}  # fmt: skip


@pytest.mark.parametrize(("text", "says"), REFUSED.values(), ids=REFUSED)
def test_a_call_that_no_version_takes_is_found(text: str, says: str) -> None:
    (finding,) = found("IM10", text)
    assert says in finding.message


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_a_call_that_may_fit_is_passed_over(text: str) -> None:
    assert found("IM10", text) == []


def test_the_newest_allowed_version_decides() -> None:
    text = "import matplotlib.pyplot as plt\nplt.style.use('seaborn-whitegrid')\n"
    pinned = SOUND_FILES["pyproject.toml"].replace(
        "dependencies = [", 'dependencies = [\n  "matplotlib<3.9",'
    )
    assert len(found("IM12", text)) == 1
    assert found("IM12", text, **{"pyproject.toml": pinned}) == []


@pytest.mark.parametrize(
    ("versions", "count"), [("^0.15", 0), ("~0.19.2", 0), ("^0.22", 1), (">=0.15", 1), ("", 1)]
)
def test_a_caret_is_read_as_poetry_means_it(versions: str, count: int) -> None:
    project = f'[tool.poetry.dependencies]\nwandb = "{versions or "*"}"\n'
    assert (
        len(found("IM11", "run = wandb.init()\nprint(run.mode)\n", **{"pyproject.toml": project}))
        == count
    )


def test_repeated_places_are_one_finding_and_unused_code_is_no_blocker() -> None:
    (finding,) = found(
        "IM10", "def unused(c):\n" + "    OmegaConf.to_container(c, deepcopy=True)\n" * 2
    )
    assert len(finding.further) == 1
    assert finding.severity is Severity.MAJOR


def test_each_keyword_that_a_call_does_not_take_is_told() -> None:
    text = (
        "OmegaConf.to_container(\n    c,\n    deepcopy=True,\n    resolve=True,\n    strict=1,\n)\n"
    )
    told = [(one.message.split("'")[1], one.span and one.span.line) for one in found("IM10", text)]
    assert [word for word, _ in told] == ["deepcopy", "strict"]
    assert (told[1][1] or 0) - (told[0][1] or 0) == 2


def test_a_keyword_that_is_refused_is_told_at_its_own_line() -> None:
    (finding,) = found("IM10", "OmegaConf.to_container(\n    c,\n    deepcopy=True,\n)\n")
    assert finding.span is not None
    (call,) = finding.places
    assert finding.span.line == (call.span.line or 0) + 2
    assert call.found is Found.SYMPTOM


SEARCH = """
def objective(trial, cfg):
    return trial.suggest_float("lr", **cfg.optuna.search_space.lr)
optuna.create_study().optimize(lambda trial: objective(trial, cfg))
"""
SPACE = "run_id: a\noptuna:\n  search_space:\n    lr:\n      {}low: 0.1\n      high: 0.2\n"


@pytest.mark.parametrize(
    ("space", "code", "count"),
    [
        (SPACE.format("type: float\n      "), SEARCH, 1),
        (SPACE.format(""), SEARCH, 0),
        (
            SPACE.format("type: float\n      "),
            SEARCH + "cfg.optuna.search_space.lr.pop('type')\n",
            0,
        ),
    ],
    ids=["a key too many", "fits", "taken out"],
)
def test_a_search_space_is_unpacked_as_the_run_file_has_it(
    space: str, code: str, count: int
) -> None:
    assert len(findings("IM10", {"src/train.py": HEAD + code}, {"a": space})) == count


LACKING = {
    "removed property": "run = wandb.init()\nprint(run.mode)\n",
    "through an attribute": "class T:\n    def f(self):\n        self.run = wandb.init()\n        return self.run.mode\n",  # noqa: E501
    "removed method of an open class": "df = pd.DataFrame()\ndf.append({})\n",
    "misspelt": "study = optuna.create_study()\nstudy.optimise(f)\n",
    "setting of the same name": "run = wandb.init()\ncfg.wandb.mode = 'x'\nprint(run.mode)\n",
}  # fmt: skip
HAVING = {
    "there": "run = wandb.init()\nprint(run.url, run.summary, run._x)\n",
    "asked first": "run = wandb.init()\nif hasattr(run, 'mode'):\n    print(run.mode)\n",
    "set by the code": "run = wandb.init()\nrun.mode = 1\nprint(run.mode)\n",
    "set on something unknown": "def mark(thing):\n    thing.mode = 1\nrun = wandb.init()\nprint(run.mode)\n",  # noqa: E501
    "caught": "run = wandb.init()\ntry:\n    print(run.mode)\nexcept AttributeError:\n    pass\n",
    "suppressed": "run = wandb.init()\nwith contextlib.suppress(AttributeError):\n    print(run.mode)\n",  # noqa: E501
    "column": "df = pd.DataFrame()\nprint(df.accuracy, df.append)\n",
    "summary key": "run = wandb.init()\nprint(run.summary.best)\n",
    "hub metric": "import evaluate\nprint(evaluate.load('accuracy').anything)\n",
    "layer": "net = torch.nn.Sequential()\nprint(net.anything)\n",
}  # fmt: skip


@pytest.mark.parametrize("text", LACKING.values(), ids=LACKING)
def test_an_attribute_that_no_instance_has_is_found(text: str) -> None:
    (finding,) = found("IM11", text)
    assert "AttributeError" in finding.message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "run = wandb.init()\nprint(run.get_url())\n",
            "(of the versions that areachair knows, wandb 0.22.3 still has it and 0.31.0 lacks it):"
            " AttributeError: 'Run' object has no attribute 'get_url'; leave it out, or require"
            " wandb<=0.22.3",
        ),
        (
            "run = wandb.init()\nprint(run.mode)\n",
            "(of the versions that areachair knows, wandb 0.19.11 still has it and 0.22.3 lacks"
            " it): AttributeError: 'Run' object has no attribute 'mode'; leave it out, or require"
            " wandb<=0.19.11",
        ),
        (
            "study = optuna.create_study()\nstudy.optimise(f)\n",
            "has no `optimise`: AttributeError: 'Study' object has no attribute 'optimise'; leave"
            " it out",
        ),
    ],
    ids=["lost last", "lost before", "never there"],
)
def test_a_lost_attribute_is_told_with_what_the_indexed_versions_prove(
    text: str, says: str
) -> None:
    (finding,) = found("IM11", text)
    assert finding.message.endswith(says)


@pytest.mark.parametrize("text", HAVING.values(), ids=HAVING)
def test_an_attribute_that_may_be_there_is_passed_over(text: str) -> None:
    assert found("IM11", text) == []


ENDING = {
    "no period": "torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=None)\n",
    "no rate": "torch.optim.AdamW(p, lr=None)\n",
    "no bound": "torch.nn.utils.clip_grad_norm_(p, None)\n",
    "no size": "torch.nn.Linear(None, 3)\n",
    "no seed": "torch.manual_seed(None)\n",
    "no warm-up": "import transformers\ntransformers.get_linear_schedule_with_warmup(o, None, 9)\n",
    "negative": "torch.optim.lr_scheduler.LinearLR(o, end_factor=-1)\n",
    "by position": "torch.optim.lr_scheduler.LinearLR(o, 0.0)\n",
    "no workers to start": "DataLoader(d, multiprocessing_context='spawn')\nprint(1)\n",
    "no workers": "DataLoader(d, prefetch_factor=2)\nprint(1)\n",
    "persistent": "DataLoader(d, num_workers=0, persistent_workers=True)\n",
    "sampler": "s = RandomSampler(d)\nDataLoader(d, shuffle=True, sampler=s)\n",
    "direction": "optuna.create_study(direction='max')\n",
    "method": "def f(t: optuna.Trial):\n    t.suggest_float('x', 0.0, 1.0, log=True)\n",
    "one cycle": "torch.optim.lr_scheduler.OneCycleLR(o, max_lr=0.1)\n",
    "loop over a summary": "run = wandb.Api().run('a/b/c')\nfor key in run.summary:\n    print(key)\n",  # noqa: E501
    "json": "json.dumps({'loss': torch.zeros(3)})\n",
}  # fmt: skip
WORKING = {
    "batches made elsewhere": "DataLoader(d, batch_size=None)\n",
    "a seed that numpy makes": "import numpy as np\nnp.random.seed(None)\n",
    "a period that is not known": "torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=steps)\n",
    "in range": "torch.optim.lr_scheduler.LinearLR(o, start_factor=0.1)\n",
    "unknown value": "torch.optim.lr_scheduler.LinearLR(o, start_factor=x)\nDataLoader(d, num_workers=n, prefetch_factor=2)\n",  # noqa: E501
    "capitals": "from scipy.stats import mannwhitneyu\nmannwhitneyu(a, b, alternative='Two-Sided')\n",  # noqa: E501
    "workers": "DataLoader(d, num_workers=2, prefetch_factor=2, persistent_workers=True)\n",
    "no prefetching": "DataLoader(d, prefetch_factor=None)\n",
    "perhaps no sampler": "def f(s=None):\n    return DataLoader(d, shuffle=True, sampler=s)\n",
    "sampler is None": "DataLoader(d, shuffle=True, sampler=None)\n",
    "sampler or shuffle": "s = RandomSampler(d) if x else None\nDataLoader(d, shuffle=s is None, sampler=s)\n",  # noqa: E501
    "unpacked": "DataLoader(d, persistent_workers=True, **more)\n",
    "keys": "run = wandb.init()\nprint('x' in run.summary.keys(), dict(run.summary))\n",
    "caught": "run = wandb.Api().run('a')\ntry:\n    print(list(run.summary))\nexcept KeyError:\n    pass\n",  # noqa: E501
    "numbers": "json.dumps({'loss': torch.zeros(1).item(), 'n': 3})\n",
    "encoder": "json.dumps({'loss': torch.zeros(1)}, default=str)\n",
}  # fmt: skip


@pytest.mark.parametrize("text", ENDING.values(), ids=ENDING)
def test_what_a_library_refuses_is_found(text: str) -> None:
    assert len(found("IM12", text)) == 1


@pytest.mark.parametrize("text", WORKING.values(), ids=WORKING)
def test_what_may_work_is_passed_over(text: str) -> None:
    assert found("IM12", text) == []


def test_values_come_from_the_configuration_of_the_runs() -> None:
    train = (
        HEAD + "@hydra.main(version_base='1.3', config_path='../config', config_name='config')\ndef"
        " main(cfg):\n    return DataLoader(d, persistent_workers=True,"
        " num_workers=cfg.workers)\nmain()\n"
    )
    config = "run: null\nresults_dir: null\nmode: null\nworkers: {}\n"
    for workers, count in ((0, 1), (2, 0)):
        files = {
            "src/train.py": train,
            "src/main.py": train,
            "config/config.yaml": config.format(workers),
        }
        found_there = [one for one in findings("IM12", files) if one.span.file == "src/main.py"]
        assert len(found_there) == count
