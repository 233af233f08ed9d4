"""Compare runs that are finished, from WandB alone."""

import json
from pathlib import Path

import matplotlib.pyplot as plt
import wandb
from omegaconf import OmegaConf
from sklearn.metrics import roc_auc_score

CONFIG = Path(__file__).resolve().parent.parent / "config" / "config.yaml"
PRIMARY = "accuracy on the development split of SST-2"


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def export(api, tracked, run_id, results_dir):
    run = api.run(f"{tracked.entity}/{tracked.project}/{run_id}")
    folder = results_dir / run_id
    folder.mkdir(parents=True, exist_ok=True)
    summary = run.summary._json_dict
    curve = run.history()["dev_accuracy"].dropna().tolist()
    with open(folder / "metrics.json", "w") as file:
        json.dump({"summary": summary, "curve": curve}, file, indent=2)
    figure, axes = plt.subplots()
    axes.plot(curve, label="dev accuracy")
    axes.annotate(f"{curve[-1]:.3f}", (len(curve) - 1, curve[-1]))
    axes.legend()
    save(figure, folder / f"{run_id}_learning_curve.pdf")
    return summary["dev_accuracy"]


def main():
    cli = OmegaConf.from_cli()
    results_dir = Path(cli.results_dir)
    tracked = OmegaConf.load(CONFIG).wandb
    api = wandb.Api()
    values = {run_id: export(api, tracked, run_id, results_dir) for run_id in cli.run_ids}
    ours = {run_id: value for run_id, value in values.items() if run_id.startswith("proposed")}
    theirs = {run_id: value for run_id, value in values.items() if run_id not in ours}
    best, other = max(ours, key=ours.get), max(theirs, key=theirs.get)
    folder = results_dir / "comparison"
    folder.mkdir(parents=True, exist_ok=True)
    outcome = {
        "primary_metric": PRIMARY,
        "metrics": {"dev_accuracy": values},
        "best_proposed": {"run_id": best, "value": ours[best]},
        "best_baseline": {"run_id": other, "value": theirs[other]},
        "gap": (ours[best] - theirs[other]) / theirs[other] * 100,
        "auc": float(roc_auc_score([1, 0], [ours[best], theirs[other]])),
    }
    (folder / "aggregated_metrics.json").write_text(json.dumps(outcome, indent=2))
    figure, axes = plt.subplots()
    bars = axes.bar(list(values), list(values.values()), label="dev accuracy")
    axes.bar_label(bars, fmt="%.3f")
    axes.legend()
    save(figure, folder / "comparison_accuracy_bar_chart.pdf")


if __name__ == "__main__":
    main()
