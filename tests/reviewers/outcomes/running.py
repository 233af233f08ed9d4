"""Runs a submission of the tests for real, with stand-ins for the libraries that are not
installed.
"""

import os
import subprocess
import sys
from pathlib import Path

from reviewers.records import Submission

_ABSENT = (
    "datasets",
    "matplotlib/pyplot",
    "optuna",
    "scipy/stats",
    "torch/nn/functional",
    "torch/utils/data",
    "wandb",
)
_STAND_IN = """
class Anything:
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, *args, **kwargs):
        return self

    def __getattr__(self, name):
        return Anything()


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything
"""


def run(submission: Submission, folder: Path, *command: str) -> tuple[str, int]:
    """Return what the command printed, stderr after stdout, and its exit code.

    Args:
        command: what follows `python -m`; it is started in the submission's folder.
    """
    for path, file in submission.by_path.items():
        _write(folder / path, file.data.decode())
    for path in _ABSENT:
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            _write(folder.joinpath(*parts[:length], "__init__.py"), _STAND_IN)
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HYDRA_", "PYTHON", "OC_"))
    }
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout + done.stderr, done.returncode


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
