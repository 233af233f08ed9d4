"""Guards the checks on what code has and does: syntax, imports, names, definitions, calls,
placeholders.
"""

import pytest

from reviewers.records import Check, Misreading
from tests.builders import SOUND_FILES
from tests.reviewers.claims.asking import claim, claims

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED


@pytest.mark.parametrize(
    "escape",
    [r"-\u003e", r"-\>", "-\x03e", "- >", "-›"],
    ids=["json", "markdown", "control-character", "space", "other-arrow"],
)
def test_an_arrow_that_only_the_prompt_escaped_is_no_syntax_error(escape: str) -> None:
    found = claim(
        f"1. model.py has a syntax error: `def forward(self, x: torch.Tensor) {escape}"
        " torch.Tensor:` is not valid Python."
    )
    assert found.check.result is REFUTED
    assert found.check.misreading is Misreading.PROMPT_ARTIFACT
    assert "parses with Python 3" in found.check.evidence
    assert found.span is not None
    assert found.span.file == "src/model.py"
    assert "->" in SOUND_FILES["src/model.py"].splitlines()[(found.span.line or 0) - 1]


def test_a_sentence_that_leans_on_a_misread_arrow_is_wrong_for_the_same_reason() -> None:
    first, second = (
        found
        for found in claims(
            "1. In every file the functions use an invalid return-type annotation token `- >`."
            " There must be no space between the dash and the greater-than sign – it has to be"
            " `->`. The current spelling raises a SyntaxError."
        )
        if found.check.result is REFUTED
    )
    assert "SyntaxError" in (second.claim or "")
    assert first.check.misreading is second.check.misreading is Misreading.PROMPT_ARTIFACT


def test_a_file_that_does_not_parse_confirms_with_its_line() -> None:
    found = claim(
        "preprocess.py contains a syntax error.",
        {"src/preprocess.py": "x = 1\ndef load(:\n    pass\n"},
    )
    assert found.check.result is CONFIRMED
    assert found.span is not None
    assert (found.span.file, found.span.line) == ("src/preprocess.py", 2)


def test_an_error_that_only_compiling_finds_is_no_refutation() -> None:
    assert (
        claim("train.py has a syntax error.", {"src/train.py": "x = 1\nreturn x\n"}).check.result
        is CONFIRMED
    )


def test_an_escape_beside_a_real_syntax_error_stays_open() -> None:
    found = claim(
        r"model.py has a syntax error: `-\u003e` is no arrow.",
        {"src/model.py": "def f(:\n    pass\n"},
    )
    assert found.check.result is UNVERIFIED
    assert "does not parse" in found.check.evidence


def test_one_broken_file_of_two_named_is_half_true() -> None:
    found = claim(
        "train.py and model.py contain syntax errors.", {"src/model.py": "def f(:\n    pass\n"}
    )
    assert found.check.result is UNVERIFIED
    assert "src/train.py does" in found.check.evidence


@pytest.mark.parametrize(
    ("text", "files", "result", "shown"),
    [
        pytest.param(
            "train.py imports `from .helpers import seed_all` but src/helpers.py is not provided.",
            {"src/train.py": "import os\nfrom .helpers import seed_all\n"},
            CONFIRMED,
            "src/train.py:2",
            id="missing-module",
        ),
        pytest.param(
            "train.py imports from src.model but src/model.py is missing.",
            {},
            UNVERIFIED,
            "src/model.py is part",
            id="module-is-there",
        ),
        pytest.param(
            "main.py uses sys.executable but never imports sys.",
            {"src/main.py": "import os\n\n\ndef main():\n    return sys.executable\n"},
            CONFIRMED,
            "line 5 of src/main.py",
            id="undefined",
        ),
        pytest.param(
            "evaluate.py never imports json, so a NameError follows.",
            {},
            REFUTED,
            "imports `json`",
            id="imported",
        ),
        pytest.param(
            "model.py misses `from typing import Any`, used in annotations.",
            {
                "src/model.py": (
                    "from __future__ import annotations\n\n\ndef f(x: Any) -> None:\n    return"
                    " None\n"
                )
            },
            UNVERIFIED,
            "never evaluated",
            id="annotation-that-stays-text",
        ),
        pytest.param(
            "train.py uses torch before it is imported.",
            {"src/train.py": "def f():\n    torch.load('x')\n    import torch\n"},
            CONFIRMED,
            "before anything binds it",
            id="local-import-later",
        ),
        pytest.param(
            "The class GatedMLP has no forward() method.",
            {},
            REFUTED,
            "defines GatedMLP.forward",
            id="method-is-there",
        ),
        pytest.param(
            "The class Router has no forward() method.",
            {
                "src/model.py": (
                    "from torch import nn\n\n\nclass Router(nn.Module):\n    def __init__(self):\n "
                    "       super().__init__()\n"
                )
            },
            CONFIRMED,
            "defines no forward",
            id="method-missing",
        ),
        pytest.param(
            "The class Router has no forward() method.",
            {"src/model.py": "from peft import Base\n\n\nclass Router(Base):\n    x = 1\n"},
            UNVERIFIED,
            "",
            id="unknown-base",
        ),
        pytest.param(
            "Router misses a `config` attribute.",
            {"src/model.py": "class Router:\n    def __init__(self):\n        self.config = 1\n"},
            UNVERIFIED,
            "src/model.py:3",
            id="attribute-is-set",
        ),
        pytest.param(
            "Local helper `scale(x)` expects one argument but is invoked as `scale(model, x)`.",
            {
                "src/train.py": (
                    "def fit(model, x):\n    def scale(x):\n        return x\n\n    return"
                    " scale(model, x)\n"
                )
            },
            CONFIRMED,
            "line 5 calls it with 2",
            id="too-many-arguments",
        ),
        pytest.param(
            "`Router.open_gate` is a stub (`pass`).",
            {"src/model.py": "class Router:\n    def open_gate(self):\n        pass\n"},
            CONFIRMED,
            "only `pass`",
            id="stub",
        ),
        pytest.param(
            "model.py raises NotImplementedError for the text branch.",
            {
                "src/model.py": (
                    "def build(kind):\n    if kind == 'text':\n        raise"
                    " NotImplementedError('later')\n"
                )
            },
            CONFIRMED,
            "src/model.py:3",
            id="not-implemented",
        ),
        pytest.param(
            "train.py raises NotImplementedError in the loop.",
            {},
            UNVERIFIED,
            "No file has the word",
            id="not-raised",
        ),
        pytest.param(
            "train.py contains the comment “# left out for brevity”.",
            {"src/train.py": "x = 1\n# left out for brevity\n"},
            CONFIRMED,
            "src/train.py:2",
            id="comment",
        ),
        pytest.param(
            "`GatedMLP` is never instantiated.",
            {"src/model.py": "class GatedMLP:\n    x = 1\n"},
            CONFIRMED,
            "nowhere else",
            id="unused",
        ),
        pytest.param("`encode` is never called.", {}, UNVERIFIED, "calls encode", id="called"),
        pytest.param(
            "plan() only returns a scalar.",
            {"src/train.py": "def plan(x):\n    if x:\n        return 0.0\n    return x.item()\n"},
            CONFIRMED,
            "`return 0.0`",
            id="returns-scalar",
        ),
        pytest.param(
            "main.py uses `subprocess.run(command, cwd=root, check=True)`.",
            {},
            CONFIRMED,
            "of src/main.py",
            id="quote-is-there",
        ),
        pytest.param(
            "train.py imports optuna and torch.",
            {},
            CONFIRMED,
            "imports optuna and torch",
            id="imports",
        ),
    ],
)
def test_the_code_decides(
    text: str, files: dict[str, str | None], result: Check, shown: str
) -> None:
    found = claim(text, files)
    assert found.check.result is result, found.check.evidence
    assert shown in found.check.evidence


@pytest.mark.parametrize(
    "text",
    [
        "`python -m src.train` fails because src/__init__.py is missing.",
        "Relative imports raise ImportError without src/__init__.py.",
        "The entry points will fail with 'No module named src'.",
    ],
    ids=["command", "relative", "no-module"],
)
def test_a_namespace_package_needs_no_init(text: str) -> None:
    found = claim(text, {"src/train.py": "from .model import build_model\n"})
    assert found.check.result is REFUTED
    assert found.check.misreading is Misreading.STALE_VERSION_KNOWLEDGE
    assert "PEP 420" in found.check.evidence


@pytest.mark.parametrize(
    "text",
    [
        (
            "When the child process starts in another working directory, `No module named src` is"
            " raised."
        ),
        "src/__init__.py is missing.",
        "Relative imports only work inside a package.",
    ],
    ids=["child-process", "literally-true", "true-in-general"],
)
def test_what_is_true_of_packages_is_not_refuted(text: str) -> None:
    assert (
        claim(text, {"src/train.py": "from .model import build_model\n"}).check.result
        is not REFUTED
    )


def test_what_follows_from_a_confirmed_claim_is_confirmed() -> None:
    found = claims(
        "1. train.py imports `from .helpers import seed_all`, but no src/helpers.py is provided."
        " This causes an ImportError.",
        {"src/train.py": "from .helpers import seed_all\n"},
    )
    assert [finding.check.result for finding in found][-1] is CONFIRMED


def test_what_follows_from_a_refuted_claim_is_left_open() -> None:
    found = claims("1. src/model.py is missing. This breaks the whole training.")
    assert [each.check.result for each in found] == [REFUTED, UNVERIFIED]


def test_a_confirmed_defect_does_not_prove_the_crash_that_is_said_to_follow() -> None:
    found = claim(
        "The class Router has no forward() method and so training crashes with ZeroDivisionError.",
        {"src/model.py": "class Router:\n    x = 1\n"},
    )
    assert found.check.result is not REFUTED


@pytest.mark.parametrize("word", ["may", "might", "could", "probably"])
def test_what_only_may_be_is_neither_confirmed_nor_refuted(word: str) -> None:
    assert claim(f"train.py {word} never log the learning rate.").check.result is UNVERIFIED
