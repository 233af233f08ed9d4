"""Zip and tar archives of a submission's folder; they are unpacked in memory only, and never
further than the limits.
"""

import bz2
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol

from reviewers.bundles.dating import dated
from reviewers.bundles.finish import bundle_name
from reviewers.bundles.folder import submission_of
from reviewers.bundles.limits import MAX_BYTES, Budget, is_skipped, safe_path
from reviewers.errors import BundleError
from reviewers.records import DatedBy, Submission

_MAX_MEMBERS = 5_000  # folders and what tools leave included
_TAR_BYTES = MAX_BYTES + 2_000_000  # a tar's own headers and padding come on top of its files
_LZMA_MEMORY = 128_000_000
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack without a bound
# NotImplementedError: a newer zip version; RuntimeError: a password after all.
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
)
_TOO_MUCH = f"it unpacks to more than {MAX_BYTES // 1_000_000} MB; leave data out of the bundle"


def is_zip(data: bytes) -> bool:
    """Whether the bytes begin as a zip archive does."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def is_tar(data: bytes) -> bool:
    """Whether the bytes begin as a tar archive does, plain or compressed."""
    return data[257:262] == b"ustar" or any(data.startswith(magic) for magic in _COMPRESSED)


def read_archive(data: bytes, source: str, file_name: str) -> Submission:
    """Read an archive of a submission's folder; a single folder that holds everything else is
    passed over.

    Raises:
        BundleError: it cannot be unpacked, holds links or paths that leave it, or breaks a limit.
    """
    members = _Members(source)
    if is_zip(data):
        _read_zip(data, members)
    else:
        _read_tar(_decompressed(data, source), members)
    found = submission_of(_without_top_folder(members.files), source, bundle_name(file_name))
    return dated(found, max(members.times, default=None), DatedBy.ARCHIVE)


class _Members:
    """The members of an archive, each checked before it is kept."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.files: dict[str, bytes] = {}
        self.times: list[datetime] = []
        self.budget = Budget(source)
        self._seen = 0

    def admit(self, name: str, kind: str) -> str | None:
        """Return the plain path of a file that is to be read; None for a folder and for what tools
        leave.

        Args:
            kind: `file`, `folder` or what else it is, in words.
        """
        self._seen += 1
        if self._seen > _MAX_MEMBERS:
            raise BundleError(self.source, f"it holds more than {_MAX_MEMBERS} members")
        if (
            kind == "folder"
            and name.strip("./") == ""
            and not name.startswith("/")
            and ".." not in name
        ):
            return None
        path = safe_path(name, self.source)
        if kind == "folder" or is_skipped(path):
            return None
        if kind != "file":
            raise BundleError(self.source, f"{path} is {kind}; put the file itself there")
        if path in self.files:
            raise BundleError(self.source, f"it holds two files at {path!r}; keep one")
        return path

    def add_time(self, made: Callable[..., datetime], *said: object) -> None:
        """Keep the time of a file, where what the archive says is one."""
        with suppress(ValueError, OverflowError, OSError):
            self.times.append(made(*said))


def _read_zip(data: bytes, members: _Members) -> None:
    source = members.source
    if data.count(b"PK\x01\x02") > _MAX_MEMBERS:  # before zipfile makes an object of each
        raise BundleError(source, f"it holds more than {_MAX_MEMBERS} members")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > MAX_BYTES:
                raise BundleError(source, _TOO_MUCH)
            for info in archive.infolist():
                # `filename` is already tidied (cut at a NUL, separators turned): judge what the
                # archive really says.
                path = members.admit(info.orig_filename, _zip_kind(info))
                if path is None:
                    continue
                if info.flag_bits & 1:
                    raise BundleError(source, f"{path} is encrypted; pack it without a password")
                if info.compress_type not in _ZIP_METHODS:
                    raise BundleError(
                        source,
                        f"{path} is packed in an unusual way; pack it again with the usual"
                        " `deflate`",
                    )
                with archive.open(info) as stream:
                    members.files[path] = members.budget.read(path, stream)
                members.add_time(datetime, *info.date_time, 0, UTC)
    except _ZIP_ERRORS as error:
        raise _damaged(source, error) from None


def _zip_kind(info: zipfile.ZipInfo) -> str:
    mode = stat.S_IFMT(info.external_attr >> 16)
    if mode == stat.S_IFLNK:
        return "a link"
    if mode not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "neither a file nor a folder"
    return "folder" if info.orig_filename.endswith("/") or mode == stat.S_IFDIR else "file"


def _read_tar(data: bytes, members: _Members) -> None:
    source = members.source
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            while (info := archive.next()) is not None:
                path = members.admit(info.name, _tar_kind(info))
                if path is None:
                    continue
                stream = archive.extractfile(info)
                assert stream is not None  # only a regular file is admitted
                content = members.budget.read(path, stream)
                if len(content) != info.size:
                    raise BundleError(source, f"{path} breaks off; pack it again")
                members.files[path] = content
                members.add_time(datetime.fromtimestamp, info.mtime, UTC)
    except (
        tarfile.TarError,
        EOFError,
        OSError,
        ValueError,
        OverflowError,
        RecursionError,
    ) as error:
        raise _damaged(source, error) from None


def _tar_kind(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "a link"
    if info.isdir():
        return "folder"
    # A sparse file can claim any size at no cost.
    return "file" if info.isreg() and not info.issparse() else "neither a file nor a folder"


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int = ..., /) -> bytes: ...


# gzip: 16 added to the window's size makes zlib read its header.
_COMPRESSED: dict[bytes, Callable[[], _Decompressor]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(16 + zlib.MAX_WBITS),
    b"\xfd7zXZ\x00": lambda: lzma.LZMADecompressor(memlimit=_LZMA_MEMORY),
    b"BZh": bz2.BZ2Decompressor,
}


def _decompressed(data: bytes, source: str) -> bytes:
    """Return the tar itself, unpacked in one step that stops at the limit."""
    make = next((make for magic, make in _COMPRESSED.items() if data.startswith(magic)), None)
    if make is None:
        return data
    parts: list[bytes] = []
    left = _TAR_BYTES
    try:
        while data:
            decompressor = make()
            parts.append(decompressor.decompress(data, left + 1))
            left -= len(parts[-1])
            if left < 0:
                raise BundleError(source, _TOO_MUCH)
            if not decompressor.eof:
                raise BundleError(source, "it breaks off; pack it again")
            data = decompressor.unused_data.lstrip(
                b"\0"
            )  # a compressed file may be several, one after another
    except (zlib.error, lzma.LZMAError, OSError, ValueError, EOFError, MemoryError) as error:
        raise _damaged(source, error) from None
    return b"".join(parts)


def _damaged(source: str, error: BaseException) -> BundleError:
    return BundleError(
        source, f"it cannot be unpacked: {str(error)[:200] or type(error).__name__}; pack it again"
    )


def _without_top_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    tops = {path.split("/")[0] for path in files}
    if len(tops) != 1 or tops & {"src", "config"} or any("/" not in path for path in files):
        return files
    top = len(tops.pop()) + 1
    return {path[top:]: data for path, data in files.items()}
