"""Guards that what is read of a search's result is a name that its trials suggest."""

import pytest

from reviewers.facts import Facts
from reviewers.rules.base import find_rule
from tests.builders import make_submission

TRAIN = """
import hydra
import optuna

def search(cfg):
    def objective(trial):
        {suggest}
        return 1.0

    study = optuna.create_study()
    study.optimize(objective, n_trials=2)
    {read}

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    search(cfg)

if __name__ == "__main__":
    main()
"""
LR = "trial.suggest_float('lr', 1e-5, 1e-3)"
LOOP = "for name in cfg.names: trial.suggest_float(name, 1e-5, 1e-3)"
CONFIG = "run: ???\nresults_dir: ???\nmode: full\nnames: [lr, width]\n"


@pytest.mark.parametrize(
    ("suggest", "read", "count"),
    [
        (LR, "return study.best_params['rate']", 1),
        (LR, "best = study.best_trial.params\n    return best['rate']", 1),
        (LR, "return study.best_params['lr']", 0),
        (LR, "return study.best_params.get('rate', 1)", 0),
        (LR, "best = dict(study.best_params)\n    best['rate'] = 1\n    return best['rate']", 0),
        (
            LR,
            "try:\n        return study.best_params['rate']\n    except KeyError:\n        pass",
            0,
        ),
        (LOOP, "return study.best_params['width'], study.best_params['rate']", 1),
        ("trial.suggest_float(cfg.names[trial.number], 0, 1)", "study.best_params['rate']", 0),
    ],
)
def test_a_name_that_no_trial_suggests_is_found(suggest: str, read: str, count: int) -> None:
    files = {
        "src/train.py": TRAIN.format(suggest=suggest, read=read),
        "config/config.yaml": CONFIG,
    }
    assert len(list(find_rule("RC12")(Facts(make_submission(files))))) == count
