"""Guards how pyproject.toml is repaired: what was asked for stays, and so does the layout."""

import tomllib

import pytest
from packaging.requirements import Requirement

from reviewers.repairs import planned
from reviewers.repairs.edits import CannotEdit
from reviewers.repairs.poetry import requirement, specifiers
from tests.builders import SOUND_FILES, submission_from_example, with_one_run

_SOUND_NAMES = [
    "torch",
    "datasets",
    "hydra-core",
    "omegaconf",
    "optuna",
    "wandb",
    "numpy",
    "scipy",
    "matplotlib",
]
_TABLE = "".join(f'{name} = "*"\n' for name in _SOUND_NAMES[1:])


def _repaired(pyproject: str, **others: str) -> str:
    made = planned(with_one_run({"pyproject.toml": pyproject, **others}))
    assert made.is_ready, [each for each, _ in made.unrepaired]
    return made.last.facts.text("pyproject.toml") or ""


def _names(text: str) -> list[str]:
    return [Requirement(each).name for each in tomllib.loads(text)["project"]["dependencies"]]


def test_a_table_of_dependencies_becomes_an_array_at_its_place():
    text = _repaired(
        '[project]\nname = "gated"\nversion = "0.1.0"\n\n'
        '[project.dependencies]\n# the stack\npython = "^3.11"\ntorch = "^2.2"  # CUDA 12\n'
        f"{_TABLE}\n"
        "[tool.ruff]\nline-length = 99\n"
    )
    assert text.startswith(
        '[project]\nname = "gated"\nversion = "0.1.0"\n\nrequires-python = ">=3.11"\n'
        'dependencies = [\n    # the stack\n    "torch>=2.2",  # CUDA 12\n    "datasets",\n'
    )
    assert text.endswith('    "matplotlib",\n]\n\n[tool.ruff]\nline-length = 99\n')
    assert _names(text) == _SOUND_NAMES


def test_a_table_of_dependencies_behind_other_tables_goes_into_project():
    text = _repaired(
        '[project]\nname = "gated"\nversion = "0.1.0"\n\n[tool.ruff]\nline-length = 99\n\n'
        f'[project.dependencies]\ntorch = ">=2.2"\n{_TABLE}'
    )
    assert text.startswith('[project]\nname = "gated"\nversion = "0.1.0"\ndependencies = [\n')
    assert text.endswith("]\n\n[tool.ruff]\nline-length = 99\n")


def test_poetrys_tables_become_project_with_groups_and_extras():
    text = _repaired(
        '[tool.poetry]\nname = "gated"\nversion = "0.2.0"\nreadme = "README.md"\n'
        'authors = ["A <a@b.org>"]\n\n'
        '[tool.poetry.dependencies]\npython = ">=3.11"\n'
        'torch = {version = "^2.2", extras = ["opt-einsum"], python = "<3.14"}\n'
        'rich = {version = "*", optional = true}\n'
        f'{_TABLE}\n[tool.poetry.extras]\nshow = ["rich"]\n\n'
        '[tool.poetry.group.dev.dependencies]\npytest = "^8"\n\n'
        '[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core.masonry.api"\n'
    )
    found = tomllib.loads(text)
    assert found["project"]["dependencies"][0] == (
        'torch[opt-einsum]>=2.2 ; python_version < "3.14"'
    )
    assert "rich" not in _names(text)
    assert found["project"]["optional-dependencies"] == {"show": ["rich"]}
    assert found["dependency-groups"] == {"dev": ["pytest>=8"]}
    assert found["project"]["authors"] == [{"name": "A", "email": "a@b.org"}]
    assert found.keys() == {"project", "dependency-groups"}
    assert "readme" not in found["project"]  # there is no such file


def test_a_missing_distribution_is_declared_as_the_others_are():
    sound = SOUND_FILES["pyproject.toml"]
    text = _repaired(sound.replace('    "wandb>=0.17",\n', ""))
    assert text == sound.replace('    "wandb>=0.17",\n', "").replace(
        '"matplotlib>=3.9",\n', '"matplotlib>=3.9",\n    "wandb",\n'
    )
    one_line = '[project]\nname = "g"\nversion = "0"\ndependencies = ["wandb", "datasets"]\n'
    assert set(_SOUND_NAMES) - {"omegaconf", "numpy"} <= set(_names(_repaired(one_line)))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [('"sklearn>=1"', "scikit-learn>=1"), ('"os"', ""), ('"torch ^2.2"', "torch>=2.2")],
)
def test_entries_that_no_installer_takes(wrong, right):
    sound = SOUND_FILES["pyproject.toml"].replace('"torch>=2.2"', f'{wrong}, "torch"')
    if "torch" in wrong:
        sound = sound.replace(', "torch"', "")
    found = tomllib.loads(_repaired(sound))["project"]["dependencies"]
    assert (found[0] == right) if right else ("os" not in found)
    assert len(found) == len(_SOUND_NAMES) + ("sklearn" in wrong)


def test_requires_python_is_the_one_that_a_dependency_needs():
    sound = SOUND_FILES["pyproject.toml"].replace('">=3.11"', '">=3.8,<4"')
    assert 'requires-python = ">=3.9,<4"' in _repaired(sound)


@pytest.mark.parametrize("backend", ["poetry-core>=2", "hatchling", "uv_build"])
def test_a_backend_that_finds_nothing_to_build(backend):
    sound = SOUND_FILES["pyproject.toml"].partition("\n[tool.hatch")[0]
    module = {"poetry-core>=2": "poetry.core.masonry.api", "hatchling": "hatchling.build"}
    text = _repaired(
        sound.replace('"hatchling"', f'"{backend}"').replace(
            '"hatchling.build"', f'"{module.get(backend, backend)}"'
        )
    )
    if backend == "hatchling":
        assert text == SOUND_FILES["pyproject.toml"]
    else:
        assert text.startswith('[project]\nname = "gated-mlp"\n')
        assert text.endswith('    "matplotlib>=3.9",\n]\n')


@pytest.mark.parametrize("rule", ["FS04", "FS05", "FS06", "FS07", "FS08", "FS09", "FS10", "FS11"])
def test_each_rules_own_bad_example(rule):
    from reviewers.rules import registered  # the registry is filled by the import

    submission, _ = submission_from_example(registered()[rule].bad)
    left = planned(submission, only_rule=rule).last.report.findings
    assert rule not in {each.rule for each in left}


def test_what_poetry_says_that_no_requirement_can():
    assert specifiers("~1.4.2, !=1.4.5") == [">=1.4.2", "<1.5", "!=1.4.5"]
    assert specifiers("^0.3") == [">=0.3"]
    assert specifiers(">= 2.*") == [">=2"]
    assert requirement("a", {"git": "https://x.org/a.git", "tag": "v1"}) == (
        "a @ git+https://x.org/a.git@v1"
    )
    for version in ("^1 || ^2", {"path": "../a"}, 3):
        with pytest.raises(CannotEdit):
            requirement("a", version)
