"""Guards the checks on figures, tests, tracking, modes, library facts and sweeping praise."""

import pytest

from reviewers.records import Check
from tests.builders import contract
from tests.reviewers.claims.asking import claim

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED
ONE_CURVE = (
    "import matplotlib.pyplot as plt\n\n\ndef curve(run_id, values):\n    plt.plot(values)\n   "
    " plt.savefig(f'{run_id}_learning_curve.pdf')\n\n\ndef main():\n    curve('a',"
    " [1])\n\n\nmain()\n"
)
PICTURE = "import matplotlib.pyplot as plt\n\nplt.savefig('accuracy.png')\n"
LOGS_LOSS = (
    "import wandb\n\n\ndef main():\n    wandb.init(entity='us', project='them')\n   "
    " wandb.log({'train_loss': 1.0, 'epoch': 1})\n"
)
READS = (
    "import wandb\n\n\ndef main():\n    run = wandb.Api().run('a')\n    history = run.history()\n  "
    "  return history['val_acc']\n"
)


@pytest.mark.parametrize(
    ("text", "files", "result", "shown"),
    [
        pytest.param(
            "evaluate.py draws no box plots.", {}, CONFIRMED, "box plots", id="no-box-plot"
        ),
        pytest.param(
            "No statistical significance tests are performed.",
            {},
            UNVERIFIED,
            "ttest_ind",
            id="test-is-there",
        ),
        pytest.param(
            "No statistical significance tests are performed.",
            {"src/evaluate.py": ONE_CURVE},
            CONFIRMED,
            "statistical tests",
            id="no-test",
        ),
        pytest.param(
            "evaluate.py omits significance tests of all metrics.",
            {},
            UNVERIFIED,
            "ttest_ind",
            id="test-is-there-but-more-was-asked",
        ),
        pytest.param(
            "The script only draws a learning curve.",
            {"src/evaluate.py": ONE_CURVE},
            CONFIRMED,
            "no others",
            id="only-a-curve",
        ),
        pytest.param(
            "The evaluation script only draws a bar chart.",
            {"src/evaluate.py": ONE_CURVE},
            UNVERIFIED,
            "learning curves",
            id="another-figure",
        ),
        pytest.param(
            "Figures in evaluate.py are saved as png, not PDF.",
            {"src/evaluate.py": PICTURE},
            CONFIRMED,
            "accuracy.png",
            id="png",
        ),
        pytest.param(
            "Figures in evaluate.py are saved as png, not PDF.",
            {},
            UNVERIFIED,
            "only PDF",
            id="pdf",
        ),
        pytest.param(
            "Figure names do not follow the naming pattern.",
            {"src/evaluate.py": ONE_CURVE},
            UNVERIFIED,
            "follows the pattern",
            id="names",
        ),
        pytest.param(
            "Figure names do not follow the naming pattern.",
            {"src/evaluate.py": PICTURE},
            CONFIRMED,
            "accuracy.png",
            id="other-names",
        ),
        pytest.param(
            "train.py never saves the model.", {}, CONFIRMED, "saved models", id="no-checkpoint"
        ),
        pytest.param(
            "train.py never launches an Optuna study.", {}, UNVERIFIED, "create_study", id="study"
        ),
        pytest.param(
            "train.py logs only `train_loss`.",
            {"src/train.py": LOGS_LOSS},
            CONFIRMED,
            "no others",
            id="only-loss",
        ),
        pytest.param(
            "train.py logs only `train_loss`.", {}, UNVERIFIED, "accuracy", id="more-than-loss"
        ),
        pytest.param(
            "The learning rate is not logged.",
            {},
            CONFIRMED,
            "learning rate",
            id="no-learning-rate",
        ),
        pytest.param(
            "evaluate.py reads `val_acc`, which train.py never logs.",
            {"src/train.py": LOGS_LOSS, "src/evaluate.py": READS},
            CONFIRMED,
            "src/evaluate.py:7",
            id="key-never-logged",
        ),
        pytest.param(
            "Entity and project are hard-coded in train.py.",
            {"src/train.py": LOGS_LOSS},
            CONFIRMED,
            "src/train.py:5",
            id="hard-coded",
        ),
        pytest.param(
            "Entity and project are hard-coded in train.py.",
            {},
            UNVERIFIED,
            "",
            id="not-hard-coded",
        ),
        pytest.param("train.py writes results.json.", {}, UNVERIFIED, "writes JSON", id="no-json"),
        pytest.param(
            "train.py writes “final.json”.",
            {
                "src/train.py": (
                    "import json\n\nwith open('final.json', 'w') as out:\n    json.dump({}, out)\n"
                )
            },
            CONFIRMED,
            "final.json",
            id="json",
        ),
        pytest.param(
            "Optuna is only limited to 2 trials instead of 0.",
            {
                "src/train.py": (
                    "def mode(cfg):\n    if cfg.mode == 'trial':\n        cfg.optuna.n_trials = 2\n"
                )
            },
            CONFIRMED,
            "n_trials = 2",
            id="two-trials",
        ),
        pytest.param(
            "Optuna is only limited to 2 trials instead of 0.",
            {},
            UNVERIFIED,
            "n_trials = 0",
            id="no-trials",
        ),
        pytest.param(
            "nn.Linear expects 2-D inputs.", {}, UNVERIFIED, "documentation", id="library-fact"
        ),
        pytest.param("Everything else complies.", {}, UNVERIFIED, "", id="nothing-else-is-wrong"),
        pytest.param(
            "Everything else complies.",
            {"pyproject.toml": "[project]\nname = 3\n"},
            UNVERIFIED,
            "pyproject.toml",
            id="something-is",
        ),
    ],
)
def test_outputs_and_tracking_decide(
    text: str, files: dict[str, str | None], result: Check, shown: str
) -> None:
    found = claim(text, files)
    assert found.check.result is result, found.check.evidence
    assert shown in found.check.evidence


def test_a_function_that_nothing_calls_proves_nothing_done() -> None:
    unused = (
        "from scipy.stats import ttest_ind\n\n\ndef compare(a, b):\n    return ttest_ind(a, b)\n"
    )
    assert (
        claim("No significance tests are performed.", {"src/evaluate.py": unused}).check.result
        is UNVERIFIED
    )


@pytest.mark.parametrize(
    ("names", "result", "shown"),
    [
        ('["{run_id}_{topic}.png", "all_{topic}.png"]', CONFIRMED, "accuracy.png"),
        ('["accuracy{topic}.png"]', UNVERIFIED, "follows the pattern"),
        ('["{topic}.png"]', UNVERIFIED, "follows the pattern"),
        ("[]", UNVERIFIED, ""),
    ],
    ids=["begins otherwise", "begins so", "any beginning", "nothing asked"],
)
def test_figures_are_named_as_the_submissions_own_contract_says(
    names: str, result: Check, shown: str
) -> None:
    asked = contract("nine-modes", f'[outputs]\nfigure_format = "png"\nfigure_names = {names}\n')
    text = "Figure names do not follow the naming pattern."
    found = claim(text, {"src/evaluate.py": PICTURE}, contract=asked)
    assert found.check.result is result, found.check.evidence
    assert shown in found.check.evidence
