"""A folder of a submission's files, as they would lie in its repository."""

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from reviewers.bundles.bundle_format import Format, head_of
from reviewers.bundles.dating import parse_date
from reviewers.bundles.file_selection import (
    ENVIRONMENT_MARK,
    FoundFile,
    read_chosen,
    tool_folder,
    without_binaries,
)
from reviewers.bundles.final_checks import finished, lineage_of
from reviewers.bundles.json_text import JsonProblem, parse_json
from reviewers.bundles.limits import MAX_FOLDERS, open_file, safe_path
from reviewers.bundles.log import is_log
from reviewers.bundles.notebook import NOTEBOOK
from reviewers.bundles.submission_json import read_context, read_recorded
from reviewers.bundles.yaml_text import load_yaml
from reviewers.errors import BundleError
from reviewers.records import PassedOver, ResearchContext, RunConfig, SourceFile, Submission

CONTEXT = "context.json"
_RUN_FOLDERS = ("config/runs", "config/run")
_MARKS = ("src", "config", "pyproject.toml")
_FIELDS = {*ResearchContext.__dataclass_fields__, "recorded", "generator", "generated_at"}
_MAX_ENTRIES = 200_000
_MAX_RUN_ID = _MAX_NAME = 300  # characters


def is_bundle_folder(folder: Path) -> bool:
    """Whether a folder holds a submission itself, rather than bundles: by one of the documented
    parts, or by Python files of its own where no recorded log lies beside them.
    """
    if any(os.path.lexists(folder / mark) for mark in _MARKS):
        return True
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    texts = (folder / name for name in names if name.endswith(".txt"))
    return any(name.endswith((".py", NOTEBOOK)) for name in names) and not any(
        is_log(head_of(text) or b"") for text in texts if text.is_file()
    )


def _read(folder: Path, source: str) -> Submission:
    """Read a folder; `context.json` in it gives the research context and, if it likes, recorded
    answers, the generator's name and `generated_at`.

    Raises:
        BundleError: it holds a link or something that is not a file, nothing of a submission, or
            breaks a limit.
    """
    found: list[FoundFile] = []
    passed: list[PassedOver] = []
    for each in _walk(folder, "", source, MAX_FOLDERS, iter(range(_MAX_ENTRIES))):
        (found if isinstance(each, FoundFile) else passed).append(each)  # type: ignore[arg-type]
    files, over = read_chosen(found, passed, source)
    return submission_of(files, source, os.path.basename(os.path.abspath(folder)), over)


def submission_of(
    files: Mapping[str, bytes], source: str, name: str, passed: tuple[PassedOver, ...] = ()
) -> Submission:
    """Make a submission of the files of a folder or archive, by their paths in it.

    Raises:
        BundleError: nothing of a submission is among them, its `context.json` cannot be read, or a
            limit is broken.
    """
    files, over = without_binaries(files)
    if not any(path.split("/")[0] in _MARKS or path.endswith(".py") for path in files):
        raise BundleError(source, "it contains no Python file; name the folder that does")
    context = _context(files.get(CONTEXT), source)
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
        elif path != CONTEXT or context is None:
            others.append(file)
    lineage, attempt = lineage_of(name)
    context = context or {}
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
            passed_over=(*passed, *over),
        ),
        generated_at,
    )


def _walk(
    folder: Path, prefix: str, source: str, depth: int, visits: Iterator[int]
) -> Iterator[FoundFile | PassedOver]:
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        raise BundleError(
            source, f"the folder {prefix or '.'} cannot be read: {error.strerror or error}"
        ) from None
    for entry in entries:
        path = f"{prefix}{entry.name}"
        if next(visits, None) is None:
            raise BundleError(
                source,
                f"it contains more than {_MAX_ENTRIES:,} files; leave data out of the bundle",
            )
        if entry.is_symlink():
            yield PassedOver(path, "a link, which is not followed")
        elif entry.is_dir(follow_symlinks=False):
            is_environment = os.path.lexists(os.path.join(entry.path, ENVIRONMENT_MARK))
            left = tool_folder(entry.name, [entry.name] if is_environment else ())
            if left is not None:
                yield PassedOver(f"{prefix}{left.path}", left.reason)
            elif depth == 0:
                raise BundleError(source, f"folders are nested deeper than {MAX_FOLDERS}")
            else:
                yield from _walk(Path(entry.path), f"{path}/", source, depth - 1, visits)
        elif not entry.is_file(follow_symlinks=False):
            yield PassedOver(path, "neither a file nor a folder")
        elif tool_folder(entry.name) is None:
            size = entry.stat(follow_symlinks=False).st_size
            yield FoundFile(safe_path(path, source), size, _reader(Path(entry.path), path, source))


def _reader(place: Path, path: str, source: str) -> Callable[[int], bytes]:
    def read(most: int) -> bytes:
        try:
            with open_file(place, f"{source}/{path}") as stream:
                return stream.read(most)
        except OSError as error:
            raise BundleError(source, f"{path} cannot be read: {error.strerror or error}") from None

    return read


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


def _context(data: bytes | None, source: str) -> dict[str, object] | None:
    """What our own file says; None for a file of this name with none of our fields."""
    if data is None:
        return None
    try:
        value = parse_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BundleError(
            source, f"{CONTEXT}: byte {error.start} is not UTF-8; save it as UTF-8"
        ) from None
    except JsonProblem as problem:
        raise BundleError(source, f"{CONTEXT} is not valid JSON: {problem}") from None
    return dict(value) if isinstance(value, dict) and value.keys() & _FIELDS else None


FORMAT = Format(
    name="a folder with Python files",
    of_folders=True,
    sniff=lambda candidate: is_bundle_folder(candidate.path),
    read=lambda candidate: (_read(candidate.path, candidate.source),),
)
