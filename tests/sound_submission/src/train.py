"""Trains one run and logs it to WandB."""

from pathlib import Path

import hydra
import optuna
import torch
import wandb
from omegaconf import DictConfig, OmegaConf
from torch.nn.functional import cross_entropy

from src.model import build_model
from src.preprocess import build_loaders


def evaluate(model, loader, limit):
    correct = total = 0
    model.eval()
    with torch.no_grad():
        for step, (features, labels) in enumerate(loader):
            if limit is not None and step >= limit:
                break
            correct += (model(features).argmax(-1) == labels).sum().item()
            total += len(labels)
    return correct / max(total, 1)


def fit(cfg: DictConfig, learning_rate: float, tracked: bool) -> float:
    train_loader, test_loader = build_loaders(cfg)
    model = build_model(cfg)
    optimiser = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    accuracy = 0.0
    for epoch in range(cfg.training.epochs):
        model.train()
        for step, (features, labels) in enumerate(train_loader):
            if cfg.training.limit_batches is not None and step >= cfg.training.limit_batches:
                break
            loss = cross_entropy(model(features), labels)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            if tracked:
                wandb.log({"train_loss": loss.item(), "epoch": epoch})
        accuracy = evaluate(model, test_loader, cfg.training.limit_batches)
        if tracked:
            wandb.log({"accuracy": accuracy, "epoch": epoch})
    return accuracy


def search(cfg: DictConfig) -> float:
    space = cfg.optuna.search_space.learning_rate

    def objective(trial: optuna.Trial) -> float:
        return fit(cfg, trial.suggest_float("learning_rate", space.low, space.high, log=True), tracked=False)

    study = optuna.create_study(direction="maximize")
    study.optimize(objective, n_trials=cfg.optuna.n_trials)
    return study.best_params["learning_rate"]


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg: DictConfig) -> None:
    root = Path(__file__).resolve().parents[1]
    OmegaConf.set_struct(cfg, False)
    cfg = OmegaConf.merge(cfg, OmegaConf.load(root / "config" / "runs" / f"{cfg.run}.yaml"))
    if cfg.mode == "trial":
        cfg.wandb.mode = "disabled"
        cfg.optuna.n_trials = 0
        cfg.training.epochs = 1
        cfg.training.limit_batches = 2
    else:
        cfg.wandb.mode = "online"
    learning_rate = search(cfg) if cfg.optuna.n_trials > 0 else cfg.training.learning_rate
    wandb.init(
        entity=cfg.wandb.entity,
        project=cfg.wandb.project,
        id=cfg.run_id,
        mode=cfg.wandb.mode,
        config=OmegaConf.to_container(cfg, resolve=True),
    )
    accuracy = fit(cfg, learning_rate, tracked=True)
    wandb.summary["final_accuracy"] = accuracy
    wandb.finish()


if __name__ == "__main__":
    main()
