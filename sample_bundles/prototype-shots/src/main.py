"""python -u -m src.main run=<run_id> results_dir=<path> mode=full|trial"""

from pathlib import Path

import hydra
from omegaconf import DictConfig, OmegaConf, open_dict

from src.train import train

CONFIG_DIR = Path(__file__).resolve().parents[1] / "config"


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg: DictConfig) -> None:
    run_file = CONFIG_DIR / "runs" / f"{cfg.run}.yaml"
    if not run_file.is_file():
        raise FileNotFoundError(f"Run configuration {run_file} does not exist")
    with open_dict(cfg):
        cfg.merge_with(OmegaConf.load(run_file))

    if cfg.mode == "trial":
        cfg.wandb.mode = "disabled"
        cfg.optuna.n_trials = 0
        cfg.training.epochs = 1
        cfg.limits.train_episodes = 2
        cfg.limits.eval_episodes = 2
        cfg.limits.characters = 60
    elif cfg.mode == "full":
        cfg.wandb.mode = "online"
    else:
        raise ValueError(f"mode must be full or trial, got {cfg.mode}")

    train(cfg)


if __name__ == "__main__":
    main()
