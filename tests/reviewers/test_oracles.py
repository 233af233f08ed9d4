"""Guards rules and facts by other judges of the real logs: Python's compiler, an installer, Hydra
itself.
"""

import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

import pytest
from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from yaml import YAMLError

from reviewers.facts import Facts
from reviewers.facts.composition import compose
from reviewers.records import Submission
from reviewers.rules import find_rule
from tests.shared_data import SAMPLE, needs_shared, opened

each_log = pytest.mark.parametrize("log", SAMPLE, ids=lambda path: path.stem)
pytestmark = [needs_shared, pytest.mark.filterwarnings("ignore::UserWarning")]


def flagged(rule: str, submission: Submission) -> set[str]:
    return {finding.span.file for finding in find_rule(rule)(Facts(submission)) if finding.span}


def compiles(text: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<submission>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


@each_log
def test_a_file_is_called_invalid_exactly_where_python_does_not_compile_it(log: Path) -> None:
    submission = opened(log)
    broken = {
        file.path
        for file in submission.files
        if file.path.endswith(".py") and not compiles(file.text)
    }
    assert flagged("IM01", submission) == broken


@each_log
def test_a_pyproject_is_rejected_exactly_where_an_installer_rejects_it(
    log: Path, tmp_path: Path
) -> None:
    find_uv_bin = pytest.importorskip(
        "uv", reason="uv (of the dev extra) is not installed"
    ).find_uv_bin
    pyproject = opened(log).by_path.get("pyproject.toml")
    if pyproject is None:
        pytest.skip("it has none")
    (tmp_path / "pyproject.toml").write_text(pyproject.text, "utf-8")
    # Offline it gets no further than to the index of packages (exit code 1); 2 is what it says to a
    # file that it cannot read.
    words = [
        "tree",
        "--offline",
        "--no-cache",
        "--no-config",
        "--no-python-downloads",
        "--python",
        sys.executable,
    ]
    done = subprocess.run(
        [find_uv_bin(), *words], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode in (0, 1) or "Failed to parse: pyproject.toml" in done.stderr.replace(
        "`", ""
    ), done.stderr
    assert ("pyproject.toml" in flagged("FS04", opened(log))) == (done.returncode == 2), done.stderr


@each_log
def test_every_run_is_composed_as_hydra_composes_it(log: Path, tmp_path: Path) -> None:
    submission = opened(log)
    facts = Facts(submission)
    if not submission.runs:
        pytest.skip("it has no run configs")
    hydra, command = facts.hydra, facts.contract.commands["main"]
    modes = [mode.word for mode in facts.contract.modes.values()] or [""]
    for path, text in hydra.yaml_files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    (tmp_path / "nothing").mkdir()
    for folder, name in {
        (entry.folder if entry.config_path else "nothing", entry.config_name)
        for entry in hydra.entry_points.values()
    }:
        files = {
            path.removeprefix(f"{folder}/"): text
            for path, text in hydra.yaml_files.items()
            if path.startswith(f"{folder}/")
        }
        for number, run in enumerate(submission.runs):
            mode = modes[number % len(modes)]
            words = command.words(mode, run_id=run.run_id, results_dir="/results")
            made = made_here(files, name, [*words])
            assert made == by_hydra(tmp_path / folder, name, [*words]), words


def made_here(files: Mapping[str, str], name: str | None, words: list[str]) -> object:
    made = compose(files, name, words)
    return OmegaConf.to_container(made) if isinstance(made, DictConfig) else None


def by_hydra(folder: Path, name: str | None, words: list[str]) -> object:
    """What Hydra gives to the entry function; None where it stops before that."""
    try:
        with initialize_config_dir(str(folder), version_base="1.3"):
            return OmegaConf.to_container(hydra_compose(name, words))
    except (HydraException, YAMLError, OSError, ValueError):
        return None
