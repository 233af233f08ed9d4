"""Reads the objects of a git repository without git: bounded, from its own folder only, and
verified by hash.
"""

import hashlib
import mmap
import os
import struct
import zlib
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from dulwich.errors import ApplyDeltaError
from dulwich.object_format import DEFAULT_OBJECT_FORMAT
from dulwich.objects import RawObjectID
from dulwich.pack import PackIndex, apply_delta, load_pack_index_file

from reviewers.bundles.limits import MAX_BYTES, MAX_FILE_BYTES, open_file
from reviewers.errors import BundleError

_MAX_PACKS = 1_000
_MAX_CHAIN = 1_000  # deltas on deltas; git itself makes at most 250
_MAX_BASE = MAX_BYTES  # what a delta is applied to may be larger than what comes out
# bytes over the whole reading, so that deltas on deltas cannot multiply without end
_MAX_UNPACKED = 2_000_000_000
_MAX_KEPT = 64_000_000  # bytes of bases that are kept for the next delta
_KINDS = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
_OFFSET_DELTA, _NAME_DELTA = 6, 7
_DAMAGE = (ValueError, IndexError, AssertionError, struct.error, zlib.error, ApplyDeltaError)

Stored = tuple[str, bytes]  # kind and content


class GitObjects:
    """The objects below `objects/` of one repository; alternates, replacements and grafts are not
    looked at.

    Args:
        folder: the `objects` folder itself.
        source: the repository as the user gave it.

    Raises:
        BundleError: the folder cannot be read, is a link, or an index of a pack is damaged.
    """

    def __init__(self, folder: Path, source: str) -> None:
        self._folder = folder
        self._source = source
        self._unpacked = 0
        self._bases: dict[tuple[int, int], Stored] = {}
        self._kept = 0
        self._packs: list[_Pack] = []
        # A link could lead out of the repository: only real folders are looked into, and files are
        # opened without following.
        folders = _real_folders(folder, source)
        self._loose = folders - {"info", "pack"}
        if "pack" in folders:
            try:
                self._open_packs()
            except BundleError:
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the packs."""
        for pack in self._packs:
            pack.close()

    def read(self, name: str, limit: int = MAX_FILE_BYTES) -> Stored | None:
        """Read one object.

        Args:
            name: its SHA-1 in hexadecimal digits.
            limit: bytes that its content may have.

        Returns:
            Its kind (`commit`, `tree`, `blob`, `tag`) and content; None if it is larger than the
            limit.

        Raises:
            BundleError: it is missing or damaged.
        """
        try:
            found = self._find(name, limit)
        except _DAMAGE:
            raise self._bad(name, "is damaged; `git fsck` shows details") from None
        if found is None or len(found[1]) > limit:
            return None
        kind, content = found
        if (
            hashlib.sha1(
                f"{kind} {len(content)}\0".encode() + content, usedforsecurity=False
            ).hexdigest()
            != name
        ):
            raise self._bad(name, "is damaged: its content has another hash")
        return found

    def _find(self, name: str, limit: int) -> Stored | None:
        path = self._folder / name[:2] / name[2:]
        if name[:2] in self._loose and os.path.lexists(path):
            with open_file(path, f"{self._source}: object {name[:10]}") as stream:
                return self._from_loose(stream.read(_room(limit)), limit)
        raw = bytes.fromhex(name)
        for pack in self._packs:
            if (offset := pack.offset(raw)) is not None:
                return self._from_pack(pack, offset)
        if (self._folder / "info" / "alternates").exists():
            raise self._bad(
                name,
                "lies in another repository (objects/info/alternates), which is not read; clone"
                " with --dissociate",
            )
        raise self._bad(name, "is missing: the clone is partial or damaged")

    def _from_loose(self, data: bytes, limit: int) -> Stored | None:
        stream = zlib.decompressobj()
        start = stream.decompress(data, 64)
        head, _, content = start.partition(b"\0")
        kind, _, written = head.decode("ascii").partition(" ")
        size = int(written)
        if size > limit:
            return None
        self._count(size)
        content += (
            stream.decompress(stream.unconsumed_tail, size - len(content) + 1)
            if size >= len(content)
            else b""
        )
        if len(content) != size or not stream.eof or kind not in _KINDS.values():
            raise ValueError
        return kind, content

    def _from_pack(self, pack: "_Pack", offset: int) -> Stored | None:
        deltas: list[tuple[tuple[int, int], bytes]] = []
        while True:
            place = (id(pack), offset)
            if (known := self._bases.get(place)) is not None:
                kind, content = known
                break
            number, size, base, at = pack.entry(offset)
            if size > _MAX_BASE:
                return None
            self._count(size)
            content = _inflated(pack.data, at, size)
            if number in _KINDS:
                kind = _KINDS[number]
                break
            deltas.append((place, content))
            if base is None or len(deltas) > _MAX_CHAIN:
                raise ValueError
            offset = base
        for place, delta in reversed(deltas):
            _, at = _size_at(delta, 0)
            size, _ = _size_at(delta, at)
            if size > _MAX_BASE:
                return None
            self._count(size)
            content = b"".join(apply_delta(content, delta))
            self._keep(place, (kind, content))
        return kind, content

    def _keep(self, place: tuple[int, int], stored: Stored) -> None:
        if self._kept + len(stored[1]) > _MAX_KEPT:
            self._bases.clear()
            self._kept = 0
        if place not in self._bases:
            self._bases[place] = stored
            self._kept += len(stored[1])

    def _count(self, size: int) -> None:
        self._unpacked += size
        if self._unpacked > _MAX_UNPACKED:
            raise BundleError(
                self._source,
                f"more than {_MAX_UNPACKED // 10**9} GB had to be unpacked; name a smaller clone",
            )

    def _bad(self, name: str, problem: str) -> BundleError:
        return BundleError(self._source, f"object {name[:10]} {problem}")

    def _open_packs(self) -> None:
        folder = self._folder / "pack"
        names = {entry.name for entry in _listing(folder, self._source)}
        stems = sorted(
            name[: -len(".idx")]
            for name in names
            if name.endswith(".idx") and f"{name[:-4]}.pack" in names
        )
        if len(stems) > _MAX_PACKS:
            raise BundleError(
                self._source, f"it contains more than {_MAX_PACKS} packs; run `git gc` first"
            )
        for stem in stems:
            try:
                self._packs.append(_Pack(folder / stem, self._source))
            except (*_DAMAGE, KeyError):
                raise BundleError(
                    self._source, f"the pack {stem} is damaged; `git fsck` shows details"
                ) from None


class _Pack:
    """One pack with its index, both mapped into memory."""

    def __init__(self, stem: Path, source: str) -> None:
        with ExitStack() as on_failure:
            with open_file(stem.with_name(f"{stem.name}.pack"), source) as stream:
                self.data = on_failure.enter_context(
                    mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
                )
            path = stem.with_name(f"{stem.name}.idx")
            listing = on_failure.enter_context(open_file(path, source))
            self._index: PackIndex = load_pack_index_file(path, listing, DEFAULT_OBJECT_FORMAT)
            on_failure.pop_all()  # from here on the index and this pack close them

    def close(self) -> None:
        self._index.close()
        self.data.close()

    def offset(self, name: bytes) -> int | None:
        try:
            return self._index.object_offset(RawObjectID(name))
        except KeyError:
            return None

    def entry(self, offset: int) -> tuple[int, int, int | None, int]:
        """Kind of the entry, size of its content, where the base of a delta stands, and where the
        packed content begins.
        """
        first = self.data[offset]
        number, size, at = first >> 4 & 7, first & 15, offset + 1
        if first & 0x80:
            more, at = _size_at(self.data, at)
            size |= more << 4
        if number == _NAME_DELTA:
            return number, size, self.offset(self.data[at : at + 20]), at + 20
        if number != _OFFSET_DELTA:
            return number, size, None, at
        back = self.data[at] & 0x7F
        while self.data[at] & 0x80:
            at += 1
            back = (back + 1 << 7) | (self.data[at] & 0x7F)
            if back > offset:
                break
        if not 0 < back < offset:
            raise ValueError
        return number, size, offset - back, at + 1


def _size_at(data: "bytes | mmap.mmap", at: int) -> tuple[int, int]:
    """A number in groups of seven bits, lowest first, and where it ends."""
    size = shift = 0
    while True:
        byte = data[at]
        at += 1
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return size, at
        if shift > 56:
            raise ValueError


def _inflated(data: mmap.mmap, at: int, size: int) -> bytes:
    stream = zlib.decompressobj()
    content = stream.decompress(data[at : at + _room(size)], size + 1)
    if len(content) != size or not stream.eof:
        raise ValueError
    return content


def _room(size: int) -> int:
    """How many bytes at the most a content of this size takes when zlib packed it."""
    return size + (size >> 8) + 200


def _listing(folder: Path, source: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise BundleError(
            source, f"its folder {folder.name} cannot be read: {error.strerror or error}"
        ) from None


def _real_folders(folder: Path, source: str) -> set[str]:
    if folder.is_symlink():
        raise BundleError(
            source, f"its folder {folder.name} is a link; name the repository where it really lies"
        )
    return {entry.name for entry in _listing(folder, source) if entry.is_dir(follow_symlinks=False)}
