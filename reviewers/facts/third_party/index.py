"""The index of third-party libraries: which names exist in which versions, and what callables take."""

import tomllib
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from packaging.specifiers import SpecifierSet

from reviewers.facts.third_party.constructors import constructor
from reviewers.facts.third_party.nodes import ClassNode, ModuleNode, Node, StandardNode, TextNode, View
from reviewers.facts.third_party.resolve import UNSURE, Found, Resolver, Unsure
from reviewers.facts.third_party.shard import Shard
from reviewers.facts.third_party.signature import Signature, accepts, parse_parameters
from reviewers.facts.third_party.versions import Availability, Presence, Span

_HERE = Path(__file__).parent
_NAME_LIMIT = 300
_KINDS: dict[str, Literal["function", "property", "attribute"]] = {
    "f": "function", "i": "function", "s": "function", "k": "function", "p": "property", "d": "attribute",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """The name exists in the newest indexed version.

    Attributes:
        origin: the dotted name where it is defined, as far as that can be told.
    """

    origin: str
    kind: Literal["module", "class", "function", "property", "attribute", "value"]
    presence: Presence


@dataclass(frozen=True, slots=True)
class Absent:
    """The name does not exist in the newest indexed version; `presence.spans` tells when it did, if ever."""

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
    """Answers questions about public names; safe to share between threads, since every answer is computed alike."""

    def __init__(self, folder: Path = _HERE / "data", libraries: Path = _HERE / "libraries.toml") -> None:
        tables = tomllib.loads(libraries.read_text("utf-8"))
        self._folder = folder
        self._libraries = {root: name for name, table in tables.items() for root in table.get("imports", [name.replace("-", "_")])}
        self._shards: dict[str, Shard | None] = {}
        self._resolvers: dict[tuple[str, int], Resolver] = {}
        self.existing: Callable[[str], Presence | None] = lru_cache(maxsize=20_000)(self._existing)

    def distribution_of(self, imported: str) -> str | None:
        """The library that a top-level package comes from, None where it is not indexed."""
        return self._libraries.get(imported.partition(".")[0])

    def lookup(self, dotted: str) -> Known | Absent | Unknown:
        """What is known of a name such as `sklearn.metrics.f1_score` or `omegaconf.OmegaConf.merge`."""
        presence = self.existing(dotted)
        if presence is None or presence.newest is None:
            return Unknown()
        return self._known(self._newest(dotted), presence) if presence.newest else Absent(presence)

    def existence(self, dotted: str) -> tuple[Span, ...]:
        """The versions in which a name exists; empty where it never did, or where nothing is known."""
        presence = self.existing(dotted)
        return () if presence is None else presence.spans

    def exists(self, dotted: str, allowed: SpecifierSet | None = None) -> Availability:
        """Whether a name exists in the versions that a submission's requirement allows; all of them without one."""
        presence = self.existing(dotted)
        return _nothing_known(dotted) if presence is None else presence.within(allowed)

    def attribute(self, owner: str, name: str) -> Known | Absent | Unknown:
        """An attribute of the instances of a class, which have more of them than the class itself."""
        presence = self._attribute_presence(owner, name)
        if presence is None or presence.newest is None:
            return Unknown()
        if not presence.newest:
            return Absent(presence)
        return self._known(self._member(self._resolver(owner, -1), owner, name), presence)

    def attribute_exists(self, owner: str, name: str, allowed: SpecifierSet | None = None) -> Availability:
        """Whether the instances of a class have an attribute in the versions that a requirement allows."""
        presence = self._attribute_presence(owner, name)
        return _nothing_known(owner) if presence is None else presence.within(allowed)

    def signature(self, dotted: str) -> Signature | None:
        """What calling the name takes in the newest indexed version, None where that cannot be read.

        A class takes what its constructor does. A method named through its class still takes `self`, as it does at run time.
        """
        resolver = self._resolver(dotted, -1)
        return None if resolver is None else _signature(resolver.resolve(dotted), resolver)

    def method(self, owner: str, name: str) -> Signature | None:
        """What calling a method of an instance takes."""
        resolver = self._resolver(owner, -1)
        return None if resolver is None else _signature(self._member(resolver, owner, name), resolver, bound=True)

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
        """Whether a call fits in each version that a requirement allows.

        Args:
            dotted: the callable; with an `owner`, the name of a method of that class's instances.
        """
        problem = None
        states: list[bool | None] = []
        shard = self._shard(owner or dotted)
        for number in range(len(shard.versions) if shard else 0):
            resolver = self._resolver(owner or dotted, number)
            if resolver is None:
                continue
            found = resolver.resolve(dotted) if owner is None else self._member(resolver, owner, dotted)
            signature = _signature(found, resolver, bound=owner is not None)
            why = None if signature is None else accepts(signature, positional, keywords, star_args=star_args, star_kwargs=star_kwargs)
            states.append(None if signature is None else why is None)
            problem = why or problem
        if shard is None:
            return CallFit(_nothing_known(dotted), None)
        availability = Presence(shard.library, shard.versions, tuple(states)).within(allowed)
        return CallFit(availability, problem if availability.answer in ("none", "some") else None)

    def returns(self, dotted: str) -> tuple[str, ...]:
        """The classes that a call of the name gives, by the names where they are defined; empty where that is not known.

        What comes back at run time may be a subclass with more attributes.
        """
        resolver = self._resolver(dotted, -1)
        found = None if resolver is None else resolver.resolve(dotted)
        if resolver is None or not isinstance(found, tuple) or len(found) != 1:
            return ()
        if isinstance(found[0], ClassNode):
            return (found[0].place,)
        signature = _signature(found, resolver)
        places = [resolver.resolve(name) for name in signature.returns] if signature else []
        return tuple(place[0].place for place in places if isinstance(place, tuple) and len(place) == 1 and isinstance(place[0], ClassNode))

    def _existing(self, dotted: str) -> Presence | None:
        shard = self._shard(dotted)
        if shard is None or len(dotted) > _NAME_LIMIT:
            return None
        return Presence(shard.library, shard.versions, tuple(_state(self._at(dotted, number)) for number in range(len(shard.versions))))

    def _attribute_presence(self, owner: str, name: str) -> Presence | None:
        shard = self._shard(owner)
        if shard is None:
            return None
        states = tuple(_state(self._member(self._resolver(owner, number), owner, name)) for number in range(len(shard.versions)))
        return Presence(shard.library, shard.versions, states)

    def _member(self, resolver: Resolver | None, owner: str, name: str) -> Found:
        """An attribute of instances; UNSURE also where the class itself is not there."""
        found = None if resolver is None else resolver.resolve(owner)
        if resolver is None or not isinstance(found, tuple) or len(found) != 1 or not isinstance(found[0], ClassNode):
            return UNSURE
        return resolver.member(found[0], name, of_instance=True)

    def _at(self, dotted: str, number: int) -> Found:
        resolver = self._resolver(dotted, number)
        return UNSURE if resolver is None else resolver.resolve(dotted)

    def _newest(self, dotted: str) -> Found:
        return self._at(dotted, -1)

    def _abroad(self, dotted: str) -> Found:
        """Resolve a name of another library: as its newest version has it; absent only where no version has it."""
        shard = self._shard(dotted)
        if shard is None:
            return UNSURE
        newest = self._newest(dotted)
        if newest is not None:
            return newest
        return None if all(self._at(dotted, number) is None for number in range(len(shard.versions))) else UNSURE

    def _resolver(self, dotted: str, number: int) -> Resolver | None:
        shard = self._shard(dotted)
        if shard is None:
            return None
        key = shard.library, number % len(shard.versions)
        resolver = self._resolvers.get(key)
        if resolver is None:
            resolver = self._resolvers.setdefault(key, Resolver(View(shard, key[1]), self._abroad))
        return resolver

    def _shard(self, dotted: str) -> Shard | None:
        library = self.distribution_of(dotted)
        if library is None:
            return None
        if library not in self._shards:
            path = self._folder / f"{library.lower()}.index"
            self._shards.setdefault(library, Shard(path) if path.is_file() else None)
        return self._shards[library]

    @staticmethod
    def _known(found: Found, presence: Presence) -> Known:
        node = found[0] if isinstance(found, tuple) else None
        match node:
            case ModuleNode(name=name):
                return Known(name, "module", presence)
            case ClassNode(place=place) | StandardNode(place=place):
                return Known(place, "class", presence)
            case TextNode(text=text, place=place):
                return Known(place, _KINDS.get(text[:1], "value"), presence)
        return Known("", "value", presence)


def _state(found: Found) -> bool | None:
    return None if isinstance(found, Unsure) else found is not None


def _nothing_known(dotted: str) -> Availability:
    return Availability("unknown", None, Presence(dotted.partition(".")[0], (), ()))


def _signature(found: Found, resolver: Resolver, *, bound: bool = False) -> Signature | None:
    """Every alternative must be readable: one that is not may take anything."""
    if not isinstance(found, tuple) or not found:
        return None
    parts = [_one_signature(node, resolver, bound) for node in found]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    returns = known[0].returns if all(part.returns == known[0].returns for part in known) else ()
    return Signature(tuple(dict.fromkeys(alternative for part in known for alternative in part.alternatives)), returns)


def _one_signature(node: Node, resolver: Resolver, bound: bool) -> Signature | None:
    if isinstance(node, ClassNode):
        return constructor(node, resolver)
    if not isinstance(node, TextNode) or node.text[:2] not in ("f(", "i(", "s(", "k("):
        return None
    text, _, rest = node.text[2:].rpartition(")")
    parameters = parse_parameters(text)
    if bound and node.text[0] == "i" and parameters and parameters[0].kind in ("positional", "either"):
        parameters = parameters[1:]
    return Signature((parameters,), tuple(rest.removeprefix(">").split("|")) if rest else ())
