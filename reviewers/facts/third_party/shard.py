"""The file of one library: a header, and its modules in compressed chunks that are read on first
use.

A chunk has one line per module: its name, a tab and its table as JSON, so that only the requested
ones are parsed.
"""

import json
import re
import zlib
from pathlib import Path
from typing import Any

MAGIC = b"areachair index 2\n"
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
            if file.read(len(MAGIC)) != MAGIC:
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
