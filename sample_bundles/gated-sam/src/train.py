"""Training: an optional search, then every seed to the same number of gradient evaluations."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import optuna
import torch
import torch.nn as nn
import torch.nn.functional as F
import wandb
from omegaconf import DictConfig, OmegaConf
from torch.utils.data import DataLoader

from src.model import build_gate, build_model, sharpness_aware_step
from src.preprocess import Splits, build_loaders, load_splits


@dataclass(frozen=True)
class Score:
    """How a network does on one set: mean loss, error in percent, counts of (true, predicted) pairs."""

    loss: float
    error: float
    confusion: torch.Tensor


@dataclass(frozen=True)
class SeedResult:
    best_val_error: float
    best_epoch: int
    final_val_error: float
    test: Score
    gradients: int
    second_pass_rate: float


def set_seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


@torch.no_grad()
def score(cfg: DictConfig, model: nn.Module, loader: DataLoader, device: torch.device) -> Score:
    """Score a network on a set, or on its first batches where the mode limits them."""
    model.eval()
    classes = int(cfg.model.num_classes)
    confusion = torch.zeros(classes, classes, dtype=torch.long)
    total_loss, seen = 0.0, 0
    for index, (images, labels) in enumerate(loader):
        if cfg.limits.eval_batches is not None and index >= cfg.limits.eval_batches:
            break
        images, labels = images.to(device), labels.to(device)
        logits = model(images)
        total_loss += F.cross_entropy(logits, labels, reduction="sum").item()
        seen += len(labels)
        pairs = (labels * classes + logits.argmax(dim=1)).cpu()
        confusion += torch.bincount(pairs, minlength=classes * classes).reshape(classes, classes)
    error = 100.0 * (1.0 - confusion.diagonal().sum().item() / seen)
    return Score(loss=total_loss / seen, error=error, confusion=confusion)


def train_seed(
    cfg: DictConfig,
    splits: Splits,
    seed: int,
    budget: int,
    device: torch.device,
    run: wandb.Run | None,
) -> SeedResult:
    """Train one seed until the budget of gradient evaluations is spent; log each epoch where a run is given."""
    set_seed(seed)
    loaders = build_loaders(cfg, splits, seed)
    model = build_model(cfg).to(device)
    gate = build_gate(cfg)
    optimiser = torch.optim.SGD(
        model.parameters(),
        lr=cfg.training.learning_rate,
        momentum=cfg.training.momentum,
        weight_decay=cfg.training.weight_decay,
        nesterov=True,
    )

    gradients, steps, second_passes = 0, 0, 0
    best_val_error, best_epoch, val = math.inf, 0, None
    for epoch in range(1, cfg.training.epochs + 1):
        model.train()
        epoch_loss, epoch_correct, epoch_seen, rises = 0.0, 0, 0, []
        for index, (images, labels) in enumerate(loaders.train):
            if cfg.limits.train_batches is not None and index >= cfg.limits.train_batches:
                break
            if gradients >= budget:
                break
            learning_rate = 0.5 * cfg.training.learning_rate * (1.0 + math.cos(math.pi * gradients / budget))
            for group in optimiser.param_groups:
                group["lr"] = learning_rate
            step = sharpness_aware_step(
                model,
                optimiser,
                gate,
                images.to(device, non_blocking=True),
                labels.to(device, non_blocking=True),
                rho=cfg.method.rho,
                label_smoothing=cfg.training.label_smoothing,
            )
            gradients += step.gradients
            steps += 1
            epoch_loss += step.loss * len(labels)
            epoch_correct += step.correct
            epoch_seen += len(labels)
            if step.rise is not None:
                second_passes += 1
                rises.append(step.rise)
        if epoch_seen == 0:
            break

        val = score(cfg, model, loaders.val, device)
        if val.error < best_val_error:
            best_val_error, best_epoch = val.error, epoch
        if run is not None:
            run.log(
                {
                    "seed": seed,
                    "epoch": epoch,
                    "gradient_evaluations": gradients,
                    "train_loss": epoch_loss / epoch_seen,
                    "train_error": 100.0 * (1.0 - epoch_correct / epoch_seen),
                    "val_loss": val.loss,
                    "val_error": val.error,
                    "learning_rate": learning_rate,
                    "second_pass_rate": second_passes / steps,
                    "loss_rise": float(np.mean(rises)) if rises else 0.0,
                }
            )

    if val is None:
        raise RuntimeError("no batch was trained: the training set is smaller than one batch, or the budget is 0")
    return SeedResult(
        best_val_error=best_val_error,
        best_epoch=best_epoch,
        final_val_error=val.error,
        test=score(cfg, model, loaders.test, device),
        gradients=gradients,
        second_pass_rate=second_passes / steps,
    )


def suggest(trial: optuna.Trial, path: str, space: DictConfig) -> float | int | str:
    if space.type == "float":
        return trial.suggest_float(path, space.low, space.high, log=bool(space.log))
    if space.type == "int":
        return trial.suggest_int(path, space.low, space.high)
    if space.type == "categorical":
        return trial.suggest_categorical(path, list(space.choices))
    raise ValueError(f"unknown type of search space {space.type!r} for {path}")


def search(cfg: DictConfig, splits: Splits, device: torch.device) -> dict[str, float | int | str]:
    """Search with a small budget on the first seed, by validation error; nothing of it is tracked."""

    def objective(trial: optuna.Trial) -> float:
        candidate = OmegaConf.create(OmegaConf.to_container(cfg, resolve=True))
        for path, space in cfg.optuna.search_space.items():
            OmegaConf.update(candidate, path, suggest(trial, path, space))
        result = train_seed(candidate, splits, int(cfg.training.seeds[0]), int(cfg.optuna.gradient_budget), device, None)
        return result.final_val_error

    study = optuna.create_study(
        direction=cfg.optuna.direction,
        sampler=optuna.samplers.TPESampler(seed=int(cfg.training.seeds[0])),
    )
    study.optimize(objective, n_trials=int(cfg.optuna.n_trials))
    return study.best_params


def train(cfg: DictConfig) -> None:
    """Run the whole experiment of one run config."""
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    splits = load_splits(cfg)
    if cfg.optuna.n_trials > 0:
        for path, value in search(cfg, splits, device).items():
            OmegaConf.update(cfg, path, value)

    run_dir = Path(cfg.results_dir) / cfg.run_id
    run_dir.mkdir(parents=True, exist_ok=True)
    run = wandb.init(
        entity=cfg.wandb.entity,
        project=cfg.wandb.project,
        id=cfg.run_id,
        name=cfg.run_id,
        dir=str(run_dir),
        mode=cfg.wandb.mode,
        config=OmegaConf.to_container(cfg, resolve=True),
    )

    budget = int(cfg.training.gradient_budget)
    results = [train_seed(cfg, splits, int(seed), budget, device, run) for seed in cfg.training.seeds]
    errors = [result.test.error for result in results]
    run.summary["test_error"] = float(np.mean(errors))
    run.summary["test_error_std"] = float(np.std(errors, ddof=1)) if len(errors) > 1 else 0.0
    run.summary["test_error_by_seed"] = errors
    run.summary["test_loss"] = float(np.mean([result.test.loss for result in results]))
    run.summary["best_val_error"] = float(np.mean([result.best_val_error for result in results]))
    run.summary["best_epoch"] = float(np.mean([result.best_epoch for result in results]))
    run.summary["total_gradient_evaluations"] = float(np.mean([result.gradients for result in results]))
    run.summary["mean_second_pass_rate"] = float(np.mean([result.second_pass_rate for result in results]))
    run.summary["confusion_matrix"] = sum(result.test.confusion for result in results).tolist()
    print(f"{cfg.run_id}: test error {np.mean(errors):.2f} % over {len(errors)} seeds")
    run.finish()
