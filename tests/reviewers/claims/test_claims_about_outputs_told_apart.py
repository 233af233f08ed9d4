"""Guards what is said of single figures, keys, accounts, studies and exports, where near wordings
mean other things.
"""

import pytest

from reviewers.records import Check
from tests.reviewers.claims.asking import claim

CONFIRMED, REFUTED, UNVERIFIED = Check.CONFIRMED, Check.REFUTED, Check.UNVERIFIED

DRAWS = """import json
from pathlib import Path

import matplotlib.pyplot as plt
import seaborn as sns
import wandb
from omegaconf import OmegaConf


def curve(history, run_id, folder):
    plt.figure()
    sns.lineplot(data=history)
    path = folder / f"{run_id}_learning_curve.pdf"
    plt.savefig(path)


def main(results, run_ids):
    cfg = OmegaConf.load(Path(__file__).parent.parent / "config" / "config.yaml")
    entity, project = cfg.wandb.entity, cfg.wandb.project
    api = wandb.Api()
    gathered = {}
    metrics = {}
    for run_id in run_ids:
        run = api.run(f"{entity}/{project}/{run_id}")
        config = dict(run.config)
        summary = run.summary._json_dict
        folder = results / run_id
        (folder / "metrics.json").write_text(json.dumps(summary))
        curve(run.history(), run_id, folder)
        gathered[run_id] = summary.get("final_score")
        for key, value in summary.items():
            metrics.setdefault(key, {})[run_id] = value
    path = results / "comparison" / "comparison_final_score.pdf"
    plt.figure()
    sns.barplot(x=list(gathered), y=list(gathered.values()))
    plt.savefig(path)
    with open(results / "comparison" / "aggregated_metrics.json", "w") as out:
        json.dump({"primary_metric": "final_score", "metrics": metrics}, out)


main(Path("."), [])
"""
TRAINS = """import hydra
import optuna
import wandb


def train(cfg):
    wandb.init(project=cfg.wandb.project)
    for epoch in range(2):
        for step, batch in enumerate(cfg.loader):
            loss = batch.loss
            loss.backward()
            wandb.log({"train_loss": loss.item()})
        wandb.log({"val_score": 0.5})
    wandb.summary["final_score"] = 0.5
    return 0.5


@hydra.main(config_path="../config", config_name="config")
def main(cfg):
    if cfg.optuna.n_trials > 0:
        study = optuna.create_study()
        study.optimize(lambda trial: train(cfg), n_trials=2)
        cfg.lr = study.best_params["lr"]
    train(cfg)
"""
ONLY_SEARCHES = TRAINS.replace("\n    train(cfg)", "\n    else:\n        train(cfg)")
NEVER_BEST = TRAINS.replace('        cfg.lr = study.best_params["lr"]\n', "")
SILENT_TRIALS = """import optuna
import wandb


def train(cfg):
    wandb.init(mode=cfg.wandb.mode)


def search(cfg):
    def objective(trial):
        cfg.wandb.mode = "disabled"
        return train(cfg)

    study = optuna.create_study()
    study.optimize(objective, n_trials=2)
"""
ENVIRONMENT = """import os

import wandb


def main(run_id):
    return wandb.Api().run(f"{os.environ['WANDB_ENTITY']}/{os.getenv('WANDB_PROJECT')}/{run_id}")
"""
WRITTEN = """import wandb


def main(run_id):
    return wandb.Api().run(f"someone/something/{run_id}")
"""
SAME = """from scipy.stats import ttest_ind
from sklearn.metrics import confusion_matrix


def main(right, other):
    truth = right
    guess = right
    print(confusion_matrix(truth, guess))
    print(ttest_ind(right, other))
"""
FEW = """def aggregate(scores, times):
    return {"primary_metric": "score", "metrics": {"score": scores, "time": times}}
"""


GAP = """def aggregate(best_proposed, best_baseline):
    gap = (best_proposed - best_baseline) / best_baseline
    return {"primary_metric": "score", "best_proposed": best_proposed, "best_baseline": best_baseline, "gap": gap}


NAME = "comparison/aggregated_metrics.json"
"""  # noqa: E501
PERCENT = GAP.replace("/ best_baseline\n", "/ best_baseline * 100\n")
PASSING_NAME = """from uuid import uuid4

import matplotlib.pyplot as plt


def draw(run_id, folder):
    plt.savefig(folder / f"{run_id}_learning_curve_{uuid4().hex}.pdf")
"""
WRITES_FILE = """import json


def train():
    with open("predictions.json", "w") as out:
        json.dump([], out)
"""


def both(evaluate: str = DRAWS, train: str = TRAINS) -> dict[str, str | None]:
    """The two scripts that these claims are about."""
    return {"src/evaluate.py": evaluate, "src/train.py": train}


@pytest.mark.parametrize(
    ("text", "files", "result", "shown"),
    [
        # figures: which alone, for each run or for all
        ("The comparison stage only draws a bar chart.", both(), CONFIRMED, "line 36: bar charts"),
        ("STEP-2: only a single bar chart is produced.", both(), CONFIRMED, "no others"),
        (
            "Per-run output is limited: only a learning curve is saved.",
            both(),
            CONFIRMED,
            "line 14",
        ),
        (
            "evaluate.py draws no comparison figures except one bar chart.",
            both(),
            CONFIRMED,
            "line 36",
        ),
        ("There are no cross-run figures beyond the bar chart.", both(), CONFIRMED, "line 36"),
        (
            "evaluate.py produces only a learning curve and a bar chart.",
            both(),
            CONFIRMED,
            "and no others",
        ),
        (
            "evaluate.py only produces confusion matrices.",
            both(),
            UNVERIFIED,
            "bar charts and learning curves",
        ),
        ("evaluate.py only produces a learning curve.", both(), UNVERIFIED, "bar charts"),
        ("No comparison figures are generated by evaluate.py.", both(), UNVERIFIED, "bar charts"),
        (
            "The comparison figures demanded by the rubric are missing.",
            both(),
            UNVERIFIED,
            "bar charts",
        ),
        ("No additional comparison plots are saved.", both(), CONFIRMED, "no other"),
        (
            "evaluate.py omits confusion matrices, box plots and significance tests.",
            both(),
            CONFIRMED,
            "Nothing",
        ),
        ("evaluate.py draws neither violin plots nor tables.", both(), CONFIRMED, "violin plots"),
        (
            "evaluate.py draws a learning curve and a bar chart.",
            both(),
            CONFIRMED,
            "lines 14 and 36",
        ),
        ("evaluate.py draws confusion matrices.", both(), UNVERIFIED, "confusion"),
        (
            "evaluate.py only looks at the loss, therefore the learning curve is of little use.",
            both(),
            UNVERIFIED,
            "",
        ),
        ("train.py never logs a confusion matrix to WandB.", both(), UNVERIFIED, ""),
        ("No bar chart is drawn by evaluate.py.", both(), UNVERIFIED, "savefig"),
        ("No bar chart of the latency is drawn.", both(), UNVERIFIED, ""),
        ("evaluate.py plots only the first run's learning curve.", both(), UNVERIFIED, ""),
        (
            "evaluate.py generates a learning curve only if a confusion matrix is there.",
            both(),
            UNVERIFIED,
            "",
        ),
        ("evaluate.py does not generate any figures.", both(), UNVERIFIED, "lines 14 and 36"),
        ("evaluate.py lacks legends.", both(), CONFIRMED, "legends"),
        ("evaluate.py does not compute statistics per class.", {}, UNVERIFIED, ""),
        ("evaluate.py contains a bug in the learning curve.", both(), UNVERIFIED, ""),
        ("No derived metrics are computed.", both(), CONFIRMED, "derived metrics"),
        # keys
        (
            'train.py logs "train_loss" while the summary holds "final_score".',
            both(),
            CONFIRMED,
            "line 12",
        ),
        (
            (
                'The names that train.py logs ("val_score") do not match those looked up in'
                ' evaluate.py ("final_score").'
            ),
            both(),
            UNVERIFIED,
            "src/train.py:14",
        ),
        ('"final_score" is only written to wandb.summary.', both(), CONFIRMED, "no call logs it"),
        ('"train_loss" is only written to wandb.summary.', both(), UNVERIFIED, "history"),
        (
            'evaluate.py will never see the key "final_score".',
            both(),
            UNVERIFIED,
            "src/evaluate.py:31",
        ),
        ("train.py logs nothing per batch.", both(), UNVERIFIED, "train_loss"),
        ("Logging happens per batch.", both(), CONFIRMED, "train_loss"),
        ("Logging every step slows training down.", both(), UNVERIFIED, ""),
        ("train.py fails to log the learning rate.", both(), CONFIRMED, "learning rate"),
        # accounts
        (
            "evaluate.py does not read entity and project from config/config.yaml.",
            both(),
            UNVERIFIED,
            "src/evaluate.py:18",
        ),
        (
            "evaluate.py does not read entity and project from config/config.yaml.",
            both(ENVIRONMENT),
            CONFIRMED,
            "line 7",
        ),
        (
            "evaluate.py uses environment variables for the WandB entity instead.",
            both(ENVIRONMENT),
            CONFIRMED,
            "src/evaluate.py:7",
        ),
        (
            "evaluate.py relies on environment variables for the WandB entity.",
            both(),
            UNVERIFIED,
            "",
        ),
        (
            (
                "evaluate.py hard-codes the WandB entity instead of loading it from"
                " config/config.yaml."
            ),
            both(WRITTEN),
            CONFIRMED,
            "line 5",
        ),
        (
            "evaluate.py does not read the primary metric from config/config.yaml.",
            both(),
            UNVERIFIED,
            "",
        ),
        # studies
        ("In trial mode wandb.init is still called for each trial.", both(), UNVERIFIED, ""),
        ("After the Optuna study no final evaluation run is made.", both(), UNVERIFIED, ""),
        (
            "After the Optuna study no final training run with the best parameters is launched.",
            both(),
            UNVERIFIED,
            "src/train.py:24",
        ),
        (
            "After the Optuna study no final training run with the best parameters is launched.",
            both(train=ONLY_SEARCHES),
            CONFIRMED,
            "nothing trains",
        ),
        (
            "Optuna never leads to a final run with the best parameters.",
            both(train=NEVER_BEST),
            CONFIRMED,
            "best_params",
        ),
        ("Optuna trials are logged to WandB.", both(), CONFIRMED, "starts WandB"),
        (
            "Optuna trials are logged to WandB.",
            both(train=SILENT_TRIALS),
            UNVERIFIED,
            "switches WandB off",
        ),
        (
            "The significance test is not valid because only one value per run is available.",
            both(),
            UNVERIFIED,
            "",
        ),
        # results
        (
            "The confusion matrix is built from identical arrays.",
            both(SAME),
            CONFIRMED,
            "`right` twice",
        ),
        ("The t-test compares identical arrays.", both(SAME), UNVERIFIED, ""),
        # exports
        (
            "evaluate.py never writes the run configuration into the run's directory.",
            both(),
            CONFIRMED,
            "`config`",
        ),
        (
            "evaluate.py never writes the run configuration into the run's directory.",
            both(
                DRAWS.replace(
                    "json.dumps(summary)", 'json.dumps({"summary": summary, "config": config})'
                )
            ),
            UNVERIFIED,
            "src/evaluate.py:28",
        ),
        (
            "aggregated_metrics.json holds only `score` and `time`.",
            both(FEW),
            CONFIRMED,
            "nothing else",
        ),
        ("aggregated_metrics.json holds only `score`.", both(FEW), UNVERIFIED, "time"),
        (
            "aggregated_metrics.json holds only the primary value.",
            both(),
            UNVERIFIED,
            "every number",
        ),
        (
            "aggregated_metrics.json lacks best_proposed and gap.",
            both(GAP),
            UNVERIFIED,
            "`best_proposed` on line 3",
        ),
        (
            "aggregated_metrics.json lacks a gap with the sign of the metric.",
            both(GAP),
            CONFIRMED,
            "whatever the metric",
        ),
        ("The gap in evaluate.py is not a percentage.", both(GAP), CONFIRMED, "multiplies"),
        ("The gap in evaluate.py is not a percentage.", both(PERCENT), UNVERIFIED, "a percentage"),
        (
            "The gap in evaluate.py ignores the metric direction.",
            both(PERCENT),
            CONFIRMED,
            "whatever the metric",
        ),
        (
            "evaluate.py does not write metrics.json for each run.",
            both(),
            UNVERIFIED,
            "metrics.json",
        ),
        ("evaluate.py does not write all metrics into metrics.json.", both(), UNVERIFIED, ""),
        (
            "evaluate.py needs predictions.json, which train.py never writes.",
            both(train=WRITES_FILE),
            UNVERIFIED,
            "src/train.py:6",
        ),
        ("train.py never calls wandb.finish().", both(), CONFIRMED, "finish"),
        ("train.py never runs validation.", both(train=WRITES_FILE), CONFIRMED, "validation"),
        (
            "Figure names carry a random uuid suffix, which breaks the naming convention.",
            both(PASSING_NAME),
            CONFIRMED,
            "changes",
        ),
        (
            "`ttest_ind` is imported but never used.",
            both(SAME.replace("    print(ttest_ind(right, other))\n", "")),
            CONFIRMED,
            "src/evaluate.py:1",
        ),
        ("`ttest_ind` is imported but never used.", both(SAME), UNVERIFIED, "src/evaluate.py:9"),
    ],
)
def test_near_wordings_are_told_apart(
    text: str, files: dict[str, str | None], result: Check, shown: str
) -> None:
    found = claim(text, files)
    assert found.check.result is result, found.check.evidence
    assert shown in found.check.evidence


def test_what_follows_from_a_test_of_one_sample_is_borne_out_with_it() -> None:
    twice = SAME.replace("ttest_ind(right, other)", "ttest_ind(right, right)")
    found = claim(
        "The t-test in evaluate.py uses identical arrays, so the results are meaningless.",
        both(twice),
    )
    assert found.check.result is CONFIRMED
