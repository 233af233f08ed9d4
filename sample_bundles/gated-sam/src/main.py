"""Entry point: uv run python -u -m src.main run={run_id} results_dir={path} mode=full|trial."""

from __future__ import annotations

from pathlib import Path

import hydra
from omegaconf import DictConfig, OmegaConf

from src.train import train

RUN_CONFIGS = Path(__file__).resolve().parent.parent / "config" / "runs"


def load_run(cfg: DictConfig) -> DictConfig:
    """Lay the file of the chosen run over the shared settings."""
    path = RUN_CONFIGS / f"{cfg.run}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in RUN_CONFIGS.glob("*.yaml"))) or "none"
        raise FileNotFoundError(f"{path} does not exist; known runs: {known}")
    # Hydra hands over a struct config, which refuses every key that config.yaml does not have.
    OmegaConf.set_struct(cfg, False)
    merged = OmegaConf.merge(cfg, OmegaConf.load(path))
    if merged.run_id != cfg.run:
        raise ValueError(f"{path} says run_id={merged.run_id}, expected {cfg.run}")
    return merged


def apply_mode(cfg: DictConfig) -> None:
    """Narrow everything for a trial, switch tracking on for a full run."""
    if cfg.mode == "trial":
        cfg.wandb.mode = "disabled"
        cfg.optuna.n_trials = 0
        cfg.training.epochs = 1
        cfg.training.seeds = [cfg.training.seeds[0]]
        cfg.limits.train_batches = 2
        cfg.limits.eval_batches = 2
    elif cfg.mode == "full":
        cfg.wandb.mode = "online"
    else:
        raise ValueError(f"mode must be 'full' or 'trial', not {cfg.mode!r}")


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg: DictConfig) -> None:
    cfg = load_run(cfg)
    apply_mode(cfg)
    print(OmegaConf.to_yaml(cfg, resolve=True))
    train(cfg)


if __name__ == "__main__":
    main()
