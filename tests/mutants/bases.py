"""The submissions that are mutated: the tests' sound one, and the samples without their defects.

A sample with a planted defect stops at once whatever is changed, so each is repaired here first.
What areachair still says of a repaired one is its baseline and counts for nothing.
`prototype-shots` is left out: it counts the drawings of a data set, which a stub cannot have.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from reviewers.bundles import open_bundle
from reviewers.settings import sample_bundles

_SOUND = Path(__file__).resolve().parents[1] / "sound_submission"
_ARGPARSE = re.compile(r"    parser = argparse.*?run_ids = json.loads\(args.run_ids\)\n", re.DOTALL)
_NEEDS = re.compile(r'^([a-z-]+) = "\^([\d.]+)"$', re.MULTILINE)


@dataclass(frozen=True)
class Extent:
    """How much is asked of the bases: all, or a part that costs less.

    Attributes:
        names: of the bases; all where there are none.
        run_ids: parts of the ids of runs; other run configs are left out.
        without: modes that the contract does not ask for.
    """

    names: Collection[str] = ()
    run_ids: Collection[str] = ()
    without: Collection[str] = ()


def bases(extent: Extent) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Each submission by its name, with a contract beside its files."""
    for path in (_SOUND, *(sample_bundles() / name for name in _MENDED)):
        if extent.names and path.name not in extent.names:
            continue
        submission = open_bundle(path)
        files = {file.path: file.text for file in submission.files}
        files |= {
            run.file.path: run.file.text
            for run in submission.runs
            if not extent.run_ids or any(part in run.run_id for part in extent.run_ids)
        }
        name = path.name.removesuffix(".txt")
        if path is not _SOUND:
            _MENDED[path.name](files)
        folder = next(iter(submission.runs)).file.path.rpartition("/")[0]
        without = "".join(f"modes.{mode} = false\n" for mode in extent.without)
        contract = f'extends = "nine-modes"\n{without}\n[runs]\nfolder = "{folder}"\n'
        files["areachair.toml"] = contract
        yield name, files


def _change(files: dict[str, str], path: str, *changes: tuple[str, str]) -> None:
    for old, new in changes:
        assert old in files[path], (path, old)
        files[path] = files[path].replace(old, new)


def _project(files: dict[str, str], name: str) -> None:
    found = _NEEDS.finditer(files["pyproject.toml"])
    needs = ",\n".join(f'    "{one[1]}>={one[2]}"' for one in found if one[1] != "python")
    files["pyproject.toml"] = (
        f'[project]\nname = "{name}"\nversion = "0.1.0"\nrequires-python = ">=3.11"\n'
        f"dependencies = [\n{needs},\n]\n\n[tool.uv]\npackage = false\n"
    )


def _gated_sam(files: dict[str, str]) -> None:
    """It has no defect."""


def _noise_batch(files: dict[str, str]) -> None:
    _project(files, "noise-batch")
    _change(
        files,
        "src/main.py",
        ("    run_cfg = Omega", "    OmegaConf.set_struct(cfg, False)\n    run_cfg = Omega"),
    )
    _change(files, "src/train.py", ("cfg.method.noise.decay", "cfg.noise.decay"))
    files["config/config.yaml"] += "\nnoise:\n  decay: 0.95\n"


def _sparse_forecast(files: dict[str, str]) -> None:
    files["config/config.yaml"] += "\ntraining:\n  batch_limit: null\n"
    _change(files, "src/evaluate.py", ('"val_mae"', '"valid_mae"'))


def _temperature_mixing(files: dict[str, str]) -> None:
    _change(files, "src/train.py", ("import random\n", "import math\nimport random\n"))
    text = "vector scaling will be added together with the other baselines"
    refusal = f'raise NotImplementedError("{text}")'
    _change(
        files,
        "src/model.py",
        ("def extract(", "def forward("),
        (refusal, "return F.log_softmax(logits * self.scale + self.shift, dim=1)"),
    )


def _retrieval_head(files: dict[str, str]) -> None:
    _project(files, "retrieval-head")
    _change(
        files, "src/evaluate.py", ("import argparse\nimport json\n", "import json\nimport sys\n")
    )
    words = (
        '    words = dict(word.split("=", 1) for word in sys.argv[1:])\n'
        '    results_dir = Path(words["results_dir"])\n'
        '    run_ids = json.loads(words["run_ids"])\n'
    )
    assert _ARGPARSE.search(files["src/evaluate.py"])
    files["src/evaluate.py"] = _ARGPARSE.sub(words, files["src/evaluate.py"])


_MENDED = {
    "gated-sam": _gated_sam,
    "noise-batch": _noise_batch,
    "retrieval-head.txt": _retrieval_head,
    "sparse-forecast.txt": _sparse_forecast,
    "temperature-mixing.txt": _temperature_mixing,
}
