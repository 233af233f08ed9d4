"""The interface of a bundle format, and the file or folder that a format may recognise."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reviewers.bundles.limits import MAX_BYTES, read_whole
from reviewers.records import Submission


class BundleCandidate:
    """A file or folder that may be a bundle; its bytes are read once, when they are asked for."""

    def __init__(self, path: Path, source: str) -> None:
        """Take a path that is there, and what the user called it."""
        self.path = path
        self.source = source
        self.name = path.name

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return os.path.isdir(self.path)

    @cached_property
    def data(self) -> bytes:
        """The whole file.

        Raises:
            BundleError: it cannot be read, is empty, or is larger than a bundle may be.
        """
        return read_whole(self.path, self.source)

    def ends_with(self, endings: tuple[str, ...]) -> bool:
        """Whether its name has one of these endings, in whatever case."""
        return self.name.lower().endswith(endings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format; a module that has one is named in the table of `formats`.

    Attributes:
        name: for people, with its article, as in "name a log, a folder, …".
        sniff: whether a file or folder that the user named is to be read as this one.
        read: gives the submissions that it holds; raises `BundleError`.
        of_folders: whether folders are asked about, and not files.
        endings: of the files that a folder of bundles is searched for; empty for none.
        is_meant: whether a file that nobody named, with one of the endings and these bytes, is
            meant as a bundle: other files may have the ending, too.
    """

    name: str
    sniff: Callable[[BundleCandidate], bool]
    read: Callable[[BundleCandidate], tuple[Submission, ...]]
    endings: tuple[str, ...] = ()
    of_folders: bool = False
    is_meant: Callable[[bytes], bool] | None = None


def without_ending(file_name: str, endings: tuple[str, ...]) -> str:
    """Return a bundle's name: its file name without the ending of its format."""
    for ending in sorted(endings, key=len, reverse=True):
        if file_name.lower().endswith(ending) and len(file_name) > len(ending):
            return file_name[: -len(ending)]
    return file_name


def head_of(path: Path) -> bytes | None:
    """Return as much of a file as a bundle may have; None if it cannot be read."""
    try:
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES)
    except OSError:
        return None
