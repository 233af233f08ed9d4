"""python -m src.evaluate results_dir=<path> run_ids='["run-1", "run-2"]'"""

import json
import sys
from itertools import combinations
from pathlib import Path
from typing import Dict, List, Tuple

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import wandb
from omegaconf import OmegaConf
from scipy.stats import ttest_rel

PRIMARY_METRIC = "Mean 20-way 5-shot accuracy over 600 unseen test episodes"
ROOT = Path(__file__).resolve().parents[1]


def parse_cli() -> Tuple[Path, List[str]]:
    pairs = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
    if not {"results_dir", "run_ids"} <= set(pairs):
        raise SystemExit("usage: python -m src.evaluate results_dir=PATH run_ids='[\"run-1\", \"run-2\"]'")
    return Path(pairs["results_dir"]), json.loads(pairs["run_ids"])


def save_json(path: Path, data) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=2))
    print(path)


def save_figure(figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
    print(path)


def draw_run(run_id: str, epochs: pd.DataFrame, tested: pd.DataFrame, directory: Path) -> None:
    figure, (loss_axis, accuracy_axis) = plt.subplots(1, 2, figsize=(11, 4))
    loss_axis.plot(epochs["epoch"], epochs["train_loss"], label="train")
    loss_axis.plot(epochs["epoch"], epochs["val_loss"], label="validation")
    loss_axis.set_xlabel("Epoch")
    loss_axis.set_ylabel("Loss")
    loss_axis.legend()
    accuracy_axis.plot(epochs["epoch"], epochs["train_accuracy"], label="train")
    accuracy_axis.plot(epochs["epoch"], epochs["val_accuracy"], label="validation")
    accuracy_axis.annotate(
        f"best {epochs['val_accuracy'].max():.4f}", xy=(0.97, 0.05), xycoords="axes fraction", ha="right"
    )
    accuracy_axis.set_xlabel("Epoch")
    accuracy_axis.set_ylabel("Accuracy")
    accuracy_axis.legend()
    save_figure(figure, directory / f"{run_id}_learning_curve.pdf")

    figure, axis = plt.subplots(figsize=(6, 4))
    axis.plot(epochs["epoch"], epochs["mean_shrinkage"], label="of the means")
    axis.plot(epochs["epoch"], epochs["variance_shrinkage"], label="of the variances")
    axis.set_xlabel("Epoch")
    axis.set_ylabel("Learned shrinkage")
    axis.legend()
    save_figure(figure, directory / f"{run_id}_shrinkage.pdf")

    figure, axis = plt.subplots(figsize=(6, 4))
    axis.hist(tested["test_episode_accuracy"], bins=30, label=f"{len(tested)} episodes")
    axis.set_xlabel("Accuracy of an episode")
    axis.set_ylabel("Episodes")
    axis.legend()
    save_figure(figure, directory / f"{run_id}_episode_accuracy_histogram.pdf")


def draw_comparison(primary: Dict[str, float], spread: Dict[str, float], episodes: Dict[str, np.ndarray], directory: Path):
    names = list(primary)
    width = max(6.0, 2.5 * len(names))
    figure, axis = plt.subplots(figsize=(width, 4.5))
    bars = axis.bar(names, list(primary.values()), yerr=[spread[name] for name in names], capsize=4)
    axis.bar_label(bars, fmt="%.4f", padding=2)
    axis.set_ylabel("Test accuracy")
    axis.tick_params(axis="x", rotation=12)
    save_figure(figure, directory / "comparison_test_accuracy_bar_chart.pdf")

    figure, axis = plt.subplots(figsize=(width, 4.5))
    axis.boxplot([episodes[name] for name in names])
    axis.set_xticks(range(1, len(names) + 1), names, rotation=12)
    axis.set_ylabel("Accuracy of an episode")
    save_figure(figure, directory / "comparison_episode_accuracy_box_plot.pdf")


def pick(values: Dict[str, float], *marks: str) -> Dict:
    found = {run_id: value for run_id, value in values.items() if any(mark in run_id for mark in marks)}
    best = max(found, key=found.get) if found else None
    return {"run_id": best, "value": found.get(best)}


def main() -> None:
    results_dir, run_ids = parse_cli()
    wandb_cfg = OmegaConf.load(ROOT / "config" / "config.yaml").wandb
    api = wandb.Api()

    metrics: Dict[str, Dict[str, float]] = {}
    episodes: Dict[str, np.ndarray] = {}
    for run_id in run_ids:
        run = api.run(f"{wandb_cfg.entity}/{wandb_cfg.project}/{run_id}")
        history = run.history(samples=20_000)
        summary = run.summary._json_dict
        config = dict(run.config)
        epochs = history.dropna(subset=["val_accuracy"])
        tested = history.dropna(subset=["test_episode_accuracy"]).sort_values("test_episode")
        save_json(
            results_dir / run_id / "metrics.json",
            {"summary": summary, "config": config, "history": json.loads(history.to_json(orient="records"))},
        )
        draw_run(run_id, epochs, tested, results_dir / run_id)
        episodes[run_id] = tested["test_episode_accuracy"].to_numpy()
        for key in ("test_accuracy", "test_accuracy_ci95", "test_loss", "best_val_accuracy", "best_epoch"):
            metrics.setdefault(key, {})[run_id] = float(summary[key])

    comparison = results_dir / "comparison"
    proposed = pick(metrics["test_accuracy"], "proposed")
    baseline = pick(metrics["test_accuracy"], "comparative", "baseline")
    gap = None
    if proposed["value"] is not None and baseline["value"]:
        gap = (proposed["value"] - baseline["value"]) / baseline["value"] * 100
    save_json(
        comparison / "aggregated_metrics.json",
        {
            "primary_metric": PRIMARY_METRIC,
            "metrics": metrics,
            "best_proposed": proposed,
            "best_baseline": baseline,
            "gap": gap,
        },
    )

    tests = []
    for first, second in combinations(run_ids, 2):
        if len(episodes[first]) == len(episodes[second]) > 1:
            outcome = ttest_rel(episodes[first], episodes[second])
            tests.append({"pair": [first, second], "t": float(outcome.statistic), "p": float(outcome.pvalue)})
    save_json(comparison / "comparison_significance_tests.json", tests)
    pd.DataFrame(metrics).to_csv(comparison / "comparison_metrics_table.csv", index_label="run_id")
    draw_comparison(metrics["test_accuracy"], metrics["test_accuracy_ci95"], episodes, comparison)


if __name__ == "__main__":
    main()
