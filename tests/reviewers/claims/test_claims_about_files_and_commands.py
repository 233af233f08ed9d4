"""Guards the checks on files, commands, packaging and configuration."""

import pytest

from reviewers.records import Check, Misreading
from tests.reviewers.claims.asking import claim

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED
POSITIONAL = (
    "import argparse\nimport json\n\nparser ="
    " argparse.ArgumentParser()\nparser.add_argument('results_dir')\nparser.add_argument('run_ids')\nargs"  # noqa: E501
    " = parser.parse_args()\nruns = json.loads(args.run_ids)\n"
)
OPTIONS = (
    "import argparse\n\nparser ="
    " argparse.ArgumentParser()\nparser.add_argument('--results_dir')\nargs = parser.parse_args()\n"
)


@pytest.mark.parametrize(
    ("text", "files", "result", "shown"),
    [
        pytest.param(
            "src/model.py is empty.",
            {"src/model.py": "# to come\n\n"},
            CONFIRMED,
            "src/model.py is empty",
            id="empty",
        ),
        pytest.param("src/model.py is empty.", {}, REFUTED, "lines of code", id="not-empty"),
        pytest.param(
            "Required files are empty (train.py, model.py).",
            {"src/model.py": ""},
            UNVERIFIED,
            "src/model.py is empty, but",
            id="one-is-empty",
        ),
        pytest.param(
            "There is no data pipeline.",
            {"src/preprocess.py": ""},
            UNVERIFIED,
            "",
            id="no-pipeline-said-otherwise",
        ),
        pytest.param(
            "No data pipeline.",
            {"src/preprocess.py": ""},
            CONFIRMED,
            "src/preprocess.py",
            id="no-pipeline",
        ),
        pytest.param(
            "src/preprocess.py is missing.",
            {"src/preprocess.py": None},
            CONFIRMED,
            "no src/preprocess.py",
            id="missing",
        ),
        pytest.param(
            "src/preprocess.py is missing.",
            {},
            REFUTED,
            "is part of the submission",
            id="not-missing",
        ),
        pytest.param(
            "config/runs/*.yaml files are absent.",
            {},
            CONFIRMED,
            "provided beside it",
            id="run-configs",
        ),
        pytest.param(
            "The submission contains an extra file src/layers.py.",
            {"src/layers.py": "x = 1\n"},
            CONFIRMED,
            "src/layers.py",
            id="extra",
        ),
        pytest.param(
            "The submission contains an extra file src/layers.py.",
            {},
            UNVERIFIED,
            "no src/layers.py",
            id="no-extra",
        ),
        pytest.param(
            "evaluate.py takes positional arguments.",
            {"src/evaluate.py": POSITIONAL},
            CONFIRMED,
            "line 5",
            id="positional",
        ),
        pytest.param(
            "evaluate.py takes positional arguments.",
            {"src/evaluate.py": OPTIONS},
            UNVERIFIED,
            "no positional",
            id="options",
        ),
        pytest.param(
            "evaluate.py takes positional arguments.", {}, UNVERIFIED, "", id="reads-argv-itself"
        ),
        pytest.param(
            "argparse then raises “too many arguments”.",
            {"src/evaluate.py": POSITIONAL},
            UNVERIFIED,
            "as positionals",
            id="wrong-error",
        ),
        pytest.param(
            "pyproject.toml violates PEP 621.",
            {"pyproject.toml": "[project]\nname = 3\n"},
            CONFIRMED,
            "",
            id="pyproject-invalid",
        ),
        pytest.param(
            "pyproject.toml violates PEP 621.",
            {},
            UNVERIFIED,
            "follows PEP 621",
            id="pyproject-valid",
        ),
        pytest.param(
            "scipy is imported but not listed in pyproject.toml.",
            {},
            UNVERIFIED,
            "declares scipy",
            id="declared",
        ),
        pytest.param(
            "pandas is required by evaluate.py but missing from pyproject.toml.",
            {"src/evaluate.py": "import pandas\n"},
            CONFIRMED,
            "src/evaluate.py:1 imports pandas",
            id="undeclared",
        ),
        pytest.param(
            "config/config.yaml lacks the wandb section.",
            {},
            UNVERIFIED,
            "section `wandb`",
            id="section-is-there",
        ),
        pytest.param(
            "config/config.yaml lacks the evaluation section.",
            {},
            CONFIRMED,
            "no key `evaluation`",
            id="section-is-not",
        ),
        pytest.param(
            "config/config.yaml does not declare a `run` group in its defaults.",
            {},
            CONFIRMED,
            "_self_",
            id="no-group",
        ),
        pytest.param(
            "config/config.yaml lacks a run group in its defaults.",
            {"config/config.yaml": "defaults:\n  - run: null\n  - _self_\n"},
            UNVERIFIED,
            "in its defaults list",
            id="group",
        ),
        pytest.param(
            "`cfg.run` is a string.", {}, CONFIRMED, "plain key `run`", id="run-is-a-string"
        ),
        pytest.param(
            "The config path is incorrect in every decorator: it goes two levels up.",
            {
                "src/main.py": (
                    "import hydra\n\n\n@hydra.main(config_path='../../config',"
                    " config_name='config')\ndef main(cfg):\n    return None\n"
                )
            },
            UNVERIFIED,
            "outside the repository",
            id="one-wrong-path",
        ),
        pytest.param(
            "The config_path of main.py is wrong: it points outside the repository.",
            {},
            UNVERIFIED,
            "the folder config",
            id="right-path",
        ),
        pytest.param(
            "config/config.yaml lists only one run id.",
            {},
            CONFIRMED,
            "none of the 2 run ids",
            id="run-list",
        ),
        pytest.param(
            "`model.depth` is not present in the run configs.",
            {},
            CONFIRMED,
            "no key `model.depth`",
            id="absent-key",
        ),
        pytest.param(
            "`model.width` is not present in the run configs.",
            {},
            UNVERIFIED,
            "has the key `model.width`",
            id="present-key",
        ),
        pytest.param(
            "src.main launches a second Hydra run via subprocess.",
            {},
            CONFIRMED,
            "both are under @hydra.main",
            id="nested-hydra",
        ),
    ],
)
def test_files_and_configuration_decide(
    text: str, files: dict[str, str | None], result: Check, shown: str
) -> None:
    found = claim(text, files)
    assert found.check.result is result, found.check.evidence
    assert shown in found.check.evidence


def test_a_setting_that_no_code_names_is_ignored() -> None:
    runs = {"proposed-a": "run_id: proposed-a\nmethod: proposed\ntraining:\n  warmup_ratio: 0.1\n"}
    found = claim("`warmup_ratio` from the run config is never used.", runs=runs)
    assert found.check.result is CONFIRMED
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("config/runs/proposed-a.yaml", 4)


def test_keys_of_the_reviewers_own_prompt_are_no_files() -> None:
    found = claim("The top-level file is named train_py instead of src/train.py.")
    assert found.check.result is REFUTED
    assert found.check.misreading is Misreading.PROMPT_ARTIFACT


def test_a_read_that_ends_in_an_error_for_a_run_confirms_the_error() -> None:
    train = (
        "import hydra\nfrom omegaconf import OmegaConf\n\n\n"
        "@hydra.main(version_base='1.3', config_path='../config', config_name='config')\n"
        "def main(cfg):\n    print(cfg.run.run_id)\n"
    )
    found = claim(
        "Accessing `cfg.run.run_id` raises an AttributeError.",
        {"src/train.py": train, "src/main.py": "import src.train\n"},
    )
    assert found.check.result is CONFIRMED, found.check.evidence
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("src/train.py", 7)
