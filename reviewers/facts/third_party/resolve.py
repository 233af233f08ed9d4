"""Follows dotted names through modules, aliases, classes and bases, within one version of each
library.
"""

import abc
import enum
import fnmatch
import re
from collections.abc import Callable
from typing import Final

from reviewers.facts.third_party.nodes import (
    STANDARD,
    ClassNode,
    LibraryView,
    ModuleNode,
    Node,
    StandardNode,
    TextNode,
)
from reviewers.facts.third_party.shard import Shard

_HOPS = 16
_TORCH_MODULE = "torch.nn.modules.module.Module"
# Metaclasses that change neither the attributes of a class nor how it is called.
_PLAIN_METACLASSES = frozenset(
    {"", "abc.ABCMeta", "builtins.type", "typing._ProtocolMeta", "torch._C._TensorMeta"}
)


class Unsure:
    """The answer where a name may or may not exist."""

    def __repr__(self) -> str:
        return "UNSURE"


UNSURE: Final = Unsure()
Found = tuple[Node, ...] | Unsure | None  # None: it certainly does not exist


class Resolver:
    """Resolves names as one library at one version sees them."""

    def __init__(
        self,
        view: LibraryView,
        abroad: Callable[[str], Found],
        adorners: Callable[[], tuple[Shard, ...]],
    ) -> None:
        """Start with a view.

        Args:
            abroad: resolves the names of other libraries.
            adorners: gives the libraries that set attributes on the models of others.
        """
        self.view = view
        self._adorners = adorners
        self._abroad = abroad
        self._known: dict[str, Found] = {}
        self._lines: dict[int, tuple[tuple[ClassNode | StandardNode, ...], bool]] = {}
        self._may_exist = re.compile(
            "|".join(fnmatch.translate(pattern) for pattern in view.shard.unknown) or r"(?!)"
        )

    def resolve(self, dotted: str, hops: int = _HOPS) -> Found:
        """What a dotted name stands for: nodes, of which any may be the one; UNSURE; or None if
        it does not exist.
        """
        if dotted in self._known:
            return self._known[dotted]
        if not hops:
            return UNSURE
        self._known[dotted] = UNSURE  # what refers to itself is not known
        parts = dotted.split(".")
        if parts[0] == "builtins":
            return (StandardNode(dotted, STANDARD[dotted]),) if dotted in STANDARD else UNSURE
        found = (
            self._resolve(parts, hops)
            if self.view.shard.present(parts[0])
            else self._abroad(dotted)
        )
        if found is None and self._may_exist.match(dotted):
            found = UNSURE
        self._known[dotted] = found
        return found

    def _resolve(self, parts: list[str], hops: int) -> Found:
        module = next(
            (
                cut
                for cut in range(len(parts), 0, -1)
                if self.view.has_module(".".join(parts[:cut]))
            ),
            0,
        )
        if not module:
            return None
        # What the parent binds under a submodule's name is what an attribute gives; an import
        # statement finds the submodule.
        bound = self._shadowed(parts[:module], hops) if module > 1 else None
        if module == len(parts):
            return bound if isinstance(bound, tuple) and bound else (ModuleNode(".".join(parts)),)
        found = self._descend((ModuleNode(".".join(parts[:module])),), parts[module:], hops)
        if found is None and bound is not None:
            found = (
                UNSURE if isinstance(bound, Unsure) else self._descend(bound, parts[module:], hops)
            )
        return found

    def _shadowed(self, parts: list[str], hops: int) -> Found:
        own = ".".join(parts)
        nodes = self.view.bound(".".join(parts[:-1]), parts[-1])
        if not nodes or any(
            isinstance(node, TextNode) and node.text == f"@{own}" for node in nodes
        ):
            return None
        return self._through(nodes, hops)

    def _descend(self, nodes: tuple[Node, ...], names: list[str], hops: int) -> Found:
        found: Found = nodes
        for name in names:
            if not isinstance(found, tuple):
                return found
            found = self._joined([self._step(node, name, hops) for node in found])
        return found

    def _step(self, node: Node, name: str, hops: int) -> Found:
        match node:
            case ModuleNode(name=module):
                return self._in_module(module, name, hops)
            case ClassNode() | StandardNode():
                return self.member(node, name, of_instance=False)
        return UNSURE

    def _in_module(self, module: str, name: str, hops: int) -> Found:
        if not self.view.shard.present(module):
            return self._abroad(f"{module}.{name}")
        nodes = self.view.bound(module, name)
        if nodes:
            return self._through(nodes, hops)
        if self.view.has_module(f"{module}.{name}"):
            return (ModuleNode(f"{module}.{name}"),)
        if (
            name.startswith("_")
            or self.view.may_have(module, name)
            or self._may_exist.match(f"{module}.{name}")
        ):
            return UNSURE
        stars = [self.resolve(f"{source}.{name}", hops - 1) for source in self.view.stars(module)]
        return next(
            (found for found in stars if isinstance(found, tuple)), UNSURE if any(stars) else None
        )

    def _through(self, nodes: list[Node], hops: int) -> Found:
        """Follow aliases; a bound name exists even where what it stands for is not known."""
        ends: list[Node] = []
        for node in nodes:
            if isinstance(node, TextNode) and node.text == "?":
                return UNSURE
            if isinstance(node, TextNode) and node.text.startswith("@"):
                target = node.text[1:]
                found = self.resolve(target, hops - 1) if target != node.place else UNSURE
                ends.extend(
                    found if isinstance(found, tuple) and found else (TextNode("v", node.place),)
                )
            else:
                ends.append(node)
        return tuple(ends)

    @staticmethod
    def _joined(parts: list[Found]) -> Found:
        """Alternatives together: what one of them has exists; only what all lack is absent."""
        nodes = [node for part in parts if isinstance(part, tuple) for node in part]
        if nodes:
            return tuple(nodes)
        return UNSURE if any(isinstance(part, Unsure) for part in parts) else None

    def member(self, owner: ClassNode | StandardNode, name: str, *, of_instance: bool) -> Found:
        """An attribute of a class, or of its instances."""
        line, closed = self.line(owner)
        for node in line:
            if isinstance(node, StandardNode):
                if hasattr(node.kind, name):
                    return (TextNode("v", f"{node.place}.{name}"),)
                continue
            nodes = node.view.nodes(node.table.get(name), f"{node.place}.{name}")
            if nodes:
                return self._through(nodes, _HOPS)
        if not of_instance:
            found = self._of_metaclass(line, name)
            if found is not None:
                return found
        if not closed or name.startswith("_"):
            return UNSURE
        classes = [node for node in line if isinstance(node, ClassNode)]
        if any(self._may_have(node, name, of_instance) for node in classes) or (
            of_instance and self._is_set_elsewhere(classes, name)
        ):
            return UNSURE
        return None

    def _of_metaclass(self, line: tuple[ClassNode | StandardNode, ...], name: str) -> Found:
        """An attribute that a class has because its own class does."""
        if hasattr(abc.ABCMeta, name) or hasattr(enum.EnumMeta, name):
            return UNSURE
        for node in line:
            if (
                isinstance(node, ClassNode)
                and node.metaclass
                and node.metaclass not in _PLAIN_METACLASSES
            ):
                kind = self._base(node.metaclass, node)
                found = (
                    self.member(kind, name, of_instance=True)
                    if isinstance(kind, ClassNode)
                    else None
                )
                if isinstance(found, tuple):
                    return found
        return None

    def _is_set_elsewhere(self, line: list[ClassNode], name: str) -> bool:
        """Whether some code sets the attribute from outside, on something named after one of the
        classes.
        """
        shards = {id(node.view.shard): node.view.shard for node in line}
        if any(node.place == _TORCH_MODULE for node in line):
            shards.update((id(shard), shard) for shard in self._adorners())
        return any(
            shard.sets(node.place.rpartition(".")[2], name)
            for node in line
            for shard in shards.values()
        )

    def _may_have(self, node: ClassNode, name: str, of_instance: bool) -> bool:
        return (
            "O" in node.flags
            or (of_instance and "o" in node.flags)
            or ("c" in node.flags and node.view.shard.may_be_compiled(name))
            or self.has_odd_metaclass(node)
        )

    def line(
        self, owner: ClassNode | StandardNode
    ) -> tuple[tuple[ClassNode | StandardNode, ...], bool]:
        """A class and its ancestors in the order in which attributes are looked up, and whether all
        of them are known.
        """
        if id(owner) not in self._lines:
            self._lines[id(owner)] = (
                (owner,),
                False,
            )  # a class among its own bases would otherwise never end
            order: list[ClassNode | StandardNode] = [owner]
            closed = True
            for base in owner.bases if isinstance(owner, ClassNode) else ():
                found = self._base(base, owner)
                if found is None:
                    closed = False
                    continue
                inner, inner_closed = self.line(found)
                # A shared ancestor comes after all the classes that share it.
                order = [node for node in order if node is owner or node not in inner] + list(inner)
                closed &= inner_closed
            self._lines[id(owner)] = tuple(order), closed
        return self._lines[id(owner)]

    def _base(self, dotted: str, owner: Node) -> ClassNode | StandardNode | None:
        if dotted in STANDARD:
            return StandardNode(dotted, STANDARD[dotted])
        found = self.resolve(dotted)
        if (
            isinstance(found, tuple)
            and len(found) == 1
            and isinstance(found[0], (ClassNode, StandardNode))
            and found[0] is not owner
        ):
            return found[0]
        return None

    def has_odd_metaclass(self, node: ClassNode) -> bool:
        if node.metaclass in _PLAIN_METACLASSES or node.metaclass.startswith("enum."):
            return False
        found = self._base(node.metaclass, node)
        if not isinstance(found, ClassNode):
            return True
        line, _ = self.line(found)
        return any(
            isinstance(kind, ClassNode)
            and ({"o", "O"} & set(kind.flags) or "__call__" in kind.table)
            for kind in line
        )
