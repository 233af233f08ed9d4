"""Train one run to a fixed budget of examples, with or without a search before it."""

import math
import random
import time
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Tuple

import numpy as np
import optuna
import torch
import torch.nn.functional as F
import wandb
from omegaconf import DictConfig, OmegaConf

from src.model import NoiseMonitor, build_controller, build_model, squared_norm
from src.preprocess import build_loaders

TEST_BLOCKS = 40


def set_seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)


def micro_batches(loader, epochs: int) -> Iterator[Tuple[int, torch.Tensor, torch.Tensor]]:
    """Yield (epoch, tokens, labels) over all epochs, without a seam between them."""
    for epoch in range(1, epochs + 1):
        for tokens, labels in loader:
            yield epoch, tokens, labels


@torch.no_grad()
def predict(model, loader, device, limit: Optional[int]) -> Tuple[torch.Tensor, torch.Tensor, float]:
    """Return predictions, labels and the mean loss."""
    model.eval()
    predictions, targets, total = [], [], 0.0
    for index, (tokens, labels) in enumerate(loader):
        if limit is not None and index >= limit:
            break
        logits = model(tokens.to(device))
        total += F.cross_entropy(logits, labels.to(device), reduction="sum").item()
        predictions.append(logits.argmax(dim=1).cpu())
        targets.append(labels)
    model.train()
    predicted, expected = torch.cat(predictions), torch.cat(targets)
    return predicted, expected, total / len(expected)


def accumulate(model, batches: List, device) -> Tuple[List[torch.Tensor], float, float, int]:
    """Average the gradients of several micro-batches.

    Returns the averaged gradient, the mean squared norm of the single ones, the mean loss and the number of examples.
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    mean = [torch.zeros_like(parameter) for parameter in parameters]
    norms, loss_sum, examples = [], 0.0, 0
    for tokens, labels in batches:
        loss = F.cross_entropy(model(tokens.to(device)), labels.to(device))
        gradients = torch.autograd.grad(loss, parameters)
        norms.append(squared_norm(gradients))
        for total, gradient in zip(mean, gradients):
            total.add_(gradient, alpha=1.0 / len(batches))
        loss_sum += loss.item() * len(labels)
        examples += len(labels)
    return mean, sum(norms) / len(norms), loss_sum / examples, examples


def train_once(cfg: DictConfig, run=None) -> Dict[str, float]:
    """Train one model; log to `run` where one is given."""
    set_seed(cfg.training.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_loader, val_loader, test_loader, vocabulary_size = build_loaders(cfg)
    model = build_model(cfg, vocabulary_size).to(device)
    controller = build_controller(cfg)
    monitor = NoiseMonitor(decay=cfg.method.noise.decay)
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=cfg.training.learning_rate, weight_decay=cfg.training.weight_decay
    )
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]

    step, seen, best_val, best_step, started = 0, 0, 0.0, 0, time.time()
    count = controller.count
    pending: List = []
    for epoch, tokens, labels in micro_batches(train_loader, cfg.training.epochs):
        pending.append((tokens, labels))
        if len(pending) < count:
            continue
        gradient, small_norm_sq, loss, examples = accumulate(model, pending, device)
        monitor.update(small_norm_sq, squared_norm(gradient), len(labels), examples)

        # Adam tolerates a square-root rule between batch size and learning rate.
        rate = cfg.training.learning_rate * math.sqrt(examples / cfg.training.reference_batch_size)
        for group in optimiser.param_groups:
            group["lr"] = rate
        for parameter, value in zip(parameters, gradient):
            parameter.grad = value
        optimiser.step()

        step += 1
        seen += examples
        pending = []
        count = controller.next_count(monitor.scale)
        if run is not None:
            run.log(
                {
                    "train_loss": loss,
                    "learning_rate": rate,
                    "batch_size": examples,
                    "noise_scale": 0.0 if math.isnan(monitor.scale) else monitor.scale,
                    "examples_seen": seen,
                    "epoch": epoch,
                },
                step=step,
            )
        finished = seen >= cfg.training.example_budget or step == cfg.limits.train_steps
        if step % cfg.training.eval_every == 0 or finished:
            predicted, expected, val_loss = predict(model, val_loader, device, cfg.limits.eval_batches)
            val_accuracy = (predicted == expected).float().mean().item()
            if val_accuracy > best_val:
                best_val, best_step = val_accuracy, step
            if run is not None:
                run.log({"val_accuracy": val_accuracy, "val_loss": val_loss}, step=step)
        if finished:
            break

    predicted, expected, test_loss = predict(model, test_loader, device, cfg.limits.eval_batches)
    correct = (predicted == expected).float()
    if run is not None:
        blocks = correct[: len(correct) // TEST_BLOCKS * TEST_BLOCKS].reshape(TEST_BLOCKS, -1).mean(dim=1)
        for index, accuracy in enumerate(blocks.tolist()):
            run.log({"test_block": index, "test_block_accuracy": accuracy}, step=step + 1 + index)
        classes = cfg.dataset.num_classes
        matrix = torch.bincount(expected * classes + predicted, minlength=classes * classes).reshape(classes, classes)
        run.summary["confusion_matrix"] = matrix.tolist()
    return {
        "test_accuracy": correct.mean().item(),
        "test_loss": test_loss,
        "best_val_accuracy": best_val,
        "best_step": best_step,
        "optimiser_steps": step,
        "wall_clock_seconds": time.time() - started,
    }


def search(cfg: DictConfig) -> Dict[str, float]:
    """Search on the validation part, untracked and with a tenth of the budget."""

    def objective(trial: optuna.Trial) -> float:
        candidate = OmegaConf.create(OmegaConf.to_container(cfg, resolve=True))
        candidate.training.example_budget = cfg.training.example_budget // 10
        for path, space in cfg.optuna.search_space.items():
            OmegaConf.update(candidate, path, trial.suggest_float(path, space.low, space.high, log=space.log))
        return train_once(candidate)["best_val_accuracy"]

    study = optuna.create_study(direction=cfg.optuna.direction)
    study.optimize(objective, n_trials=cfg.optuna.n_trials)
    return study.best_params


def train(cfg: DictConfig, results_dir: Path) -> None:
    if cfg.optuna.n_trials > 0:
        for path, value in search(cfg).items():
            OmegaConf.update(cfg, path, value)

    run = wandb.init(
        entity=cfg.wandb.entity,
        project=cfg.wandb.project,
        id=cfg.run_id,
        name=cfg.run_id,
        dir=str(results_dir),
        mode=cfg.wandb.mode,
        config=OmegaConf.to_container(cfg, resolve=True),
    )
    result = train_once(cfg, run)
    for key, value in result.items():
        run.summary[key] = value
    print(f"{cfg.run_id}: test accuracy {result['test_accuracy']:.4f} after {result['optimiser_steps']} steps")
    run.finish()
