"""Launch one training run: compose the configuration, apply the mode, train."""

from pathlib import Path

import hydra
from omegaconf import DictConfig, OmegaConf

from src.train import train

REPO_ROOT = Path(__file__).resolve().parents[1]


def apply_mode(cfg: DictConfig) -> None:
    if cfg.mode == "trial":
        cfg.wandb.mode = "disabled"
        cfg.optuna.n_trials = 0
        cfg.training.epochs = 1
        cfg.limits.train_steps = 2
        cfg.limits.eval_batches = 2
        cfg.limits.corpus = 2000
    elif cfg.mode == "full":
        cfg.wandb.mode = "online"
    else:
        raise ValueError(f"Unknown mode '{cfg.mode}', expected 'full' or 'trial'")


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg: DictConfig) -> None:
    if not cfg.run:
        raise ValueError("Please pass run=<run_id> on the command line")
    run_file = REPO_ROOT / "config" / "runs" / f"{cfg.run}.yaml"
    if not run_file.exists():
        raise FileNotFoundError(f"No configuration for run '{cfg.run}' at {run_file}")

    run_cfg = OmegaConf.load(run_file)
    cfg = OmegaConf.merge(cfg, run_cfg)
    apply_mode(cfg)

    results_dir = Path(cfg.results_dir) / cfg.run_id
    results_dir.mkdir(parents=True, exist_ok=True)
    OmegaConf.save(cfg, results_dir / "resolved_config.yaml")
    train(cfg, results_dir)


if __name__ == "__main__":
    main()
