"""Reads bundles: a submission on disk is read as a whole or not at all."""

import os
from pathlib import Path

from reviewers.bundles.bundle_format import BundleCandidate
from reviewers.bundles.final_checks import with_contract_beside
from reviewers.bundles.formats import format_of
from reviewers.bundles.search import bundle_paths, check_name
from reviewers.bundles.submission_json import read_submission_json, submission_to_json
from reviewers.errors import BundleError
from reviewers.records import Submission

__all__ = [
    "bundle_paths",
    "open_bundle",
    "open_bundles",
    "read_submission_json",
    "submission_to_json",
]


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
    if not os.path.exists(source):
        raise BundleError(source, "there is no such file or folder; check the path")
    candidate = BundleCandidate(Path(path), source)
    if (found := format_of(candidate)) is None:
        raise BundleError(
            source,
            "it contains no Python file of its own; name the folder that does",
        )
    return tuple(with_contract_beside(each, candidate.path) for each in found.read(candidate))
