"""Zip and tar archives of a submission's folder, unpacked in memory only and within the limits."""

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
from functools import partial
from typing import Protocol

from reviewers.bundles.bundle_format import BundleCandidate, Format, without_ending
from reviewers.bundles.dating import dated
from reviewers.bundles.file_selection import ENVIRONMENT_MARK, FoundFile, read_chosen, tool_folder
from reviewers.bundles.folder import submission_of
from reviewers.bundles.limits import MAX_BYTES, safe_path
from reviewers.errors import BundleError
from reviewers.records import DatedBy, PassedOver, Submission

_ENDINGS = (
    ".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2",
)  # fmt: skip
_MAX_MEMBERS = 5_000  # folders and what tools leave included
_TAR_BYTES = MAX_BYTES + 2_000_000  # a tar's own headers and padding come on top of its files
_LZMA_MEMORY = 128_000_000
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # the others unpack without a bound
# NotImplementedError: a newer zip version; RuntimeError: a password after all, or a tar that
# leads in a circle.
_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    tarfile.TarError,
)
_TOO_MUCH = f"it unpacks to more than {MAX_BYTES // 1_000_000} MB; leave data out of the bundle"


def _is_zip(data: bytes) -> bool:
    """Whether the bytes begin as a zip archive does."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def _is_tar(data: bytes) -> bool:
    """Whether the bytes begin as a tar archive does, plain or compressed."""
    return data[257:262] == b"ustar" or any(data.startswith(magic) for magic in _COMPRESSED)


def _read(data: bytes, source: str, file_name: str) -> Submission:
    """Read an archive of a submission's folder; a single folder that holds everything else is
    passed over.

    Raises:
        BundleError: it cannot be unpacked, holds links or paths that leave it, or breaks a limit.
    """
    members = _Members(source)
    try:
        if _is_zip(data):
            with zipfile.ZipFile(io.BytesIO(_zip_bounded(data, source))) as archive:
                _zip_members(archive, members)
                files, passed = members.read()
        else:
            with tarfile.open(fileobj=io.BytesIO(_decompressed(data, source)), mode="r:") as tar:
                _tar_members(tar, members)
                files, passed = members.read()
    except _ERRORS as error:
        raise _damaged(source, error) from None
    name = without_ending(file_name, _ENDINGS)
    found = submission_of(_without_top_folder(files), source, name, passed)
    return dated(found, max(members.times, default=None), DatedBy.ARCHIVE)


class _Members:
    """The members of an archive, each checked before any is read."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.times: list[datetime] = []
        self._found: dict[str, FoundFile] = {}
        self._passed: dict[str, PassedOver] = {}
        self._seen = 0

    def add(self, name: str, kind: str, size: int, read: Callable[[int], bytes]) -> None:
        """Take note of a member.

        Args:
            kind: `file`, `folder` or what else it is, in words.
        """
        self._seen += 1
        if self._seen > _MAX_MEMBERS:
            raise BundleError(self.source, f"it contains more than {_MAX_MEMBERS} members")
        if (
            kind == "folder"
            and name.strip("./") == ""
            and not name.startswith("/")
            and ".." not in name
        ):
            return
        path = safe_path(name, self.source)
        if kind == "folder":
            return
        if kind != "file":
            self._passed[path] = PassedOver(path, kind)
            return
        if path in self._found:
            raise BundleError(self.source, f"it contains two files at {path!r}; keep one")
        self._found[path] = FoundFile(path, size, read)

    def read(self) -> tuple[dict[str, bytes], tuple[PassedOver, ...]]:
        """Read what belongs to the submission, and return what does not."""
        environments = {
            path.rpartition("/")[0]
            for path in self._found
            if path.rpartition("/")[2] == ENVIRONMENT_MARK
        } - {""}
        found = []
        for path, each in self._found.items():
            if (left := tool_folder(path, environments)) is None:
                found.append(each)
            else:
                self._passed[left.path] = left
        return read_chosen(found, self._passed.values(), self.source)

    def add_time(self, made: Callable[..., datetime], *said: object) -> None:
        """Keep the time of a file, where what the archive says is one."""
        with suppress(ValueError, OverflowError, OSError):
            self.times.append(made(*said))


def _zip_bounded(data: bytes, source: str) -> bytes:
    if data.count(b"PK\x01\x02") > _MAX_MEMBERS:  # before zipfile makes an object of each
        raise BundleError(source, f"it contains more than {_MAX_MEMBERS} members")
    return data


def _zip_members(archive: zipfile.ZipFile, members: _Members) -> None:
    for info in archive.infolist():
        # `filename` is already tidied (cut at a NUL, separators turned): judge what the archive
        # really says.
        name = info.orig_filename
        reader = partial(_read_zipped, archive, info, members.source)
        members.add(name, _zip_kind(info), info.file_size, reader)
        members.add_time(datetime, *info.date_time, 0, UTC)


def _read_zipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, source: str, most: int) -> bytes:
    path = info.orig_filename
    if info.flag_bits & 1:
        raise BundleError(source, f"{path} is encrypted; pack it without a password")
    if info.compress_type not in _ZIP_METHODS:
        raise BundleError(
            source, f"{path} is packed in an unusual way; pack it again with the usual `deflate`"
        )
    with archive.open(info) as stream:
        return stream.read(most)


def _zip_kind(info: zipfile.ZipInfo) -> str:
    mode = stat.S_IFMT(info.external_attr >> 16)
    if mode == stat.S_IFLNK:
        return "a link, which is not followed"
    if mode not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "neither a file nor a folder"
    return "folder" if info.orig_filename.endswith("/") or mode == stat.S_IFDIR else "file"


def _tar_members(archive: tarfile.TarFile, members: _Members) -> None:
    while (info := archive.next()) is not None:
        reader = partial(_read_tarred, archive, info, members.source)
        members.add(info.name, _tar_kind(info), info.size, reader)
        members.add_time(datetime.fromtimestamp, info.mtime, UTC)


def _read_tarred(archive: tarfile.TarFile, info: tarfile.TarInfo, source: str, most: int) -> bytes:
    stream = archive.extractfile(info)
    assert stream is not None  # only a regular file is read
    content = stream.read(most)
    if len(content) != min(info.size, most):
        raise BundleError(source, f"{info.name} is truncated; pack it again")
    return content


def _tar_kind(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return "a link, which is not followed"
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
                raise BundleError(source, "it is truncated; pack it again")
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
    name = tops.pop()
    if f"{name}/__init__.py" in files:  # the package itself
        return files
    top = len(name) + 1
    return {path[top:]: data for path, data in files.items()}


def _sniff(candidate: BundleCandidate) -> bool:
    return candidate.ends_with(_ENDINGS) or _is_zip(candidate.data) or _is_tar(candidate.data)


FORMAT = Format(
    name="an archive",
    endings=_ENDINGS,
    sniff=_sniff,
    read=lambda candidate: (_read(candidate.data, candidate.source, candidate.name),),
)
