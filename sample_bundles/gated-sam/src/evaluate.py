"""Evaluation from WandB alone: uv run python -m src.evaluate results_dir={path} run_ids='["run-1", "run-2"]'."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
import wandb
from omegaconf import OmegaConf
from scipy import stats

CONFIG = Path(__file__).resolve().parent.parent / "config" / "config.yaml"
CLASSES = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]

# The hypothesis' own words, and the summary key that holds the value; an error is better when lower.
PRIMARY_METRIC = "Test error (%) at 40,000 gradient evaluations"
PRIMARY_KEY = "test_error"


def parse_words(words: list[str]) -> tuple[Path, list[str]]:
    """Read `results_dir=…` and `run_ids=[…]` in any order."""
    given = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or key not in ("results_dir", "run_ids"):
            raise SystemExit(f"unknown argument {word!r}; usage: results_dir=PATH run_ids='[\"run-1\", \"run-2\"]'")
        given[key] = value
    missing = {"results_dir", "run_ids"} - given.keys()
    if missing:
        raise SystemExit(f"missing: {', '.join(sorted(missing))}")
    run_ids = json.loads(given["run_ids"])
    if not isinstance(run_ids, list) or not run_ids or not all(isinstance(run_id, str) for run_id in run_ids):
        raise SystemExit("run_ids must be a JSON list of at least one string")
    return Path(given["results_dir"]), run_ids


def write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2), encoding="utf-8")
    print(path)


def save_figure(figure: plt.Figure, path: Path) -> None:
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)
    print(path)


def plot_learning_curve(history: pd.DataFrame, run_id: str, directory: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(11, 4))
    for column, axis, label in (("loss", axes[0], "Loss"), ("error", axes[1], "Error (%)")):
        sns.lineplot(data=history, x="gradient_evaluations", y=f"train_{column}", units="seed", estimator=None, alpha=0.35, ax=axis)
        sns.lineplot(data=history, x="gradient_evaluations", y=f"val_{column}", hue="seed", palette="viridis", ax=axis)
        axis.set_xlabel("Gradient evaluations")
        axis.set_ylabel(label)
    axes[1].axhline(history["val_error"].min(), color="grey", linestyle=":", linewidth=1)
    axes[1].annotate(f"best {history['val_error'].min():.2f} %", xy=(0.98, 0.95), xycoords="axes fraction", ha="right")
    figure.suptitle(f"{run_id}: validation by seed (coloured), training (faint)")
    save_figure(figure, directory / f"{run_id}_learning_curve.pdf")


def plot_second_passes(history: pd.DataFrame, run_id: str, directory: Path) -> None:
    figure, axis = plt.subplots(figsize=(6, 4))
    sns.lineplot(data=history, x="epoch", y="second_pass_rate", label="steps with a second gradient", ax=axis)
    axis.set_ylim(0.0, 1.05)
    axis.set_xlabel("Epoch")
    axis.set_ylabel("Share of steps")
    axis.legend(loc="lower left")
    save_figure(figure, directory / f"{run_id}_second_pass_rate.pdf")


def plot_confusion_matrix(matrix: np.ndarray, run_id: str, directory: Path) -> None:
    figure, axis = plt.subplots(figsize=(7.5, 6.5))
    shares = matrix / matrix.sum(axis=1, keepdims=True).clip(min=1)
    sns.heatmap(shares, annot=True, fmt=".2f", cmap="Blues", xticklabels=CLASSES, yticklabels=CLASSES, ax=axis)
    axis.set_xlabel("Predicted")
    axis.set_ylabel("True")
    save_figure(figure, directory / f"{run_id}_confusion_matrix.pdf")


def process_run(api: wandb.Api, path: str, run_id: str, results_dir: Path) -> tuple[dict[str, Any], pd.DataFrame]:
    """Export and draw one run; return its summary and history."""
    run = api.run(f"{path}/{run_id}")
    history = run.history(samples=100_000)
    summary = run.summary._json_dict
    config = dict(run.config)
    if history.empty or PRIMARY_KEY not in summary:
        raise SystemExit(f"run {run_id} is not finished: its WandB history or its {PRIMARY_KEY} is missing")

    directory = results_dir / run_id
    write_json(
        directory / "metrics.json",
        {
            "run_id": run_id,
            "summary": summary,
            "config": config,
            "history": json.loads(history.to_json(orient="records")),
        },
    )
    plot_learning_curve(history, run_id, directory)
    plot_second_passes(history, run_id, directory)
    plot_confusion_matrix(np.asarray(summary["confusion_matrix"], dtype=float), run_id, directory)
    return summary, history


def best_of(values: dict[str, float], words: tuple[str, ...]) -> dict[str, Any]:
    """The run with the lowest error among those whose id contains one of the words."""
    candidates = {run_id: value for run_id, value in values.items() if any(word in run_id for word in words)}
    if not candidates:
        return {"run_id": None, "value": None}
    run_id = min(candidates, key=candidates.__getitem__)
    return {"run_id": run_id, "value": candidates[run_id]}


def relative_gap(proposed: float | None, baseline: float | None) -> float | None:
    """Improvement in percent; the sign is turned because a lower error is better."""
    if proposed is None or not baseline:
        return None
    return -(proposed - baseline) / baseline * 100.0


def significance(errors: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Welch's test on the seeds' test errors, for each pair of runs with at least two seeds."""
    tests = []
    run_ids = list(errors)
    for position, first in enumerate(run_ids):
        for second in run_ids[position + 1 :]:
            if min(len(errors[first]), len(errors[second])) < 2:
                continue
            outcome = stats.ttest_ind(errors[first], errors[second], equal_var=False)
            tests.append(
                {
                    "runs": [first, second],
                    "test": "Welch t-test on the test errors of the seeds",
                    "difference": float(np.mean(errors[first]) - np.mean(errors[second])),
                    "t": float(outcome.statistic),
                    "p": float(outcome.pvalue),
                    "significant": bool(outcome.pvalue < 0.05),
                }
            )
    return tests


def plot_comparison(errors: dict[str, list[float]], histories: dict[str, pd.DataFrame], directory: Path) -> None:
    frame = pd.DataFrame([{"run": run_id, "error": error} for run_id, values in errors.items() for error in values])
    width = max(6.0, 2.2 * len(errors))

    figure, axis = plt.subplots(figsize=(width, 4.5))
    means = frame.groupby("run", sort=False)["error"].agg(["mean", "std"]).fillna(0.0)
    bars = axis.bar(means.index, means["mean"], yerr=means["std"], capsize=4, color=sns.color_palette("viridis", len(means)))
    axis.bar_label(bars, fmt="%.2f", padding=3)
    axis.set_ylabel(PRIMARY_METRIC)
    axis.tick_params(axis="x", rotation=15)
    save_figure(figure, directory / "comparison_test_error_bar_chart.pdf")

    figure, axis = plt.subplots(figsize=(width, 4.5))
    sns.boxplot(data=frame, x="run", y="error", ax=axis)
    sns.stripplot(data=frame, x="run", y="error", color="black", size=4, ax=axis)
    axis.set_xlabel("")
    axis.set_ylabel(PRIMARY_METRIC)
    axis.tick_params(axis="x", rotation=15)
    save_figure(figure, directory / "comparison_test_error_box_plot.pdf")

    figure, axis = plt.subplots(figsize=(7, 4.5))
    for run_id, history in histories.items():
        sns.lineplot(data=history, x="epoch", y="val_error", label=run_id, ax=axis)
    axis.set_xlabel("Epoch")
    axis.set_ylabel("Validation error (%)")
    axis.legend()
    save_figure(figure, directory / "comparison_validation_error_curves.pdf")


def main() -> None:
    results_dir, run_ids = parse_words(sys.argv[1:])
    settings = OmegaConf.load(CONFIG).wandb
    api = wandb.Api()

    summaries: dict[str, dict[str, Any]] = {}
    histories: dict[str, pd.DataFrame] = {}
    for run_id in run_ids:
        summaries[run_id], histories[run_id] = process_run(api, f"{settings.entity}/{settings.project}", run_id, results_dir)

    metrics: dict[str, dict[str, float]] = {}
    for run_id, summary in summaries.items():
        for key, value in summary.items():
            if not key.startswith("_") and isinstance(value, (int, float)) and not isinstance(value, bool):
                metrics.setdefault(key, {})[run_id] = float(value)

    primary = metrics[PRIMARY_KEY]
    errors = {run_id: [float(value) for value in summary["test_error_by_seed"]] for run_id, summary in summaries.items()}
    best_proposed = best_of(primary, ("proposed",))
    best_baseline = best_of(primary, ("comparative", "baseline"))
    directory = results_dir / "comparison"
    write_json(
        directory / "aggregated_metrics.json",
        {
            "primary_metric": PRIMARY_METRIC,
            "metrics": metrics,
            "best_proposed": best_proposed,
            "best_baseline": best_baseline,
            "gap": relative_gap(best_proposed["value"], best_baseline["value"]),
        },
    )
    write_json(directory / "comparison_significance_tests.json", significance(errors))
    pd.DataFrame(metrics).rename_axis("run_id").to_csv(directory / "comparison_metrics_table.csv")
    print(directory / "comparison_metrics_table.csv")
    plot_comparison(errors, histories, directory)


if __name__ == "__main__":
    main()
