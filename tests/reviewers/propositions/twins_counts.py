"""Twins of the predicates that count, and that ask whether code is reached."""

from tests.reviewers.propositions.twins import twins

_TASKS = "TASKS = ['a', 'b', 'c']\n"
_STARTED = """import hydra
def never(rows):
    return sum(rows)
def used(cfg):
    if cfg.mode == 'other':
        stop()
    return 1
@hydra.main(version_base=None, config_path="../config", config_name="config")
def main(cfg):
    used(cfg)
if __name__ == "__main__":
    main()
"""


def _started(text: str) -> dict[str, str | None]:
    return {"src/train.py": text, "config/config.yaml": "mode: full\nrun: null\n"}


TWINS = [
    *twins(
        {"p": "counts", "scope": "src/train.py", "thing": "TASKS", "to": 3},
        true={
            "list": _TASKS,
            "table": "TASKS = {'a': 1, 'b': 2, 'c': 3}\n",
            "set": "TASKS = {'a', 'b', 'b', 'c'}\n",
        },
        false={
            "fewer": "TASKS = ['a', 'b']\n",
            "one key twice": "TASKS = {'a': 1, 'b': 2, 'a': 3}\n",
            "none": "TASKS = ()\n",
        },
        unknown={
            "grows": _TASKS + "TASKS.append('d')\n",
            "grows elsewhere": {
                "src/train.py": _TASKS,
                "src/main.py": "from src.train import TASKS\nTASKS += ['d']\n",
            },
            "made": "TASKS = [x for x in range(3)]\n",
            "two": _TASKS + "TASKS = []\n",
        },
    ),
    *twins(
        {"p": "counts", "scope": "config/config.yaml", "thing": "runs", "to": 2},
        true={"list": {"config/config.yaml": "runs: [a, b]\n"}},
        false={"three": {"config/config.yaml": "runs: [a, b, c]\n"}},
        unknown={"absent": {"config/config.yaml": "other: 2\n"}},
    ),
    *twins(
        {"p": "counts", "scope": "src/train.py", "thing": "save()", "to": 2},
        true={"sites": "def f(save):\n    save(1)\n    save(2)\n"},
        false={"one": "def f(save):\n    save(1)\n"},
        unknown={
            "loop": "def f(save):\n    save(1)\n    for x in y:\n        save(x)\n",
            "branch": "def f(save):\n    save(1)\n    if save:\n        save(2)\n",
        },
    ),
    *twins(
        {"p": "counts", "scope": "src/train.py", "thing": "classes", "to": 1},
        true={"one": "class A:\n    def f(self):\n        pass\n"},
        false={"two": "class A:\n    pass\nclass B:\n    pass\n"},
        unknown={"broken": "class A:\n    pass\ndef f(:\n"},
    ),
    *twins(
        {"p": "reached", "scope": "src/train.py", "thing": "used"},
        true={"called": _started(_STARTED)},
        false={"not called": _started(_STARTED.replace("    used(cfg)\n", "    pass\n"))},
        unknown={
            "by its name": _started(
                _STARTED.replace("    used(cfg)\n", "    globals()['used'](cfg)\n")
            ),
            "not there": "x = 1\n",
        },
        runs={"a": "run_id: a\n"},
    ),
    *twins(
        {"p": "reached", "scope": "src/train.py", "thing": "stop()"},
        true={"no test": _started(_STARTED.replace("== 'other'", "!= 'other'"))},
        false={"another mode": _started(_STARTED)},
        unknown={"made": _started(_STARTED.replace("'other'", "cfg.other.name"))},
        runs={"a": "run_id: a\n"},
    ),
    *twins(
        {"p": "reached", "scope": "src/train.py", "thing": "never"},
        true={"called": _started(_STARTED.replace("return 1", "return never([1])"))},
        false={"no name": _started(_STARTED)},
        unknown={},
        runs={"a": "run_id: a\n"},
    ),
]
