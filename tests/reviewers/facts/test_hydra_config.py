"""Guards the way of a configuration through the code: what OmegaConf refuses is found, and what
cannot be known is left alone.
"""

import textwrap

import pytest

from reviewers.facts import Facts
from reviewers.facts.config_flow import ProblemKind
from tests.builders import with_one_run

ENTRY = '@hydra.main(version_base="1.3", config_path="../config", config_name="config")\n'
HEAD = (
    "import copy\nimport hydra\nfrom pathlib import Path\nfrom omegaconf import DictConfig,"
    " OmegaConf, open_dict\n\n"
)
LOADED = (
    "OmegaConf.set_struct(cfg, False)\ncfg = OmegaConf.merge(cfg,"
    " OmegaConf.load(f'config/runs/{cfg.run}.yaml'))\n"
)


def problems_of(body: str, before: str = "", **files: str) -> list[tuple[ProblemKind, str, bool]]:
    """What is found in a train.py whose entry function has this body."""
    text = (
        f"{HEAD}{textwrap.dedent(before)}\n{ENTRY}def"
        f" main(cfg):\n{textwrap.indent(textwrap.dedent(body), '    ')}\n"
    )
    facts = Facts(with_one_run({"src/train.py": text, **files}))
    assert facts.python["src/train.py"].syntax_error is None
    return [(problem.kind, problem.key, problem.certain) for _, problem in facts.hydra.problems]


SOUND = {
    "keys of the run after an open merge": (
        LOADED + "print(cfg.training.epochs, cfg['model']['width'])"
    ),
    "get with a default": "print(cfg.get('absent', 3), cfg.training.get('absent'))",
    "asked before": LOADED + "if 'warmup' in cfg.training:\n    print(cfg.training.warmup)",
    "asked by hasattr": "if hasattr(cfg, 'absent'):\n    print(cfg.absent)",
    "getattr with a default": "print(getattr(cfg, 'absent', 1))",
    "select": "print(OmegaConf.select(cfg, 'a.b.c'))",
    "a condition of the configuration": "if cfg.mode == 'other':\n    print(cfg.absent)",
    "short circuit": "print(cfg.get('a') is not None and cfg.a.b)",
    "writing with open_dict": "with open_dict(cfg):\n    cfg.new = 1\nprint(cfg.new)",
    "taken out with struct mode off": (
        LOADED + "cfg.training.pop('epochs')\ndel cfg['model']['width']\nprint(cfg.model.name)"
    ),
    "forced update": "OmegaConf.update(cfg, 'a.b', 1, force_add=True)\nprint(cfg.a.b)",
    "a container that is filled on an open condition": (
        "values = OmegaConf.to_container(cfg)\nif unknown():\n    values['absent'] ="
        " 1\nprint(values['absent'])"
    ),
    "an unknown value": "cfg = something(cfg)\nprint(cfg.absent.more)",
    "a configuration made anew": "cfg = OmegaConf.create({'a': {'b': 1}})\nprint(cfg.a.b)",
    "names that methods of DictConfig have": (
        "for key, value in cfg.items():\n    print(key, cfg.keys())"
    ),
    "written under an open condition": (
        LOADED + "if unknown():\n    cfg.extra = 1\nprint(cfg.get('extra'))"
    ),
}
FOUND = {
    "merge into struct": (
        "OmegaConf.merge(cfg, OmegaConf.load(f'config/runs/{cfg.run}.yaml'))",
        ProblemKind.MERGE,
        "run_id",
    ),
    "merge by a path of this file": (
        (
            "OmegaConf.merge(cfg, OmegaConf.load(Path(__file__).resolve().parents[1] / 'config' /"
            " 'runs' / f'{cfg.run}.yaml'))"
        ),
        ProblemKind.MERGE,
        "run_id",
    ),
    "attribute": ("print(cfg.absent)", ProblemKind.MISSING_KEY, "absent"),
    "item": ("print(cfg['absent'])", ProblemKind.MISSING_KEY, "absent"),
    "through an alias": (
        LOADED + "t = cfg.training\nprint(t.absent)",
        ProblemKind.MISSING_KEY,
        "training.absent",
    ),
    "in an f-string": ("print(f'{cfg.absent}')", ProblemKind.MISSING_KEY, "absent"),
    "in a loop over something unknown": (
        "for batch in loader:\n    print(cfg.absent)",
        ProblemKind.MISSING_KEY,
        "absent",
    ),
    "in a lambda that is handed on": (
        "study.optimize(lambda trial: cfg.absent, n_trials=3)",
        ProblemKind.MISSING_KEY,
        "absent",
    ),
    "after a copy": (
        "other = copy.deepcopy(cfg)\nprint(other.absent)",
        ProblemKind.MISSING_KEY,
        "absent",
    ),
    "written by attribute": ("cfg.absent = 1", ProblemKind.REJECTED_WRITE, "absent"),
    "written by item": (
        "cfg['training']['absent'] = 1",
        ProblemKind.REJECTED_WRITE,
        "training.absent",
    ),
    "written where only reading was forbidden": (
        "from omegaconf import read_write\nwith read_write(cfg):\n    cfg.absent = 1",
        ProblemKind.REJECTED_WRITE,
        "absent",
    ),
    "taken out": ("cfg.training.pop('epochs')", ProblemKind.REJECTED_WRITE, "training.epochs"),
    "deleted": ("del cfg['training']['epochs']", ProblemKind.REJECTED_WRITE, "training.epochs"),
    "a file under the root, in an f-string": (
        "root = Path(__file__).resolve().parents[1]\nOmegaConf.load(f'{root}/config/no.yaml')",
        ProblemKind.MISSING_FILE,
        "config/no.yaml",
    ),
    "updated": ("OmegaConf.update(cfg, 'absent.key', 1)", ProblemKind.REJECTED_WRITE, "absent.key"),
    "a text is no section": ("print(cfg.run.run_id)", ProblemKind.NOT_A_MAPPING, "run_id"),
    "an absent key of a container": (
        "d = OmegaConf.to_container(cfg)\nprint(d['absent'])",
        ProblemKind.INVALID_VALUE,
        "absent",
    ),
    "not what is caught": (
        "try:\n    cfg.absent.x = 1\nexcept KeyError:\n    pass",
        ProblemKind.MISSING_KEY,
        "absent",
    ),
    "by PyYAML": (
        "import yaml\nOmegaConf.merge(cfg, yaml.safe_load(open(f'config/runs/{cfg.run}.yaml')))",
        ProblemKind.MERGE,
        "run_id",
    ),
    "a file that is not there": (
        "OmegaConf.load('config/absent.yaml')",
        ProblemKind.MISSING_FILE,
        "config/absent.yaml",
    ),
}


@pytest.mark.parametrize("body", SOUND.values(), ids=SOUND)
def test_what_works_or_cannot_be_known_gives_no_certain_problem(body: str) -> None:
    assert [problem for problem in problems_of(body) if problem[2]] == []


@pytest.mark.parametrize(("body", "kind", "key"), FOUND.values(), ids=FOUND)
def test_what_omegaconf_refuses_is_found(body: str, kind: ProblemKind, key: str) -> None:
    assert (kind, key, True) in problems_of(body)


def test_a_key_is_followed_into_functions_classes_and_other_files() -> None:
    found = problems_of(
        "build(cfg)\nTrainer(cfg).fit()",
        before="""
        from src.model import build

        class Trainer:
            def __init__(self, cfg):
                self.cfg = cfg

            def fit(self):
                return self.cfg.in_a_method
        """,
        **{"src/model.py": "def build(config):\n    return config.in_a_function\n"},
    )
    assert (ProblemKind.MISSING_KEY, "in_a_function", True) in found
    assert (ProblemKind.MISSING_KEY, "in_a_method", True) in found


def test_a_key_that_one_run_lacks_names_that_run() -> None:
    text = (
        f"{HEAD}{ENTRY}def"
        f" main(cfg):\n{textwrap.indent(LOADED + 'print(cfg.training.warmup)', '    ')}\n"
    )
    runs = {"a": "run_id: a\ntraining: {warmup: 3}\n", "b": "run_id: b\ntraining: {epochs: 3}\n"}
    facts = Facts(with_one_run({"src/train.py": text}, runs))
    ((_, problem),) = facts.hydra.problems
    assert facts.hydra.runs_with(problem) == ("b",)


def test_a_handler_of_the_error_makes_it_uncertain() -> None:
    caught = "try:\n    print(cfg.absent)\nexcept Exception:\n    pass"
    raised = "try:\n    print(cfg.absent)\nexcept Exception:\n    raise"
    assert [certain for _, _, certain in problems_of(caught)] == [False]
    assert [certain for _, _, certain in problems_of(raised)] == [True]


def test_environment_variables_are_never_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_USER", "abc")
    config = (
        "run: ???\nresults_dir: ???\nmode: full\nkey: ${oc.env:SECRET_OF_THE_USER}\nalso: ${key}\n"
    )
    body = (
        "print(cfg.key.attribute, cfg.also.attribute, OmegaConf.to_container(cfg,"
        " resolve=True)['key'])"
    )
    assert problems_of(body, **{"config/config.yaml": config}) == []


@pytest.mark.parametrize(
    "body",
    [
        "def f(x):\n    return f(x)\nf(cfg)",
        "while True:\n    cfg = cfg",
        "x = 'a'\n" + "x = x + x\n" * 64,
        "x = [1]\n" + "x = x + x\n" * 64,
        "for a in range(10**9):\n    for b in range(10**9):\n        pass",
        "x = " + "(" * 90 + "1" + ")" * 90,
        "cfg.loop = cfg\nprint(cfg.loop.loop)",
    ],
    ids=[
        "recursion",
        "endless loop",
        "growing text",
        "growing list",
        "long loops",
        "deep",
        "a configuration in itself",
    ],
)
def test_code_that_would_never_end_is_left_in_time(body: str) -> None:
    problems_of(body)
