"""Episodic training of one run."""

import random
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import numpy as np
import optuna
import torch
import wandb
from omegaconf import DictConfig, OmegaConf

from src.episodes import CharacterSets, load_character_sets, sample_episodes
from src.losses import episode_loss
from src.model import FewShotClassifier, build_model


def seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def _limited(wanted: int, limit: Optional[int]) -> int:
    return wanted if limit is None else min(wanted, limit)


@torch.no_grad()
def evaluate_episodes(cfg, model, characters, episodes: int, seed: int, device) -> Tuple[List[float], float]:
    """Return the accuracy of every episode and the mean loss."""
    model.eval()
    shape = cfg.episodes
    accuracies, losses = [], []
    for episode in sample_episodes(characters, episodes, shape.ways, shape.shots, shape.queries, seed):
        episode = episode.to(device)
        logits = model(episode, shape.ways)
        losses.append(torch.nn.functional.cross_entropy(logits, episode.query_labels).item())
        accuracies.append((logits.argmax(dim=1) == episode.query_labels).float().mean().item())
    return accuracies, float(np.mean(losses))


def run_training(
    cfg: DictConfig, sets: CharacterSets, device: torch.device, run=None
) -> Tuple[FewShotClassifier, Dict[str, float]]:
    """Train to the end and return the model with its best validation numbers."""
    seed_everything(cfg.training.seed)
    model = build_model(cfg).to(device)
    optimiser = torch.optim.Adam(
        model.parameters(), lr=cfg.training.learning_rate, weight_decay=cfg.training.weight_decay
    )
    schedule = torch.optim.lr_scheduler.StepLR(
        optimiser, step_size=cfg.training.decay_every, gamma=cfg.training.decay_factor
    )
    shape = cfg.episodes
    train_episodes = _limited(cfg.training.train_episodes, cfg.limits.train_episodes)
    val_episodes = _limited(cfg.training.val_episodes, cfg.limits.eval_episodes)

    best = {"best_val_accuracy": 0.0, "best_epoch": 0}
    best_state = {name: value.detach().clone() for name, value in model.state_dict().items()}
    for epoch in range(1, cfg.training.epochs + 1):
        model.train()
        losses, hits = [], []
        seed = cfg.training.seed * 100_000 + epoch
        for episode in sample_episodes(
            sets.train, train_episodes, shape.ways, shape.shots, shape.queries, seed, rotate=True
        ):
            episode = episode.to(device)
            logits = model(episode, shape.ways)
            loss = episode_loss(logits, episode.query_labels, model.head.shrinkage(), cfg.method.shrinkage_penalty)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
            hits.append((logits.argmax(dim=1) == episode.query_labels).float().mean().item())
        rate = optimiser.param_groups[0]["lr"]
        schedule.step()

        accuracies, val_loss = evaluate_episodes(cfg, model, sets.val, val_episodes, cfg.training.seed, device)
        val_accuracy = float(np.mean(accuracies))
        if val_accuracy > best["best_val_accuracy"]:
            best = {"best_val_accuracy": val_accuracy, "best_epoch": epoch}
            best_state = {name: value.detach().clone() for name, value in model.state_dict().items()}
        if run is not None:
            to_mean, to_average = model.head.shrinkage().tolist()
            run.log(
                {
                    "epoch": epoch,
                    "train_loss": float(np.mean(losses)),
                    "train_accuracy": float(np.mean(hits)),
                    "val_loss": val_loss,
                    "val_accuracy": val_accuracy,
                    "learning_rate": rate,
                    "mean_shrinkage": to_mean,
                    "variance_shrinkage": to_average,
                }
            )
    model.load_state_dict(best_state)
    return model, best


def tune(cfg: DictConfig, sets: CharacterSets, device: torch.device) -> Dict[str, float]:
    """Short untracked trainings, scored on the validation characters."""

    def objective(trial: optuna.Trial) -> float:
        candidate = OmegaConf.create(OmegaConf.to_container(cfg, resolve=True))
        candidate.training.epochs = cfg.optuna.epochs
        for path, space in cfg.optuna.search_space.items():
            value = trial.suggest_float(path, space.low, space.high, log=space.type == "loguniform")
            OmegaConf.update(candidate, path, value)
        return run_training(candidate, sets, device)[1]["best_val_accuracy"]

    study = optuna.create_study(direction=cfg.optuna.direction)
    study.optimize(objective, n_trials=cfg.optuna.n_trials)
    return study.best_params


def train(cfg: DictConfig) -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sets = load_character_sets(cfg)
    if cfg.optuna.n_trials > 0:
        for path, value in tune(cfg, sets, device).items():
            OmegaConf.update(cfg, path, value)

    run_dir = Path(cfg.results_dir) / cfg.run_id
    run_dir.mkdir(parents=True, exist_ok=True)
    run = wandb.init(
        entity=cfg.wandb.entity,
        project=cfg.wandb.project,
        id=cfg.run_id,
        dir=str(run_dir),
        mode=cfg.wandb.mode,
        config=OmegaConf.to_container(cfg, resolve=True),
    )
    model, best = run_training(cfg, sets, device, run)

    test_episodes = _limited(cfg.training.test_episodes, cfg.limits.eval_episodes)
    accuracies, test_loss = evaluate_episodes(
        cfg, model, sets.test, test_episodes, cfg.episodes.test_seed, device
    )
    for index, accuracy in enumerate(accuracies):
        run.log({"test_episode": index, "test_episode_accuracy": accuracy})
    run.summary["test_accuracy"] = float(np.mean(accuracies))
    run.summary["test_accuracy_ci95"] = float(1.96 * np.std(accuracies) / np.sqrt(len(accuracies)))
    run.summary["test_loss"] = test_loss
    run.summary["best_val_accuracy"] = best["best_val_accuracy"]
    run.summary["best_epoch"] = best["best_epoch"]
    print(f"[{cfg.run_id}] test accuracy {np.mean(accuracies):.4f} over {len(accuracies)} episodes")
    run.finish()
