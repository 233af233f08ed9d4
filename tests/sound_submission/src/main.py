"""Starts one run in a process of its own."""

import subprocess
import sys
from pathlib import Path

import hydra
from omegaconf import DictConfig


@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg: DictConfig) -> None:
    root = Path(__file__).resolve().parents[1]
    command = [
        sys.executable,
        "-u",
        "-m",
        "src.train",
        f"run={cfg.run}",
        f"results_dir={cfg.results_dir}",
        f"mode={cfg.mode}",
    ]
    subprocess.run(command, cwd=root, check=True)


if __name__ == "__main__":
    main()
