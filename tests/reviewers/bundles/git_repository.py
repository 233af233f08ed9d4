"""Writes git repositories for tests, object by object, so that they can hold what git itself would
refuse to make.
"""

import hashlib
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from dulwich.object_store import DiskObjectStore
from dulwich.pack import write_pack_index_v2
from dulwich.repo import Repo

from reviewers.records import Submission

FILE, LINK, SUBMODULE, FOLDER = 0o100644, 0o120000, 0o160000, 0o040000
Entry = tuple[bytes, int, str]


class Repository:
    """A repository in the making; every method returns ids as hexadecimal text.

    Args:
        path: of the new work tree, or of the bare repository.
    """

    def __init__(self, path: Path, bare: bool = False) -> None:
        self.path = path
        (Repo.init_bare if bare else Repo.init)(str(path), mkdir=True).close()
        self.git = path if bare else path / ".git"
        self.hour = 0

    def raw(self, kind: str, data: bytes) -> str:
        """Store an object as it is, whether or not it makes sense."""
        whole = f"{kind} {len(data)}\0".encode() + data
        id = hashlib.sha1(whole).hexdigest()
        if not (path := self.loose(id)).exists():
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(zlib.compress(whole, 1))
        return id

    def blob(self, data: str | bytes) -> str:
        return self.raw("blob", data.encode() if isinstance(data, str) else data)

    def tree(self, entries: Iterable[Entry]) -> str:
        """A folder with exactly these entries, in this order, whatever their names."""
        text = b"".join(b"%o %s\0" % (mode, name) + bytes.fromhex(id) for name, mode, id in entries)
        return self.raw("tree", text)

    def files(self, files: Mapping[str, str | bytes]) -> str:
        """The tree of these files by path."""
        here: dict[str, Entry] = {}
        below: dict[str, dict[str, str | bytes]] = {}
        for path, data in files.items():
            folder, slash, rest = path.partition("/")
            if slash:
                below.setdefault(folder, {})[rest] = data
            else:
                here[path] = (path.encode(), FILE, self.blob(data))
        here |= {
            folder: (folder.encode(), FOLDER, self.files(inside))
            for folder, inside in below.items()
        }
        return self.tree(here[name] for name in sorted(here))

    def commit(
        self,
        content: Mapping[str, str | bytes] | Submission | str,
        message: str | bytes = "attempt",
        parents: Sequence[str] = (),
        branch: str | None = "main",
        date: str | None = None,
        extra: bytes = b"",
    ) -> str:
        """Commit files by path, a submission or a tree's id; an hour after the last one unless a
        date is given.
        """
        if isinstance(content, Submission):
            content = tree_of(content)
        tree = content if isinstance(content, str) else self.files(content)
        self.hour += 1
        when = date if date is not None else f"{1_700_000_000 + 3600 * self.hour} +0900"
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [
            f"author A. Machine <a@example.org> {when}",
            f"committer A. Machine <a@example.org> {when}",
        ]
        head = "\n".join(lines).encode() + b"\n" + extra
        text = head + b"\n" + (message.encode() if isinstance(message, str) else message)
        id = self.raw("commit", text)
        if branch is not None:
            self.ref(f"refs/heads/{branch}", id)
        return id

    def chain(
        self,
        steps: Sequence[tuple[Mapping[str, str | bytes] | Submission, str]],
        branch: str = "main",
    ) -> list[str]:
        """Commit one state and message after the other."""
        ids: list[str] = []
        for content, message in steps:
            ids.append(self.commit(content, message, ids[-1:], branch))
        return ids

    def tag(self, name: str, target: str, kind: str = "commit") -> str:
        """An annotated tag."""
        text = f"object {target}\ntype {kind}\ntag {name}\ntagger A <a@b> 1700000000 +0000\n\nv\n"
        id = self.raw("tag", text.encode())
        self.ref(f"refs/tags/{name}", id)
        return id

    def ref(self, name: str, value: str) -> None:
        path = self.git / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")

    def pack(self) -> None:
        """Move all objects into one pack, with deltas."""
        with closing(DiskObjectStore(str(self.git / "objects"))) as store:
            store.pack_loose_objects()
            store.repack()

    def loose(self, id: str) -> Path:
        """Where an object that is not packed lies."""
        return self.git / "objects" / id[:2] / id[2:]

    def write_pack(self, entries: Sequence[tuple[str, bytes]]) -> None:
        """Write a pack of such entries, each with the id under which the index lists it."""
        data = b"PACK" + struct.pack(">II", 2, len(entries))
        places = []
        for id, entry in entries:
            places.append((bytes.fromhex(id), len(data), 0))
            data += entry
        end = hashlib.sha1(data).digest()
        folder = self.git / "objects/pack"
        (folder / "pack-made.pack").write_bytes(data + end)
        with (folder / "pack-made.idx").open("wb") as listing:
            write_pack_index_v2(listing, sorted(places), end)


def tree_of(submission: Submission, folder: str = "") -> dict[str, str | bytes]:
    """A submission's files and run configs by path, below a folder such as `tests/a/`."""
    return {f"{folder}{path}": file.data for path, file in submission.by_path.items()}


def delta(source: int, result: int, steps: bytes) -> bytes:
    """A delta that claims these sizes, whatever its steps make."""
    return _number(source) + _number(result) + steps


def packed(kind: int, content: bytes, base: bytes = b"", size: int | None = None) -> bytes:
    """An object as it stands in a pack.

    Args:
        kind: 3 for a file, 6 for a delta on an offset, 7 for a delta on a name.
        base: the offset or name as it stands there.
        size: the claimed size, where it is a lie.
    """
    size = len(content) if size is None else size
    more = _number(size >> 4) if size >> 4 else b""
    return (
        bytes([(0x80 if more else 0) | kind << 4 | size & 15])
        + more
        + base
        + zlib.compress(content)
    )


def _number(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
