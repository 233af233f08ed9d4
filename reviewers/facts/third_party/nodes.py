"""What names refer to in one version of a library, as the shards encode it."""

import abc
import builtins
import collections
import collections.abc
import enum
from collections.abc import Iterator
from dataclasses import dataclass

from reviewers.facts.third_party.shard import Shard, Table

# Bases from the standard library whose attributes are those of this Python; any other base leaves a
# class open.
STANDARD: dict[str, type] = {
    **{f"builtins.{name}": kind for name, kind in vars(builtins).items() if isinstance(kind, type)},
    **{
        f"collections.abc.{name}": getattr(collections.abc, name)
        for name in collections.abc.__all__
    },
    **{
        f"collections.{name}": getattr(collections, name)
        for name in ("OrderedDict", "UserDict", "UserList", "defaultdict", "Counter", "deque")
    },
    **{f"typing.{name}": getattr(collections.abc, name) for name in collections.abc.__all__},
    **{
        f"enum.{name}": getattr(enum, name)
        for name in ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum")
    },
    "abc.ABC": abc.ABC,
    "typing.Generic": object,
    "typing.Protocol": object,
    "typing.NamedTuple": tuple,
    "typing.Dict": dict,
    "typing.List": list,
    "typing.Tuple": tuple,
    "typing.OrderedDict": collections.OrderedDict,
    "typing_extensions.Protocol": object,
    "typing_extensions.Generic": object,
}


@dataclass(frozen=True, slots=True, eq=False)
class ModuleNode:
    """A module."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class TextNode:
    """Anything that is written as one text: function, property, value, alias, or a name that may
    exist.

    Attributes:
        place: its dotted name where it is defined.
    """

    text: str
    place: str


@dataclass(frozen=True, slots=True, eq=False)
class ClassNode:
    """A class of an indexed library.

    Attributes:
        flags: O the class is open, o its instances are, c compiled code may add to it, x the
            constructor cannot be read, d it has dataclass fields.
    """

    place: str
    view: "LibraryView"
    table: Table
    bases: tuple[str, ...]
    metaclass: str
    flags: str
    fields: str


@dataclass(frozen=True, slots=True, eq=False)
class StandardNode:
    """A class of the standard library."""

    place: str
    kind: type


Node = ModuleNode | TextNode | ClassNode | StandardNode


class LibraryView:
    """One library at one version."""

    def __init__(self, shard: Shard, index: int) -> None:
        self.shard = shard
        self.index = index
        self.bit = 1 << index
        self._classes: dict[str, ClassNode] = {}

    @property
    def version(self) -> str:
        return self.shard.versions[self.index]

    def has_module(self, name: str) -> bool:
        return bool(self.shard.present(name) & self.bit)

    def may_have(self, module: str, name: str) -> bool:
        """Whether a module may have a name that its table lacks."""
        flags = set(self.texts(self.shard.table(module).get("")))
        return "o" in flags or ("c" in flags and self.shard.may_be_compiled(name))

    def stars(self, module: str) -> tuple[str, ...]:
        """Modules of other libraries whose names a module takes over."""
        return tuple(
            name for text in self.texts(self.shard.table(module).get("*")) for name in text.split()
        )

    def bound(self, module: str, name: str) -> list[Node]:
        """What a name is bound to in a module's table; several where any of them may be."""
        return self.nodes(self.shard.table(module).get(name), f"{module}.{name}")

    def texts(self, entry: object) -> Iterator[str]:
        """The texts of an entry that hold in this version."""
        match entry:
            case str():
                yield entry
            case list():
                for text, mask in zip(entry[::2], entry[1::2], strict=True):
                    if mask & self.bit:
                        yield text

    def nodes(self, entry: object, place: str) -> list[Node]:
        """Read an entry in this version."""
        own, table = (entry.get(""), entry) if isinstance(entry, dict) else (entry, {})
        return [
            (
                self._class(text, place, table)
                if text.startswith("c")
                else TextNode(
                    (
                        text + place.rpartition(".")[2]
                        if text.startswith("@") and text.endswith(".")
                        else text
                    ),
                    place,
                )
            )
            for text in self.texts(own)
        ]

    def _class(self, text: str, place: str, table: Table) -> ClassNode:
        found = self._classes.get(place)
        if found is None:
            bases, metaclass, flags, fields = [*text[1:].split(";"), "", "", ""][:4]
            found = ClassNode(place, self, table, tuple(bases.split()), metaclass, flags, fields)
            self._classes[place] = found
        return found
