"""Limits on the size of a bundle and on the paths in it; every format checks them before it keeps a
byte.
"""

import os
import re
import stat
from pathlib import Path
from typing import IO

from reviewers.errors import BundleError

MAX_FILES = 500
MAX_RUNS = 200
MAX_FILE_BYTES = 2_000_000
MAX_BYTES = 20_000_000
MAX_FOLDERS = 20  # folders inside folders, and parts of a path
_MAX_NAME_BYTES = 255  # what the usual file systems allow
_DRIVE = re.compile(r"[A-Za-z]:")

# What tools leave beside the code; never part of a submission.
LEFT_BY_TOOLS = frozenset(
    {".DS_Store", ".git", ".hg", ".idea", ".svn", ".vscode", "Thumbs.db", "__MACOSX"}
)
CACHES = frozenset(
    {
        *(".cache", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache"),
        *(".tox", "__pycache__", "node_modules"),
    }
)
ENVIRONMENTS = frozenset({".venv", "venv", "site-packages"})
_SKIPPED = LEFT_BY_TOOLS | CACHES | ENVIRONMENTS


class BundleBudget:
    """Counts the files and bytes of one bundle, as they are really read."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._files = 0
        self._bytes = 0

    def add(self, path: str, size: int) -> None:
        """Count one file.

        Raises:
            BundleError: it is too large, or the bundle now holds too many files or bytes.
        """
        self._files += 1
        self._bytes += size
        if size > MAX_FILE_BYTES:
            raise BundleError(
                self._source,
                f"{path} is larger than {MAX_FILE_BYTES // 1_000_000} MB; leave data out of it",
            )
        if self._bytes > MAX_BYTES:
            raise BundleError(
                self._source,
                f"it contains more than {MAX_BYTES // 1_000_000} MB; leave data out of the bundle",
            )
        if self._files > MAX_FILES:
            raise BundleError(
                self._source, f"it contains more than {MAX_FILES} files; name a folder in it"
            )

    def takes(self, size: int) -> bool:
        """Whether one more file of this size breaks no limit."""
        return self._files < MAX_FILES and size <= self.room

    @property
    def room(self) -> int:
        """How many bytes the next file may have."""
        return min(MAX_FILE_BYTES, MAX_BYTES - self._bytes)


def open_file(path: Path, source: str) -> IO[bytes]:
    """Open a regular file for reading; a link, pipe or device that took its place meanwhile is not
    followed.

    Raises:
        BundleError: there is no such file, it is not a regular one, or it may not be read.
    """
    flags = (
        os.O_RDONLY
        | getattr(os, "O_BINARY", 0)
        | getattr(os, "O_NOFOLLOW", 0)
        | getattr(os, "O_NONBLOCK", 0)
    )
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise BundleError(
            source, f"{error.strerror or 'it cannot be opened'}; name a file that can be read"
        ) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BundleError(source, "it is not a regular file; name a file or folder")
    return os.fdopen(descriptor, "rb")


def read_whole(path: Path, source: str, limit: int = MAX_BYTES) -> bytes:
    """Read a bundle that is one file.

    Args:
        path: where it lies; links in it are followed, since the user named it.

    Raises:
        BundleError: it cannot be read, is empty, or is larger than `limit` bytes.
    """
    try:
        with open_file(Path(os.path.realpath(path)), source) as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise BundleError(
            source, f"{error.strerror or 'it cannot be read'}; name a file that can be read"
        ) from None
    if not data:
        raise BundleError(source, "the file is empty; there is nothing to read")
    if len(data) > limit:
        raise BundleError(
            source, f"it is larger than {limit // 1_000_000} MB; a bundle holds code, not data"
        )
    return data


def safe_path(path: str, source: str) -> str:
    """Return a path inside the submission in its plain form: relative, forward slashes, no empty or
    `.` part.

    Raises:
        BundleError: it could leave the submission's folder, or no file can have it.
    """

    def refused(problem: str) -> BundleError:
        return BundleError(
            source,
            f"the path {path[:200]!r} {problem}; paths must be relative, with forward slashes",
        )

    if "\0" in path:
        raise refused("contains a NUL byte")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise refused("is not UTF-8") from None
    if path.startswith("/") or _DRIVE.match(path):
        raise refused("is absolute")
    if "\\" in path:
        raise refused("contains a backslash")
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise refused("leaves the folder")
    if not parts:
        raise refused("names no file")
    if len(parts) > MAX_FOLDERS:
        raise refused(f"is nested deeper than {MAX_FOLDERS} folders")
    if any(len(part.encode()) > _MAX_NAME_BYTES for part in parts):
        raise refused("contains a name that is too long")
    return "/".join(parts)


def is_skipped(path: str) -> bool:
    """Whether any part of the path is something that tools leave beside the code."""
    return any(part in _SKIPPED or part.startswith("._") for part in path.split("/"))
