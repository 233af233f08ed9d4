"""Start the training of one run in a process of its own."""

import os
import subprocess
import sys

import hydra
from hydra.utils import get_original_cwd
from omegaconf import DictConfig


def words_for(cfg: DictConfig) -> list[str]:
    words = [f"run={cfg.run.run_id}", f"results_dir={cfg.results_dir}", f"mode={cfg.mode}"]
    if cfg.mode == "trial":
        words.append("run.training.epochs=1")
        words.append("run.training.max_steps=2")
    return words


@hydra.main(version_base=None, config_path="../config", config_name="config")
def main(cfg: DictConfig):
    environment = dict(os.environ)
    if cfg.mode == "trial":
        environment["WANDB_MODE"] = "disabled"
    started = subprocess.Popen(
        [sys.executable, "-u", "-m", "src.train", *words_for(cfg)],
        cwd=get_original_cwd(),
        env=environment,
    )
    if started.wait() != 0:
        sys.exit(started.returncode)


if __name__ == "__main__":
    main()
