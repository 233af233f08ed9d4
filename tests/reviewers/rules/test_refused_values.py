"""Guards that numbers where a library needs a text, and methods that a library leaves without a
body, are told.
"""

from datetime import UTC, datetime

import pytest

from reviewers.records import DatedBy, Generated, Severity
from tests.builders import SOUND_FILES
from tests.reviewers.rules.asking import findings

CODE = """
import hydra, optuna, timm, torch, torchvision, wandb
from torch.distributions import Beta, Normal

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    {use}
"""


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("wandb.init(project=251109)", "Input should be a valid string"),
        ("wandb.init(name=cfg.number)", "wandb.init(name=7)` in run"),
        ("wandb.init(project=str(cfg.number))", None),
        ("wandb.init(project=cfg.run)", None),
        ("wandb.init(config={'project': 1})", None),
        ("Beta(2.0, 3.0).cdf(torch.tensor(0.5))", "NotImplementedError"),
        ("torch.distributions.Beta(2.0, 3.0).cdf(0.5)", "NotImplementedError"),
        ("Normal(0.0, 1.0).cdf(torch.tensor(0.5))", None),
        ("Beta(2.0, 3.0).entropy()", None),
        ("optuna.create_study().ask().suggest_float('lr', cfg.run, 0.1)", "TypeError: '>' not"),
        ("optuna.create_study().ask().suggest_float('lr', '0.1', '0.2')", None),
        ("optuna.create_study().ask().suggest_int('n', 5, 3)", "must be smaller than or equal"),
        ("optuna.create_study().ask().suggest_int('n', 3, cfg.number)", None),
        (
            "def search(how):\n        return how.suggest_float('x', cfg.zero, 1, log=True)\n"
            "    optuna.create_study().optimize(search, n_trials=1)\n"
            "    optuna.create_study().optimize(func=search, n_trials=2, callbacks=[search])",
            "must hold for `log=True`",
        ),
        (
            "from transformers import TrainingArguments\n"
            "    TrainingArguments('x', eval_strategy='epoch', load_best_model_at_end=True)",
            "requires the save and eval strategy to match",
        ),
        (
            "from transformers import TrainingArguments\n    how = input()\n"
            "    TrainingArguments('x', eval_strategy=how, load_best_model_at_end=True)\n"
            "    TrainingArguments('x', eval_strategy='steps', load_best_model_at_end=True)",
            None,
        ),
        ("torch.nn.Linear(cfg.number / 2, 3)", "nn.Linear(in_features=3.5)"),
        ("torch.nn.Linear(cfg.number // 2, 3)", None),
        ("timm.create_model('resnet50x')", "RuntimeError: Unknown model"),
        ("timm.create_model(cfg.backbone)", "timm.create_model(model_name='resnet51')` in run"),
        ("timm.create_model('resnet50.a1_in1k')", None),
        ("timm.create_model('vit_base_patch16_224_in21k')", None),
        ("timm.create_model('hf_hub:someone/resnet50x')", None),
        ("timm.create_model(f'resnet{cfg.number}')", "RuntimeError: Unknown model"),
        ("torchvision.models.get_model('resnet19')", "ValueError: Unknown model"),
        ("torchvision.models.get_model('quantized_ResNet50')", None),
        ("torchvision.models.get_model('fasterrcnn_resnet50_fpn')", None),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_a_library_refuses_is_told(use: str, said: str | None) -> None:
    config = SOUND_FILES["config/config.yaml"] + "\nzero: 0\nbackbone: resnet51\nnumber: 7\n"
    code = CODE.replace("{use}", use)
    found = findings("IM12", {"src/train.py": code, "config/config.yaml": config})
    assert len(found) == (said is not None)
    assert all(str(said) in finding.message for finding in found)
    if "(cfg.backbone)" in use or "=cfg.number" in use:
        places = [(place.span.file, place.span.line) for each in found for place in each.further]
        line = len(config.splitlines()) - ("backbone" in use)
        assert places == [("config/config.yaml", line)]


@pytest.mark.parametrize(
    ("day", "severity"),
    [(None, Severity.BLOCKER), ("2025-01-05", Severity.MAJOR), ("2026-01-05", Severity.BLOCKER)],
)
def test_what_only_a_later_release_refuses_is_major_and_dated(
    day: str | None, severity: Severity
) -> None:
    generated = day and Generated(datetime.fromisoformat(day).replace(tzinfo=UTC), DatedBy.COMMIT)
    use = "import matplotlib.pyplot as plt\n    plt.style.use('seaborn-paper')"
    files = {
        "src/train.py": CODE.replace("{use}", use),
        "pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["matplotlib"]\n',
    }
    (finding,) = findings("IM12", files, generated=generated)
    assert finding.severity is severity
    dated = "only since a release after the submission (2025-01-05): matplotlib 3.10.7 is of 2025"
    assert (dated in finding.message) is (severity is Severity.MAJOR)


PARENT = """
import subprocess, sys, hydra

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    number = {number}
    words = [sys.executable, "-m", "src.train", f"run={cfg.run}", f"number={number}"]
    subprocess.run(words, check=True)

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(("number", "count"), [("7", 1), ("input()", 0)])
def test_a_word_that_is_only_known_at_run_time_is_no_number(number: str, count: int) -> None:
    config = SOUND_FILES["config/config.yaml"] + "\nnumber: a\n"
    parent = PARENT.replace("{number}", number)
    code = CODE.replace("{use}", "wandb.init(name=cfg.number)")
    files = {"src/main.py": parent, "src/train.py": code, "config/config.yaml": config}
    assert len(findings("IM12", files)) == count
