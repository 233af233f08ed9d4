"""The index of third-party libraries: which names exist in which versions, and the parameters of
callables.
"""

import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from threading import RLock
from typing import Literal

from packaging.specifiers import SpecifierSet

from reviewers.facts.third_party.calls import signature_of
from reviewers.facts.third_party.nodes import (
    ClassNode,
    LibraryView,
    ModuleNode,
    StandardNode,
    TextNode,
)
from reviewers.facts.third_party.resolve import UNSURE, Found, Resolver, Unsure
from reviewers.facts.third_party.shard import Shard
from reviewers.facts.third_party.signature import Signature, accepts
from reviewers.facts.third_party.versions import Availability, Presence, VersionSpan

_HERE = Path(__file__).parent
_RELEASED = _HERE / "released.toml"  # upload days by library and version
_NAME_LIMIT = 300
_REMEMBERED = 20_000
_ADORNERS = ("accelerate", "bitsandbytes", "peft", "transformers", "trl")
_KINDS: dict[str, Literal["function", "property", "attribute"]] = {
    "f": "function", "i": "function", "s": "function", "k": "function", "p": "property",
    "d": "attribute",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """The name exists in the newest indexed version.

    Attributes:
        origin: the dotted name where it is defined, as far as that is known.
    """

    origin: str
    kind: Literal["module", "class", "function", "property", "attribute", "value"]
    presence: Presence


@dataclass(frozen=True, slots=True)
class Absent:
    """The name does not exist in the newest indexed version; `presence.spans` tells when it did, if
    ever.
    """

    presence: Presence


@dataclass(frozen=True, slots=True)
class Unknown:
    """The index cannot tell; never a finding."""


@dataclass(frozen=True, slots=True)
class CallFit:
    """Whether a call fits a callable in the versions that a submission allows.

    Attributes:
        availability: in how many of them it fits.
        problem: why it does not fit, from the newest version in which it does not.
    """

    availability: Availability
    problem: str | None


class Index:
    """Answers questions about public names; safe to share between threads."""

    def __init__(
        self, folder: Path = _HERE / "data", libraries: Path = _HERE / "libraries.toml"
    ) -> None:
        tables = tomllib.loads(libraries.read_text("utf-8"))
        self._folder = folder
        self._tables = libraries
        self._libraries = {
            root: name
            for name, table in tables.items()
            for root in table.get("imports", [name.replace("-", "_")])
        }
        self._released: dict[str, dict[str, date]] = tomllib.loads(_RELEASED.read_text("utf-8"))
        self._shards: dict[str, Shard | None] = {}
        self._resolvers: dict[tuple[str, int], Resolver] = {}
        self._lock = RLock()
        self._existing = lru_cache(_REMEMBERED)(self._find_existing)
        self._attributes = lru_cache(_REMEMBERED)(self._find_attribute)
        self._signatures = lru_cache(_REMEMBERED)(self._find_signatures)
        self._judged = lru_cache(_REMEMBERED)(self._judge)

    def without(self, roots: Collection[str]) -> "Index":
        """Return an index that knows no library that is imported under one of these names."""
        if not self._libraries.keys() & set(roots):
            return self
        other = Index(self._folder, self._tables)
        other._libraries = {
            root: name for root, name in self._libraries.items() if root not in roots
        }
        return other

    def released(self, library: str) -> Mapping[str, date]:
        """When each indexed version of a library was uploaded."""
        return self._released.get(library, {})

    def distribution_of(self, imported: str) -> str | None:
        """The library that a dotted import comes from, None if it is not indexed."""
        return self._libraries.get(imported.partition(".")[0])

    def lookup(self, dotted: str) -> Known | Absent | Unknown:
        """What is known of a name such as `sklearn.metrics.f1_score` or
        `omegaconf.OmegaConf.merge`.
        """
        return _answer(*self._existing(dotted))

    def existence(self, dotted: str) -> tuple[VersionSpan, ...]:
        """The versions in which a name exists; empty if it never did, or if nothing is
        known.
        """
        return self._existing(dotted)[0].spans

    def exists(self, dotted: str, allowed: SpecifierSet | None = None) -> Availability:
        """Whether a name exists in the versions that a submission's requirement allows; all of them
        without one.
        """
        return self._existing(dotted)[0].within(allowed)

    def attribute(self, owner: str, name: str) -> Known | Absent | Unknown:
        """What is known of an attribute of a class's instances, which have more of them than the
        class itself.
        """
        return _answer(*self._attributes(owner, name))

    def attribute_exists(
        self, owner: str, name: str, allowed: SpecifierSet | None = None
    ) -> Availability:
        """Whether the instances of a class have an attribute in the versions that a requirement
        allows.
        """
        return self._attributes(owner, name)[0].within(allowed)

    def signature(self, dotted: str, allowed: SpecifierSet | None = None) -> Signature | None:
        """What calling the name takes in the newest allowed version, None if that cannot be
        read.

        A class takes what its constructor does. A method named through its class still takes
        `self`, as it does at run time.
        """
        return self._newest(self._signatures(dotted, None), allowed)

    def method(
        self, owner: str, name: str, allowed: SpecifierSet | None = None
    ) -> Signature | None:
        """What calling a method of an instance takes in the newest allowed version."""
        return self._newest(self._signatures(name, owner), allowed)

    def fits(
        self,
        dotted: str,
        positional: int,
        keywords: Collection[str] = (),
        allowed: SpecifierSet | None = None,
        *,
        owner: str | None = None,
        star_args: bool = False,
        star_kwargs: bool = False,
    ) -> CallFit:
        """Whether a call fits in the versions that a requirement allows.

        Args:
            dotted: the callable; with an `owner`, the name of a method of that class's instances.
            positional, keywords, star_args, star_kwargs: the call, as `accepts` takes it.
        """
        presence, problems = self._judged(
            dotted, owner, positional, tuple(keywords), star_args, star_kwargs
        )
        availability = presence.within(allowed)
        certain = availability.answer in ("none", "some") or availability.newest is False
        return CallFit(
            availability,
            next((problem for problem in reversed(problems) if problem), None) if certain else None,
        )

    def names(self, module: str) -> tuple[str, ...]:
        """The public names that a module binds in the newest indexed version, in alphabetical
        order.
        """
        shard = self._shard(module)
        if shard is None or not shard.present(module) >> (len(shard.versions) - 1):
            return ()
        view = LibraryView(shard, len(shard.versions) - 1)
        with self._lock:
            return tuple(
                name
                for name in shard.table(module)
                if name[:1].isalpha() and view.bound(module, name)
            )

    def attribute_types(self, owner: str) -> dict[str, tuple[str, ...]]:
        """The attributes of a class's instances whose class is known, as its constructor calls or
        annotations show.

        For a model these are its layers: `{"query": ("torch.nn.Linear",), …}`.
        """
        shard = self._shard(owner)
        if shard is None:
            return {}
        with self._lock:
            resolver = self._resolver(shard, len(shard.versions) - 1)
            found = resolver.resolve(owner)
            line = (
                resolver.line(found[0])[0]
                if isinstance(found, tuple) and isinstance(found[0], ClassNode)
                else ()
            )
        return {
            name: types
            for node in reversed(line)
            if isinstance(node, ClassNode)
            for name, types in _typed(node).items()
        }

    def _find_existing(self, dotted: str) -> tuple[Presence, Found]:
        return self._over_versions(dotted, lambda resolver: resolver.resolve(dotted))

    def _find_attribute(self, owner: str, name: str) -> tuple[Presence, Found]:
        return self._over_versions(owner, lambda resolver: _member(resolver, owner, name))

    def _over_versions(
        self, dotted: str, find: Callable[[Resolver], Found]
    ) -> tuple[Presence, Found]:
        """Ask every version; what is found is that of the newest one."""
        shard = self._shard(dotted)
        if shard is None or len(dotted) > _NAME_LIMIT:
            return _nothing_known(dotted), UNSURE
        with self._lock:
            found = [find(self._resolver(shard, number)) for number in range(len(shard.versions))]
        states = tuple(None if isinstance(one, Unsure) else one is not None for one in found)
        return Presence(shard.library, shard.versions, states), found[-1]

    def _find_signatures(
        self, dotted: str, owner: str | None
    ) -> tuple[Presence, tuple[Signature | None, ...]]:
        shard = self._shard(owner or dotted)
        if shard is None or len(dotted) > _NAME_LIMIT:
            return _nothing_known(dotted), (None,)
        with self._lock:
            resolvers = [self._resolver(shard, number) for number in range(len(shard.versions))]
            found = tuple(
                (
                    signature_of(resolver.resolve(dotted), resolver)
                    if owner is None
                    else signature_of(_member(resolver, owner, dotted), resolver, bound=True)
                )
                for resolver in resolvers
            )
        kept = {one: one for one in found if one is not None}  # equal ones are judged once
        found = tuple(None if one is None else kept[one] for one in found)
        return (
            Presence(shard.library, shard.versions, tuple(one is not None for one in found)),
            found,
        )

    def _judge(
        self,
        dotted: str,
        owner: str | None,
        positional: int,
        keywords: tuple[str, ...],
        star_args: bool,
        star_kwargs: bool,
    ) -> tuple[Presence, tuple[str | None, ...]]:
        """In which versions a call fits, and in each why it does not."""
        presence, signatures = self._signatures(dotted, owner)
        distinct = {
            id(one): one for one in signatures if one is not None
        }  # mostly one for many versions
        problems = {
            key: accepts(one, positional, keywords, star_args=star_args, star_kwargs=star_kwargs)
            for key, one in distinct.items()
        }
        states = tuple(None if one is None else problems[id(one)] is None for one in signatures)
        return Presence(presence.library, presence.versions, states), tuple(
            problems.get(id(one)) for one in signatures
        )

    @staticmethod
    def _newest(
        found: tuple[Presence, tuple[Signature | None, ...]], allowed: SpecifierSet | None
    ) -> Signature | None:
        presence, signatures = found
        return next(
            (
                signature
                for version, signature in zip(
                    reversed(presence.versions), reversed(signatures), strict=True
                )
                if allowed is None or allowed.contains(version, prereleases=True)
            ),
            None,
        )

    def _abroad(self, dotted: str) -> Found:
        """Resolve a name of another library: as its newest version has it; absent only where no
        version has it.
        """
        shard = self._shard(dotted)
        if shard is None:
            return UNSURE
        newest = self._resolver(shard, len(shard.versions) - 1).resolve(dotted)
        if newest is not None:
            return newest
        absent = all(
            self._resolver(shard, number).resolve(dotted) is None
            for number in range(len(shard.versions))
        )
        return None if absent else UNSURE

    def _adorners(self) -> tuple[Shard, ...]:
        return tuple(shard for shard in map(self._shard, _ADORNERS) if shard is not None)

    def _resolver(self, shard: Shard, number: int) -> Resolver:
        resolver = self._resolvers.get((shard.library, number))
        if resolver is None:
            resolver = self._resolvers[shard.library, number] = Resolver(
                LibraryView(shard, number), self._abroad, self._adorners
            )
        return resolver

    def _shard(self, dotted: str) -> Shard | None:
        library = self.distribution_of(dotted)
        if library is None:
            return None
        if library not in self._shards:
            path = self._folder / f"{library}.index"
            self._shards[library] = Shard(path) if path.is_file() else None
        return self._shards[library]


def _typed(node: ClassNode) -> dict[str, tuple[str, ...]]:
    """The attributes that a class itself gives a known class."""
    return {
        name: tuple(inner.text[2:].split("|"))
        for name, entry in node.table.items()
        if name
        for inner in node.view.nodes(entry, f"{node.place}.{name}")
        if isinstance(inner, TextNode) and inner.text[:2] in ("d>", "v>", "p>")
    }


def _member(resolver: Resolver, owner: str, name: str) -> Found:
    """An attribute of instances; UNSURE also where the class itself is not there."""
    found = resolver.resolve(owner)
    if not isinstance(found, tuple) or len(found) != 1 or not isinstance(found[0], ClassNode):
        return UNSURE
    return resolver.member(found[0], name, of_instance=True)


def _answer(presence: Presence, found: Found) -> Known | Absent | Unknown:
    match found:
        case None:
            return Absent(presence)
        case Unsure():
            return Unknown()
        case (ModuleNode(name=name), *_):
            return Known(name, "module", presence)
        case (ClassNode(place=place) | StandardNode(place=place), *_):
            return Known(place, "class", presence)
        case (TextNode(text=text, place=place), *_):
            return Known(place, _KINDS.get(text[:1], "value"), presence)
    return Known("", "value", presence)


def _nothing_known(dotted: str) -> Presence:
    return Presence(dotted.partition(".")[0], ("0",), (None,))
