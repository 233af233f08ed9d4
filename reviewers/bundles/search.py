"""Finds the bundles that a user's paths, globs and folders name."""

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from reviewers.bundles.folder import is_bundle_folder
from reviewers.bundles.formats import ENDINGS, may_be_bundle, named_formats
from reviewers.bundles.limits import is_skipped
from reviewers.errors import BundleError

_MAX_DEPTH = 6
_MAX_SOURCES = 10_000


def bundle_paths(named: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the sources that the user means: one path for each, sorted, none twice.

    A file that is named is a source whatever it holds. In a folder of bundles, what is plainly no
    bundle is passed over: files of other kinds, texts that are not logs, JSON that is not our
    export.

    Raises:
        BundleError: a path does not exist, a pattern or folder has no bundle, or a bundle in a
            folder is a link.
    """
    found: dict[str, Path] = {}
    for name in named:
        for path in _expanded(os.fspath(name)):
            sources = (
                list(_in_folder(path, _MAX_DEPTH))
                if os.path.isdir(path) and not is_bundle_folder(path)
                else [path]
            )
            if not sources:
                raise BundleError(
                    str(path),
                    f"no bundle is in this folder; name {named_formats()}",
                )
            for source in sources:
                found.setdefault(os.path.realpath(source), source)
                if len(found) > _MAX_SOURCES:
                    raise BundleError(
                        str(path),
                        f"it contains more than {_MAX_SOURCES} bundles; name fewer at once",
                    )
    if not found:
        raise BundleError("bundles", f"none is named; name {named_formats()}")
    return sorted(found.values())


def check_name(path: str) -> None:
    """Refuse a path that no store can keep.

    Raises:
        BundleError: it contains a NUL byte or is not UTF-8.
    """
    try:
        path.encode()
    except UnicodeEncodeError:
        raise BundleError(
            path.encode(errors="replace").decode(), "its name is not UTF-8; rename it"
        ) from None
    if "\0" in path:
        raise BundleError(path, "its name contains a NUL byte, so no such file can exist")


def _expanded(name: str) -> list[Path]:
    check_name(name)
    path = Path(name)
    if os.path.exists(path):
        return [path]
    if glob.has_magic(name):
        if matches := glob.glob(name, recursive=True):
            return [Path(match) for match in matches]
        raise BundleError(name, "no file matches this pattern; check the path")
    raise BundleError(name, "there is no such file or folder; check the path")


def _in_folder(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise BundleError(
            str(folder), f"the folder cannot be read: {error.strerror or error}"
        ) from None
    for entry in entries:
        if is_skipped(entry.name):
            continue
        is_folder = os.path.isdir(entry)
        if not is_folder and not entry.name.lower().endswith(ENDINGS):
            continue
        check_name(str(entry))
        if entry.is_symlink():
            raise BundleError(str(entry), "it is a link; put the bundle itself there, or name it")
        if is_folder and is_bundle_folder(entry):
            yield entry
        elif is_folder:
            if depth == 0:
                raise BundleError(
                    str(folder),
                    f"folders of bundles are nested deeper than {_MAX_DEPTH}; name the inner one",
                )
            yield from _in_folder(entry, depth - 1)
        elif may_be_bundle(entry):
            yield entry
