"""A folder of a submission's files, as they would lie in its repository."""

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from reviewers.bundles.dating import parse_date
from reviewers.bundles.finish import finished, lineage_of
from reviewers.bundles.json_text import JsonProblem, parse_json
from reviewers.bundles.jsonl import read_context, read_recorded
from reviewers.bundles.limits import MAX_FOLDERS, Budget, is_skipped, open_file, safe_path
from reviewers.bundles.yaml_text import load_yaml
from reviewers.errors import BundleError
from reviewers.records import RunConfig, SourceFile, Submission

CONTEXT = "context.json"
_RUN_FOLDERS = ("config/runs", "config/run")
_MARKS = ("src", "config", "pyproject.toml")
_MAX_RUN_ID = _MAX_NAME = 300  # characters


def is_bundle_folder(folder: Path) -> bool:
    """Whether a folder holds a submission itself, rather than bundles."""
    return any(os.path.lexists(folder / mark) for mark in _MARKS)


def read_folder(folder: Path, source: str) -> Submission:
    """Read a folder; `context.json` in it gives the research context and, if it likes, recorded
    answers, the generator's name and `generated_at`.

    Raises:
        BundleError: it holds a link or something that is no file, nothing of a submission, or
            breaks a limit.
    """
    budget = Budget(source)
    files = {}
    for path, place in _walk(folder, "", source, MAX_FOLDERS):
        try:
            with open_file(place, f"{source}/{path}") as stream:
                files[safe_path(path, source)] = budget.read(path, stream)
        except OSError as error:
            raise BundleError(source, f"{path} cannot be read: {error.strerror or error}") from None
    return submission_of(files, source, os.path.basename(os.path.abspath(folder)))


def submission_of(files: Mapping[str, bytes], source: str, name: str) -> Submission:
    """Make a submission of the files of a folder or archive, by their paths in it.

    Raises:
        BundleError: nothing of a submission is among them, its `context.json` cannot be read, or a
            limit is broken.
    """
    if not any(path.split("/")[0] in _MARKS for path in files):
        raise BundleError(
            source,
            "it holds no file in src/ or config/ and no pyproject.toml; name the folder that does",
        )
    runs: list[RunConfig] = []
    others = []
    for path, data in sorted(files.items()):
        folder, _, file_name = path.rpartition("/")
        stem, ending = os.path.splitext(file_name)
        file = SourceFile(path, data)
        if folder in _RUN_FOLDERS and ending in (".yaml", ".yml"):
            taken = {run.run_id for run in runs}
            runs.append(
                RunConfig(
                    next(id for id in (*_own_run_id(file), stem, path) if id not in taken), file
                )
            )
        elif path != CONTEXT:
            others.append(file)
    context = _context(files.get(CONTEXT), source)
    lineage, attempt = lineage_of(name)
    recorded, generator = context.pop("recorded", None), context.pop("generator", None)
    generated_at = _date(context.pop("generated_at", None), source)
    if recorded is not None and not isinstance(recorded, list):
        raise BundleError(source, f"{CONTEXT}: recorded must be a list of answers")
    if generator is not None and not (
        isinstance(generator, str) and generator.strip() and len(generator) <= _MAX_NAME
    ):
        raise BundleError(
            source, f"{CONTEXT}: generator must be a name of 1 to {_MAX_NAME} characters"
        )
    return finished(
        Submission(
            name=name,
            source=source,
            files=tuple(others),
            runs=tuple(runs),
            context=read_context(context, source),
            recorded=read_recorded(recorded or [], source),
            lineage=lineage,
            attempt=attempt,
            generator=generator,
        ),
        generated_at,
    )


def _walk(folder: Path, prefix: str, source: str, depth: int) -> Iterator[tuple[str, Path]]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        raise BundleError(
            source, f"the folder {prefix or '.'} cannot be read: {error.strerror or error}"
        ) from None
    for entry in entries:
        path = f"{prefix}{entry.name}"
        if is_skipped(entry.name):
            continue
        if entry.is_symlink():
            raise BundleError(source, f"{path} is a link; put the file itself there")
        if entry.is_dir(follow_symlinks=False):
            if depth == 0:
                raise BundleError(source, f"folders are nested deeper than {MAX_FOLDERS}")
            yield from _walk(Path(entry.path), f"{path}/", source, depth - 1)
        elif entry.is_file(follow_symlinks=False):
            yield path, Path(entry.path)
        else:
            raise BundleError(source, f"{path} is neither a file nor a folder; take it out")


def _own_run_id(file: SourceFile) -> Iterator[str]:
    """The id that the YAML gives itself, if any; two files may give the same, which is a defect of
    the submission only.
    """
    value = load_yaml(file.text).value
    run_id = value.get("run_id") if isinstance(value, dict) else None
    if isinstance(run_id, str) and run_id.strip() and len(run_id) <= _MAX_RUN_ID:
        yield run_id


def _date(said: object, source: str) -> datetime | None:
    try:
        return None if said is None else parse_date(said if isinstance(said, str) else "")
    except ValueError:
        raise BundleError(
            source, f"{CONTEXT}: generated_at must be a date of ISO 8601, such as 2025-10-20"
        ) from None


def _context(data: bytes | None, source: str) -> dict[str, object]:
    if data is None:
        return {}
    try:
        value = parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BundleError(
            source, f"{CONTEXT}: byte {error.start} is not UTF-8; save it as UTF-8"
        ) from None
    except JsonProblem as problem:
        raise BundleError(source, f"{CONTEXT} is not valid JSON: {problem}") from None
    if not isinstance(value, dict):
        raise BundleError(source, f"{CONTEXT} must be an object of the research context's fields")
    return dict(value)
