"""Compares finished runs from the WandB API."""

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import wandb
from omegaconf import OmegaConf
from scipy.stats import ttest_ind

PRIMARY_METRIC = "Top-1 accuracy on the held-out split"


def draw(series, labels, path):
    figure, axes = plt.subplots()
    for values, label in zip(series, labels, strict=True):
        axes.plot(values, label=label)
        axes.annotate(f"{values[-1]:.3f}", (len(values) - 1, values[-1]))
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def confusion(results_dir, run_id, accuracy):
    figure, axes = plt.subplots()
    axes.imshow(np.array([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]]))
    axes.set_title("confusion matrix")
    figure.tight_layout()
    figure.savefig(results_dir / run_id / f"{run_id}_confusion_matrix.pdf")
    plt.close(figure)


def main() -> None:
    words = dict(word.split("=", 1) for word in sys.argv[1:])
    results_dir = Path(words["results_dir"])
    run_ids = json.loads(words["run_ids"])
    cfg = OmegaConf.load(Path(__file__).resolve().parents[1] / "config" / "config.yaml")
    api = wandb.Api()
    final, curves = {}, {}
    for run_id in run_ids:
        run = api.run(f"{cfg.wandb.entity}/{cfg.wandb.project}/{run_id}")
        history, summary, config = run.history(), run.summary._json_dict, dict(run.config)
        folder = results_dir / run_id
        folder.mkdir(parents=True, exist_ok=True)
        final[run_id] = summary["final_accuracy"]
        curves[run_id] = history["accuracy"].dropna().tolist()
        losses = history["train_loss"].dropna().tolist()
        metrics = {"final_accuracy": final[run_id], "accuracy": curves[run_id], "train_loss": losses, "config": config}
        (folder / "metrics.json").write_text(json.dumps(metrics))
        draw([curves[run_id]], [run_id], folder / f"{run_id}_learning_curve.pdf")
        confusion(results_dir, run_id, final[run_id])
    comparison = results_dir / "comparison"
    comparison.mkdir(parents=True, exist_ok=True)
    proposed = max((run_id for run_id in final if "proposed" in run_id), key=final.get)
    baseline = max((run_id for run_id in final if "proposed" not in run_id), key=final.get)
    test = ttest_ind(curves[proposed], curves[baseline], equal_var=False)
    aggregated = {
        "primary_metric": PRIMARY_METRIC,
        "metrics": {"final_accuracy": final},
        "best_proposed": {"run_id": proposed, "value": final[proposed]},
        "best_baseline": {"run_id": baseline, "value": final[baseline]},
        "gap": (final[proposed] - final[baseline]) / final[baseline] * 100,
        "significance": {"statistic": float(test.statistic), "p_value": float(test.pvalue)},
    }
    (comparison / "aggregated_metrics.json").write_text(json.dumps(aggregated))
    draw(list(curves.values()), list(curves), comparison / "comparison_accuracy_curves.pdf")
    figure, axes = plt.subplots()
    axes.bar(list(final), list(final.values()), label="final accuracy")
    axes.legend()
    figure.tight_layout()
    figure.savefig(comparison / "comparison_accuracy_bar_chart.pdf")
    rows = ["run_id,final_accuracy", *(f"{run_id},{value}" for run_id, value in final.items())]
    (comparison / "comparison_metrics_table.csv").write_text("\n".join(rows))


if __name__ == "__main__":
    main()
