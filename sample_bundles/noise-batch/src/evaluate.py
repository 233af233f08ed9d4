"""Compare finished runs: python -m src.evaluate results_dir=<path> run_ids='["run-1", "run-2"]'."""

import json
import sys
from itertools import combinations
from pathlib import Path
from typing import Dict, List

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
import wandb
from omegaconf import OmegaConf
from scipy.stats import wilcoxon

PRIMARY_METRIC = "Test accuracy after 1.2 million training examples"
PRIMARY_KEY = "test_accuracy"
CLASS_NAMES = ["World", "Sports", "Business", "Sci/Tech"]
SUMMARY_KEYS = [
    "test_accuracy",
    "test_loss",
    "best_val_accuracy",
    "best_step",
    "optimiser_steps",
    "wall_clock_seconds",
]


def read_arguments() -> Dict[str, str]:
    arguments = {}
    for word in sys.argv[1:]:
        if "=" not in word:
            sys.exit(f"Expected key=value, got '{word}'")
        key, value = word.split("=", 1)
        arguments[key.lstrip("-")] = value
    for key in ("results_dir", "run_ids"):
        if key not in arguments:
            sys.exit(f"Missing argument {key}=...")
    return arguments


def save(figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
    print(path)


def plot_run(run_id: str, history: pd.DataFrame, matrix: np.ndarray, directory: Path) -> None:
    training = history.dropna(subset=["train_loss"])
    validation = history.dropna(subset=["val_accuracy"])

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4))
    left.plot(training["_step"], training["train_loss"].rolling(25, min_periods=1).mean(), label="training loss")
    left.plot(validation["_step"], validation["val_loss"], label="validation loss")
    left.set_xlabel("Optimiser step")
    left.set_ylabel("Cross-entropy")
    left.legend()
    right.plot(validation["_step"], validation["val_accuracy"], color="tab:green", label="validation accuracy")
    best = validation["val_accuracy"].max()
    right.annotate(f"best {best:.4f}", xy=(0.97, 0.05), xycoords="axes fraction", ha="right")
    right.set_xlabel("Optimiser step")
    right.set_ylabel("Accuracy")
    right.legend()
    save(figure, directory / f"{run_id}_learning_curve.pdf")

    figure, axis = plt.subplots(figsize=(6, 4))
    axis.plot(training["examples_seen"], training["batch_size"], label="batch size")
    axis.plot(training["examples_seen"], training["noise_scale"], alpha=0.6, label="noise scale")
    axis.set_yscale("log")
    axis.set_xlabel("Training examples")
    axis.set_ylabel("Examples")
    axis.legend()
    save(figure, directory / f"{run_id}_batch_size.pdf")

    figure, axis = plt.subplots(figsize=(5.5, 4.5))
    sns.heatmap(matrix, annot=True, fmt="d", cmap="Blues", xticklabels=CLASS_NAMES, yticklabels=CLASS_NAMES, ax=axis)
    axis.set_xlabel("Predicted")
    axis.set_ylabel("True")
    save(figure, directory / f"{run_id}_confusion_matrix.pdf")


def best_run(values: Dict[str, float], *marks: str) -> Dict:
    matching = {run_id: value for run_id, value in values.items() if any(mark in run_id for mark in marks)}
    if not matching:
        return {"run_id": None, "value": None}
    winner = max(matching, key=matching.get)
    return {"run_id": winner, "value": matching[winner]}


def main() -> None:
    arguments = read_arguments()
    results_dir = Path(arguments["results_dir"])
    run_ids: List[str] = json.loads(arguments["run_ids"])

    config_path = Path(__file__).resolve().parents[1] / "config" / "config.yaml"
    settings = OmegaConf.load(config_path).wandb
    api = wandb.Api()

    metrics: Dict[str, Dict[str, float]] = {}
    blocks: Dict[str, np.ndarray] = {}
    curves: Dict[str, pd.DataFrame] = {}
    for run_id in run_ids:
        run = api.run(f"{settings.entity}/{settings.project}/{run_id}")
        history = run.history(samples=50_000)
        summary = run.summary._json_dict
        directory = results_dir / run_id
        directory.mkdir(parents=True, exist_ok=True)

        record = {
            "summary": summary,
            "config": dict(run.config),
            "history": json.loads(history.to_json(orient="records")),
        }
        (directory / "metrics.json").write_text(json.dumps(record, indent=2))
        print(directory / "metrics.json")
        plot_run(run_id, history, np.array(summary["confusion_matrix"], dtype=int), directory)

        for key in SUMMARY_KEYS:
            metrics.setdefault(key, {})[run_id] = float(summary[key])
        tested = history.dropna(subset=["test_block_accuracy"]).sort_values("test_block")
        blocks[run_id] = tested["test_block_accuracy"].to_numpy()
        curves[run_id] = history.dropna(subset=["val_accuracy"])

    directory = results_dir / "comparison"
    directory.mkdir(parents=True, exist_ok=True)
    proposed = best_run(metrics[PRIMARY_KEY], "proposed")
    baseline = best_run(metrics[PRIMARY_KEY], "comparative", "baseline")
    gap = None
    if proposed["value"] is not None and baseline["value"]:
        gap = (proposed["value"] - baseline["value"]) / baseline["value"] * 100.0
    aggregated = {
        "primary_metric": PRIMARY_METRIC,
        "metrics": metrics,
        "best_proposed": proposed,
        "best_baseline": baseline,
        "gap": gap,
    }
    (directory / "aggregated_metrics.json").write_text(json.dumps(aggregated, indent=2))
    print(directory / "aggregated_metrics.json")
    pd.DataFrame(metrics).to_csv(directory / "comparison_metrics_table.csv", index_label="run_id")

    tests = []
    for first, second in combinations(run_ids, 2):
        difference = blocks[first] - blocks[second]
        if not np.any(difference):
            continue
        statistic, p_value = wilcoxon(difference)
        tests.append({"runs": [first, second], "wilcoxon": float(statistic), "p": float(p_value)})
    (directory / "comparison_significance.json").write_text(json.dumps(tests, indent=2))

    figure, axis = plt.subplots(figsize=(max(6, 2.5 * len(run_ids)), 4.5))
    bars = axis.bar(run_ids, [metrics[PRIMARY_KEY][run_id] for run_id in run_ids], color="steelblue")
    axis.bar_label(bars, fmt="%.4f")
    axis.set_ylabel(PRIMARY_METRIC)
    axis.tick_params(axis="x", rotation=12)
    save(figure, directory / "comparison_test_accuracy_bar_chart.pdf")

    figure, axis = plt.subplots(figsize=(max(6, 2.5 * len(run_ids)), 4.5))
    axis.boxplot([blocks[run_id] for run_id in run_ids])
    axis.set_xticks(range(1, len(run_ids) + 1), run_ids, rotation=12)
    axis.set_ylabel("Accuracy by block of test examples")
    save(figure, directory / "comparison_test_block_accuracy_box_plot.pdf")

    figure, axis = plt.subplots(figsize=(7, 4.5))
    for run_id, curve in curves.items():
        axis.plot(curve["_step"], curve["val_accuracy"], label=run_id)
    axis.set_xlabel("Optimiser step")
    axis.set_ylabel("Validation accuracy")
    axis.legend()
    save(figure, directory / "comparison_validation_accuracy_curves.pdf")


if __name__ == "__main__":
    main()
