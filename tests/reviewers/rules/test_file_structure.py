"""Guards the rules about files and packaging, on made cases and on every real submission whose
pyproject had to be repaired.
"""

import json

import pytest

from reviewers.bundles import open_bundle
from reviewers.facts import Facts
from reviewers.records import Finding, Severity
from reviewers.rules import find_rule
from tests.builders import SOUND_FILES, contract, make_submission
from tests.reviewers.rules.asking import findings
from tests.shared_data import LOGS, SHARED, needs_shared

PROJECT = '[project]\nname = "gated"\nversion = "0.1.0"\n'
DEPENDENCIES = (
    'dependencies = ["torch", "datasets", "hydra-core", "optuna", "wandb", "matplotlib",'
    ' "scipy"{more}]\n'
)


def found(rule: str, files: dict[str, str | None]) -> list[Finding]:
    return findings(rule, files)


def test_each_missing_file_is_a_finding_at_the_place_where_it_should_be() -> None:
    spans = [
        finding.span
        for finding in found("FS01", {"src/model.py": None, "config/config.yaml": None})
    ]
    assert [(span.file, span.line) for span in spans if span] == [
        ("config/config.yaml", None),
        ("src/model.py", None),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "src/model.py is empty and"),
        ("\n  \n", "src/model.py is empty and"),
        ("# later\n", "src/model.py is only comments and"),
        ('"""The model."""\n', "src/model.py is a stub (only a docstring) and"),
        ('# x\n"""The model."""\npass\n', "src/model.py is a stub (only a docstring and `pass`)"),
        ("...\n", "src/model.py is a stub (only `...`) and"),
        ("x = 1\n", ""),
        ('"""The model."""\nfrom torch import nn\n', ""),
    ],
    ids=["nothing", "spaces", "comments", "docstring", "pass", "dots", "code", "import"],
)
def test_a_file_without_a_word_of_code_is_called_what_it_is(text: str, says: str) -> None:
    messages = [finding.message for finding in found("FS02", {"src/model.py": text})]
    assert [message[: len(says)] for message in messages] == ([says] if says else [])


@pytest.mark.parametrize(
    ("path", "extra"),
    [
        ("src/utils.py", True),
        ("src/__init__.py", True),
        ("setup.py", True),
        ("README.md", False),
        ("uv.lock", False),
        ("config/.gitkeep", False),
    ],
)
def test_a_file_beside_the_seven_is_extra_unless_every_repository_has_it(
    path: str, extra: bool
) -> None:
    assert bool(found("FS03", {path: "x"})) is extra


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("from sklearn.metrics import f1_score\n", Severity.BLOCKER),
        ("def f():\n    import sklearn\n", Severity.MAJOR),
        ("def f():\n    import sklearn\nf()\n", Severity.BLOCKER),
    ],
    ids=["module level", "dead code", "function that is called"],
)
def test_an_undeclared_import_is_as_bad_as_what_reaches_it(line: str, severity: Severity) -> None:
    (finding,) = found("FS05", {"src/preprocess.py": line})
    assert "scikit-learn" in finding.message
    assert finding.severity is severity
    assert finding.span is not None
    assert finding.span.file == "pyproject.toml"


@pytest.mark.parametrize(
    "line",
    [
        "import json, numpy\n",
        "import our_lab_tools\n",
        "try:\n    import sklearn\nexcept ImportError:\n    pass\n",
        "from .model import x\n",
    ],
    ids=["brought along", "unknown module", "guarded", "local"],
)
def test_an_import_that_is_there_or_unknown_is_passed_over(line: str) -> None:
    assert found("FS05", {"src/preprocess.py": line}) == []


def test_an_optional_dependency_is_not_installed() -> None:
    pyproject = (
        PROJECT
        + DEPENDENCIES.format(more="")
        + '[project.optional-dependencies]\nml = ["scikit-learn"]\n'
    )
    assert (
        len(found("FS05", {"pyproject.toml": pyproject, "src/preprocess.py": "import sklearn\n"}))
        == 1
    )


@pytest.mark.parametrize(
    ("call", "severity"),
    [
        ('evaluate.load("rouge")\n', Severity.BLOCKER),
        ('if cfg.score:\n    evaluate.load("rouge")\n', Severity.MAJOR),
    ],
    ids=["always", "conditional"],
)
def test_a_call_that_needs_an_undeclared_distribution_is_flagged(
    call: str, severity: Severity
) -> None:
    pyproject = PROJECT + DEPENDENCIES.format(more=', "evaluate"')
    (finding,) = found(
        "FS07", {"pyproject.toml": pyproject, "src/preprocess.py": f"import evaluate\n{call}"}
    )
    assert finding.severity is severity
    assert "rouge-score" in finding.message


def test_a_needed_distribution_that_is_imported_too_is_told_once() -> None:
    pyproject = PROJECT + DEPENDENCIES.format(more=', "evaluate"')
    code = 'import evaluate\nimport sklearn\nevaluate.load("accuracy")\n'
    files: dict[str, str | None] = {"pyproject.toml": pyproject, "src/preprocess.py": code}
    assert [len(found(rule, files)) for rule in ("FS05", "FS07")] == [1, 0]


def test_a_poetry_table_installs_nothing_under_uv() -> None:
    (finding,) = found(
        "FS06",
        {
            "pyproject.toml": (
                '[tool.poetry]\nname = "gated"\n[tool.poetry.dependencies]\ntorch = "*"\n'
            )
        },
    )
    assert "uv does not read [tool.poetry]" in finding.message


POETRY_ALONE = """
[project]
name = "gated"
version = "0.1.0"
[tool.poetry.dependencies]
torch = "*"
"""


@pytest.mark.parametrize(
    ("shown", "more", "count"),
    [
        ("uv run python -m src.main --quick", {}, 1),
        ("python -m src.main --quick", {}, 0),
        ("uv run python -m src.main --quick", {"requirements.txt": "torch\n"}, 0),
        ("uv run python -m src.main --quick", {"README.md": "First `uv pip install torch`.\n"}, 0),
    ],
    ids=["by uv", "by Python", "a list beside", "another way to install"],
)
def test_where_the_contract_has_no_command_it_counts_how_the_submission_says_it_is_started(
    shown: str, more: dict[str, str], count: int
) -> None:
    main = f'"""Start it:\n\n    {shown}\n"""\nimport sys\nimport torch\n'
    main += 'if __name__ == "__main__":\n    print(sys.argv)\n'
    files: dict[str, str | None] = dict.fromkeys(SOUND_FILES)
    files |= {"pyproject.toml": POETRY_ALONE, "src/main.py": main, **more}
    submission = make_submission(files, {}, contract=contract("plain"))
    made = [*find_rule("FS06")(Facts(submission))]
    assert [str(finding.span) for finding in made] == ["pyproject.toml:5"] * count


@pytest.mark.parametrize(
    ("bits", "severities"), [("4", ["blocker"]), ("16", [])], ids=["four bits", "sixteen bits"]
)
def test_what_a_run_gives_to_a_call_says_what_it_needs(bits: str, severities: list[str]) -> None:
    code = """
import hydra
from transformers import AutoModelForCausalLM, BitsAndBytesConfig

def packed(cfg):
    if cfg.model.bits > 8:
        return None
    return BitsAndBytesConfig(load_in_4bit=int(cfg.model.bits) == 4)

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    AutoModelForCausalLM.from_pretrained("gpt2", quantization_config=packed(cfg))
"""
    pyproject = '[project]\nname = "a"\nversion = "1"\ndependencies = ["hydra-core", "peft"]\n'
    config = f"defaults:\n  - _self_\nrun: ???\nmodel:\n  bits: {bits}\n"
    files = {"pyproject.toml": pyproject, "src/train.py": code, "config/config.yaml": config}
    assert [finding.severity for finding in found("FS07", files)] == severities


@needs_shared
def test_every_pyproject_that_a_real_run_had_to_repair_is_flagged_and_no_other_of_them() -> None:
    rows = [
        json.loads(line)
        for line in (SHARED / "outcomes" / "outcomes.jsonl").read_text("utf-8").splitlines()
    ]
    mended = {
        row["submission"]
        for row in rows
        if any(fix["category"] == "pyproject_invalid" for fix in row["fixes"])
    }
    logs = {path.stem: path for path in LOGS}
    flagged = set()
    for row in rows:
        facts = Facts(open_bundle(logs[row["submission"]]))
        findings = [
            finding for rule in ("FS04", "FS06", "FS08") for finding in find_rule(rule)(facts)
        ]
        if any(finding.severity is Severity.BLOCKER for finding in findings):
            flagged.add(row["submission"])
    assert flagged == mended


@pytest.mark.parametrize(
    ("python", "wanted", "fits"),
    [
        (">=3.9", "scipy>=1.14", False),
        (">=3.10", "scipy>=1.14", True),
        (">=3.9", "scipy>=1.13", True),
        (">=3.9", "scipy", True),
        (">=3.9", "scipy<1.14", True),
        (">=3.8,<3.9", "numpy>=2.1", False),
        (">=3.11,<3.13", "numpy>=2.1", True),
        ("==3.11.*", "numpy==2.2.*", True),
    ],
)
def test_a_python_is_too_old_only_for_what_every_allowed_release_needs(
    python: str, wanted: str, fits: bool
) -> None:
    project = f'{PROJECT}requires-python = "{python}"\ndependencies = ["{wanted}"]\n'
    assert (found("FS10", {"pyproject.toml": project}) == []) is fits


@pytest.mark.parametrize(
    ("name", "usable"),
    [("sklearn", False), ("PIL", False), ("argparse", True), ("scikit-learn", True)],
)
def test_names_of_modules_are_no_names_of_distributions(name: str, usable: bool) -> None:
    project = f'{PROJECT}dependencies = ["torch", "{name}"]\n'
    assert (found("FS09", {"pyproject.toml": project}) == []) is usable
