"""Guards pyproject.toml with values of every kind at every place: no rule stops, and what no
installer reads is a finding.
"""

import re
from itertools import product

import pytest

from reviewers.facts import Facts, Packaging
from reviewers.rules import registered
from tests.builders import SOUND_FILES, with_one_run

NINES = "9" * 5_000
VALUES = {
    "date": "1979-05-27",
    "date and time": "1979-05-27T07:32:00Z",
    "time": "07:32:00",
    "number": "1",
    "huge number": NINES,
    "huge hexadecimal number": "0x" + "f" * 6_000,
    "huge number within": "{a = [0x" + "f" * 6_000 + "]}",
    "no number": "nan",
    "truth": "true",
    "dates within": "[[[1979-05-27]], {a = 07:32:00}]",
    "huge version": f'"{NINES}"',
    "huge specifiers": f'["torch>={NINES}", "numpy==1.{NINES}.*", "wandb==={NINES}", "scipy~=1.{NINES}"]',  # noqa: E501
    "huge parts": f'["torch>={NINES}!1", "torch==1.post{NINES}", "torch==1+{NINES}"]',
    "of all kinds": '["torch>=2", 1979-05-27, {a = 1}, 3]',
}
KEYS = (
    "project", "project.name", "project.version", "project.dependencies",
    "project.optional-dependencies", "project.optional-dependencies.x", "project.requires-python",
    "project.dynamic", "project.readme", "build-system.requires", "build-system.build-backend",
    "tool", "tool.poetry.dependencies.torch", "tool.poetry.group.a.dependencies", "tool.uv",
    "tool.uv.package", "dependency-groups", "dependency-groups.dev", "anything",
)  # fmt: skip
SMALL = dict.fromkeys(SOUND_FILES) | {"src/main.py": "import torch\ntorch.nn.Odd()\n"}
# Those that ask for what pyproject.toml declares.
RULES = ("FS04", "FS05", "FS06", "FS07", "FS08", "FS09", "FS10", "FS11", "IM09", "IM10", "IM11")


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_no_rule_stops_at_a_value_of_another_kind(value: str) -> None:
    for key, rest in product(KEYS, ("", '\n[project]\nname = "a"\nversion = "1"\n')):
        text = f"{key} = {value}\n{rest if not key.startswith('project') else ''}"
        facts = Facts(with_one_run(files={**SMALL, "pyproject.toml": text}, runs={}))
        for id in RULES:
            list(registered()[id](facts))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('version = "0.1.0"', f'version = "1.{NINES}"'),
        ('"torch>=2.2"', f'"torch>=2.{NINES}"'),
        ('"torch>=2.2"', '"torch<=18446744073709551616"'),
        ('name = "gated-mlp"', "name = 1979-05-27"),
        ('name = "gated-mlp"', f"name = {NINES}"),
    ],
    ids=["version", "requirement", "one too many", "date", "number"],
)
def test_what_no_installer_reads_is_found_on_its_line(line: str, says: str) -> None:
    text = SOUND_FILES["pyproject.toml"].replace(line, says)
    (problem,) = Packaging(text).problems
    wanted = next(at for at, one in enumerate(text.splitlines(), 1) if says in one)
    assert (problem.line, problem.stops_install) == (wanted, True)
    assert len(re.sub(r"'[^']*'", "", problem.message)) < 200


def test_a_date_where_no_reader_looks_is_none_of_their_business() -> None:
    text = f"{SOUND_FILES['pyproject.toml']}\n[tool.mine]\nsince = 1979-05-27\n"
    assert Packaging(text).problems == ()
    assert Packaging(text.replace("torch>=2.2", "torch>=18446744073709551615")).problems == ()
