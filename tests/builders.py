"""Builds submissions for tests: a small sound one, and whatever a test lays over it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml
from typer.testing import Result

from reviewers.records import (
    ContractSource,
    GivenContract,
    ResearchContext,
    RunConfig,
    SourceFile,
    Submission,
)

Run = Callable[..., Result]
_FILE = re.compile(r"^=== (?P<path>\S+)(?: \((?P<what>absent)\))?(?P<rest>.*)$", re.MULTILINE)
FLAG = re.compile(r"#\s*flag: (\w+)")
METRIC = "Top-1 accuracy on the held-out split"

_SOUND = Path(__file__).parent / "sound_submission"
SOUND_RUNS: Mapping[str, str] = {
    path.stem: path.read_text("utf-8") for path in sorted((_SOUND / "config" / "runs").iterdir())
}
ONE_RUN = dict(list(SOUND_RUNS.items())[:1])
SOUND_FILES: Mapping[str, str] = {
    path: (_SOUND / path).read_text("utf-8")
    for path in (
        "config/config.yaml",
        "pyproject.toml",
        *(f"src/{module}.py" for module in ("evaluate", "main", "model", "preprocess", "train")),
    )
}

CONTEXT = ResearchContext(
    hypothesis={
        "open_problems": "Plain networks waste units.",
        "method": "Gate each unit.",
        "primary_metric": METRIC,
    },
    method="Each hidden unit is multiplied by a learned gate.",
    primary_metric=METRIC,
)


def make_submission(
    files: Mapping[str, str | bytes | None] | None = None,
    runs: Mapping[str, str] | None = None,
    **fields: Any,
) -> Submission:
    """Return a sound submission with files added or replaced.

    Args:
        files: texts by path; None takes a file away.
        runs: YAML by run id, or by path where that is not `config/runs/{run_id}.yaml`; replaces all
            run configs.
    """
    merged: dict[str, str | bytes | None] = {**SOUND_FILES, **(files or {})}
    return Submission(
        **{
            "name": "sample",
            "source": "sample",
            "files": tuple(
                SourceFile(path, as_bytes(text))
                for path, text in sorted(merged.items())
                if text is not None
            ),
            "runs": tuple(
                _run(name, text) for name, text in (SOUND_RUNS if runs is None else runs).items()
            ),
            "context": CONTEXT,
            # The sound submission's own, whichever of its files are taken away.
            "contract": contract("nine-modes"),
        }
        | fields
    )


def with_one_run(
    files: Mapping[str, str | bytes | None] | None = None,
    runs: Mapping[str, str] | None = None,
    **fields: Any,
) -> Submission:
    """The same with the first run alone where no runs are given: every script is followed anew for
    each run, which takes most of a small test's time.
    """
    return make_submission(files, ONE_RUN if runs is None else runs, **fields)


def write_folder(root: Path, submission: Submission) -> Path:
    """Write a submission as a folder."""
    for file in submission.by_path.values():
        path = root / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
    return root


def contract(extends: str, clauses: str = "") -> GivenContract:
    """A contract as a file beside the bundle gives it: a built-in one with clauses added or
    replaced.
    """
    return GivenContract(ContractSource.FILE, f'extends = "{extends}"\n{clauses}')


def _run(name: str, text: str) -> RunConfig:
    path = name if "/" in name else f"config/runs/{name}.yaml"
    return RunConfig(
        path.rpartition("/")[2].removesuffix(".yaml"), SourceFile(path, as_bytes(text))
    )


def as_bytes(text: str | bytes) -> bytes:
    """Return the bytes of a text, lone surrogates kept as they are."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")


def submission_from_example(example: str) -> tuple[Submission, set[tuple[str, str, int | None]]]:
    """Lay a rule's example over the sound submission; also return what it says must be flagged, as
    (rule, file, line).
    """
    files: dict[str, str | None] = {}
    runs: dict[str, str] = {}
    fields: dict[str, Any] = {}
    flagged: set[tuple[str, str, int | None]] = set()
    for path, what, rest, text in _parts(example):
        flagged.update((rule, path, None) for rule in FLAG.findall(rest))
        for number, line in enumerate(text.splitlines(), 1):
            flagged.update((rule, path, number) for rule in FLAG.findall(line))
        if path.startswith(("config/runs/", "config/run/")):
            runs[path] = text
        elif path == "areachair.toml":
            fields["contract"] = GivenContract(ContractSource.FILE, text)
        elif path == "design.yaml":
            fields["context"] = replace(CONTEXT, design=yaml.safe_load(text))
        else:
            files[path] = None if what == "absent" else text
    return make_submission(files, runs or None, **fields), flagged


def _parts(example: str) -> list[tuple[str, str | None, str, str]]:
    heads = list(_FILE.finditer(example))
    ends = [head.start() for head in heads] + [len(example)]
    found = [("src/train.py", None, "", example[: ends[0]])] if ends[0] > 0 else []
    for head, end in zip(heads, ends[1:], strict=True):
        found.append((head["path"], head["what"], head["rest"], example[head.end() + 1 : end]))
    return found


def changed(path: str, *changes: tuple[str, str]) -> dict[str, str | None]:
    """A file of the sound submission with some of its code replaced."""
    text = SOUND_FILES[path]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return {path: text}
