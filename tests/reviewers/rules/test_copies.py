"""Guards that a copy of a file onto itself is found where both paths are one, and only there."""

import pytest

from reviewers.facts import Facts
from reviewers.records import Finding, Span
from reviewers.rules import run_rules
from tests.builders import SOUND_FILES, make_submission

_TRAIN = """
import os, shutil
from pathlib import Path
import hydra

@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    out = Path(cfg.results_dir)
    best = out / "best.pt"
    {}

if __name__ == "__main__":
    main()
"""


def _found(code: str) -> list[Finding]:
    body = code.replace("\n", "\n    ")
    made = run_rules(Facts(make_submission({"src/train.py": _TRAIN.format(body)})))
    return [finding for finding in made.findings if finding.rule == "FS16"]


@pytest.mark.parametrize(
    "code",
    [
        "shutil.copy(best, best)",
        'shutil.copy2(best, os.path.join(str(out), "best.pt"))',
        'shutil.copyfile(src=best, dst=out / "best.pt")',
        "shutil.copy(best, out)",
        """path = f"{os.environ['CACHE']}/a"\nshutil.copy(path, path)""",
    ],
    ids=["one value twice", "joined otherwise", "keywords", "into its own folder", "half known"],
)
def test_a_copy_onto_itself_stops_the_command(code: str) -> None:
    (finding,) = _found(code)
    assert "SameFileError" in finding.message
    assert "mode=full" in finding.message


@pytest.mark.parametrize(
    "code",
    [
        'shutil.copy(best, out / "last.pt")',
        'if best != out / "best.pt":\n    shutil.copy(best, out / "best.pt")',
        "if not best.exists():\n    shutil.copy(best, best)",
        "try:\n    shutil.copy(best, best)\nexcept shutil.SameFileError:\n    pass",
        'a, b = os.environ["A"], os.environ["B"]\nshutil.copy(f"{a}/x.pt", f"{b}/x.pt")',
        "best.replace(best)\nos.rename(best, best)\nshutil.move(best, best)",
        "shutil.copy(best)\nshutil.copy(*[best])\nshutil.copy(dst=best)",
    ],
    ids=["another name", "asked", "unknown", "handled", "unknown folders", "renamed", "hostile"],
)
def test_what_may_be_another_file_is_not_named(code: str) -> None:
    assert _found(code) == []


def test_paths_that_the_configuration_gives_are_flagged_there() -> None:
    config = SOUND_FILES["config/config.yaml"] + "\nkept: /data/a.pt\nfrom_file: /data/a.pt\n"
    train = _TRAIN.format("shutil.copy(cfg.from_file, cfg.kept)")
    files = {"src/train.py": train, "config/config.yaml": config}
    made = run_rules(Facts(make_submission(files))).findings
    (finding,) = [finding for finding in made if finding.rule == "FS16"]
    assert finding.span == Span("config/config.yaml", config.count("\n"))
    assert "src/train.py:10" in finding.message
