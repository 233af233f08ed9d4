"""Bundles in: a submission as it lies on disk, read whole or not at all."""

import os
from pathlib import Path

from reviewers.bundles.archive import is_tar, is_zip, read_archive
from reviewers.bundles.finish import ENDINGS
from reviewers.bundles.folder import is_bundle_folder, read_folder
from reviewers.bundles.jsonl import (
    read_json,
    read_json_lines,
    read_submission_json,
    submission_to_json,
)
from reviewers.bundles.limits import MAX_BYTES, read_whole
from reviewers.bundles.log import read_log
from reviewers.bundles.search import bundle_paths, check_name
from reviewers.errors import BundleError
from reviewers.records import Submission

__all__ = [
    "ENDINGS",
    "bundle_paths",
    "open_bundle",
    "open_bundles",
    "read_submission_json",
    "submission_to_json",
]

_ARCHIVES = tuple(
    ending for ending in ENDINGS if ending not in (".txt", ".json", ".jsonl", ".ndjson")
)
_MAX_LINES_BYTES = 10 * MAX_BYTES  # a JSON-lines file holds many submissions


def open_bundle(path: str | os.PathLike[str]) -> Submission:
    """Read the one submission that a log, folder, archive or JSON file holds.

    Raises:
        BundleError: it cannot be read, or holds several.
    """
    found = open_bundles(path)
    if len(found) > 1:
        raise BundleError(
            os.fspath(path),
            f"it holds {len(found)} submissions where one is wanted; split the file",
        )
    return found[0]


def open_bundles(path: str | os.PathLike[str]) -> tuple[Submission, ...]:
    """Read every submission that one source holds; only a JSON-lines file can hold more than one.

    Raises:
        BundleError: any part of it cannot be read; then nothing is returned.
    """
    source = os.fspath(path)
    check_name(source)
    place = Path(path)
    if not os.path.exists(source):
        raise BundleError(source, "there is no such file or folder; check the path")
    if os.path.isdir(source):
        if not is_bundle_folder(place):
            raise BundleError(
                source,
                "it holds neither src/ nor config/ nor pyproject.toml; name the folder that does",
            )
        return (read_folder(place, source),)
    ending = place.suffix.lower()
    if ending in (".jsonl", ".ndjson"):
        return read_json_lines(read_whole(place, source, _MAX_LINES_BYTES), source)
    data = read_whole(place, source)
    if ending == ".json":
        return (read_json(data, source),)
    if is_zip(data) or is_tar(data) or place.name.lower().endswith(_ARCHIVES):
        return (read_archive(data, source, place.name),)
    return (read_log(data, source, place.name),)
