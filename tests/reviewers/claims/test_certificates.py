"""Guards that only a certificate refutes a claim, and only one of which it denies everything."""

import pytest

from reviewers.claims.certificates import Certificate
from reviewers.claims.checks import Checked
from reviewers.records import Check
from tests.builders import SOUND_FILES, SOUND_RUNS
from tests.reviewers.claims.asking import claim, claims

_IMPORTS = "import math\nimport optuna\nimport numpy as np\n\n"
_CODE = {
    "src/model.py": _IMPORTS
    + """

class Gate:
    def forward(self, rows):
        parts = [parse_answers(row) for row in rows]
        return np.mean(parts) * math.pi

    def reset(self):
        raise NotImplementedError


def parse_answers(row):
    return optuna.create_study(row)
"""
}


@pytest.mark.parametrize(
    "text",
    [
        "model.py has a syntax error.",
        "src/model.py cannot be parsed.",
        "model.py is not valid Python.",
        r"model.py writes `def forward(self, rows) -\u003e float:`, which is a syntax error.",
        "src/model.py is missing.",
        "src/model.py does not exist.",
        "config.yaml is embedded in the code, not an actual file.",
        "src/model.py is empty.",
        "model.py uses `np` without importing it.",
        "`math` is never imported in model.py, so `math.pi` raises a NameError.",
        "Gate has no forward() method.",
        "`python -m src.train` fails because src has no __init__.py.",
    ],
)
def test_a_plain_denial_of_what_stands_there_is_refuted(text: str) -> None:
    files = {} if "src.train" in text else _CODE
    if "u003e" in text:
        files = {"src/model.py": "def forward(self, rows) -> float:\n    return 1.0\n"}
    found = claim(text, files)
    assert found.check.result is Check.REFUTED, found.check.evidence
    assert found.check.misreading is not None


@pytest.mark.parametrize(
    "text",
    [
        # the certificate denies less than the claim says
        "Answers that do not parse drop out of the denominator in model.py.",
        "`parse_answers` in model.py fails to parse negative numbers.",
        "`parse_answers` in model.py does not parse.",
        "The override that model.py builds has invalid syntax.",
        "model.py has no syntax error.",
        "model.py does not compile the network with torch.compile.",
        "src/model.py is missing the second head.",
        "src/model.py is missing a docstring.",
        "src/model.py is not missing.",
        "src/model.py is not found from the run's own directory.",
        "config.yaml is missing the section `schedule`.",
        "The list that model.py returns is empty.",
        "src/model.py is empty of comments.",
        "src/model.py is not empty.",
        "`cfg.optuna` is not defined in model.py.",
        "`cfg.optuna` does not exist.",
        "`math` is imported in model.py but never used.",
        "`math` is never used in model.py.",
        "model.py never imports `math` from the right package.",
        "model.py never imports `math` for the sake of memory.",
        "`from .model import Router` fails, since Router is missing.",
        "Gate does not implement reset().",
        "Gate has no forward() method that accepts a mask.",
        "`python -m src.train` fails because src has no __init__.py and no data.",
    ],
)
def test_a_claim_that_says_something_else_is_not_refuted(text: str) -> None:
    for found in claims(text, _CODE):
        assert found.check.result is not Check.REFUTED, found.check.evidence
        assert found.check.misreading is None


_LITERAL = """
import json
import concurrent
import sys

if sys.platform == "win32":
    import numpy as np

SPEC = json.loads("{bad")


class Gate:
    def forward(self, rows):
        return concurrent.futures.wait(np.mean(rows))

    del forward
"""
_NEW_SYNTAX = """
def route(x):
    match x:
        case 1:
            return 2
"""
_BARE_PROJECT = '[build-system]\nrequires = ["setuptools"]\n'
_WORDS = "def main():\n    words = OmegaConf.from_cli()\n"


@pytest.mark.parametrize(
    ("path", "code", "text"),
    [
        # of another Python than the one that parsed it
        ("src/model.py", _NEW_SYNTAX, "model.py does not parse with Python 3.9."),
        ("src/model.py", _NEW_SYNTAX, "src/model.py is not valid Python 3.8."),
        # of something in the file
        ("src/model.py", _LITERAL, "The string literal in model.py cannot be parsed."),
        ("src/model.py", _LITERAL, "model.py contains a string that cannot be parsed."),
        ("src/model.py", _LITERAL, "The string in model.py contains a syntax error."),
        ("src/model.py", _LITERAL, "model.py does not compile the module."),
        ("src/model.py", _LITERAL, "model.py has blank lines."),
        ("pyproject.toml", _BARE_PROJECT, "pyproject.toml is missing requirements."),
        ("pyproject.toml", _BARE_PROJECT, "pyproject.toml is missing the project."),
        ("pyproject.toml", _BARE_PROJECT, "pyproject.toml is missing the Python requirement."),
        ("config/config.yaml", "run: ???\n", "config.yaml is missing the required project."),
        # an import of the package, or one that is not always carried out
        ("src/model.py", _LITERAL, "`concurrent.futures` is never imported in model.py."),
        ("src/model.py", _LITERAL, "model.py uses `concurrent.futures` without importing it."),
        ("src/model.py", _LITERAL, "`np` is undefined in model.py."),
        ("src/model.py", _LITERAL, "Gate has no forward() method."),
        # just what the certificate says, too
        ("src/evaluate.py", _WORDS, "evaluate.py does not take positional arguments."),
        ("src/evaluate.py", _WORDS, "evaluate.py expects words instead of positional arguments."),
        # of what stands in files that it calls by their keys
        ("src/model.py", _LITERAL, "The keys in evaluate_py do not match the names in train_py."),
        ("src/model.py", _LITERAL, "evaluate_py uses names that do not match the keys."),
    ],
)
def test_a_true_claim_in_nearly_the_words_of_a_denial_is_not_refuted(
    path: str, code: str, text: str
) -> None:
    if path == "src/evaluate.py":
        code = "from omegaconf import OmegaConf\n\n\n" + code
    for found in claims(text, {path: code}):
        assert found.check.result is not Check.REFUTED, found.check.evidence


def test_a_file_that_is_run_by_its_path_is_in_no_package() -> None:
    files = {
        "src/main.py": SOUND_FILES["src/main.py"].replace(
            '"-m",\n        "src.train"', '"src/train.py"'
        ),
        "src/train.py": SOUND_FILES["src/train.py"].replace("from src.", "from ."),
    }
    text = "train.py fails with ImportError: attempted relative import with no known parent package"
    assert claim(text, files).check.result is not Check.REFUTED
    files.pop("src/main.py")
    assert claim(text, files).check.result is Check.REFUTED


def test_a_key_of_a_run_file_does_not_refute_that_the_main_configuration_lacks_it() -> None:
    assert "learning_rate" in next(iter(SOUND_RUNS.values()))
    assert "learning_rate" not in SOUND_FILES["config/config.yaml"]
    for found in claims("config.yaml lacks the key `training.learning_rate`."):
        assert found.check.result is not Check.REFUTED


def test_what_speaks_against_a_claim_is_told_without_blame() -> None:
    found = claim("`train.py` logs only `train_loss`.")
    assert found.check.result is Check.UNVERIFIED
    assert "as well" in found.check.evidence
    assert found.check.misreading is None


def test_a_package_is_not_the_reason_where_an_import_fails_for_another() -> None:
    broken = {"src/model.py": "from .layers import Wide\n"}
    text = "`python -m src.train` fails because src has no __init__.py."
    assert claim(text, broken).check.result is not Check.REFUTED


def test_a_certificate_and_a_refutation_come_together_or_not_at_all() -> None:
    Checked(Check.REFUTED, "it parses", certificate=Certificate.PARSES)
    with pytest.raises(ValueError, match="certificate"):
        Checked(Check.REFUTED, "it parses")
    with pytest.raises(ValueError, match="certificate"):
        Checked(Check.CONFIRMED, "it parses", certificate=Certificate.PARSES)


@pytest.mark.parametrize("certificate", Certificate)
def test_each_certificate_says_why_a_reviewer_was_wrong(certificate: Certificate) -> None:
    assert certificate.misreading
