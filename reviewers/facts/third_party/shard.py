"""The file of one library: a header, and its modules in compressed chunks that are read on first
use.

A chunk has one line per module: its name, a tab and its table as JSON, so that only the requested
ones are parsed.
"""

import json
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

_MAGIC = b"areachair index 2\n"
_CHUNK = 200_000  # bytes before compression
# What is kept of the strings of compiled code; a name of any other form may always be hidden in it.
COMPILED_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*_?|[A-Z][a-z0-9]+([A-Z][a-z0-9]+)*")

Table = dict[str, Any]


class Shard:
    """One library's index; a chunk is read and decompressed when one of its modules is first asked
    for.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ValueError(f"{path} is not an index file")
            size = int.from_bytes(file.read(4), "big")
            header = json.loads(zlib.decompress(file.read(size)))
            self._start = file.tell()
        self.library: str = header["library"]
        self.versions: tuple[str, ...] = tuple(header["versions"])
        self.unknown: tuple[str, ...] = tuple(header["unknown"])
        self._assigned: dict[str, str] = header["assigned"]
        self._chunks: list[list[int]] = header["chunks"]
        self._modules: dict[str, list[int]] = header["modules"]
        self._unparsed: dict[str, str] = {}
        self._tables: dict[str, Table] = {}
        self._compiled: str | None = None
        self.every = (1 << len(self.versions)) - 1

    def present(self, module: str) -> int:
        """The versions that have a module, as a mask with one bit a version, oldest first; 0 where
        none has.
        """
        found = self._modules.get(module)
        return 0 if found is None else found[1] if len(found) > 1 else self.every

    def sets(self, class_name: str, attribute: str) -> bool:
        """Whether the library sets an attribute on something that is called as instances of a class
        may be.
        """
        called = class_name.lower()
        return any(
            attribute in names.split()
            for word, names in self._assigned.items()
            if called.endswith(word)
        )

    def may_be_compiled(self, name: str) -> bool:
        """Whether the compiled code of the library may make a name; its strings are shared, so an
        end of one will do.
        """
        if len(name) < 3 or not COMPILED_NAME.fullmatch(name):
            return True
        if self._compiled is None:
            self._compiled = self._chunk(-1).decode()
        return f"{name}\n" in self._compiled

    def _chunk(self, number: int) -> bytes:
        offset, size = self._chunks[number]
        with self._path.open("rb") as file:
            file.seek(self._start + offset)
            return zlib.decompress(file.read(size))

    def table(self, module: str) -> Table:
        """The names of a module that exists in some version."""
        table = self._tables.get(module)
        if table is None:
            if module not in self._unparsed:
                for line in self._chunk(self._modules[module][0]).decode().split("\n"):
                    name, _, text = line.partition("\t")
                    self._unparsed[name] = text
            table = self._tables[module] = json.loads(self._unparsed.pop(module))
        return table


def write_shard(
    path: Path,
    library: str,
    versions: Sequence[str],
    unknown: Sequence[str],
    modules: Mapping[str, tuple[int, Table]],
    compiled: Collection[str] = (),
    assigned: Mapping[str, str] | None = None,
) -> int:
    """Write a library's file and return its size.

    Args:
        modules: name → (mask of the versions that have it, its table).
        compiled: names that the compiled code spells.
        assigned: attributes that the library sets on objects of unknown class: what these are
            called → names.
    """
    every = (1 << len(versions)) - 1
    bodies: list[bytes] = []
    placed: dict[str, list[int]] = {}
    pending: list[bytes] = []
    for name in sorted(modules, key=_likeness):
        present, table = modules[name]
        placed[name] = [len(bodies)] if present == every else [len(bodies), present]
        pending.append(name.encode() + b"\t" + _json(table))
        if sum(map(len, pending)) >= _CHUNK:
            bodies.append(zlib.compress(b"\n".join(pending), 9))
            pending = []
    bodies.append(zlib.compress(b"\n".join(pending), 9))
    bodies.append(zlib.compress("".join(f"{name}\n" for name in _longest(compiled)).encode(), 9))
    chunks, offset = [], 0
    for body in bodies:
        chunks.append([offset, len(body)])
        offset += len(body)
    facts = {
        "library": library,
        "versions": versions,
        "unknown": unknown,
        "assigned": assigned or {},
        "chunks": chunks,
        "modules": dict(sorted(placed.items())),
    }
    header = zlib.compress(_json(facts), 9)
    content = _MAGIC + len(header).to_bytes(4, "big") + header + b"".join(bodies)
    path.write_bytes(content)
    return len(content)


def _likeness(module: str) -> tuple[str, str]:
    """Sort modules that resemble each other together: `bert.modeling_bert` is more like
    `t5.modeling_t5` than its neighbours.
    """
    package, _, last = module.rpartition(".")
    before, named_after, behind = last.partition(f"_{package.rpartition('.')[2]}")
    return (before + behind if named_after and package else "", module)


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _longest(names: Collection[str]) -> Iterator[str]:
    """The names that are not the end of another one, which would be found in it anyway."""
    turned = sorted(name[::-1] for name in names)
    for name, following in zip(turned, [*turned[1:], ""][: len(turned)], strict=True):
        if not following.startswith(name):
            yield name[::-1]
