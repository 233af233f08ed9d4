"""Guards which names of libraries are called absent: those that the code really asks for, in the
versions that it allows.
"""

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from packaging.version import Version

from reviewers.facts import third_party
from reviewers.records import DatedBy, Generated, Severity
from tests.builders import SOUND_RUNS
from tests.reviewers.rules.asking import findings, messages

PYPROJECT = '[project]\nname = "x"\nversion = "0.1.0"\ndependencies = ["{}"]\n'


def found(train: str, requirement: str = "datasets") -> list[str]:
    files = {"src/train.py": train, "pyproject.toml": PYPROJECT.format(requirement)}
    return messages("IM09", files)


def test_a_name_that_no_version_has_is_told_with_its_error() -> None:
    (message,) = found(
        "from omegaconf import OmegaConf\n\ndef f(cfg):\n    return OmegaConf.deepcopy(cfg)\n"
    )
    assert message.startswith(
        "no released version of omegaconf that areachair knows has `omegaconf.OmegaConf.deepcopy`:"
        " AttributeError"
    )


@pytest.mark.parametrize(
    "train",
    [
        (
            "import wandb\n\ndef f():\n    try:\n        return wandb.no_such_thing()\n    except"
            " Exception:\n        return None\n"
        ),
        "import wandb\n\ndef f():\n    rows: list[wandb.NoSuchThing] = []\n    return rows\n",
        (
            "from __future__ import annotations\nimport wandb\n\ndef f(row: wandb.NoSuchThing) ->"
            " wandb.Gone:\n    return row\n"
        ),
        (
            "import wandb\n\ndef f():\n    if hasattr(wandb, 'no_such_thing'):\n        return"
            " wandb.no_such_thing()\n"
        ),
        "import wandb\n\ndef f():\n    wandb: list = []\n    return wandb.no_such_thing\n",
        "import wandb\n\ndef f(wandb):\n    return wandb.no_such_thing\n",
    ],
    ids=["caught", "local annotation", "annotations kept as text", "asked for", "hidden", "given"],
)
def test_a_name_that_stops_nothing_is_left_alone(train: str) -> None:
    assert found(train) == []


def test_a_version_on_which_the_code_insists_decides() -> None:
    gone = "import numpy as np\nassert np.__version__ == '{}'\nx = np.in1d\n"
    assert found(gone.format("1.26.4"), "torch") == []
    assert len(found(gone.format("2.5.5"), "torch")) == 1


def test_a_module_beside_the_script_comes_before_a_library_of_its_name() -> None:
    files = {
        "papers/one/run.py": "import datasets\ndatasets.made()\n",
        "papers/one/datasets.py": "def made(): ...\n",
    }
    assert findings("IM09", files) == []
    del files["papers/one/datasets.py"]
    assert findings("IM09", files) != []


@pytest.mark.parametrize(
    ("handler", "number"),
    [
        ("except KeyError:", 1),
        ("except (OSError, AttributeError):", 0),
        ("except BaseException:", 0),
    ],
)
def test_only_a_handler_of_this_error_catches_it(handler: str, number: int) -> None:
    train = (
        f"import wandb\n\ndef f():\n    try:\n        return wandb.no_such_thing()\n    {handler}\n"
        "        return None\n"
    )
    assert len(found(train)) == number


@pytest.mark.parametrize(
    ("requirement", "number"),
    [("datasets>=3", 1), ("datasets", 1), ("datasets<3", 0), ("datasets==2.18.0", 0)],
)
def test_the_declared_versions_decide(requirement: str, number: int) -> None:
    assert len(found("from datasets import load_metric\n", requirement)) == number


@pytest.mark.parametrize(
    ("train", "requirement", "bounds"),
    [
        ("from datasets import load_metric\n", "datasets", ("still has", "lacks", True)),
        ("from datasets import load_metric\n", "datasets>=4", ("still has", "lacks", True)),
        ("import wandb\nwandb.Run\n", "wandb==0.15.12", ("has", "lacks", False)),
    ],
    ids=["lost", "lost before the oldest allowed", "not yet there"],
)
def test_only_the_nearest_versions_that_are_known_to_differ_are_named(
    train: str, requirement: str, bounds: tuple[str, str, bool]
) -> None:
    (message,) = found(train, requirement)
    library = requirement[:5]
    has, lacks, is_loss = bounds
    pattern = (
        rf"the {library}\w* that gets installed has no .*areachair knows, {library}\w* (\S+)"
        rf" {has} it and (\S+) {lacks} it"
    )
    named = re.match(pattern, message)
    assert named
    assert (Version(named[1]) < Version(named[2])) is is_loss


def test_a_caret_is_read_as_poetry_means_it() -> None:
    poetry = '[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\ndatasets = "^2.14.5"\n'
    files = {"src/train.py": "from datasets import load_metric\n", "pyproject.toml": poetry}
    assert findings("IM09", files) == []


@pytest.mark.parametrize(
    ("day", "severity"),
    [
        (None, Severity.BLOCKER),
        ("2024-06-01", Severity.MAJOR),  # the newest datasets was 2.19, which had it
        ("2025-06-01", Severity.BLOCKER),  # 3.x had dropped it before
    ],
)
def test_what_only_a_later_release_dropped_is_major_and_dated(
    day: str | None, severity: Severity
) -> None:
    generated = day and Generated(datetime.fromisoformat(day).replace(tzinfo=UTC), DatedBy.COMMIT)
    project = PYPROJECT.format("datasets")
    files = {"src/train.py": "from datasets import load_metric\n", "pyproject.toml": project}
    (finding,) = findings("IM09", files, generated=generated)
    assert finding.severity is severity
    told = "only since a release after the submission (2024-06-01): datasets 3.0.2 is of 2024-10-22"
    assert (told in finding.message) is (severity is Severity.MAJOR)


@pytest.mark.parametrize(
    ("day", "severity"),
    [
        (
            "2024-06-01",
            Severity.MAJOR,
        ),  # wandb>=0.17 gave a release that had it, though not indexed
        ("2025-06-01", Severity.MAJOR),
        ("2026-06-01", Severity.BLOCKER),
    ],
)
def test_an_attribute_that_a_later_release_dropped_is_major_too(
    day: str, severity: Severity
) -> None:
    code = "import wandb\nrun = wandb.init()\nprint(run.mode)\n"
    generated = Generated(datetime.fromisoformat(day).replace(tzinfo=UTC), DatedBy.COMMIT)
    (finding,) = findings("IM11", {"src/train.py": code}, generated=generated)
    assert finding.severity is severity
    assert ("only since a release after" in finding.message) is (severity is Severity.MAJOR)


TARGETED = "import hydra\n\ndef f(cfg):\n    return hydra.utils.instantiate(cfg.part)\n"


@pytest.mark.parametrize(
    ("target", "section", "severities"),
    [
        ("torch.optim.AdamWeight", "part", [Severity.BLOCKER]),
        ("torch.optim.AdamWeight", "other", [Severity.MAJOR]),
        ("torch.optim.AdamW", "part", []),
        ("src.model.Anything", "part", []),
        ("${name}", "part", []),
    ],
)
def test_a_target_of_hydra_is_a_name_that_its_library_has(
    target: str, section: str, severities: list[Severity]
) -> None:
    runs = {run: f"{text}{section}:\n  _target_: {target}\n" for run, text in SOUND_RUNS.items()}
    found = findings("IM22", {"src/train.py": TARGETED}, runs)
    assert [one.severity for one in found] == severities
    assert all(len(one.places) == len(runs) - 1 for one in found)
    unused = {"src/train.py": TARGETED.replace(".instantiate", ".to_absolute_path")}
    assert findings("IM22", unused, runs) == []


def test_every_indexed_version_has_its_day_and_none_is_older_than_the_one_before() -> None:
    folder = Path(third_party.__file__).parent
    days = tomllib.loads((folder / "released.toml").read_text())
    versions = tomllib.loads((folder / "libraries.toml").read_text())
    assert {name: list(table) for name, table in days.items()} == {
        name: table["versions"] for name, table in versions.items()
    }
    assert all(list(table.values()) == sorted(table.values()) for table in days.values())


def test_a_name_that_no_python_has_in_its_standard_library_is_told() -> None:
    imports = "import json\nimport os\nfrom time import clock\n\n"
    text = f"{imports}print(json.dumped({{}}))\nprint(os.pathh.x)\n"
    messages = found(text)
    assert [message.partition(":")[0] for message in messages] == [
        "no version of Python has `time.clock`",
        "no version of Python has `json.dumped`",
        "no version of Python has `os.pathh`",
    ]


def test_a_name_that_only_some_python_or_system_has_is_left() -> None:
    text = (
        "import itertools, os, sys, warnings\nimport importlib.resources\n\n"
        "print(itertools.batched, os.startfile, sys._MEIPASS, warnings.deprecated)\n"
        "print(sys.argv.x, importlib.resources.files, os.path.join)\n"
    )
    assert not found(text)
